#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shows that the packages are reproducible: deb_same.sh PACKAGES FOLDER
#
# Builds them again in FOLDER, without ccache, at another time and in another time zone, and compares the bytes with
# those in PACKAGES.
set -eu
[ $# = 2 ] || { echo "deb_same.sh requires the folder of packages and another one" >&2; exit 2; }

CCACHE_DISABLE=1 TZ=Pacific/Apia "$(dirname "$0")/deb.sh" "$2"
same=true
for package in "$1"/*.deb; do
  if cmp "$package" "$2/${package##*/}"; then sha256sum "$package"; else same=false; fi
done
[ "$(ls "$1"/*.deb | wc -l)" = "$(ls "$2"/*.deb | wc -l)" ] || { echo "the numbers of packages differ" >&2; same=false; }
$same
