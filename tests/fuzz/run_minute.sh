#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs one target on its seeds: run_minute.sh BINARY TARGET [SECONDS]. Without SECONDS, the variable
# CUCORE_FUZZ_SECONDS counts, or else a minute.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -B "$here/seeds.py" "$2" "$folder/seeds"
dictionary=
words=$2
[ "$2" != ptx_link ] || words=ptx_parser
[ -f "$here/$words.dict" ] && dictionary="-dict=$here/$words.dict"
cd "$folder"
# Meson takes 77, which libFuzzer ends with after a crash, for a skipped test.
# shellcheck disable=SC2086
"$binary" -error_exitcode=1 -max_total_time="${3:-${CUCORE_FUZZ_SECONDS:-60}}" -max_len=16384 -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 $dictionary seeds
