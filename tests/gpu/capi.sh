#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The suites of C and C++ whose promises hold on each driver, on a machine with a GPU that builds nothing.
# These are tests/capi by subject, tests/cpp, the graphs of tests/gpu, and the course from its 8th program on.
#   sh tests/gpu/capi.sh stage     on a machine with a compiler: fills build-gpu-capi/ and packs it into
#                                  build-gpu-capi.tar.xz. BUILD is the build folder, `build` by default
#   sh build-gpu-capi/capi.sh      on the other machine, which needs the driver and the CUDA toolkit: prints a
#                                  table, the reasons for skipped tests, and failures in full. Also into $OUT, if
#                                  set. Ends with 0 only if all passed
# The variables of the second command:
#   CUCORE_DRIVER   nvidia by default; cpu tries the script without a GPU
#   PARTS           some of: graphs capi cpp gpu examples; all by default
#   LOOPS           the graphs of each test of many graphs, 1000 by default
#   LIMIT           the seconds of a row, 120 by default
# The failure sweep (tests/capi/sweep) and the tests that count calls need the scripted driver, so they are not here.
set -u
here=$(cd "$(dirname "$0")" && pwd)
examples='08_cache 09_graphs 12_arrays 13_fusion 15_profile'
modes='cpp17 cpp20 cpp17_results'

stage() {
  set -e
  cd "$here/../.."
  build=${BUILD:-build}
  stage=$PWD/build-gpu-capi
  [ -d "$build" ] || meson setup "$build" -Dunity=on
  programs='tests/capi/capi_tests tests/capi/classes/parameter_classes tests/cpp/cpp_mixed tests/gpu/gpu_tests
    src/programs/worker/cucore-worker'
  for mode in $modes; do programs="$programs tests/cpp/${mode}_tests"; done
  for name in $examples; do programs="$programs examples/example_$name"; done
  libraries='src/cucore/libcucore.so.0 src/array/libcucore-array.so.0 src/perf/libcucore-perf.so.0 src/cpu/driver/libcucore-cpu.so.0'
  # shellcheck disable=SC2086
  ninja -C "$build" ${JOBS:+-j$JOBS} $programs src/cpu/driver/libcucore-cpu.so.0
  rm -rf "$stage"
  mkdir -p "$stage/bin" "$stage/lib" "$stage/lib-spare" "$stage/kernels" "$stage/images" "$stage/docs"
  for program in $programs; do cp "$build/$program" "$stage/bin/"; done
  for library in $libraries; do cp -L "$build/$library" "$stage/lib/"; done
  mv "$stage/lib/libcucore-cpu.so.0" "$stage/lib/libcucore-cpu.so"
  for image in saxpy.cubin saxpy.none.fatbin saxpy.speed.fatbin saxpy.size.fatbin; do
    ! ninja -C "$build" "tests/capi/$image" >/dev/null 2>&1 || cp "$build/tests/capi/$image" "$stage/images/"
  done
  cp tests/data/kernels/*.cu "$stage/kernels/"
  cp docs/parameters.md "$stage/docs/"
  cp tests/gpu/capi.sh "$stage/"
  # The C and C++ run-time libraries are the other machine's own, unless it lacks one.
  LD_LIBRARY_PATH="$stage/lib" ldd "$stage"/bin/* "$stage"/lib/*.so* | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | grep -v "^$stage/" |
  while read -r library; do
    case ${library##*/} in
      libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | ld-linux*) ;;
      libstdc++* | libgcc_s*) cp -L "$library" "$stage/lib-spare/" ;;
      *) cp -L "$library" "$stage/lib/" ;;
    esac
  done
  strip --strip-unneeded "$stage"/bin/* "$stage"/lib/*.so*
  tar -C "$PWD" -cJf "$stage.tar.xz" build-gpu-capi
  du -sh "$stage" "$stage.tar.xz"
  [ "$(du -sk "$stage.tar.xz" | cut -f1)" -le 20480 ] || { echo "$stage.tar.xz is larger than 20 MiB" >&2; exit 1; }
}

[ "${1:-}" != stage ] || { stage; exit; }
[ -d "$here/bin" ] || { echo "capi.sh: no staged folder here: run 'capi.sh stage' first" >&2; exit 2; }

# ---- run --------------------------------------------------------------------------------------
bin=$here/bin
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
! ldd "$bin/capi_tests" "$bin/example_12_arrays" 2>&1 | grep -q 'not found' || LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$here/lib-spare"
export CUCORE_DRIVER="${CUCORE_DRIVER:-nvidia}" CUCORE_CPU="$here/lib/libcucore-cpu.so" CUCORE_CPU_DEVICES=2
export CUCORE_WORKER="$bin/cucore-worker" CUCORE_TEST_NEEDS_DEVICE=1 CUCORE_TEST_PAGES="$here/docs"
export CUCORE_TEST_KERNELS="$here/kernels" CUCORE_TEST_IMAGES="$here/images" CUCORE_TEST_LOOPS="${LOOPS:-1000}"

# The toolkit: the folder in CUDA_HOME, its usual place, or NVIDIA's Python wheels.
wheels=$(python3 -c 'import nvidia.cu13 as m; print(list(m.__path__)[0])' 2>/dev/null || true)
for home in "${CUDA_HOME:-}" /usr/local/cuda "$wheels"; do
  [ -n "$home" ] && [ -f "$home/include/cuda_fp16.h" ] || continue
  export CUCORE_TEST_INCLUDE="$home/include"
  break
done
if ! ls "${CUDA_HOME:-/usr/local/cuda}"/lib64/libnvrtc.so.* >/dev/null 2>&1; then
  for library in "$wheels"/lib/libnvrtc.so.1[3-9]; do [ ! -f "$library" ] || export CUCORE_NVRTC="$library"; done
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
results=$work/capi.md
: > "$work/failures"
: > "$work/log"
failed=0
say() { echo "$@" | tee -a "$results"; }
ask() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }
has_part() { case " ${PARTS:-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }

# Returns the number of tests in this state in the last output.
count() { sed -n "s/^\[ *$1 *\] \([0-9]*\) test.*/\1/p" "$work/output" | tail -n 1 | grep . || echo 0; }

# row TITLE COMMAND...: one line of the table; the whole output is kept if it fails.
row() {
  title=$1
  shift
  begin=$(date +%s%N)
  code=0
  timeout -k 5 "${LIMIT:-120}" "$@" > "$work/output" 2>&1 < /dev/null || code=$?
  time_ms=$((($(date +%s%N) - begin) / 1000000))
  { printf '\n== %s: ended with %s\n' "$title" "$code"; cat "$work/output"; } >> "$work/log"
  said=
  ! grep -q '^\[==========\] Running' "$work/output" || said="$(count PASSED) passed, $(count SKIPPED) skipped, $(count FAILED) failed"
  verdict=pass
  # A filter that finds no test is a mistake of this script.
  if [ "$code" = 0 ] && grep -q '^Note: Google Test filter' "$work/output" && [ "$(grep -c '^\[ RUN ' "$work/output")" = 0 ]; then code="no test"; fi
  if [ "$code" != 0 ]; then
    verdict="FAIL ($code)"
    failed=$((failed + 1))
    { printf '\n== %s (%s) ended with %s\n' "$title" "$*" "$code"; cat "$work/output"; } >> "$work/failures"
  fi
  say "| $title | $verdict | $said | $time_ms |"
}

# subject TITLE FILTER: tests of capi_tests, each subject in a process of its own. A fault breaks a process for good.
others=
subject() {
  others="$others:$2"
  has_part graphs && row "$1" "$bin/capi_tests" --gtest_filter="$2"
}

say "# C and C++ on $(ask name || true) ($CUCORE_DRIVER), $(date -u +%Y-%m-%d)"
say
say "Driver $(ask driver_version || true), $(nproc) cores, $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
say
say "| what | result | tests | ms |"
say "|---|---|---|---|"
subject "graphs by hand" 'Graphs.*:GraphChanges.*:ChangeLifetime.*:ChildViews.*:GraphWords.*:GraphQueues.*'
subject "conditions" 'Conditions.*'
subject "memory in graphs" 'GraphMemory.*:DeviceGraphMemory.*:CapturedMemory.*'
subject "lifetimes of graphs" 'GraphLifetime.*'
subject "executables" 'Executables.*'
subject "captures" 'Captures.*:StreamCapture.*:CapturedCalls.*'
subject "host functions" 'HostFunctions*:StreamWords.*'
subject "random graphs" 'RandomGraphs.*'
subject "many graphs" 'GraphLoops.*'
subject "launches" 'Launches.*:LaunchAttributes.*:PreparedLaunches.*'
if has_part capi; then
  row "the other tests of tests/capi" "$bin/capi_tests" --gtest_filter="-${others#:}"
  # This one runs nvcc.
  ! command -v g++ >/dev/null || row "classes of parameters" "$bin/parameter_classes" --gtest_filter='ClassesOnADevice.*'
fi
if has_part cpp; then
  for mode in $modes; do row "cucore.hpp, $mode" "$bin/${mode}_tests"; done
  row "cucore.hpp, both modes" "$bin/cpp_mixed"
fi
if has_part gpu; then
  row "operands of graphs" "$bin/gpu_tests" --gtest_filter='GraphOperands.*'
  row "launches by kernels" "$bin/gpu_tests" --gtest_filter='KernelLaunches.*:UpdatableNodes.*'
  if [ "$CUCORE_DRIVER" = nvidia ]; then
    row "releases in flight" "$bin/gpu_tests" --gtest_filter='*InFlight.*' --gtest_output="xml:$work/flight.xml"
    sed -n 's/.*property name="\([a-z_]*release[a-z_]*\)_ns" value="\([0-9]*\)".*/- \1: \2 ns/p' "$work/flight.xml" > "$work/releases"
    row "kinds of code" "$bin/gpu_tests" --gtest_filter='Kinds.*'
  fi
fi
if has_part examples; then
  for name in $examples; do row "example $name" "$bin/example_$name"; done
fi

if [ -s "$work/releases" ]; then
  say
  tee -a "$results" < "$work/releases"
fi
say
say "Skipped, by reason:"
say
grep -h -A1 ': Skipped$' "$work/log" | grep -v ': Skipped$\|^--$' | sort | uniq -c | sort -rn | sed 's/^ */- /' | tee -a "$results"
sum_of() { sed -n "s/^| .*[ |]\([0-9]*\) $1[ ,|].*/\1/p" "$results" | awk '{ sum += $1 } END { print sum + 0 }'; }
say
say "C and C++: $(sum_of passed) tests passed, $(sum_of skipped) skipped, $(sum_of failed) failed"
say "$failed rows failed"
cat "$work/failures"
if [ -n "${OUT:-}" ]; then cp "$results" "$OUT/capi.md" && cp "$work/log" "$OUT/capi.log"; fi
[ "$failed" = 0 ]
