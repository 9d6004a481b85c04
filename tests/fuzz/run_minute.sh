#!/bin/sh
# Runs one target for a minute on its seeds: run_minute.sh BINARY TARGET [SECONDS].
set -eu
binary=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$(dirname "$0")/container_seeds.py" "$2" "$folder/seeds"
cd "$folder"
"$binary" -max_total_time="${3:-60}" -max_len=16384 -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 seeds
