#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures asynchronous work on this machine's GPU. Writes the tables, with machine, driver and date,
# to a file in markdown, in $OUT or bench/results.
#   sh tests/gpu/stage.sh          on a machine with a compiler: fills build-gpu-stage/
#   sh bench/completion.sh [N]     on a machine with a GPU; N samples per row, default 1000
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
stage=$root/build-gpu-stage
program=$stage/bin/completion_bench
[ -x "$program" ] || { echo "completion.sh: no build-gpu-stage: run tests/gpu/stage.sh first" >&2; exit 2; }
LD_LIBRARY_PATH="$stage/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
ldd "$program" 2>&1 | grep -q 'not found' && LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$stage/lib-spare"
export LD_LIBRARY_PATH CUCORE_DRIVER="${CUCORE_DRIVER:-nvidia}"

ask() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }
gpu=$(ask name)
day=$(date -u +%Y-%m-%d)
folder=${OUT:-$root/bench/results}
mkdir -p "$folder"
results=$folder/completion-$(echo "${gpu:-no gpu}" | tr 'A-Z ' 'a-z-')-$day.md
{
  echo "# Awaiting work on ${gpu:-the driver $CUCORE_DRIVER}, driver $(ask driver_version), $day"
  echo
  echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, kernel $(uname -r)." \
       "Latency is from the moment that a thread which does nothing but look sees the kernel's last" \
       "word in pinned memory."
  echo
  timeout 500 "$program" "${1:-1000}"
} > "$results"
cat "$results"
