#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks Debian packages of Coppice without installing them.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
    cat <<'HELP'
usage: scripts/check-packages.sh FOLDER

Checks the Debian packages in FOLDER, which cpack has written: their control fields, that each has its files, and no file
twice. Unpacks them into FOLDER/root, runs the command there, and compiles and runs programs in C++ and C by pkg-config and
a project by CMake against what was unpacked.
HELP
}

# field PACKAGE NAME prints a control field.
field() { dpkg-deb --field "${deb[$1]}" "$2"; }

# require_field PACKAGE NAME PATTERN: the control field matches an extended regular expression.
require_field() {
    local value
    value=$(field "$1" "$2")
    grep -qE -- "$3" <<<"$value" || die "package $1: $2 is \"$value\", expected a match of $3"
}

# require_file PACKAGE PATTERN: a path in the package, without the leading ./, matches as a whole.
require_file() { grep -qxE -- "$2" <<<"${files[$1]}" || die "package $1 has no file that matches $2"; }

find_packages() {
    local path name
    for path in "$1"/*.deb; do
        [ -e "$path" ] || die "no .deb in $1; cpack -G DEB writes them"
        name=$(dpkg-deb --field "$path" Package)
        [ -z "${deb[$name]:-}" ] || die "two packages of the name $name in $1"
        deb[$name]=$path
        files[$name]=$(dpkg-deb --fsys-tarfile "$path" | tar -t | sed 's,^\./,,' | grep -v '/$')
    done
    for name in coppice libcoppice-dev "$libraries"; do [ -n "${deb[$name]:-}" ] || die "no package $name in $1"; done
    [ "${#deb[@]}" -eq 3 ] || die "packages ${!deb[*]} in $1, expected coppice, libcoppice-dev and $libraries"
}

check_controls() {
    local name
    for name in "${!deb[@]}"; do
        require_field "$name" Version "^${version//./\\.}-[0-9]+$"
        require_field "$name" Architecture "^$(dpkg --print-architecture)$"
        require_field "$name" Maintainer '^[^<]+ <[^ @]+@[^ @]+>$'
        require_field "$name" Installed-Size '^[0-9]+$'
        require_field "$name" Description '^[A-Z].{10,}'
        [ "$(field "$name" Description | wc -l)" -gt 1 ] || die "package $name has no long description"
    done
    require_field coppice Section '^math$'
    require_field "$libraries" Section '^libs$'
    require_field libcoppice-dev Section '^libdevel$'
    # What dpkg-shlibdeps found of the binaries; the version of the C++ library is that of the compiler.
    for name in coppice "$libraries"; do
        require_field "$name" Depends '(^|, )libc6 \(>= [0-9.]+\)'
        require_field "$name" Depends '(^|, )libstdc\+\+6 \(>= [0-9.]+\)'
    done
    require_field libcoppice-dev Depends "(^|, )$libraries \(= ${version//./\\.}-[0-9]+\)"
    require_field libcoppice-dev Depends '(^|, )libtbb-dev'
    if grep -q '/libcoppice\.a$' <<<"${files[libcoppice-dev]}"; then
        require_field libcoppice-dev Depends '(^|, )zlib1g-dev'
        require_field coppice Depends '(^|, )libtbb12 '
        require_field coppice Depends '(^|, )zlib1g '
    else
        require_field coppice Depends "(^|, )$libraries \(= ${version//./\\.}-[0-9]+\)"
        require_field "$libraries" Depends '(^|, )libtbb12 '
    fi
    # What others that link these libraries depend on.
    dpkg-deb --info "${deb[$libraries]}" shlibs | grep -q "^libcoppice_c ${version%.*} $libraries (= " ||
        die "package $libraries has no line of libcoppice_c in shlibs"
    # Libraries of peers and of tests are none of a user's.
    if field coppice Depends | grep -E 'lapack|blas|graphblas|boost|petsc'; then die "the command needs libraries of the benches"; fi
}

check_files() {
    local name series=${version%.*}
    require_file coppice usr/bin/coppice
    require_file "$libraries" "usr/lib/(.*/)?libcoppice_c\.so\.${series//./\\.}"
    require_file libcoppice-dev 'usr/lib/(.*/)?libcoppice_c\.so'
    require_file libcoppice-dev 'usr/lib/(.*/)?libcoppice\.(a|so)'
    require_file libcoppice-dev 'usr/share/coppice/gdb/coppice_gdb\.py'
    require_file libcoppice-dev 'usr/lib/(.*/)?cmake/coppice/coppiceConfig\.cmake'
    require_file libcoppice-dev 'usr/lib/(.*/)?pkgconfig/coppice\.pc'
    require_file libcoppice-dev 'usr/lib/(.*/)?pkgconfig/coppice\+\+\.pc'
    local header
    while read -r header; do
        require_file libcoppice-dev "usr/include/coppice/${header//./\\.}"
    done < <(cd "$root/include/coppice" && ls -- *.h *.hpp && cat "$root/cmake/installed_headers.txt")
    for name in "${!deb[@]}"; do
        require_file "$name" "usr/share/doc/$name/copyright"
        require_file "$name" "usr/share/doc/$name/changelog\.gz"
        require_file "$name" "usr/share/doc/$name/changelog\.Debian\.gz"
    done
    # Man pages and completions belong to the command; policy asks for compressed pages.
    if grep -q 'man1' "$root/apps/CMakeLists.txt"; then
        require_file coppice 'usr/share/man/man1/coppice\.1\.gz'
        require_file coppice 'usr/share/bash-completion/completions/coppice'
        require_file coppice 'usr/share/zsh/site-functions/_coppice'
        require_file coppice 'usr/share/fish/vendor_completions\.d/coppice\.fish'
    fi
    if grep -E '^usr/share/(man/man1|bash-completion|zsh|fish)/' <<<"${files[libcoppice-dev]}"; then
        die "files of the command are in libcoppice-dev: their install rules lack COMPONENT command"
    fi
    if grep -E '^usr/share/man/.*[1-9]$' <<<"${files[coppice]}"; then die "man pages are not compressed"; fi
    local twice
    twice=$(printf '%s\n' "${files[@]}" | sort | uniq -d)
    [ -z "$twice" ] || die "files in two packages: $twice"
}

# The build of a user: against the unpacked packages, which lie elsewhere than where they will be installed.
use_them() {
    local folder=$1/root name flags
    rm -rf "$folder"
    for name in "${!deb[@]}"; do dpkg-deb --extract "${deb[$name]}" "$folder"; done
    local library_folder
    library_folder=$(dirname "$(find "$folder/usr/lib" -name 'libcoppice_c.so')")
    export LD_LIBRARY_PATH=$library_folder PKG_CONFIG_PATH=$library_folder/pkgconfig
    [ "$("$folder/usr/bin/coppice" --version)" = "coppice $version" ] || die "the command reports another version than $version"
    "$folder/usr/bin/coppice" solve generate:aniso2,nx=50,ny=50 --solution sine --json "$folder/solution.json" --quiet
    grep -q '"reason": "converged"' "$folder/solution.json" || die "the command did not solve a small system"
    if command -v pkg-config >/dev/null; then
        flags=$(pkg-config --cflags --libs coppice++)
        # shellcheck disable=SC2086 # a list of flags
        c++ -std=c++20 "$root/tests/install/read_file.cpp" -o "$folder/read_file" $flags
        printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 3\n' | gzip >"$folder/two.mtx.gz"
        "$folder/read_file" "$folder/two.mtx.gz"
        flags=$(pkg-config --cflags --libs coppice)
        # shellcheck disable=SC2086
        cc -std=c11 "$root/examples/tridiagonal.c" -o "$folder/tridiagonal" $flags -lm
        "$folder/tridiagonal"
    fi
    cmake -S "$root/tests/install/c" -B "$folder/by_cmake" -DCMAKE_PREFIX_PATH="$folder/usr" >/dev/null
    cmake --build "$folder/by_cmake"
    ctest --test-dir "$folder/by_cmake" --output-on-failure --no-tests=error
}

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then usage && exit 0; fi
if [ $# -ne 1 ] || [ ! -d "$1" ]; then usage >&2 && exit 2; fi
command -v dpkg-deb >/dev/null || die "dpkg-deb is missing: packages are checked on Debian and Ubuntu"
version=$(sed -n 's/^#define COPPICE_VERSION_STRING "\(.*\)"/\1/p' "$root/include/coppice/version.h")
libraries=libcoppice${version%.*}
declare -A deb=() files=()
folder=$(cd "$1" && pwd)
find_packages "$folder"
check_controls
check_files
use_them "$folder"
for name in "${!deb[@]}"; do printf '%-16s %6d KB  %s\n' "$name" $(($(stat -c %s "${deb[$name]}") / 1024)) "$(field "$name" Depends)"; done
