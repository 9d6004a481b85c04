# SPDX-License-Identifier: Apache-2.0
# Packs a program that uses libcucore-perf for a machine with a GPU. The scripts of this folder source it at the root.

# stage_program BUILD TARGET FOLDER FILE...: builds the target, and fills the folder with it, its libraries and the files.
# The C and C++ run-time libraries are the other machine's own, unless it lacks one.
stage_program() {
  build=$1
  target=$2
  stage=$3
  shift 3
  libraries=$(cd "$build" && ninja -t targets all | sed -n 's/^\(src\/\(cucore\/libcucore\|perf\/libcucore-perf\)\.so\.[0-9.]*\): cpp_LINKER$/\1/p')
  # shellcheck disable=SC2086
  ninja -C "$build" ${JOBS:+-j$JOBS} "$target" $libraries
  rm -rf "$stage"
  mkdir -p "$stage/lib" "$stage/lib-spare"
  program=$stage/${target##*/}
  cp "$build/$target" "$program"
  LD_LIBRARY_PATH="$PWD/$build/src/cucore:$PWD/$build/src/perf" ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
  while read -r library; do
    case ${library##*/} in
      libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | ld-linux*) ;;
      libstdc++* | libgcc_s*) cp -L "$library" "$stage/lib-spare/" ;;
      *) cp -L "$library" "$stage/lib/" ;;
    esac
  done
  cp "$@" bench/perf/staged.sh "$stage/"
  strip "$program" "$stage"/lib/*.so* 2>/dev/null || true
  du -sh "$stage"
}
