#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds for 64-bit ARM in a chroot: arm64.sh FOLDER CUDA_INCLUDE PART...
#
# The parts, in the order of their names here:
#   natives   FOLDER/natives/linux-aarch64, the native files of the jar and the NuGet package
#   wheel     FOLDER/dist/cucore-*_aarch64.whl
#   command   the command runs a kernel of PTX in the emulator
#   capi      the tests of the C API run in the emulator
#   use       programs of Python, Java and C# use the packages in FOLDER/packages in the emulator
#
# FOLDER receives a chroot with Debian's cross compiler and the libraries of arm64, the build, and the interpreters of arm64
# for 'use'. The packages of this machine stay as they are. A chroot that exists is used again. Requires root and
# mmdebstrap; exits with 77 without them.
set -eu
cd "$(dirname "$0")/.."
[ $# -ge 3 ] || { echo "arm64.sh requires a folder, that of cuda.h, and a part" >&2; exit 2; }
skip() { echo "SKIP: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "only root can make a chroot"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
unshare --mount true 2>/dev/null || skip "this machine does not permit mounts"

mkdir -p "$1"
folder=$(cd "$1" && pwd)
cuda=$(readlink -f "$2")
shift 2
root=$folder/root
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
packages="gcc g++ g++-aarch64-linux-gnu ccache meson ninja-build pkg-config python3 qemu-user nlohmann-json3-dev libcli11-dev \
swig default-jdk-headless mono-mcs python3-mesonpy python3-build patchelf \
libssl-dev:arm64 libzstd-dev:arm64 liblz4-dev:arm64 libfmt-dev:arm64 libcurl4-openssl-dev:arm64 libgtest-dev:arm64 libpython3-dev:arm64"
interpreters="python3-minimal libpython3-stdlib openjdk-17-jre-headless mono-runtime libmono-corlib4.5-cil libmono-system4.0-cil \
libmono-system-core4.0-cil libmono-system-io-compression4.0-cil libssl3 libzstd1 liblz4-1 libstdc++6"

# bootstrap FOLDER OPTION...: Debian's packages from the sources that apt has.
bootstrap() {
  target=$1
  shift
  rm -rf "$target"
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' 'Origin: Debian' | sort -u |
    mmdebstrap --quiet --mode=root --skip=check/qemu "$@" "$release" "$target"
}

if [ ! -f "$root/complete" ]; then
  bootstrap "$root" --variant=apt --architectures="$(dpkg --print-architecture),arm64" --include="$packages"
  mkdir "$root/build" "$root/cuda"
  touch "$root/complete"
fi
# The emulator does not start processes, so that no package of this part can be configured. Programs run without.
case " $* " in *' use '*)
  if [ ! -f "$root/arm64/complete" ]; then
    bootstrap "$root/arm64" --variant=extract --architectures=arm64 --include="$interpreters"
    touch "$root/arm64/complete"
  fi
  rm -rf "$root/packages"
  cp -r "$folder/packages" "$root/packages" ;;
esac

# The tracked files; their dates are those of this tree, so that a second build compiles only what has changed.
rm -rf "$root/src"
mkdir "$root/src"
git ls-files -z | tar --null --files-from=- --create | tar --extract --directory="$root/src"

# CUDA's headers are mounted until this process ends.
export root cuda
unshare --mount sh -ec '
  mount --bind -o ro "$cuda" "$root/cuda"
  mount -t proc proc "$root/proc"
  exec env -i PATH=/usr/lib/ccache:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 CCACHE_DIR=/ccache \
    chroot "$root" sh /src/tools/arm64_inside.sh "$@"' sh "$@"
for part in natives dist; do
  [ ! -d "$root/$part" ] || { rm -rf "${folder:?}/$part"; cp -r "$root/$part" "$folder/$part"; }
done
