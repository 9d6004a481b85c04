#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Java on a GPU: its tests, the course and the exchange of object code, and the cost of calls, of graphs and
# of awaiting. The results are tables in markdown. A machine with a GPU need not have Java: a run-time image
# goes along. It needs the driver and the CUDA toolkit (NVRTC); nothing is compiled there.
#   sh tests/gpu/java.sh stage   where the sources are: fills build-gpu-java-stage/, packs
#                                BUILD/java-kit.tar.xz; BUILD is build-gpu-bindings by default
#   sh java.sh                   in the unpacked folder, wherever it is; CUCORE_DRIVER=cpu tries it
#                                without a GPU. `python3 -m tarfile -e` unpacks where xz is missing. Also writes the tables into $OUT, if set;
#                                ends with 0 only if everything passed
# The variables of the second command:
#   PARTS    some of: tests examples exchange bench overheads checked; all by default. `checked` is the
#            tests again, with -Xcheck:jni
#   TESTS    some of the test classes, as GraphTest or array.FusionTest; all by default
#   BUDGET   the seconds in all, 240 by default
set -u

# ---- stage ------------------------------------------------------------------------------------
junit='junit-jupiter-api junit-jupiter-engine junit-platform-commons junit-platform-engine
junit-platform-launcher junit-platform-reporting junit-platform-console opentest4j apiguardian-api
picocli'
optional='univocity-parsers opentest4j-reporting-events opentest4j-reporting-schema jna'

stage_all() {
  set -e
  cd "$(dirname "$0")/../.."
  build=${BUILD:-build-gpu-bindings}
  kit=$build/java-kit.tar.xz
  stage=build-gpu-java-stage
  [ -d "$build" ] || meson setup "$build" -Dbuildtype=release
  ninja -C "$build" ${JOBS:+-j$JOBS} bindings/java/cucore.jar bindings/java/test/cucore-tests.jar \
    bench/java/java-bench.jar bench/java/libjava_c_calls.so bench/java/liboverheads_by_hand.so
  rm -rf "$stage"
  mkdir -p "$stage/jars" "$stage/lib" "$stage/lib-spare" "$stage/examples" "$stage/exchange"
  # The image is not compressed, so that the archive is smaller.
  jlink --add-modules java.base,java.logging,jdk.unsupported --compress=0 --strip-debug \
    --no-man-pages --no-header-files --output "$stage/jre"
  cp "$build/bindings/java/cucore.jar" "$build/bindings/java/test/cucore-tests.jar" \
    "$build/bench/java/java-bench.jar" "$stage/jars/"
  for name in $junit; do cp -L "/usr/share/java/$name.jar" "$stage/jars/"; done
  for name in $optional; do
    [ ! -f "/usr/share/java/$name.jar" ] || cp -L "/usr/share/java/$name.jar" "$stage/jars/"
  done
  cp "$build/bench/java/libjava_c_calls.so" "$build/bench/java/liboverheads_by_hand.so" "$stage/lib/"
  for library in /usr/lib/*/jni/libjnidispatch.system.so /usr/lib/*/libffi.so.8; do
    [ ! -f "$library" ] || cp -L "$library" "$stage/lib/"
  done
  for program in examples/java/*.java; do
    name=$(basename "$program" .java)
    javac --release 11 -encoding UTF-8 -cp "$stage/jars/cucore.jar" -d "$stage/examples/$name" "$program"
    sed -n 's/^class \([A-Za-z0-9]*\) .*/\1/p' "$program" | head -n 1 > "$stage/examples/$name/main"
  done
  # A folder with what other languages have made of one source: it goes on in Java there.
  #   meson test -C BUILD exchange --test-args=--keep=FOLDER
  if [ -n "${EXCHANGE:-}" ]; then cp "$EXCHANGE"/*.cuco "$stage/exchange/"; fi
  # Copies the system libraries that the programs need, for a machine that lacks some of them.
  find "$stage/jre" "$stage/lib" "$build/src" -name '*.so*' -type f -exec ldd {} + 2>/dev/null |
    sed -n 's/.* => \(\/[^ ]*\/lib\(stdc++\|gcc_s\|z\|crypto\|zstd\|lz4\)\.so[^ ]*\) .*/\1/p' | sort -u |
    while read -r library; do cp -L "$library" "$stage/lib-spare/"; done
  find "$stage/jre" "$stage/lib" "$stage/lib-spare" -name '*.so*' -exec strip --strip-unneeded {} +
  cp tests/gpu/java.sh "$stage/"
  tar cJf "$kit" "$stage"
  du -sh "$stage" "$kit"
  [ "$(du -sm "$kit" | cut -f1)" -le 30 ] || { echo "the kit is larger than 30 MiB" >&2; exit 1; }
}

[ "${1:-run}" != stage ] || { stage_all; exit; }

# ---- run --------------------------------------------------------------------------------------
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$here/jre/bin/java" ] || { echo "java.sh: no run-time image: run 'java.sh stage' first" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/rows" "$work/home"
results=${OUT:-$work}/java.md
export CUCORE_DRIVER="${CUCORE_DRIVER:-nvidia}" HOME="$work/home" XDG_CACHE_HOME="$work/home/cache" LC_ALL=C.UTF-8
unset CUCORE_CACHE_DIR
java=$here/jre/bin/java
jars=$here/jars
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
version() { "$java" -cp "$jars/cucore.jar:$jars/cucore-tests.jar" io.cucore.test.Errands version; }
version >/dev/null 2>&1 || LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$here/lib-spare"
path=$jars/cucore.jar:$jars/cucore-tests.jar
for jar in "$jars"/junit-*.jar "$jars"/opentest4j*.jar "$jars"/apiguardian-api.jar "$jars"/picocli.jar "$jars"/univocity-parsers.jar; do
  [ ! -f "$jar" ] || path=$path:$jar
done
[ "$(nproc)" -lt 8 ] || TOGETHER=${TOGETHER:-10}
begin_all=$(date +%s)

say() { tee -a "$results"; }
ask() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }

# Returns this many seconds, or the rest of the total.
left() {
  rest=$((${BUDGET:-240} + begin_all - $(date +%s)))
  [ "$rest" -gt 5 ] || rest=5
  if [ "$rest" -lt "$1" ]; then echo "$rest"; else echo "$1"; fi
}

# row ORDER TITLE COMMAND...: a line for the table, and all output in a file next to it.
row() {
  file=$work/rows/$1
  title=$2
  shift 2
  begin=$(date +%s%N)
  # At the limit a JVM prints where its threads are.
  timeout -s QUIT -k 5 "$(left "${LIMIT:-40}")" "$@" > "$file.log" 2>&1 < /dev/null
  code=$?
  time_ms=$((($(date +%s%N) - begin) / 1000000))
  count() { sed -n "s/^\[ *\([0-9]*\) tests $1.*/\1/p" "$file.log" | tail -n 1; }
  said=
  [ -z "$(count successful)" ] || said="$(count successful) passed, $(count aborted) skipped, $(count failed) failed"
  faults=$(grep -cE 'WARNING in native method|FATAL ERROR in native method|WARNING: JNI|^Warning: ' "$file.log")
  if [ "$code" = 0 ] && [ "$faults" = 0 ]; then verdict=pass; else verdict="FAIL ($code)"; : > "$file.failed"; fi
  line="| $title | $verdict | $said | $time_ms |"
  echo "$line" > "$file.row"
  echo "$line" >> "$results"
  echo "$line" >&3
}

# The tests that need a driver's own checks run on the CPU device alone.
classes='array.ArraySweepTest array.ExchangeTest array.FusionTest array.NdArrayTest array.OperationTest
test.ArrayLivesTest MadeByNumberTest test.ThreadsTest test.CacheBuildTest test.CompletionTest
test.CacheTest test.CaptureTest test.GraphTest test.GraphChangesTest test.GraphConditionsTest
test.GraphLifetimesTest test.GraphWorkTest test.HostFunctionsTest test.LaunchOptionsTest test.ArgumentsTest
test.CodeTest test.ErrorsTest test.LaunchTest test.MemoryTest test.ObjectsTest test.PreparedTest test.PrintedTest
test.PublisherTest test.SweepTest test.WaitsTest test.StressTest test.LifetimesTest'

# Runs some at a time: their checks do not depend on other processes. The last two run alone: StressTest measures the
# memory of the device, and LifetimesTest takes all of it.
tests() {
  order=$1
  words=$2
  shift 2
  for name in $classes; do
    case " ${TESTS:-${name#test.}} " in *" ${name#test.} "*) ;; *) continue ;; esac
    order=$((order + 1))
    case $name in test.StressTest | test.LifetimesTest) wait ;; esac
    row "$order" "${name#test.}$words" "$java" "$@" -Dcucore.test.child=25 -cp "$path" \
      org.junit.platform.console.ConsoleLauncher --disable-banner --disable-ansi-colors --details=tree \
      --select-class="io.cucore.$name" &
    [ $((order % ${TOGETHER:-3})) != 0 ] || wait
  done
  wait
}

examples() {
  order=$1
  for folder in "$here"/examples/*; do
    order=$((order + 1))
    row "$order" "example ${folder##*/}" "$java" -cp "$jars/cucore.jar:$folder" "$(cat "$folder/main")"
  done
}

# Files of other languages are read, written again, carried by Java's own serialization and launched
# here. The result of a compile here is equal to them.
exchange_all() {
  exchange="$java -cp $path io.cucore.test.Exchange"
  set -e
  $exchange make "$work/made"
  $exchange launch "$work/made"
  for file in "$here"/exchange/*.cuco; do
    [ -f "$file" ] || { echo "nothing of other languages in this kit"; break; }
    $exchange copy "$file" "$work/copied"
    cmp "$file" "$work/copied"
    $exchange own "$file" "$work/own"
    cmp "$file" "$work/own"
    $exchange launch "$work/own"
    cmp "$file" "$work/made" || echo "another compiler here than there"
    echo "${file##*/}: equal bytes, launched"
  done
  [ -z "${OUT:-}" ] || cp "$work/made" "$OUT/java.cuco"
}

head_of_table() {
  echo
  echo "| what | result | tests | ms |"
  echo "|---|---|---|---|"
}

# bench TITLE COMMAND...: its tables, unchanged.
bench() {
  title=$1
  shift
  echo
  if ! timeout -s QUIT -k 5 "$(left 30)" "$@" > "$work/bench" 2>&1 < /dev/null; then
    echo "$title: FAILED"
    : > "$work/rows/$title.failed"
  fi
  cat "$work/bench"
}

has_part() { case " ${PARTS:-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }

# Adds the numbers of one kind, `passed`, over all rows.
sum_of() { cat "$work"/rows/*.row | sed -n "s/.*[ |]\([0-9]*\) $1[ ,|].*/\1/p" | awk '{ sum += $1 } END { print sum + 0 }'; }

[ "${1:-run}" != exchange ] || { exchange_all; exit; }
{
  echo "# Java on $(ask name || true), $(date -u +%Y-%m-%d)"
  echo
  echo "- driver: CUCORE_DRIVER=$CUCORE_DRIVER, $(ask driver_version), $(ask memory.total)"
  echo "- processor:$(sed -n 's/^model name[^:]*://p' /proc/cpuinfo | head -n 1), $(nproc) cores, kernel $(uname -r)"
  echo "- $("$java" -version 2>&1 | sed -n 2p); cucore $(version)"
} | say
exec 3>&1
head_of_table | say
row 100 "first use of the jar" "$java" -cp "$jars/cucore.jar:$here/examples/02_launch" Launch
if grep -q 'needs a device' "$work/rows/100.log"; then
  echo "java.sh: no device with CUCORE_DRIVER=$CUCORE_DRIVER" >&2
  exit 2
fi
has_part tests && tests 200 ""
has_part examples && examples 300
has_part exchange && row 400 "object code of other languages" sh "$here/java.sh" exchange
unpacked=$(ls -d "$XDG_CACHE_HOME"/cucore/java/*/)
if has_part bench; then
  bench calls "$java" -Djna.boot.library.path="$here/lib" -Djna.boot.library.name=jnidispatch.system -Djna.nosys=false \
    -cp "$jars/cucore.jar:$jars/jna.jar:$jars/java-bench.jar" Bench "$here/lib/libjava_c_calls.so" "$unpacked/libcucore.so.0"
  bench cache "$java" -cp "$jars/cucore.jar:$jars/java-bench.jar" CacheBench
  bench completion "$java" -cp "$jars/cucore.jar:$jars/java-bench.jar" CompletionBench "${SAMPLES:-1000}"
fi | say
if has_part overheads; then
  bench overheads "$java" -cp "$jars/cucore.jar:$jars/java-bench.jar" Overheads "$here/lib/liboverheads_by_hand.so"
fi | say
if has_part checked; then
  head_of_table | say
  tests 500 ", -Xcheck:jni" -Xcheck:jni
fi
failed=0
for each in "$work"/rows/*.failed; do
  [ -f "$each" ] || continue
  failed=$((failed + 1))
  printf '\n== %s\n' "$(cat "${each%.failed}.row" 2>/dev/null || echo "$each")"
  cat "${each%.failed}.log" 2>/dev/null
done
[ -z "${OUT:-}" ] || cat "$work"/rows/*.log > "$OUT/java.log"
grep -hE '^(way on after|futures of a context|memory is flat|the cache leaks|stress of|closed during launches)' "$work"/rows/*.log | sort -u
echo "Java: $(sum_of passed) tests passed, $(sum_of skipped) skipped, $(sum_of failed) failed" | say
echo "$failed rows failed, $(($(date +%s) - begin_all)) s"
[ "$failed" = 0 ]
