#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles with the real CUPTI: kernels of graphs, ranges of NVTX, and the clock of activity.
#   sh tests/gpu/profile.sh stage          where the sources are built: packs build-gpu-profile/
#   sh build-gpu-profile/profile.sh        on the machine with the GPU: about a minute; writes the files of $OUT
# The machine needs the driver and CUPTI of CUDA 13. BUILD is a build folder with the tests.
set -u
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = stage ]; then
  set -e
  cd "$here/../.."
  build=${BUILD:-build}
  [ -d "$build" ] || meson setup "$build" -Dtests=true
  . bench/perf/stage.sh
  stage_program "$build" tests/perf/profile/perf_gpu_profile_tests build-gpu-profile tests/gpu/profile.sh
  # shellcheck disable=SC2086
  ninja -C "$build" ${JOBS:+-j$JOBS} src/programs/cli/cucore
  cp "$build/src/programs/cli/cucore" build-gpu-profile/
  LD_LIBRARY_PATH="$PWD/$build/src/cucore:$PWD/$build/src/perf" ldd build-gpu-profile/cucore | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' |
    grep -E '/lib(fmt|CLI|cucore)' | while read -r library; do cp -L "$library" build-gpu-profile/lib/; done
  exit
fi

[ -e "$here/staged.sh" ] || { echo "profile.sh: not in a stage: run it with 'stage' first" >&2; exit 2; }
. "$here/staged.sh"
enter_stage perf_gpu_profile_tests cucore
failed=0

cupti=${CUCORE_CUPTI:-$(find -L /usr/local/cuda/ /usr/local/cuda-13*/ -name 'libcupti.so.13' 2>/dev/null | head -n 1)}
[ -n "$cupti" ] || { echo "profile.sh: no libcupti.so.13 below /usr/local/cuda*; set CUCORE_CUPTI" >&2; exit 2; }
echo "CUPTI: $cupti"
export CUCORE_CUPTI="$cupti"
NVTX_INJECTION64_PATH="$cupti" timeout 200 "$here/perf_gpu_profile_tests" > "$out/tests.txt" 2>&1 || failed=1
cat "$out/tests.txt"

# The command sets the variable of NVTX for the program.
timeout 100 "$here/cucore" profile --html "$out/ranges.html" --trace "$out/ranges.trace" --json -- \
  "$here/perf_gpu_profile_tests" --gtest_filter=GpuNvtx.WorkWithoutASession > "$out/ranges.json" 2> "$out/ranges.txt" || failed=1
for name in outer inner 'library: solve' 'start and end'; do
  grep -q "\"name\": *\"$name\"" "$out/ranges.json" || { echo "ranges.json: no range '$name'"; tail -n 20 "$out/ranges.txt"; failed=1; }
done
[ "$failed" = 0 ] && echo "profile.sh: all passed" || echo "profile.sh: failures"
exit "$failed"
