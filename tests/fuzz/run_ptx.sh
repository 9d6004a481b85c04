#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the PTX parser, the reader of fat binaries, the linker, and then tensor maps and matrix descriptors
# in kernels. Reports which lines of the first three were reached.
#   tests/fuzz/run_ptx.sh [seconds each, default 600] [work folder]
# Ends with an error if a target crashed or reached fewer than 80 % of the lines.
set -eu
seconds=${1:-600}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${2:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd)
readers="$root/src/shared/ptx/*.cpp $root/src/cpu/driver/fatbin.cpp $root/src/shared/image/fatbin_parts.cpp
  $root/src/shared/image/compression.cpp"
linker="$root/src/shared/ptx/link/*.cpp"
flags="-std=c++20 -g -O1 -I$root/src/shared -I$root/src -fprofile-instr-generate -fcoverage-mapping"
flags="$flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
# Files of the linker have names of the reader's.
for folder in readers linker; do
  rm -rf "$work/$folder"
  mkdir -p "$work/$folder"
  cd "$work/$folder"
  if [ $folder = linker ]; then sources=$linker; else sources="$readers $root/tests/cpu/tools/promises.cpp"; fi
  # shellcheck disable=SC2086
  clang++ $flags -c $sources
done
cd "$work"

# fuzz TARGET PROGRAM [OPTION...]
fuzz() {
  target=$1 program=$2
  shift 2
  python3 -B "$root/tests/fuzz/seeds.py" "$target" "$work/$target"
  LLVM_PROFILE_FILE=$target.profraw nice "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 "$@" "$target" > "$target.log" 2>&1 || { tail -40 "$target.log"; exit 1; }
  echo "$target: $(grep number_of_executed_units "$target.log")"
}

for target in ptx_parser ptx_fatbin ptx_link; do
  # shellcheck disable=SC2086
  clang++ $flags -fsanitize=fuzzer "$root/tests/fuzz/${target}_fuzz.cpp" readers/*.o linker/*.o -lzstd -llz4 \
    -o "${target}_fuzz"
done
fuzz ptx_parser ./ptx_parser_fuzz -max_len=8192 -dict="$root/tests/fuzz/ptx_parser.dict"
fuzz ptx_fatbin ./ptx_fatbin_fuzz -max_len=4096
fuzz ptx_link ./ptx_link_fuzz -max_len=16384 -dict="$root/tests/fuzz/ptx_parser.dict"

# This target contains the executor, so Meson builds it, in the folder of `./run fuzz` if that is there.
build=$root/build-ci-fuzz
[ -f "$build/build.ninja" ] || build=$work/build
[ -f "$build/build.ninja" ] || env CC=clang CXX=clang++ meson setup "$build" "$root" -Dfuzz=true -Db_lundef=false \
  -Dbench=false -Dpython=disabled -Djava=disabled -Dcsharp=disabled -Dcpu_vectors=false > setup.log
ninja -C "$build" tests/fuzz/device_objects_fuzz > build.log || { tail -40 build.log; exit 1; }
fuzz device_objects "$build/tests/fuzz/device_objects_fuzz" -max_len=16384

llvm-profdata merge -o all.profdata ptx_parser.profraw ptx_fatbin.profraw ptx_link.profraw
# shellcheck disable=SC2086
llvm-cov report ./ptx_parser_fuzz -object ./ptx_fatbin_fuzz -object ./ptx_link_fuzz -instr-profile=all.profdata \
  $readers $linker > coverage.txt
cat coverage.txt
lines=$(awk '/^TOTAL/ {print int($10)}' coverage.txt)
[ "$lines" -ge 80 ] || { echo "only $lines % of the lines were reached"; exit 1; }
