#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what tests/gpu/run.sh runs, optimised, into build-gpu-stage/: programs, the libraries that
# they need and the kernels' sources. The folder is all that a machine with a GPU needs; nothing is
# built there.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build-gpu}
stage=build-gpu-stage

[ -d "$build" ] || meson setup "$build" -Dbuildtype=release -Dcpu_device=false
examples='01_compile 02_launch 03_events 04_serialize 05_templates 06_pipeline 07_async'
programs='tests/capi/capi_tests tests/gpu/gpu_tests tests/fakes/faulty_driver.so bench/launch_bench
  bench/completion_bench'
targets=$programs
for name in $examples; do targets="$targets examples/example_$name"; done
# shellcheck disable=SC2086
ninja -C "$build" ${JOBS:+-j$JOBS} $targets

rm -rf "$stage"
mkdir -p "$stage/bin" "$stage/lib" "$stage/lib-spare" "$stage/kernels" "$stage/images"
for target in $targets; do cp "$build/$target" "$stage/bin/"; done
cp tests/data/kernels/*.cu "$stage/kernels/"
for image in saxpy.cubin saxpy.none.fatbin saxpy.speed.fatbin saxpy.size.fatbin; do
  ninja -C "$build" "tests/capi/$image" >/dev/null 2>&1 && cp "$build/tests/capi/$image" "$stage/images/"
done
cp tests/gpu/run.sh "$stage/"

# The C and C++ run-time libraries are the other machine's own, unless it lacks one.
LD_LIBRARY_PATH="$build/src/cucore" ldd "$stage"/bin/* | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
while read -r library; do
  case ${library##*/} in
    libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | ld-linux*) ;;
    libstdc++* | libgcc_s*) cp -L "$library" "$stage/lib-spare/" ;;
    *) cp -L "$library" "$stage/lib/" ;;
  esac
done
cp -L "$build/src/cucore/libcucore.so.0" "$stage/lib/"
strip "$stage"/bin/* "$stage"/lib/*.so* 2>/dev/null || true

du -sh "$stage"
[ "$(du -sm "$stage" | cut -f1)" -le 60 ] || { echo "the stage is larger than 60 MiB" >&2; exit 1; }
