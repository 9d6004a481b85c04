#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the profiler's counters and times with Nsight Compute, and measures the overhead of a session.
#
#   sh bench/perf/counters.sh stage        where the sources are built: packs build-gpu-counters/, with counts of
#                                          the CPU device if it is built (a minute)
#   sh build-gpu-counters/counters.sh      on the machine with the GPU: about 100 s; prints tables in markdown
#
# The machine needs the driver, NVRTC and CUPTI of CUDA 13, and the permission for counters. ncu and python3 are optional. OUT is the folder of
# the results.
set -u
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = stage ]; then
  set -e
  cd "$here/../.."
  build=${BUILD:-build-gpu}
  [ -d "$build" ] || meson setup "$build" -Dbuildtype=release -Dcpu_device=false -Dtests=false
  . bench/perf/stage.sh
  stage_program "$build" bench/perf_counters build-gpu-counters bench/perf/counters.sh bench/perf/counters_table.py
  # The counts of the CPU device are the same on each machine.
  cpu=$PWD/$build/src/cpu/driver/libcucore-cpu.so.0
  [ ! -e "$cpu" ] || CUCORE_DRIVER=cpu CUCORE_CPU=$cpu LD_LIBRARY_PATH="$PWD/$build/src/cucore:$PWD/$build/src/perf" \
    "$build/bench/perf_counters" emulated > build-gpu-counters/emulated.json
  exit
fi

. "$here/staged.sh"
enter_stage perf_counters

# A part that fails leaves its message in place of its result.
part() {
  began=$(date +%s%N)
  timeout 60 "$here/perf_counters" "$1" > "$out/$1.json" 2> "$out/$1.log" || cat "$out/$1.log"
  echo "$1: $((($(date +%s%N) - began) / 1000000)) ms"
}
part counters
part counts
part events
part range

sectors=l1tex__t_sectors_pipe_lsu_mem_global_op
requests=l1tex__t_requests_pipe_lsu_mem_global_op
wavefronts=l1tex__data_pipe_lsu_wavefronts_mem_shared_op
conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op
rates=dram__bytes_read.sum,dram__bytes_write.sum,gpu__time_duration.sum
metrics=gpu__time_duration.sum
code=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op
code=${code}_ld.sum,${code}_st.sum
for each in $sectors $requests $wavefronts $conflicts; do metrics=$metrics,${each}_ld.sum,${each}_st.sum; done
ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | head -1)
if [ -n "$ncu" ]; then
  for set in rates metrics code; do
    eval "names=\$$set"
    timeout 60 "$ncu" --csv --print-units base --cache-control none --clock-control none --metrics "$names" "$here/perf_counters" launches \
      > "$out/ncu-$set.csv" 2> "$out/ncu-$set.log" || tail -3 "$out/ncu-$set.csv" "$out/ncu-$set.log"
  done
  timeout 60 "$ncu" --target-processes all --csv --metrics gpu__time_duration.sum --launch-count 1 "$here/perf_counters" counters > "$out/inside-ncu.txt" 2>&1
fi
[ ! -e "$here/emulated.json" ] || cp "$here/emulated.json" "$out/"
part activity
part overhead
part memory
if command -v python3 >/dev/null; then
  python3 "$here/counters_table.py" "$out" | tee "$out/counters.md"
fi
