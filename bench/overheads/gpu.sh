#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the rows of overheads.py and graphs.py on a machine with a GPU, together with the libraries of Python that it has.
#
#   sh bench/overheads/gpu.sh stage            where the sources are built: adds to build-gpu-python/
#   sh build-gpu-python/overheads/gpu.sh       on the machine with the GPU: at most 300 s; prints the tables and the JSON
#
# The stage of tests/gpu/python.sh has the libraries and the sources of the extension. The machine needs the driver,
# the CUDA toolkit, Python with its headers and g++. REPEATS repeats the rows of overheads.py, 3 times without it.
# GRAPHS repeats those of graphs.py, once without it. With REPEATS=0 it measures graphs alone.
set -u
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = stage ]; then
  set -e
  cd "$here/../.."
  build=${BUILD:-build-gpu-bindings}
  sh tests/gpu/python.sh stage
  ninja -C "$build" ${JOBS:+-j$JOBS} bench/overheads/libbench_overheads.so
  mkdir -p build-gpu-python/overheads
  cp bench/overheads/*.py bench/overheads/gpu.sh "$build/bench/overheads/libbench_overheads.so" build-gpu-python/overheads/
  tar -czf "$build/python.tgz" build-gpu-python
  exit
fi

began=$(date +%s)
cd "$here/.." || exit 2
[ -f src/cucore_wrap_python.cxx ] || { echo "gpu.sh: not in a stage: run it with 'stage' first" >&2; exit 2; }
python=${PYTHON:-python3}
out=${OUT:-$here/results}
export CUCORE_DRIVER="${CUCORE_DRIVER:-nvidia}" CUCORE_CPU="$PWD/lib/libcucore-cpu.so" CUCORE_WORKER="$PWD/lib/cucore-worker"
export PYTHONPATH="$PWD/package" PYTHONDONTWRITEBYTECODE=1
LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
! ldd lib/libcucore.so.0 | grep -q 'not found' || LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$PWD/lib-spare"

compile() {
  work=$(mktemp -d)
  flags="-O2 -DNDEBUG -std=c++20 -fPIC -fvisibility=hidden -fno-strict-aliasing -w"
  include=$($python -c 'import sysconfig; print(sysconfig.get_path("include"))')
  suffix=$($python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
  pids=
  for source in src/*.cpp src/*.cxx; do
    # shellcheck disable=SC2086
    g++ $flags -I"$include" -Isrc -Iinclude -c "$source" -o "$work/$(basename "$source").o" &
    pids="$pids $!"
  done
  for pid in $pids; do wait "$pid" || return 1; done
  g++ -shared "$work"/*.o -o "package/cucore/_cucore$suffix" -Llib -l:libcucore.so.0 -Wl,-rpath-link,lib-spare -lpthread
  rm -rf "$work"
}

$python -c 'import cucore' 2>/dev/null || compile || exit 1
repeat=0
while [ "$repeat" -lt "${REPEATS:-3}" ]; do
  repeat=$((repeat + 1))
  echo "== run $repeat"
  timeout -k 5 85 $python -W ignore -B overheads/overheads.py overheads/libbench_overheads.so \
    --out "$out/$repeat" --rounds "${ROUNDS:-101}" --seconds "${SECONDS_OF_ROWS:-30}" || exit 1
done
for repeat in $(seq "${GRAPHS:-1}"); do
  echo "== graphs, run $repeat"
  timeout -k 5 60 $python -W ignore -B overheads/graphs.py overheads/libbench_overheads.so --out "$out/graphs-$repeat" || exit 1
done
if [ "${REPEATS:-3}" != 0 ] && [ $(($(date +%s) - began)) -lt 220 ]; then
  echo "== scaling"
  timeout -k 5 60 $python -W ignore -B overheads/scaling.py --only processes,bytes,handles,threads,entries --out "$out/scaling"
fi
for json in "$out"/*/overheads.json "$out"/graphs-*/graphs.json; do
  [ ! -f "$json" ] || { echo "== $json"; cat "$json"; }
done
