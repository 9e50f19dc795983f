#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that a sdist has all that a build of the Python package needs.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
    cat <<'HELP'
usage: scripts/check-sdist.sh SDIST

Unpacks the archive and compares its list of files with the checkout: everything in the folders of the library, command and
bindings has to be there, and no build output. Then configures it as `pip install` does, with nothing of the checkout.
HELP
}
if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then usage && exit 0; fi
if [ $# -ne 1 ] || [ ! -f "$1" ]; then usage >&2 && exit 2; fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xzf "$1" -C "$folder"
unpacked=$(echo "$folder"/coppice-*)
[ -d "$unpacked" ] || die "$1 has no single folder coppice-VERSION"

needed=(CMakeLists.txt LICENSE README.md pyproject.toml core algebra semiring graph solvers include cmake apps petsc
    python/CMakeLists.txt python/src python/coppice python/licenses scripts/gdb)
lacking=$(cd "$root" && git ls-files -- "${needed[@]}" | while read -r name; do
    [ -e "$unpacked/$name" ] || printf '%s\n' "$name"
done)
[ -z "$lacking" ] || die "the sdist lacks $lacking"
extra=$(find "$unpacked" \( -name '*.so' -o -name '*.o' -o -name '*.a' -o -name '__pycache__' \) -printf '%P\n')
[ -z "$extra" ] || die "the sdist has build output: $extra"

cmake -S "$unpacked" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DCOPPICE_BUILD_TESTS=OFF -DCOPPICE_BUILD_BENCH=OFF \
    -DCOPPICE_BUILD_C_LIBRARY=OFF -DCOPPICE_CUDA=OFF >/dev/null
printf '%s: %d files, %d KB, configures\n' "$(basename "$1")" "$(find "$unpacked" -type f | wc -l)" $(($(stat -c %s "$1") / 1024))
