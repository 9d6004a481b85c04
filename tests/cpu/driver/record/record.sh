#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the rows on this machine's driver and writes their lines to expected_driver_XXX.txt, the file
# that the CPU device is compared with. Needs g++, CUDA's headers and NVIDIA's driver; nothing is
# installed.
#   tests/cpu/driver/record/record.sh [CUDA's include folder] [file to write]
# Rows that have not begun after LIMIT seconds, 300 by default, are left out. BUILD, an
# empty folder, keeps the program for a second run. KEEP, an earlier file, has the lines of rows that
# do not run again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$here/../../../../src
include=${1:-${CUDA_HOME:-/usr/local/cuda}/include}
work=${BUILD:-$(mktemp -d)}
[ -n "${BUILD:-}" ] || trap 'rm -rf "$work"' EXIT
[ -x "$work/driver_record" ] || {
  find "$here" -name '*.cpp' ! -name test_compare.cpp | xargs -P "$(nproc)" -I{} sh -c \
    'g++ -std=c++20 -O0 -D__CUDA_API_VERSION_INTERNAL -isystem "$1" -I"$2" -c "$3" \
      -o "$4/$(basename "$3").o"' sh "$include" "$source" {} "$work"
  g++ "$work"/*.o -ldl -pthread -o "$work/driver_record"
}
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)
name=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0)
out=${2:-$here/expected_driver_${driver%%.*}.txt}
CUCORE_CPU_LIBRARY=${CUCORE_CPU_LIBRARY:-libcuda.so.1} "$work/driver_record" --limit "${LIMIT:-300}" \
  ${KEEP:+--keep "$KEEP"} --write "$out" \
  --note "$name, driver $driver, $(date -u +%Y-%m-%d)"
