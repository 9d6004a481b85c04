#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records what the tests of the analysis and of the counts compare with. A GPU counts accesses of one warp, the driver calculates occupancy,
# and nvdisasm and cuobjdump read many images.
#   sh tests/gpu/analysis.sh stage         where the sources are built: packs build-gpu-analysis/
#   sh build-gpu-analysis/analysis.sh      on the machine with the GPU: about 2 minutes; writes the files of $OUT
# The machine needs the driver, python3, and ncu, nvdisasm and cuobjdump of CUDA 13. BUILD is a build folder with the tests.
set -u
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = stage ]; then
  set -e
  cd "$here/../.."
  build=${BUILD:-build}
  stage='build-gpu-analysis'
  [ -d "$build" ] || meson setup "$build" -Dtests=true
  # shellcheck disable=SC2086
  ninja -C "$build" ${JOBS:+-j$JOBS} tests/cpu/counts/access_table tests/perf/machine/occupancy_table src/programs/cli/cucore
  rm -rf "$stage"
  mkdir -p "$stage"
  CUCORE_COMMAND="$PWD/$build/src/programs/cli/cucore" python3 -B tests/perf/analyze/record_images.py compile tests/data/kernels "$stage/images"
  tar -C "$stage" -cJf "$stage/images.tar.xz" images
  rm -rf "$stage/images"
  cp "$build/tests/cpu/counts/access_table" "$build/tests/perf/machine/occupancy_table" "$stage/"
  strip "$stage/access_table" "$stage/occupancy_table"
  cp tests/cpu/counts/access_counters.py tests/perf/analyze/record_images.py tests/perf/analyze/disassembly.py tests/gpu/analysis.sh "$stage/"
  du -sh "$stage"
  exit
fi

[ -x "$here/access_table" ] || { echo "analysis.sh: not in a stage: run it with 'stage' first" >&2; exit 2; }
out=${OUT:-$here/results}
mkdir -p "$out"
PATH=$PATH:/usr/local/cuda/bin
failed=0

ncu=$(command -v ncu || find /opt/nvidia/nsight-compute -name ncu -type f 2>/dev/null | head -n 1)
metrics=$(python3 "$here/access_counters.py" metrics)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
began=$(date +%s)
if ! timeout 300 "$ncu" --csv --print-units base --cache-control none --clock-control none --kernel-name k --metrics "$metrics" \
     "$here/access_table" --driver libcuda.so.1 --write "$work/launches.csv" > "$work/counters.csv" 2> "$work/ncu.log" ||
   ! python3 "$here/access_counters.py" join "$work/launches.csv" "$work/counters.csv" "$out/more_patterns.csv"; then
  failed=1
  cat "$work/ncu.log"
  grep -v '^"' "$work/counters.csv" | tail -n 20
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
echo "accesses: $(($(date +%s) - began)) s"

timeout 120 "$here/occupancy_table" --driver libcuda.so.1 --write "$out" || failed=1

began=$(date +%s)
tar -C "$work" -xJf "$here/images.tar.xz" && python3 -B "$here/record_images.py" read "$work/images" "$out" || failed=1
head -n 20 "$out/failures.txt"
echo "images: $(($(date +%s) - began)) s"
exit "$failed"
