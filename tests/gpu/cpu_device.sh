#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# This script records what the CPU device is compared with, on a machine with a GPU. There it also runs
# cuda.core's own tests on the CPU device, and measures its speed on many cores.
#   sh tests/gpu/cpu_device.sh stage    on a machine with a compiler: fills build-gpu-cpu-stage/ and
#                                       packs it into build-gpu-cpu/cpu-device.tgz
#   sh build-gpu-cpu-stage/cpu_device.sh    on the other machine: prints a table, and writes all
#                                       results into $OUT, six files. Nothing is built there
# The variables of the first command:
#   BUILD             the build folder
#   CUDA_CORE_TESTS   a checkout of cuda-python, whose tests are packed
#   OLD_BENCH         an older cpu_exec_bench, which reads the kernels in ./kernels
# The variables of the second command:
#   BUDGET            the seconds in all, 400 by default
#   LIMIT             the seconds after which no further row of driver calls begins
#   PARTS             some of: speed records cuda_core
#   RUNTIME_BY_DRIVER 1, the default: the driver answers cuda.core's five calls of the CUDA runtime
#   CUCORE_DRIVER     cpu tries the script without a GPU
# A failed step does not end the script. It ends with 0 only if all steps passed.
set -u
here=$(cd "$(dirname "$0")" && pwd)

# ---- stage ------------------------------------------------------------------------------------
programs='bench/cpu_exec_bench tests/cpu/driver/record/driver_record tests/cpu/ops/op_table
  tests/cpu/matrix/matrix_table tests/cpu/textures/texture_table tests/cpu/corpus/corpus_table tests/cpu/kernels/cpu_kernel_tests'
shims='libnvrtc.so.13 libnvrtc.so.12 libnvJitLink.so.13'

# The other machine's own libraries are used, unless it lacks one.
stage_libraries() {
  ldd "$1"/bin/* "$1"/lib/*.so* | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
  while read -r library; do
    case ${library##*/} in
      libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | ld-linux*) ;;
      libbenchmark*) cp -L "$library" "$1/lib/" ;;
      *) cp -L "$library" "$1/lib-spare/" ;;
    esac
  done
}

stage() {
  set -e
  cd "$here/../.."
  build=${BUILD:-build-gpu-cpu}
  stage='build-gpu-cpu-stage'
  kit='build-gpu-cpu/cpu-device.tgz'
  [ -d "$build" ] || meson setup "$build" -Dpython=disabled -Djava=disabled -Dcsharp=disabled
  libraries=src/cpu/driver/libcucore-cpu.so.0
  for name in $shims; do libraries="$libraries src/cpu/driver/compat/$name"; done
  # shellcheck disable=SC2086
  ninja -C "$build" ${JOBS:+-j$JOBS} $programs $libraries
  rm -rf "$stage"
  mkdir -p build-gpu-cpu "$stage/bin" "$stage/lib/compat" "$stage/lib-spare" "$stage/kernels/ptx" "$stage/data"
  for name in $programs; do cp "$build/$name" "$stage/bin/"; done
  [ -z "${OLD_BENCH:-}" ] || cp "$OLD_BENCH" "$stage/bin/old_bench"
  cp -L "$build/src/cpu/driver/libcucore-cpu.so.0" "$stage/lib/"
  for name in $shims; do cp "$build/src/cpu/driver/compat/$name" "$stage/lib/compat/"; done
  ln -s ../libcucore-cpu.so.0 "$stage/lib/compat/libcuda.so.1"
  cp tests/data/kernels/ptx/*.ptx "$stage/kernels/ptx/"
  cp tests/cpu/driver/record/expected_driver_*.txt tests/cpu/driver/record/differences.txt "$stage/data/"
  for table in ops matrix textures corpus; do
    [ ! -f "tests/cpu/$table/expected_sm_90.dat" ] || cp "tests/cpu/$table/expected_sm_90.dat" "$stage/data/$table.dat"
  done
  if [ -n "${CUDA_CORE_TESTS:-}" ]; then
    mkdir -p "$stage/cuda-python/cuda_core" "$stage/spare-helpers"
    cp -R "$CUDA_CORE_TESTS/cuda_core/tests" "$CUDA_CORE_TESTS/cuda_core/pytest.ini" "$stage/cuda-python/cuda_core/"
    cp -R "$CUDA_CORE_TESTS/cuda_python_test_helpers" "$stage/cuda-python/"
    cp -R "$CUDA_CORE_TESTS/cuda_bindings/cuda/bindings/_test_helpers" "$stage/spare-helpers/"
  fi
  mkdir -p "$stage/site"
  cp tests/gpu/cuda_core_runtime.py "$stage/site/sitecustomize.py"
  cp tests/gpu/cpu_device.sh tests/gpu/cpu_device_tables.py tests/gpu/cuda_core_helpers.py tests/gpu/cuda_core_small.py "$stage/"
  strip --strip-unneeded "$stage"/bin/* "$stage"/lib/*.so* "$stage"/lib/compat/libnv*
  stage_libraries "$stage"
  tar -czf "$kit" "$stage"
  du -sh "$stage" "$kit"
  [ "$(du -sk "$kit" | cut -f1)" -le 25600 ] || { echo "the archive is larger than 25 MiB" >&2; exit 1; }
}

# ---- run --------------------------------------------------------------------------------------
self=$here/cpu_device.sh
cuda=${CUDA_HOME:-/usr/local/cuda}
compat=$here/lib/compat
tests=$here/cuda-python/cuda_core
core_parts='device stream event module program linker launcher memory context program_cache'

show() { echo "$@" | tee -a "$table"; }
ask() { nvidia-smi --query-gpu="$1" --format=csv,noheader -i 0 2>/dev/null | head -n 1; }

# Returns this many seconds, or the rest of the budget.
left() {
  rest=$((budget - 10 + begin_all - $(date +%s)))
  [ "$rest" -gt 2 ] || rest=2
  if [ "$rest" -lt "$1" ]; then echo "$rest"; else echo "$1"; fi
}

# step NAME LIMIT COMMAND...: a line of the table, and all output in a file.
step() {
  name=$1
  limit=$(left "$2")
  shift 2
  begin=$(date +%s%N)
  code=0
  timeout -k 5 "$limit" "$@" > "$logs/$name.log" 2>&1 < /dev/null || code=$?
  tenths=$((($(date +%s%N) - begin) / 100000000))
  verdict=pass
  [ "$code" = 0 ] || verdict="FAIL ($code)"
  last=$(grep -v '^ *$' "$logs/$name.log" | tail -n 1 | tr '|\r' '/ ' | cut -c 1-120)
  show "| $name | $verdict | $last | $((tenths / 10)).$((tenths % 10)) |"
  [ "$code" = 0 ] || echo "$name" >> "$work/failed"
}

# A step that is a function of this file runs in a process of its own, so that it has a limit.
step_of() {
  step_name=$1
  step_limit=$2
  shift 2
  step "$step_name" "$step_limit" sh "$self" "$@"
}

pack() { tar -C "$work" -czf "$out/logs.tgz.part" logs 2>/dev/null && mv "$out/logs.tgz.part" "$out/logs.tgz"; }

# ---- speed ------------------------------------------------------------------------------------
# bench PROGRAM THREADS LAYERS FILE
bench() {
  cd "$here" || exit 2
  export CUCORE_CPU_THREADS="$2" CUCORE_BENCH_LAYERS="$3"
  exec "bin/$1" --benchmark_min_time=0.1 --benchmark_repetitions=3 --benchmark_report_aggregates_only=true \
    --benchmark_out_format=json --benchmark_out="$4"
}

# Many processes at once, with one thread each: what the machine permits.
processes() {
  for i in $(seq "$1"); do (bench cpu_exec_bench 1 16 "$logs/process-$1-$i.json") & done
  wait
}

speed() {
  cores=$(nproc)
  # Each number of threads has its turn in each round, because the speed of a virtual machine varies.
  for round in 1 2 3; do
    for threads in 1 2 4 8 16; do
      [ "$threads" -le "$cores" ] || continue
      step_of "speed-$threads-$round" 40 bench cpu_exec_bench "$threads" 16 "$logs/large-$round-$threads.json"
    done
    for threads in 1 "$cores"; do
      step_of "speed-$threads-small-$round" 30 bench cpu_exec_bench "$threads" 1 "$logs/small-$round-$threads.json"
    done
  done
  step_of "speed-$cores-processes" 40 processes "$cores"
  if [ -x "$here/bin/old_bench" ]; then
    for turn in 1 2; do
      step_of "speed-old-$turn" 30 bench old_bench 1 1 "$logs/old-$turn.json"
      step_of "speed-new-$turn" 30 bench cpu_exec_bench 1 1 "$logs/new-$turn.json"
    done
  fi
  python3 "$here/cpu_device_tables.py" speed "$logs" > "$logs/speed.md" 2>&1
  cat "$logs/speed.md"
}

# ---- records ----------------------------------------------------------------------------------
# kernel_shard NUMBER COUNT
kernel_shard() {
  export GTEST_TOTAL_SHARDS="$2" GTEST_SHARD_INDEX="$1" CUCORE_CPU_LIBRARY="$driver" CUCORE_TEST_CUDA="$cuda"
  exec "$here/bin/cpu_kernel_tests" --gtest_filter='-*/blackwell' --gtest_brief=1
}

records() {
  version=$(ask driver_version)
  day=$(date -u +%Y-%m-%d)
  note="kernel driver $version, $day"
  step record-textures 60 "$here/bin/texture_table" --driver "$driver" --record "$out/textures.dat" --note "$note"
  step record-corpus 60 "$here/bin/corpus_table" --driver "$driver" --kernels "$here/kernels/ptx" \
    --record "$out/corpus.dat" --note "$note"
  # The level of each gradient, for a model of them.
  step record-gradients 30 "$here/bin/texture_table" --driver "$driver" --only ' grad ' --values "$logs/gradients.txt"
  last_start=$(left "${LIMIT:-130}")
  keep=$here/data/expected_driver_${version%%.*}.txt
  set -- --limit "$last_start" --write "$out/driver.txt" --note "$(ask name), driver $version, $day"
  [ ! -f "$keep" ] || set -- "$@" --keep "$keep"
  step record-driver $((last_start + 45)) env CUCORE_CPU_LIBRARY="$driver" "$here/bin/driver_record" "$@"
  for shard in 0 1 2 3 4 5 6 7 8 9 10 11; do
    step_of "kernels-$shard" 100 kernel_shard "$shard" 12 &
  done
  wait
  grep -h -A12 -E '^\[  FAILED|: Failure$' "$logs"/kernels-*.log > "$logs/kernels.txt"
  step record-ops 90 "$here/bin/op_table" --driver "$driver" --record "$logs/ops.dat" --note "$note"
  step record-matrix 90 "$here/bin/matrix_table" --driver "$driver" --fit --record "$logs/matrix.dat" --note "$note"
  step record-probes 30 "$here/bin/matrix_table" --driver "$driver" --probe
}

# ---- cuda.core --------------------------------------------------------------------------------
# library_of NAME: the path of a library that cuda.core would open by itself.
library_of() {
  python3 -c "from cuda.pathfinder import load_nvidia_dynamic_lib as load; print(load('$1').abs_path)" 2>/dev/null ||
    find "$cuda/lib64/" -name "lib$1.so.1[3-9]" 2>/dev/null | head -n 1
}

# on_device WAY COMMAND...: with the CPU device in place of the driver.
on_device() {
  preloaded="$compat/libcuda.so.1 $compat/libnvrtc.so.13 $compat/libnvJitLink.so.13"
  [ "$1" != path ] || preloaded=
  [ "$1" != named ] || export CUCORE_NVRTC="$nvrtc" CUCORE_NVJITLINK="$nvjitlink"
  shift
  export PYTHONPATH="$here/site${PYTHONPATH:+:$PYTHONPATH}" CUCORE_RUNTIME_BY_DRIVER="${RUNTIME_BY_DRIVER:-1}"
  export CUCORE_CPU_THREADS=4 CUCORE_CPU_MEMORY=4G CUCORE_CPU_PTX_DIR="$work/ptx" LD_LIBRARY_PATH="$compat:$LD_LIBRARY_PATH"
  exec env LD_PRELOAD="$preloaded" "$@"
}

# core_tests WHERE NAME FILE...: a run of pytest. Other processes run the tests, so that a crash ends one test.
core_tests() {
  where=$1
  name=$2
  shift 2
  cd "$tests" || exit 2
  options=${core_options:-}
  case $name,$options in
    others,*) ;;
    *-n*) options="${options%-n *}-n 1" ;;
  esac
  # shellcheck disable=SC2086
  set -- python3 -m pytest -p cuda_core_helpers -p no:cacheprovider -o addopts= -q -rfE --tb=short --color=no \
    $options --junitxml="$logs/$where-$name.xml" "$@"
  export PYTHONPATH="$here:$tests/tests${PYTHONPATH:+:$PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1 \
    XDG_CACHE_HOME="$work/cache/$where-$name" CUDA_PATH="$cuda" CUDA_HOME="$cuda" PATH="$cuda/bin:$PATH" \
    CUCORE_SPARE_HELPERS="$here/spare-helpers"
  if [ "$where" = cpu ]; then on_device "$way" "$@"; else exec "$@"; fi
}

core_table() {
  python3 "$here/cpu_device_tables.py" cuda_core "$logs" > "$out/cuda_core.part" 2>&1
  mv "$out/cuda_core.part" "$out/cuda_core.md"
  pack
}

core_group() {
  for part in $core_parts; do
    step_of "cuda-core-$1-$part" 150 core_tests "$1" "$part" "tests/test_$part.py" &
  done
  wait
  core_table
}

# The other tests of cuda.core, as far as the time permits.
core_others() {
  others=$(cd "$tests" && ls -d tests/graph tests/memory tests/memory_ipc tests/test_*.py)
  for part in $core_parts; do others=$(echo "$others" | grep -v "^tests/test_$part.py\$"); done
  # shellcheck disable=SC2086
  step_of cuda-core-cpu-others 150 core_tests cpu others $others
}

# Chooses how the CPU device takes the place of the driver: the first way by which a small program runs.
prepare_core() {
  nvrtc=$(library_of nvrtc)
  nvjitlink=$(library_of nvJitLink)
  core_options=
  if python3 -c 'import pytest_timeout' 2>/dev/null; then core_options="--timeout=60 --timeout-method=thread "; fi
  if python3 -c 'import xdist' 2>/dev/null; then core_options="$core_options--max-worker-restart=30 -n 6"; fi
  export nvrtc nvjitlink core_options
  {
    for package in cuda-core cuda-bindings cuda-pathfinder pytest pytest-xdist pytest-timeout numpy numba cupy-cuda13x; do
      python3 -c "import importlib.metadata as m; print('- $package', m.version('$package'))" 2>/dev/null ||
        echo "- $package is not installed"
    done
    [ "${RUNTIME_BY_DRIVER:-1}" != 1 ] ||
      echo "- on the CPU device, the driver answers cuda.core's calls of the CUDA runtime"
    echo "- $nvrtc"
    echo "- $nvjitlink"
  } | tee "$logs/versions.txt"
  for way in named preloaded path; do
    export way
    step_of "cuda-core-$way" 40 on_device "$way" python3 "$here/cuda_core_small.py"
    if tail -n 1 "$logs/cuda-core-$way.log" | grep -q 'is loaded'; then return; fi
  done
  way=named
}

# ---- all --------------------------------------------------------------------------------------
run() {
  [ -d "$here/bin" ] || { echo "cpu_device.sh: no staged folder here: run 'cpu_device.sh stage' first" >&2; exit 2; }
  work=$(mktemp -d)
  out=${OUT:-$work/out}
  logs=$work/logs
  table=$out/cpu_device.md
  begin_all=$(date +%s)
  budget=${BUDGET:-400}
  driver=libcuda.so.1
  [ "${CUCORE_DRIVER:-nvidia}" != cpu ] || driver=$here/lib/libcucore-cpu.so.0
  mkdir -p "$out" "$logs" "$work/cache" "$work/ptx"
  : > "$work/failed"
  libraries=$here/lib
  for file in "$here"/bin/* "$here"/lib/*.so*; do
    if LD_LIBRARY_PATH="$libraries" ldd "$file" 2>&1 | grep -q 'not found'; then libraries=$here/lib:$here/lib-spare; fi
  done
  export work out logs table begin_all budget driver LC_ALL=C.UTF-8 PYTHONUNBUFFERED=1 CUCORE_TEST_KERNELS="$here/kernels" \
    LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  # A limit of the caller leaves the logs.
  trap 'pack; exit 143' TERM INT
  {
    echo "# The CPU device on a machine with $(ask name), $(date -u +%Y-%m-%d)"
    echo
    echo "- driver $(ask driver_version), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
         "kernel $(uname -r)"
    lscpu 2>/dev/null | grep -E 'Thread|Core|Socket|L2|L3|MHz|Hypervisor' | sed 's/  */ /g; s/^/- /'
    echo
    echo "| step | result | last line | s |"
    echo "|---|---|---|---|"
  } | tee "$table"
  parts=" ${PARTS:-speed records cuda_core} "
  case $parts in *' speed '*) speed ;; esac
  (
    case $parts in *' records '*) records ;; esac
    pack
    case $parts in *' cuda_core '*) [ "$driver" != libcuda.so.1 ] || [ ! -d "$tests" ] || core_group driver ;; esac
  ) &
  case $parts in
    *' cuda_core '*)
      if [ -d "$tests" ]; then
        prepare_core
        core_group cpu
        core_others
      fi ;;
  esac
  wait
  [ ! -d "$tests" ] || core_table
  pack
  show
  show "$(wc -l < "$work/failed") steps failed, $(($(date +%s) - begin_all)) s: $(tr '\n' ' ' < "$work/failed")"
  failed=$(wc -l < "$work/failed")
  [ ! -f "$logs/speed.md" ] || cat "$logs/speed.md" >> "$table"
  [ -z "${OUT:-}" ] || rm -rf "$work"
  [ "$failed" = 0 ]
}

case ${1:-run} in
  run) run ;;
  stage) stage ;;
  bench | processes | kernel_shard | on_device | core_tests) "$@" ;;
  *) echo "usage: cpu_device.sh [stage]" >&2; exit 2 ;;
esac
