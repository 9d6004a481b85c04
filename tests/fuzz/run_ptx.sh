#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the PTX parser and the fat binary reader and reports which lines of src/shared/ptx were reached.
#   tests/fuzz/run_ptx.sh [seconds each, default 600] [work folder]
# Ends with an error if a target crashed or reached fewer than 80 % of the reader's lines.
set -eu
seconds=${1:-600}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${2:-$(mktemp -d)}
mkdir -p "$work/objects"
sources="$root/src/shared/ptx/*.cpp $root/src/cpu/driver/fatbin.cpp $root/src/shared/image/fatbin_parts.cpp
  $root/src/shared/image/compression.cpp"
flags="-std=c++20 -g -O1 -I$root/src/shared -I$root/src -fprofile-instr-generate -fcoverage-mapping"
flags="$flags -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"
for target in parser fatbin; do
  # shellcheck disable=SC2086
  clang++ $flags "$root/tests/fuzz/ptx_${target}_fuzz.cpp" "$root/tests/cpu/tools/promises.cpp" \
    $sources -lzstd -llz4 -o "$work/${target}_fuzz"
done
python3 -B "$root/tests/fuzz/seeds.py" ptx_parser "$work/ptx"
python3 -B "$root/tests/fuzz/seeds.py" ptx_fatbin "$work/fatbin"
cd "$work"
LLVM_PROFILE_FILE=parser.profraw nice ./parser_fuzz -max_total_time="$seconds" -max_len=8192 \
  -timeout=10 -rss_limit_mb=2048 -dict="$root/tests/fuzz/ptx_parser.dict" -print_final_stats=1 ptx \
  > parser.log 2>&1 &
parser=$!
LLVM_PROFILE_FILE=fatbin.profraw nice ./fatbin_fuzz -max_total_time="$seconds" -max_len=4096 \
  -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 fatbin > fatbin.log 2>&1 &
fatbin=$!
wait $parser || { tail -40 parser.log; exit 1; }
wait $fatbin || { tail -40 fatbin.log; exit 1; }
llvm-profdata merge -o all.profdata parser.profraw fatbin.profraw
# shellcheck disable=SC2086
llvm-cov report ./parser_fuzz -object ./fatbin_fuzz -instr-profile=all.profdata $sources \
  > coverage.txt
cat coverage.txt
grep -E "stat::number_of_executed_units" parser.log fatbin.log
lines=$(awk '/^TOTAL/ {print int($10)}' coverage.txt)
[ "$lines" -ge 80 ] || { echo "only $lines % of the lines were reached"; exit 1; }
