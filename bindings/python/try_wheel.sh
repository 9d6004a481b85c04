#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a wheel into a virtual environment, as README.md and docs/tutorials/python.md do. Then it uses the command,
# the headers and the course in an empty folder on the CPU device: try_wheel.sh WHEEL EXAMPLES.
set -eu
wheel=$(realpath "$1")
examples=$(realpath "$2")
page=$(realpath "$(dirname "$0")/../../docs/packages.md")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/empty"
python3 -m venv --system-site-packages "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
cd "$folder/empty"
unset LD_LIBRARY_PATH CUCORE_CPU CUCORE_WORKER
unset PYTHONPATH
export CUCORE_DRIVER=cpu
. "$folder/env/bin/activate"
python3 -c 'import cucore; print(cucore.__file__, cucore.__version__, cucore.Device())'
python3 -c '
import cucore
[(code, error)] = cucore.compile_batch([cucore.Program("__global__ void k() {}", arch="compute_80")])
print("in a worker:", code if error is None else error)
assert code
with cucore.Cache("cache") as cache:
    cache.add_remote("file:///tmp", read_only=True)'
cucore --version
cucore info | grep 'emulated on the CPU'
cat > use.c <<'TEXT'
#include <cucore.h>
#include <cucore_array.h>
#include <cucore_perf.h>
#include <stdio.h>
int main(void) { return printf("in C: %s\n", cucore_version_string()) < 0; }
TEXT
sed -n '/^export PKG_CONFIG_PATH/,/^```/{/^```/d;p}' "$page" > use.sh
grep -q '^cc use.c ' use.sh
. ./use.sh
./a.out
for program in "$examples"/[01]*.py; do
  echo "-- $(basename "$program")"
  python3 -X dev -W error "$program"
done
