#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the table of matrix instructions on this machine's GPU. Writes its results to
# expected_sm_XX.dat, the file that the CPU device is compared with. Writes the probes of accumulation
# to probes_sm_XX.txt. Needs g++, cuda.h and NVIDIA's driver; nothing is installed.
#   tests/cpu/matrix/record.sh [CUDA's include folder] [folder to write to]
# Ends with an error if a row differs from the reference on the GPU. Then the model of accumulation is
# wrong, not the GPU: FIT lines contain the best parameters, for reference.cpp and for
# src/cpu/exec/matrix_model.inc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
include=${1:-${CUDA_HOME:-/usr/local/cuda}/include}
out=${2:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$here"/*.cpp "$here"/../ops/driver.cpp "$here"/../ops/record.cpp "$here"/../ops/table_run.cpp \
  "$here"/../../../src/shared/ptx/matrix.cpp; do
  echo "$source"
done | xargs -P "$(nproc)" -I{} sh -c \
  'g++ -std=c++20 -O1 -ffp-contract=off -isystem "$1" -I "$4" -c "$2" -o "$3/$(basename "$2").o"' \
  sh "$include" {} "$work" "$here/../../../src/shared"
g++ "$work"/*.o -ldl -o "$work/matrix_table"
sm=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d '. ')
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)
"$work/matrix_table" --driver libcuda.so.1 --probe | tee "$out/probes_sm_$sm.txt"
"$work/matrix_table" --driver libcuda.so.1 --fit --record "$out/expected_sm_$sm.dat" \
  --note "kernel driver $driver, $(date -u +%Y-%m-%d)"
# All rows are recorded now.
[ $# -ge 2 ] || sed -i '/^#/!d' "$here/unrecorded.txt"
