#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the command and runs the main job: from a matrix to a solved system, with a report to look at.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
    cat <<'HELP'
usage: scripts/demo.sh [--cuda | --no-cuda] [MATRIX]

Installs what is missing (Debian 12), builds into build/, solves A x = b with BiCGStab and the algebraic tridiagonal
(forest) preconditioner, and writes build/demo/report.html and build/demo/result.json.

  MATRIX      a Matrix Market file or generate:KIND,... ; default generate:aniso2,nx=700,ny=700
  --cuda      build for CUDA and solve on the GPU (also COPPICE_CUDA=ON); without it only where a GPU is present
  --no-cuda   host only (also COPPICE_CUDA=OFF)
HELP
}

wish=${COPPICE_CUDA:-AUTO}
matrix=generate:aniso2,nx=700,ny=700
while [ $# -gt 0 ]; do
    case "$1" in
    --cuda) wish=ON ;;
    --no-cuda) wish=OFF ;;
    -h | --help) usage && exit 0 ;;
    -*) usage >&2 && die "unknown option $1" ;;
    *) matrix=$1 ;;
    esac
    shift
done
[[ $matrix == generate:* || -r $matrix ]] || die "cannot read the matrix $matrix"

ensure_packages build
cuda=$(cuda_choice "$wish")
mapfile -t options < <(first_options "$root/build")
# A folder that test.sh has configured keeps its tests.
[ "${#options[@]}" -eq 0 ] || options+=(-DCOPPICE_BUILD_TESTS=OFF -DCOPPICE_BUILD_BENCH=OFF)
say "building (CUDA $cuda)"
collect_late
configure "$root/build" "$cuda" -DCMAKE_BUILD_TYPE=Release "${options[@]}"
build "$root/build" coppice_command

mkdir -p "$root/build/demo"
report=$root/build/demo/report.html
result=$root/build/demo/result.json
say "solving $matrix"
"$root/build/bin/coppice" solve "$matrix" --solver bicgstab --preconditioner forest --solution sine \
    --report "$report" --json "$result"
printf '\nReport: %s\nFigures: %s\n' "$report" "$result"
