#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a wheel into an empty folder and runs the course from another one, outside every build
# tree, on the CPU device: try_wheel.sh WHEEL EXAMPLES.
# README.md and docs/tutorials/python.md install the same wheel into a virtual environment.
set -eu
wheel=$(realpath "$1")
examples=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/empty"
python3 -m pip install --quiet --disable-pip-version-check --no-index --no-deps --target "$folder/packages" "$wheel"
cd "$folder/empty"
unset LD_LIBRARY_PATH CUCORE_CPU CUCORE_WORKER
export PYTHONPATH="$folder/packages" CUCORE_DRIVER=cpu
python3 -c 'import cucore; print(cucore.__file__, cucore.__version__, cucore.Device())'
python3 -c '
import cucore
[(code, error)] = cucore.compile_batch([cucore.Program("__global__ void k() {}", arch="compute_80")])
print("in a worker:", code if error is None else error)
assert code
with cucore.Cache("cache") as cache:
    cache.add_remote("file:///tmp", read_only=True)'
for program in "$examples"/0*.py; do
  echo "-- $(basename "$program")"
  python3 -X dev -W error "$program"
done
