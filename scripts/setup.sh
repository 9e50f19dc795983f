# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Functions of demo.sh, test.sh and .ci/run: find and install packages, decide about CUDA, build. To be sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\n== %s\n' "$*" >&2; }
die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Table of requirements: Debian package, purpose (build, test, petsc, python or style), and a command that succeeds if the
# package is installed. "header H" runs the compiler. Of several names, separated by |, the first available one is installed.
needed_packages() {
    cat <<'TABLE'
g++                   build  compiler_works
cmake                 build  cmake_is_new_enough
ninja-build           build  command -v ninja
libtbb-dev            build  header oneapi/tbb/version.h
libcli11-dev          build  header CLI/CLI.hpp
nlohmann-json3-dev    build  header nlohmann/json.hpp
libfmt-dev            build  header fmt/format.h
zlib1g-dev            build  header zlib.h
libeigen3-dev         build  eigen
ccache                test   command -v ccache
doctest-dev           test   header doctest/doctest.h
liblapacke-dev        test   header lapacke.h
liblapack-dev         test   library lapack
libblas-dev           test   library blas
libgraphblas-dev      test   graphblas
libboost-graph-dev|libboost-graph1.83-dev|libboost-graph1.74-dev test header boost/graph/adjacency_list.hpp
libopenmpi-dev        test   command -v mpicxx
openmpi-bin           test   command -v mpiexec
pkg-config            petsc  command -v pkg-config
libpetsc-real-dev     petsc  pkg-config --exists PETSc
openmpi-bin           petsc  command -v mpiexec
chromium              reports command -v chromium
mandoc                reports command -v mandoc
groff                 reports command -v groff
zsh                   reports command -v zsh
fish                  reports command -v fish
python3-venv          python python_venv
python3-dev           python python_header
clang-format          style  command -v clang-format
clang                 style  command -v clang++
clang-tidy            style  command -v clang-tidy
codespell             style  command -v codespell
python3-yaml          style  python_with_yaml
TABLE
}

compiler() { "${CXX:-g++}" -std=c++20 "$@"; }
compiler_works() { printf '#include <concepts>\n#include <version>\nint main() {}\n' | compiler -x c++ - -o /dev/null; }
header() { printf '#include <%s>\n' "$1" | compiler -E -x c++ -; }
library() { printf 'int main() {}\n' | compiler -x c++ - -o /dev/null "-l$1"; }
# From version 9 on, SuiteSparse installs its headers in a separate folder.
graphblas() { header GraphBLAS.h || header suitesparse/GraphBLAS.h; }
# Its folder is not on the include path.
eigen() { header eigen3/Eigen/SparseCore || header Eigen/SparseCore; }
python_venv() { python3 -c 'import ensurepip, venv'; }
python_header() { [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ]; }
# The first of two that has PyYAML: Debian's package belongs to Debian's Python, which need not be the first on PATH.
python_with_yaml() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import tomllib, yaml' 2>/dev/null; then
            printf '%s\n' "$python"
            return 0
        fi
    done
    return 1
}
cmake_is_new_enough() {
    local version
    version=$(cmake --version | sed -n '1s/[^0-9]*//p')
    [ "$(printf '3.25\n%s\n' "$version" | sort -V | head -n 1)" = 3.25 ]
}

# missing_packages KIND... prints the packages of these kinds whose probe fails.
missing_packages() {
    local package kind probe
    while read -r package kind probe; do
        case " $* " in *" $kind "*) ;; *) continue ;; esac
        # shellcheck disable=SC2086 # the probe is a command with its arguments
        $probe >/dev/null 2>&1 </dev/null || printf '%s\n' "$package"
    done < <(needed_packages)
}

# Whether this is Debian 12 or newer, or Ubuntu 24.04 or newer: releases with all packages above.
has_the_packages() {
    [ -r /etc/os-release ] && command -v apt-get >/dev/null && (
        . /etc/os-release
        case "${ID:-}" in
        debian) [ "${VERSION_ID:-99}" -ge 12 ] ;; # unreleased ones have no number
        ubuntu) [ "${VERSION_ID%%.*}" -ge 24 ] ;;
        *) false ;;
        esac
    )
}
# Prints the first of the names A|B|C that apt can install; the first name if it can install none.
available_package() {
    local name
    for name in ${1//|/ }; do
        if [ -n "$(apt-cache --quiet=0 madison "$name" 2>/dev/null)" ]; then
            printf '%s\n' "$name"
            return 0
        fi
    done
    printf '%s\n' "${1%%|*}"
}

# Runs a command as root without asking for a password; fails if that is impossible.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}
can_be_root() { [ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; }

# ensure_packages KIND... installs missing packages on Debian and Ubuntu; on other systems prints them and exits.
ensure_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    if has_the_packages && can_be_root; then
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 update >&2 ||
            die "apt-get update failed; missing packages: ${missing[*]}"
        local package
        for package in "${!missing[@]}"; do missing[package]=$(available_package "${missing[package]}"); done
        say "installing ${missing[*]}"
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
            install --no-install-recommends "${missing[@]}" >&2 ||
            die "apt-get install failed; missing packages: ${missing[*]}"
        mapfile -t missing < <(missing_packages "$@")
        [ "${#missing[@]}" -eq 0 ] || die "installed, but still not usable: ${missing[*]}"
        return 0
    fi
    {
        printf '%s: these packages (by their Debian names) are missing: %s\n' "$(basename "$0")" "${missing[*]}"
        if has_the_packages; then
            printf 'This user is not root and sudo needs a password. As root, run:\n'
            printf '    apt-get install --no-install-recommends %s\n' "${missing[*]%%|*}"
        else
            printf 'This script installs packages only on Debian 12 or newer and Ubuntu 24.04 or newer; install equivalent packages, then run it again.\n'
        fi
    } >&2
    exit 1
}

# Prints the path of nvcc; fails if there is none.
find_nvcc() {
    local candidate
    for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" \
        /usr/local/cuda/bin/nvcc; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}
has_gpu() { [ -e /dev/nvidiactl ] || { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; }; }

# cuda_choice WISH prints ON or OFF. WISH is ON, OFF or AUTO: ON if a GPU is present.
cuda_choice() {
    case "$1" in
    ON) find_nvcc >/dev/null || die "CUDA is ON, but there is no nvcc on PATH, in CUDA_HOME or in /usr/local/cuda" ;;
    OFF) ;;
    AUTO)
        if has_gpu && find_nvcc >/dev/null; then
            set -- ON
        else
            has_gpu && printf 'A GPU is present but no nvcc: building for the host only.\n' >&2
            set -- OFF
        fi
        ;;
    *) die "COPPICE_CUDA is \"$1\"; it can be AUTO, ON or OFF" ;;
    esac
    printf '%s\n' "$1"
}

# Prints the number of compilers to run: one per core and per 2 GiB of memory.
build_jobs() {
    local cores kilobytes jobs
    cores=$(nproc)
    kilobytes=$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo)
    jobs=$((${kilobytes:-4194304} / 2097152))
    [ "$jobs" -lt "$cores" ] || jobs=$cores
    [ "$jobs" -gt 0 ] || jobs=1
    printf '%s\n' "$jobs"
}

# GCC collects garbage whenever its heap has grown by a third. Without that a compiler takes 6 % less time and 120 MB more
# memory, of which build_jobs leaves enough. CMake reads the variables in the first configuration of a folder only.
collect_late() {
    compiler --version 2>/dev/null | grep -q 'Free Software Foundation' || return 0
    local options=(--param=ggc-min-expand=1000 --param=ggc-min-heapsize=1500000)
    case " ${CXXFLAGS:-} " in *" ${options[0]} "*) return 0 ;; esac # a script that runs another one
    export CXXFLAGS="${CXXFLAGS:+$CXXFLAGS }${options[*]}" CUDAFLAGS="${CUDAFLAGS:+$CUDAFLAGS }${options[*]/#/-Xcompiler=}"
}

# configure FOLDER CUDA [CMAKE OPTION...]
configure() {
    local folder=$1 cuda=$2
    shift 2
    local nvcc=()
    if [ "$cuda" = ON ]; then
        nvcc=("-DCMAKE_CUDA_COMPILER=$(find_nvcc)")
    fi
    cmake -S "$root" -B "$folder" -G Ninja -DCOPPICE_CUDA="$cuda" "${nvcc[@]}" "$@"
}
# first_options FOLDER prints the options of demo.sh and test.sh for a folder that is not configured yet, one a line. A
# folder keeps them, so that test.sh compiles nothing again that demo.sh has compiled. What runs on this machine alone needs
# one instruction set; neighbouring sources compiled as one take a fifth less time.
first_options() {
    [ ! -e "$1/CMakeCache.txt" ] || return 0
    printf -- '-DCOPPICE_ISA_LEVELS=%s\n-DCOPPICE_JOIN_MORE=%s\n' "${COPPICE_ISA_LEVELS:-native}" "${COPPICE_JOIN_MORE:-ON}"
}
# build FOLDER [TARGET...]
build() {
    local folder=$1
    shift
    cmake --build "$folder" --parallel "$(build_jobs)" ${1:+--target "$@"}
}
