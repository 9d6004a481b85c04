#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the roof of a GPU three times, and compares it with products of cuBLAS where that library is installed.
#
#   sh bench/perf/roof.sh stage            where the sources are built: packs build-gpu-roof/
#   sh build-gpu-roof/roof.sh              on the machine with the GPU: about 20 s; prints a table in markdown, then JSON
#
# The machine needs the driver. python3 and libcublas are optional. OUT is the folder of the results.
set -u
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = stage ]; then
  set -e
  cd "$here/../.."
  build=${BUILD:-build-gpu}
  [ -d "$build" ] || meson setup "$build" -Dbuildtype=release -Dcpu_device=false
  . bench/perf/stage.sh
  stage_program "$build" src/programs/cli/cucore build-gpu-roof bench/perf/roof.sh bench/perf/products.py bench/perf/roof_table.py
  exit
fi

. "$here/staged.sh"
enter_stage cucore

# The driver compiles the kernels in the first round.
rm -rf "$out/compiled"
export CUDA_CACHE_PATH="$out/compiled"
for round in 1 2 3; do
  began=$(date +%s%N)
  timeout 60 "$here/cucore" roof --directory "$out/kept" --refresh --json > "$out/roof-$round.json" || exit 1
  echo "round $round: $((($(date +%s%N) - began) / 1000000)) ms with the start of the process"
done
timeout 60 "$here/cucore" roof --directory "$out/kept"
if command -v python3 >/dev/null; then
  timeout 120 python3 "$here/products.py" > "$out/products.json" || echo '{}' > "$out/products.json"
  python3 "$here/roof_table.py" "$out" | tee "$out/roof.md"
fi
cat "$out"/roof-1.json
