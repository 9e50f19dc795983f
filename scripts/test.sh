#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds everything and runs all tests.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
    cat <<'HELP'
usage: scripts/test.sh [--cuda | --no-cuda] [CTEST OPTION...]

Installs what is missing (Debian 12), builds everything into build/ and runs all tests with ctest; further options go
to ctest, for example -R graph.

  --cuda      build for CUDA too (also COPPICE_CUDA=ON); without it only where a GPU is present
  --no-cuda   host only (also COPPICE_CUDA=OFF)

COPPICE_ISA_LEVELS="base;v3;v4" compiles the host kernels for each of these instruction sets (installed libraries have all);
the default is native, this machine's alone.
COPPICE_JOIN_MORE=OFF compiles each source of the library separately: more time for all of them, less for a change of one;
the default is ON. Both variables apply when build/ is configured for the first time.
HELP
}

wish=${COPPICE_CUDA:-AUTO}
ctest_options=()
while [ $# -gt 0 ]; do
    case "$1" in
    --cuda) wish=ON ;;
    --no-cuda) wish=OFF ;;
    -h | --help) usage && exit 0 ;;
    *) ctest_options+=("$1") ;;
    esac
    shift
done

ensure_packages build test
cuda=$(cuda_choice "$wish")
mapfile -t options < <(first_options "$root/build")
say "building (CUDA $cuda)"
collect_late
configure "$root/build" "$cuda" -DCMAKE_BUILD_TYPE=Release -DCOPPICE_BUILD_APPS=ON -DCOPPICE_BUILD_TESTS=ON \
    -DCOPPICE_BUILD_BENCH=ON "${options[@]}"
build "$root/build"
say "testing"
ctest --test-dir "$root/build" --parallel "$(nproc)" --output-on-failure --no-tests=error "${ctest_options[@]}"
