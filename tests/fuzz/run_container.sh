#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the readers of containers, CUBINs, fat binaries and PTX text, one after the other, and
# reports which of their lines were reached.
#   tests/fuzz/run_container.sh [seconds each, default 600] [work folder]
# Ends with an error when a target crashed or the lines reached are fewer than 80 %.
set -eu
seconds=${1:-600}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${2:-$(mktemp -d)}
mkdir -p "$work"
images="arch archive compression cubin_checks elf elf_file fatbin image nv_info object ptx_declaration ptx_lexer ptx_text"
readers="image_check metadata reader signature_check table text"
sources="$root/src/shared/ptx/lexer.cpp $(for name in $images; do echo "$root/src/shared/image/$name.cpp"; done)"
sources="$sources $(for name in $readers; do echo "$root/src/cucore/container/$name.cpp"; done)"
others=$(for name in definitions linkable mangled_name ptx_classes ptx_uses spills; do echo "$root/src/shared/image/$name.cpp"; done)
others="$others $(for name in assemble key_check objectcode signature writer; do echo "$root/src/cucore/container/$name.cpp"; done)"
flags="-std=c++20 -g -O1 -I$root/src/shared -I$root/src/cucore -fprofile-instr-generate -fcoverage-mapping"
flags="$flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
mkdir -p "$work/objects"
cd "$work/objects"
# shellcheck disable=SC2086
clang++ $flags -c $sources $others "$root/src/shared/support/sha256.cpp"
cd "$work"
objects=""
for target in container elf fatbin ptx_text; do
  # shellcheck disable=SC2086
  clang++ $flags -fsanitize=fuzzer "$root/tests/fuzz/${target}_fuzz.cpp" objects/*.o \
    -lzstd -llz4 -lcrypto -o "${target}_fuzz"
  python3 -B "$root/tests/fuzz/seeds.py" $target "$work/$target"
  dictionary=""
  [ $target = ptx_text ] && dictionary="-dict=$root/tests/fuzz/ptx_text.dict"
  # shellcheck disable=SC2086
  LLVM_PROFILE_FILE=$target.profraw nice "./${target}_fuzz" -max_total_time="$seconds" \
    -max_len=16384 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 $dictionary $target \
    > $target.log 2>&1 || { tail -40 $target.log; exit 1; }
  echo "$target: $(grep number_of_executed_units $target.log)"
  objects="$objects -object ./${target}_fuzz"
done
llvm-profdata merge -o all.profdata container.profraw elf.profraw fatbin.profraw ptx_text.profraw
# shellcheck disable=SC2086
llvm-cov report ./container_fuzz $objects -instr-profile=all.profdata $sources > coverage.txt
cat coverage.txt
lines=$(awk '/^TOTAL/ {print int($10)}' coverage.txt)
[ "$lines" -ge 80 ] || { echo "only $lines % of the lines were reached"; exit 1; }
