#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the table of texture reads on this machine's GPU, and writes its results to
# expected_sm_XX.dat, the file that the CPU device is compared with. Needs g++, cuda.h and NVIDIA's
# driver; nothing is installed.
#   tests/cpu/textures/record.sh [CUDA's include folder] [folder to write to]
# Ends with an error if a row differs from the model on the GPU. Then model.cpp and
# src/cpu/exec/sampler.cpp are wrong, not the GPU: the DIFFERS lines contain its results.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
include=${1:-${CUDA_HOME:-/usr/local/cuda}/include}
out=${2:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -std=c++20 -O1 -ffp-contract=off -isystem "$include" -I "$here/../../../src/shared" \
  "$here"/*.cpp "$here"/../ops/driver.cpp "$here"/../ops/record.cpp "$here"/../ops/table_run.cpp -ldl -o "$work/texture_table"
sm=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d '. ')
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)
"$work/texture_table" --driver libcuda.so.1 --record "$out/expected_sm_$sm.dat" \
  --note "kernel driver $driver, $(date -u +%Y-%m-%d)"
# All rows are recorded now.
[ $# -ge 2 ] || sed -i '/^#/!d' "$here/unrecorded.txt"
