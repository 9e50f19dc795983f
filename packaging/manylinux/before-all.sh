#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What Coppice is built with, in the container manylinux_2_28 (AlmaLinux 8), whose own packages are too old: installed into
# /opt/coppice-requirements. cibuildwheel calls it once, see pyproject.toml.
set -euo pipefail

prefix=/opt/coppice-requirements
sources=$(mktemp -d)

dnf install -y zlib-devel

# install_from NAME URL [CMAKE OPTION...] downloads an archive of sources, builds and installs it.
install_from() {
    local name=$1 url=$2
    shift 2
    mkdir -p "$sources/$name"
    curl --fail --location --retry 3 --silent --show-error "$url" | tar -xz --strip-components=1 -C "$sources/$name"
    cmake -S "$sources/$name" -B "$sources/$name-build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_INSTALL_LIBDIR=lib "$@"
    cmake --build "$sources/$name-build" --parallel "$(nproc)"
    cmake --install "$sources/$name-build"
}

github=https://github.com
install_from oneTBB "$github/uxlfoundation/oneTBB/archive/refs/tags/v2021.13.0.tar.gz" -DTBB_TEST=OFF -DTBBMALLOC_BUILD=OFF
install_from fmt "$github/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz" -DFMT_TEST=OFF -DFMT_DOC=OFF
install_from CLI11 "$github/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz" -DCLI11_BUILD_TESTS=OFF -DCLI11_BUILD_EXAMPLES=OFF
install_from json "$github/nlohmann/json/archive/refs/tags/v3.11.3.tar.gz" -DJSON_BuildTests=OFF
install_from eigen https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz -DBUILD_TESTING=OFF -DEIGEN_BUILD_DOC=OFF
