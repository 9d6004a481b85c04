#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the conformance table on this machine's GPU and writes its results to expected_sm_XX.dat, the
# file that the CPU device is compared with. Needs g++, cuda.h and NVIDIA's driver; nothing is
# installed.
#   tests/cpu/ops/record.sh [CUDA's include folder] [file to write]
# Ends with an error if a row fails on the GPU: then the reference is wrong, not the GPU.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
include=${1:-${CUDA_HOME:-/usr/local/cuda}/include}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$here"/*.cpp; do
  case $source in */test_coverage.cpp) continue ;; esac
  echo "$source"
done | xargs -P "$(nproc)" -I{} sh -c \
  'g++ -std=c++20 -O1 -frounding-math -ffp-contract=off -isystem "$1" -c "$2" -o "$3/$(basename "$2").o"' \
  sh "$include" {} "$work"
g++ "$work"/*.o -ldl -o "$work/op_table"
sm=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d '. ')
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)
out=${2:-$here/expected_sm_$sm.dat}
"$work/op_table" --driver libcuda.so.1 --record "$out" \
  --note "kernel driver $driver, $(date -u +%Y-%m-%d)"
# All rows are recorded now.
[ $# -ge 2 ] || sed -i '/^#/!d' "$here/unrecorded.txt"
