#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages of the tracked files: deb.sh FOLDER
#
# FOLDER receives the sources, the build and the packages. DEB_BUILD_OPTIONS is that of dpkg-buildpackage; by default the
# tests do not run. ccache is used if it is installed.
set -eu
cd "$(dirname "$0")/.."
[ $# = 1 ] || { echo "deb.sh requires one folder" >&2; exit 2; }

mkdir -p "$1"
sources=$(cd "$1" && pwd)/cucore
rm -rf "$sources" "$1"/*.deb "$1"/*.buildinfo "$1"/*.changes
mkdir "$sources"
git ls-files -z | tar --null --files-from=- --create | tar --extract --directory="$sources"
python3 -B tools/deb_changelog.py . "$(git log -1 --format=%ct)" > "$sources/debian/changelog"

[ ! -x /usr/lib/ccache/g++ ] || PATH="/usr/lib/ccache:$PATH"
# A second folder with the same sources then finds what the first has compiled.
export CCACHE_BASEDIR="$sources" CCACHE_NOHASHDIR=1
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-nocheck noautodbgsym parallel=$(nproc)}"
export DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES-nocheck}"
cd "$sources"
exec dpkg-buildpackage --build=binary --no-sign
