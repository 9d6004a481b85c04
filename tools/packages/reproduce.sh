#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds packages of the last commit in two folders and compares their bytes: reproduce.sh [wheel|sdist|jars|nuget]...
# The folders have different names and lengths, and the second one has a compiler cache of its own, so that its objects are
# compiled again. $CUCORE_REPRODUCE is the folder of both; without it they are deleted. Nothing is cross-built: the wheel is for this
# machine, and jars and NuGet packages take the libraries for AArch64 from build-arm64/natives, or lack them if there is no such folder.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
[ $# -gt 0 ] || set -- wheel sdist jars nuget
for kind in "$@"; do
  case $kind in
    wheel | sdist | jars | nuget) ;;
    *) echo "reproduce.sh: '$kind' is not a kind of package; expected wheel, sdist, jars or nuget" >&2; exit 1 ;;
  esac
done
if [ -n "${CUCORE_REPRODUCE:-}" ]; then place=$CUCORE_REPRODUCE; mkdir -p "$place"
else place=$(mktemp -d); trap 'rm -rf "$place"' EXIT; fi

version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)

natives=
[ ! -d build-arm64/natives ] || natives=$root/build-arm64/natives

configure() {
  [ -f build/build.ninja ] || meson setup build --buildtype=release -Dunity=on -Dunity_size=100 -Dtests=false -Dbench=false -Dpython=disabled \
    -Dextra_natives="$natives"
}

# build KIND: in the current clone; prints nothing but the names of the packages.
build() {
  case $1 in
    wheel) python3 -m build --wheel --no-isolation --outdir raw . >&2
           python3 -B tools/packages/wheel.py repair raw/cucore-*.whl dist ;;
    sdist) python3 -m build --sdist --no-isolation --outdir dist . >&2
           python3 -B tools/packages/wheel.py sdist dist/cucore-*.tar.gz >&2
           echo "dist/cucore-$version.tar.gz" ;;
    jars) configure >&2
          jars="bindings/java/cucore.jar bindings/java/cucore-sources.jar bindings/java/cucore-javadoc.jar"
          ninja -C build $jars >&2
          for jar in $jars; do echo "build/$jar"; done ;;
    nuget) configure >&2
           ninja -C build "bindings/csharp/Cucore.$version.nupkg" >&2
           for kind in nupkg snupkg; do echo "build/bindings/csharp/Cucore.$version.$kind"; done ;;
  esac
}

case "$natives $*" in
  " "*jars* | " "*nuget*) echo "reproduce.sh: build-arm64/natives does not exist; jars and NuGet packages lack the files for AArch64" >&2 ;;
esac
for name in one another-folder; do
  [ -d "$place/$name" ] || git clone -q "$root" "$place/$name"
  cd "$place/$name"
  [ "$name" = one ] || export CCACHE_DIR="$place/$name.ccache"
  # Not a pipe, which hides the failure of a build.
  for kind in "$@"; do build "$kind"; done > "$place/$name.names"
  xargs sha256sum < "$place/$name.names" > "$place/$name.sums"
  sed 's| .*/| |' "$place/$name.sums" > "$place/$name.txt"
done
cat "$place/one.txt"
if diff "$place/one.txt" "$place/another-folder.txt" >&2; then echo "equal bytes in two folders"
else echo "reproduce.sh: the packages of the two folders differ" >&2; exit 1; fi
