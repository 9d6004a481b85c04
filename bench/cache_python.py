# SPDX-License-Identifier: Apache-2.0
"""Measures a hit of the program cache in Python, together with a fresh compile in the same run.

    cache_python.py [--limits]

Each figure is the median of short batches in turn with the others. With --limits it fails where a hit
costs more than is promised. Needs NVRTC, no device.
"""
import statistics
import sys
import tempfile
import time

import cucore

ROUNDS, LIMIT_US = 201, 3.0
LINES = "".join(f"  if (i == {i}) x[i] = x[i] * {i}.5f + __sinf(x[i]);\n" for i in range(22))
SOURCE = f'extern "C" __global__ void scale(float *x) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n{LINES}}}\n'
CUBIN = cucore.CodeType.CUBIN


def program():
    return cucore.Program(SOURCE, name="scale.cu", arch="sm_90")


def microseconds(call, count):
    began = time.perf_counter_ns()
    for _ in range(count):
        call()
    return (time.perf_counter_ns() - began) / count / 1000


with tempfile.TemporaryDirectory() as folder:
    # The second has no entries in memory, so its hits come from the disk.
    cache, disk = cucore.Cache(folder), cucore.Cache(folder, max_memory=1)
    used = program()
    code = used.compile(CUBIN, cache=cache)
    hits = used.compile
    assert cache.compile(used, CUBIN).outcome is cucore.CacheOutcome.HIT_MEMORY
    assert disk.compile(used, CUBIN).outcome is cucore.CacheOutcome.HIT_DISK
    rows = [
        ("hit in memory, a program used again", LIMIT_US, 200, lambda: hits(CUBIN, cache=cache)),
        ("the same, with the outcome", LIMIT_US, 200, lambda: cache.compile(used, CUBIN)),
        ("hit in memory, a new program", None, 20, lambda: program().compile(CUBIN, cache=cache)),
        ("hit on disk", None, 10, lambda: used.compile(CUBIN, cache=disk)),
    ]
    samples = [[] for _ in rows]
    for _ in range(ROUNDS):
        for (_, _, count, call), column in zip(rows, samples):
            column.append(microseconds(call, count))
    fresh = statistics.median(microseconds(lambda: program().compile(CUBIN), 1) for _ in range(15))

print(f"{'us a call':40}{'Python':>9}{'limit':>7}{'of a fresh compile':>21}   {len(SOURCE)} B source, {len(code.data)} B CUBIN")
print(f"{'fresh compile':40}{fresh:9.1f}")
failed = False
for (title, limit, _, _), column in zip(rows, samples):
    took = statistics.median(column)
    failed |= limit is not None and took > limit
    print(f"{title:40}{took:9.2f}{limit or '':>7}{'1/' + str(round(fresh / took)):>21}{'  above the limit' * (limit is not None and took > limit)}")
sys.exit(failed and "--limits" in sys.argv)
