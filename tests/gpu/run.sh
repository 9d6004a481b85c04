#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the staged programs on this machine's GPU. Writes the results, with machine, driver and date,
# to a file in markdown, in $OUT or bench/results. Needs build-gpu-stage/,
# which tests/gpu/stage.sh fills, the driver, and the CUDA toolkit (NVRTC and its headers).
#   sh build-gpu-stage/run.sh      ends with 0 only if everything passed
# CUCORE_SOAK_SECONDS sets the length of the soak; 600 is that of a release.
set -u
stage=$(cd "$(dirname "$0")" && pwd)
[ -d "$stage/bin" ] || stage=$(cd "$(dirname "$0")/../.." && pwd)/build-gpu-stage
[ -d "$stage/bin" ] || { echo "run.sh: no build-gpu-stage: run tests/gpu/stage.sh first" >&2; exit 2; }
folder=${OUT:-$stage/../bench/results}
mkdir -p "$folder"

LD_LIBRARY_PATH="$stage/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
if ldd "$stage/bin/capi_tests" 2>&1 | grep -q 'not found'; then
  LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$stage/lib-spare"
fi

# The toolkit: the folder in CUDA_HOME, its usual place, or NVIDIA's Python wheels.
wheels=$(python3 -c 'import nvidia.cu13 as m; print(list(m.__path__)[0])' 2>/dev/null || true)
for home in "${CUDA_HOME:-}" /usr/local/cuda "$wheels"; do
  [ -n "$home" ] && [ -f "$home/include/cuda_fp16.h" ] || continue
  CUCORE_TEST_INCLUDE="$home/include"
  break
done
for library in "$wheels"/lib/libnvrtc.so.1[3-9]; do
  [ -f "$library" ] && ! ls "${CUDA_HOME:-/usr/local/cuda}"/lib64/libnvrtc.so.* >/dev/null 2>&1 &&
    export CUCORE_NVRTC="$library"
done
export CUCORE_TEST_INCLUDE="${CUCORE_TEST_INCLUDE:-/usr/local/cuda/include}"
export CUCORE_TEST_KERNELS="$stage/kernels" CUCORE_TEST_IMAGES="$stage/images"
export CUCORE_DRIVER="${CUCORE_DRIVER:-nvidia}"

ask() { nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1; }
gpu=$(ask name 2>/dev/null) || { echo "run.sh: nvidia-smi shows no GPU" >&2; exit 2; }
day=$(date -u +%Y-%m-%d)
slug=$(echo "$gpu" | tr 'A-Z ' 'a-z-')
results=$folder/$slug-$day.md
log=$folder/$slug-$day.log
: > "$log"
failed=0

# row TITLE COMMAND...: one line of the table, and all output in the log.
row() {
  title=$1
  shift
  printf '\n== %s: %s\n' "$title" "$*" >> "$log"
  begin=$(date +%s%N)
  timeout "${LIMIT:-300}" "$@" > "$log.part" 2>&1
  code=$?
  time_ms=$((($(date +%s%N) - begin) / 1000000))
  cat "$log.part" >> "$log"
  passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log.part" | tail -n 1)
  skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log.part" | tail -n 1)
  broken=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log.part" | tail -n 1)
  said=
  [ -n "$passed$broken" ] && said="${passed:-0} passed, ${skipped:-0} skipped, ${broken:-0} failed"
  if [ "$code" = 0 ]; then verdict=pass; else verdict="FAIL ($code)"; failed=$((failed + 1)); fi
  echo "| $title | $verdict | $said | $time_ms |" | tee -a "$results"
}

{
  echo "# $gpu, $day"
  echo
  echo "- driver $(ask driver_version), $(ask memory.total), compute capability $(ask compute_cap)"
  echo "- processor $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
       "kernel $(uname -r)"
  echo "- NVRTC $("${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" --version 2>/dev/null | sed -n 's/.*\(V[0-9.]*\)$/\1/p')"
  echo
  echo "| what | result | tests | ms |"
  echo "|---|---|---|---|"
} > "$results"

for example in "$stage"/bin/example_*; do
  row "example ${example##*/example_}" "$example"
done
row "capi suite on the driver" env CUCORE_TEST_NEEDS_DEVICE=1 "$stage/bin/capi_tests"
row "kernels against the host" "$stage/bin/gpu_tests" --gtest_filter='Kernels.*'
row "memory in use" "$stage/bin/gpu_tests" --gtest_filter='BufferUses.*'
LIMIT=900 row "stress of buffers" "$stage/bin/gpu_tests" --gtest_filter='Stress.*'
soak_seconds=${CUCORE_SOAK_SECONDS:-60}
LIMIT=$((soak_seconds + 300)) row "soak with faults, $soak_seconds s" \
  env CUCORE_DRIVER="$stage/bin/faulty_driver.so" CUCORE_TEST_REAL_DRIVER="${CUCORE_TEST_REAL_DRIVER:-libcuda.so.1}" \
  CUCORE_SOAK_SECONDS="$soak_seconds" "$stage/bin/gpu_tests" --gtest_filter='Soak.*'
row "printed output" "$stage/bin/gpu_tests" --gtest_filter='Printed.*'
# A process each, because a fault breaks a process for good.
for name in $("$stage/bin/gpu_tests" --gtest_list_tests --gtest_filter='PrintedBeforeAFault.*' | sed -n 's/^  //p'); do
  row "printed output before a fault: $name" "$stage/bin/gpu_tests" \
    --gtest_filter="PrintedBeforeAFault.$name" --gtest_output="xml:$log.xml"
  before=$(sed -n 's/.*name="before_a_fault" value="\([^"]*\)".*/\1/p' "$log.xml" 2>/dev/null | head -n 1)
  [ -n "$before" ] && echo "| what a kernel printed before a fault | | $before | |" | tee -a "$results"
done
for name in $("$stage/bin/gpu_tests" --gtest_list_tests --gtest_filter='Faults.*' | sed -n 's/^  //p'); do
  row "$name" "$stage/bin/gpu_tests" --gtest_filter="Faults.$name" \
    --gtest_output="xml:$log.xml"
  way=$(sed -n 's/.*name="way_on" value="\([^"]*\)".*/\1/p' "$log.xml" 2>/dev/null | head -n 1)
  [ -n "$way" ] && echo "| way on after a fault | | $way | |" | tee -a "$results"
done

for name in $("$stage/bin/gpu_tests" --gtest_list_tests --gtest_filter='Completions.*' | sed -n 's/^  //p'); do
  row "futures: $name" "$stage/bin/gpu_tests" --gtest_filter="Completions.$name"
done
row "10 million futures" env CUCORE_TEST_FUTURES=10000000 "$stage/bin/gpu_tests" \
  --gtest_filter=Completions.MillionsInFlatMemory

printf '\n## Cost of a launch\n\n```\n' >> "$results"
LD_LIBRARY_PATH="$LD_LIBRARY_PATH" "$stage/bin/launch_bench" --benchmark_min_time=0.2 > "$log.part" 2>&1 ||
  failed=$((failed + 1))
sed -n '/^Benchmark/,$p' "$log.part" | tee -a "$results"
cat "$log.part" >> "$log"
printf '```\n' >> "$results"

printf '\n## Asynchronous work\n\n' >> "$results"
"$stage/bin/completion_bench" >> "$results" 2>> "$log" || failed=$((failed + 1))
rm -f "$log.part" "$log.xml"
[ -n "${OUT:-}" ] || mv "$log" /tmp/ 2>/dev/null
echo "$results: $failed failed"
[ "$failed" = 0 ]
