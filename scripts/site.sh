#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Writes the site, every header and the guide, to the folder named, by default build/site. Needs doxygen; warnings of it
# are failures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v "${DOXYGEN:=doxygen}" >/dev/null || {
    echo "site.sh: doxygen is not installed" >&2
    exit 77
}
export COPPICE_SITE=${1:-build/site} COPPICE_SITE_STRICT=FAIL_ON_WARNINGS COPPICE_VERSION
COPPICE_VERSION=$(sed -n 's/.*COPPICE_VERSION_STRING "\(.*\)"/\1/p' include/coppice/version.h)
mkdir -p "$COPPICE_SITE"
"$DOXYGEN" docs/Doxyfile
rm -rf "$COPPICE_SITE/pictures"
cp -r docs/pictures "$COPPICE_SITE" # pages refer to ../pictures, and Doxygen keeps such paths
echo "$COPPICE_SITE/html/index.html"
