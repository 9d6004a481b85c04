#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs all of Python's binding on this machine's GPU: its tests, the course, the cost of a call, and the
# delay of completions. Prints one table in markdown and every failure in full.
#
#   sh tests/gpu/python.sh stage     where the sources are built: fills build-gpu-python/
#   sh build-gpu-python/python.sh    on the machine with the GPU; needs the driver, the CUDA toolkit, Python with its
#                                    headers, NumPy, pytest and g++; ends with 0 only if everything passed
#
# The extension is compiled on that machine for its own Python, from the output of SWIG. Without a GPU:
# CUCORE_DRIVER=cpu sh build-gpu-python/python.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)

stage() {
  set -eu
  cd "$here/../.."
  build=${BUILD:-build-gpu-bindings}
  stage=build-gpu-python
  [ -d "$build" ] || meson setup "$build" -Dbuildtype=release >/dev/null
  package=$build/bindings/python
  ninja -C "$build" ${JOBS:+-j$JOBS} src/cucore/libcucore.so.0.1.0 src/cpu/driver/libcucore-cpu.so.0 src/programs/worker/cucore-worker \
    src/plugins/remote/cucore-remote-directory.so bench/libbench_bindings.so src/array/libcucore-array.so.0.1.0 src/perf/libcucore-perf.so.0.1.0 bindings/python/perf.stamp
  rm -rf "$stage"
  mkdir -p "$stage/lib" "$stage/lib-spare" "$stage/src/support" "$stage/package" "$stage/tools" "$stage/bindings/python" "$stage/bench" "$stage/src/array/ops"
  cp -L "$build/src/cucore/libcucore.so.0" "$build/src/array/libcucore-array.so.0" "$build/src/perf/libcucore-perf.so.0" "$build/src/cpu/driver/libcucore-cpu.so" "$build/src/programs/worker/cucore-worker" \
    "$build/src/plugins/remote/cucore-remote-directory.so" "$build/bench/libbench_bindings.so" "$stage/lib/"
  cp "$package/cucore_wrap_python.cxx" "$build/bindings/handle_types.hpp" "$build/bindings/option_fields.hpp" bindings/python/src/* bindings/cpp/*.?pp bindings/cpp/*.inc "$stage/src/"
  cp src/shared/support/edit_distance.hpp "$stage/src/support/"
  cp -r include "$stage/"
  cp "$build/src/array/capi/cucore_array_names.h" "$stage/include/"
  cp src/array/ops/ops.json "$stage/src/array/ops/"
  cp tools/header_text.py "$stage/tools/"
  cp -rL "$package/package/cucore" "$stage/package/"
  rm -f "$stage"/package/cucore/*.so "$stage"/package/cucore/array/*.so "$stage"/package/cucore/perf/*.so
  cp -r bindings/python/test bindings/python/array bindings/python/perf "$stage/bindings/python/"
  cp "$package/array/context_info.inc" "$stage/bindings/python/array/"
  cp -r examples docs "$stage/"
  cp bench/bindings_python.py bench/completion_python.py "$stage/bench/"
  cp tests/gpu/python.sh "$stage/"
  find "$stage" -name __pycache__ -exec rm -rf {} +
  # The C and C++ run-time libraries are the other machine's own, unless it lacks one.
  ldd "$stage"/lib/*.so* "$stage/lib/cucore-worker" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
  while read -r library; do
    case ${library##*/} in
      libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | ld-linux* | libcucore*) ;;
      *) cp -L "$library" "$stage/lib-spare/" ;;
    esac
  done
  strip "$stage"/lib/*.so* "$stage/lib/cucore-worker"
  tar -czf "$build/python.tgz" "$stage"
  du -h "$build/python.tgz"
  [ "$(du -sm "$build/python.tgz" | cut -f1)" -le 25 ] || { echo "$build/python.tgz is larger than 25 MiB" >&2; exit 1; }
}

[ "${1:-}" = stage ] && { stage; exit; }
[ -f "$here/src/cucore_wrap_python.cxx" ] || { echo "python.sh: not in a stage: run it with 'stage' first" >&2; exit 2; }
cd "$here" || exit 2
python=${PYTHON:-python3}
export CUCORE_DRIVER="${CUCORE_DRIVER:-nvidia}" CUCORE_CPU="$here/lib/libcucore-cpu.so" CUCORE_WORKER="$here/lib/cucore-worker"
export PYTHONPATH="$here/package" PYTHONDONTWRITEBYTECODE=1 NPY_PROMOTION_STATE=weak
LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
! ldd lib/libcucore.so.0 lib/cucore-worker | grep -q 'not found' || LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$here/lib-spare"

log=${OUT:-$here}/python.log
table=${OUT:-$here}/python.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: > "$log"
failed=0
now_ms() { echo $(($(date +%s%N) / 1000000)); }

compile() {
  flags="-O2 -DNDEBUG -std=c++20 -fPIC -fvisibility=hidden -fno-strict-aliasing -w"
  include=$($python -c 'import sysconfig; print(sysconfig.get_path("include"))')
  pids=
  mkdir "$work/array"
  for source in src/*.cpp src/*.cxx bindings/python/array/*.cpp; do
    case $source in src/*) out=$work ;; *) out=$work/array ;; esac
    # shellcheck disable=SC2086
    g++ $flags -I"$include" -Isrc -Iinclude -c "$source" -o "$out/$(basename "$source").o" &
    pids="$pids $!"
  done
  for pid in $pids; do wait "$pid" || return 1; done
  suffix=$($python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
  g++ -shared "$work"/*.o -o "package/cucore/_cucore$suffix" -Llib -l:libcucore.so.0 -Wl,-rpath-link,lib-spare -lpthread &&
    g++ -shared "$work"/array/*.o "$work"/errors.cpp.o "$work"/handles.cpp.o "$work"/spelling.cpp.o -o "package/cucore/array/_array$suffix" \
      -Llib -l:libcucore-array.so.0 -l:libcucore.so.0 -Wl,-rpath-link,lib-spare -lpthread &&
    g++ -shared -fPIC -I"$include" -Iinclude bindings/python/perf/library.cpp -o "package/cucore/perf/_library$suffix" \
      -Llib -l:libcucore-perf.so.0 -l:libcucore.so.0 -Wl,-rpath-link,lib-spare -lpthread
}

# start TITLE COMMAND...: runs in parallel; collect then writes its line of the table, and its output into the log.
count=0
start() {
  count=$((count + 1))
  title=$1
  shift
  echo "$title" > "$work/$count.title"
  (
    begin=$(now_ms)
    timeout -k 5 "${LIMIT:-100}" "$@" > "$work/$count.out" 2>&1
    echo $? > "$work/$count.code"
    echo $(($(now_ms) - begin)) > "$work/$count.ms"
  ) &
}
collect() {
  wait
  i=${1:-1}
  while [ "$i" -le "$count" ]; do
    title=$(cat "$work/$i.title")
    code=$(cat "$work/$i.code")
    said=$(grep -E '^[0-9]+ (passed|failed|skipped|error)' "$work/$i.out" | tail -n 1 | sed 's/ in .*//')
    if [ "$code" = 0 ]; then verdict=pass; else verdict="FAIL ($code)"; failed=$((failed + 1)); fi
    echo "| $title | $verdict | $said | $(cat "$work/$i.ms") |" | tee -a "$table"
    { printf '\n== %s: ended with %s\n' "$title" "$code"; cat "$work/$i.out"; } >> "$log"
    [ "$code" = 0 ] || { printf '\n== %s: ended with %s\n' "$title" "$code"; cat "$work/$i.out"; } >> "$work/failures"
    i=$((i + 1))
  done
}

ask() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }
{
  echo "# Python on $(ask name || true)$([ "$CUCORE_DRIVER" = nvidia ] || echo "CUCORE_DRIVER=$CUCORE_DRIVER"), $(date -u +%Y-%m-%d)"
  echo
  echo "Driver $(ask driver_version), $(nproc) cores, $($python -c 'import sys, numpy; print("CPython", sys.version.split()[0] + ", NumPy", numpy.__version__)')" \
       "$($python -W ignore -c 'import cupy; print(", CuPy", cupy.__version__)' 2>/dev/null)" \
       "$($python -W ignore -c 'import torch; print(", PyTorch", torch.__version__)' 2>/dev/null)"
  echo
  echo "| what | result | tests | ms |"
  echo "|---|---|---|---|"
} | tee "$table"

start "the extension, compiled" true
begin=$(now_ms)
wait
compile > "$work/1.out" 2>&1
echo $? > "$work/1.code"
echo $(($(now_ms) - begin)) > "$work/1.ms"
collect
[ "$failed" = 0 ] || { cat "$work/failures"; exit 1; }

first=$((count + 1))
for test in bindings/python/test/test_*.py bindings/python/test/array/test_*.py; do
  name=$(basename "$test" .py)
  # Warnings are errors, except in tests that import other libraries.
  warnings="-W error"
  [ "$name" != test_interop ] || warnings="-W default"
  # shellcheck disable=SC2086
  start "$name" $python -X dev $warnings -m pytest -q -rs -p no:cacheprovider "$test"
done
collect "$first"

first=$((count + 1))
start "stress" $python bindings/python/test/stress.py
collect "$first"
grep -h "rounds in\|resident size\|device memory:" "$work/$count.out" | sed 's/^/  /' | tee -a "$log"

first=$((count + 1))
for example in examples/python/[01]*.py; do
  start "examples/$(basename "$example")" $python -X dev -W error "$example"
done
collect "$first"

# Run alone, because they measure.
first=$((count + 1))
start "what a call costs" $python bench/bindings_python.py lib/libcucore.so.0 lib/libbench_bindings.so
wait
start "what awaiting costs" $python bench/completion_python.py lib/libbench_bindings.so "${SAMPLES:-300}"
collect "$first"
{
  printf '\n```\n'
  cat "$work/$((count - 1)).out"
  printf '```\n\n'
  cat "$work/$count.out"
} | tee -a "$table"

grep -h '^SKIPPED' "$log" | sort | uniq -c
[ ! -f "$work/failures" ] || cat "$work/failures"
echo "$table: $failed failed"
[ "$failed" = 0 ]
