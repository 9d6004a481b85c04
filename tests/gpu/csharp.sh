#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# C# on a machine with a GPU, which needs no Mono: tests, the course, and the cost of calls, of graphs and of awaiting.
#   sh tests/gpu/csharp.sh stage     on a machine with a compiler, SWIG and Mono: fills build-gpu-csharp/
#                                    and packs it into build-gpu-csharp.tar.xz
#   sh build-gpu-csharp/csharp.sh    on the other machine: prints a table and failures in full, and ends
#                                    with 0 only if all passed; also into $OUT, if set
# CUCORE_DRIVER chooses the driver: nvidia by default, cpu for a trial without a GPU.
# BUILD is the build folder of the first command, build-gpu-bindings by default. The variables of the second:
#   PARTS    some of: tests stress examples bench overheads; all by default
#   TESTS    some of the test classes, as Graphs; all by default
set -eu
here=$(cd "$(dirname "$0")" && pwd)
assemblies='Cucore.dll Scenarios.exe 01_compile.exe 02_launch.exe 03_events.exe 04_serialize.exe 05_templates.exe
  06_pipeline.exe 07_async.exe 08_cache.exe 09_graphs.exe 09_lifetimes.exe 12_arrays.exe 13_fusion.exe 15_profile.exe'

# stage_mono FOLDER: Mono with what the programs load of it, and the libraries that it needs.
stage_mono() {
  mono=$(readlink -f "$(command -v mono)")
  root=$(dirname "$(dirname "$mono")")
  mkdir -p "$1/bin" "$1/lib/mono/4.5" "$1/etc/mono/4.5"
  cp "$mono" "$1/bin/mono"
  cp -L "$root/lib/libmono-native.so" "$root/lib/libMonoPosixHelper.so" "$1/lib/"
  for name in mscorlib System System.Core System.IO.Compression; do cp -L "$root/lib/mono/4.5/$name.dll" "$1/lib/mono/4.5/"; done
  cp /etc/mono/config "$1/etc/mono/"
  cp /etc/mono/4.5/machine.config "$1/etc/mono/4.5/"
}

# The C and C++ run-time libraries are the other machine's own, unless it lacks one.
stage_libraries() {
  LD_LIBRARY_PATH="$1/app" ldd "$1"/mono/bin/* "$1"/mono/lib/*.so "$1"/app/*.so* "$1/app/cucore-worker" |
  sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | grep -v "^$1/" |
  while read -r library; do
    case ${library##*/} in
      libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | libresolv.so* | ld-linux*) ;;
      libstdc++* | libgcc_s*) cp -L "$library" "$1/lib-spare/" ;;
      *) cp -L "$library" "$1/lib/" ;;
    esac
  done
}

stage() {
  cd "$here/../.."
  build=${BUILD:-build-gpu-bindings}
  stage=$PWD/build-gpu-csharp
  [ -d "$build" ] || meson setup "$build" -Dbuildtype=release
  libraries='bindings/csharp/libcucorecs.so bench/csharp/libcucorebench.so bench/csharp/liboverheads_by_platform_call.so src/programs/worker/cucore-worker'
  programs='bench/csharp/Bench.exe bench/csharp/Latency.exe bench/csharp/Overheads.exe'
  for name in $assemblies; do programs="$programs bindings/csharp/$name"; done
  remote=src/plugins/remote/cucore-remote-directory.so
  # shellcheck disable=SC2086
  ninja -C "$build" ${JOBS:+-j$JOBS} $libraries $programs $remote csharp src/cpu/driver/libcucore-cpu.so.0
  rm -rf "$stage"
  mkdir -p "$stage/app" "$stage/lib" "$stage/lib-spare"
  for file in $libraries $programs $remote; do cp "$build/$file" "$stage/app/"; done
  cp -L "$build/src/cucore/libcucore.so.0" "$build/src/array/libcucore-array.so.0" "$build/src/perf/libcucore-perf.so.0" "$stage/app/"
  cp -L "$build/src/cpu/driver/libcucore-cpu.so.0" "$stage/app/libcucore-cpu.so"
  cp bench/csharp/scale.ptx "$stage/app/"
  stage_mono "$stage/mono"
  stage_libraries "$stage"
  cp tests/gpu/csharp.sh "$stage/"
  strip --strip-unneeded "$stage"/app/*.so* "$stage/app/cucore-worker" "$stage"/lib/*.so* "$stage"/lib-spare/*.so*
  tar -C "$(dirname "$stage")" -cJf "$stage.tar.xz" "$(basename "$stage")"
  size=$(du -k "$stage.tar.xz" | cut -f1)
  echo "$stage.tar.xz: $size KiB"
  [ "$size" -le 20480 ] || { echo "it is larger than 20 MiB" >&2; exit 1; }
}

if [ "${1:-}" = stage ]; then
  stage
  exit
fi
[ -d "$here/app" ] || { echo "csharp.sh: no staged folder here: run 'csharp.sh stage' first" >&2; exit 2; }

app=$here/app
LD_LIBRARY_PATH="$app:$here/lib"
if LD_LIBRARY_PATH="$LD_LIBRARY_PATH" ldd "$app"/*.so* "$here/mono/bin/mono" 2>&1 | grep -q 'not found'; then
  LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$here/lib-spare"
fi
export LD_LIBRARY_PATH MONO_PATH="$app:$here/mono/lib/mono/4.5" MONO_CFG_DIR="$here/mono/etc" CUCORE_WORKER="$app/cucore-worker" \
  CUCORE_CPU="$app/libcucore-cpu.so" CUCORE_DRIVER="${CUCORE_DRIVER:-nvidia}" LC_ALL=C.UTF-8
mono=$here/mono/bin/mono
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work" XDG_CACHE_HOME="$work/cache"
results=$work/results
failures=$work/failures
: > "$failures"
: > "$work/skipped"
failed=0

say() { echo "$@" | tee -a "$results"; }
ask() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }

has_part() { case " ${PARTS:-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }

# section TITLE FILE: a part of the results, if it ran.
section() {
  [ -f "$work/$2" ] || return 0
  say
  say "## $1"
  say
  tee -a "$results" < "$work/$2"
}

# Adds the numbers of one kind, `passed`, over all rows.
sum_of() { sed -n "s/^| .*[ |]\([0-9]*\) $1[ ,|].*/\1/p" "$results" | awk '{ sum += $1 } END { print sum + 0 }'; }

# row TITLE LIMIT COMMAND...: one line of the table; its whole output is kept if it fails.
row() {
  title=$1
  limit=$2
  shift 2
  begin=$(date +%s%N)
  code=0
  timeout -k 5 "$limit" "$@" > "$work/output" 2>&1 || code=$?
  time_ms=$((($(date +%s%N) - begin) / 1000000))
  counted=$(sed -n 's/^\([0-9]* passed, .*\)$/\1/p' "$work/output" | tail -n 1)
  verdict=pass
  if [ "$code" != 0 ]; then
    verdict="FAIL ($code)"
    failed=$((failed + 1))
    { echo; echo "### $title ($*) ended with $code"; echo '```'; cat "$work/output"; echo '```'; } >> "$failures"
  fi
  sed -n 's/^skipped /- skipped: /p' "$work/output" >> "$work/skipped"
  say "| $title | $verdict | $counted | $time_ms |"
}

say "# C# on $(ask name || true) ($CUCORE_DRIVER), $(date -u +%Y-%m-%d)"
say
say "- driver $(ask driver_version || true), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
    "$(nproc) cores, kernel $(uname -r), $("$mono" --version | sed -n '1s/Mono JIT compiler version \([^ ]*\).*/Mono \1/p')"
say
say "| what | result | tests | ms |"
say "|---|---|---|---|"
classes='Arguments ArrayLives ArrayValues CacheBuilds Caches Captures Code Errors Faults Futures GraphChanges GraphConditions
  GraphLifetimes Graphs GraphWork HostCalls LaunchOptions Launches Lifetimes Memory Objects Prepared Printed Processes Queues Threads Uses'
if has_part tests; then
  for class in $classes; do
    case " ${TESTS:-$class} " in *" $class "*) row "$class" 60 "$mono" "$app/Scenarios.exe" "$class" ;; esac
  done
fi
# CUCORE_STRESS_SECONDS sets the length of the stress; the default is 5.
stress_limit=${CUCORE_STRESS_SECONDS:-5}
if has_part stress; then
  row "Stress" $((${stress_limit%.*} * 2 + 60)) "$mono" "$app/Scenarios.exe" Stress
  cp "$work/output" "$work/stress"
fi
if has_part examples; then
  for name in 01_compile 02_launch 03_events 04_serialize 05_templates 06_pipeline 07_async 08_cache 09_graphs 09_lifetimes 12_arrays 13_fusion 15_profile; do
    row "example $name" 20 "$mono" "$app/$name.exe"
  done
fi
if has_part bench; then
  row "bench of the calls" 60 "$mono" "$app/Bench.exe" "$app/scale.ptx"
  cp "$work/output" "$work/bench"
  row "bench of awaiting" 90 "$mono" "$app/Latency.exe" "${SAMPLES:-500}"
  cp "$work/output" "$work/latency"
fi
if has_part overheads; then
  row "overheads" 90 "$mono" "$app/Overheads.exe"
  cp "$work/output" "$work/overheads"
fi
say
tee -a "$results" < "$work/skipped"
section Stress stress
section "What a call costs" bench
section "Asynchronous work" latency
section "Overheads and graphs" overheads
[ "$failed" = 0 ] || { say; say "## Failures"; tee -a "$results" < "$failures"; }
say
say "C#: $(sum_of passed) tests passed, $(sum_of skipped) skipped, $(sum_of failed) failed"
say "$failed rows failed"
if [ -n "${OUT:-}" ]; then cp "$results" "$OUT/csharp.md"; fi
[ "$failed" = 0 ]
