#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds all libraries and programs for 64-bit ARM, and runs tests of the C API in an emulator: arm64.sh FOLDER CUDA_INCLUDE
#
# FOLDER receives a chroot with Debian's cross compiler and the libraries of arm64, and the build. The packages of this
# machine stay as they are. A chroot that exists is used again. Requires root and mmdebstrap; exits with 77 without them.
set -eu
cd "$(dirname "$0")/.."
[ $# = 2 ] || { echo "arm64.sh requires a folder and that of cuda.h" >&2; exit 2; }
skip() { echo "SKIP: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "only root can make a chroot"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
unshare --mount true 2>/dev/null || skip "this machine does not permit mounts"

mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$folder/root
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
packages="gcc g++ g++-aarch64-linux-gnu meson ninja-build pkg-config python3 qemu-user nlohmann-json3-dev libcli11-dev \
libssl-dev:arm64 libzstd-dev:arm64 liblz4-dev:arm64 libfmt-dev:arm64 libcurl4-openssl-dev:arm64 libgtest-dev:arm64"

if [ ! -f "$root/complete" ]; then
  rm -rf "$root"
  # Debian's sources, as apt has them.
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' 'Origin: Debian' | sort -u |
    mmdebstrap --quiet --mode=root --variant=apt --architectures="$(dpkg --print-architecture),arm64" --skip=check/qemu \
      --include="$packages" "$release" "$root"
  mkdir "$root/src" "$root/build" "$root/cuda"
  touch "$root/complete"
fi

# The sources and CUDA's headers are mounted until this process ends.
export root folder sources="$PWD" cuda="$2"
unshare --mount sh -ec '
  mount --bind -o ro "$sources" "$root/src"
  mount --bind -o ro "$(readlink -f "$cuda")" "$root/cuda"
  mount -t proc proc "$root/proc"
  exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 chroot "$root" sh /src/tools/arm64_inside.sh'
