# SPDX-License-Identifier: Apache-2.0
"""Throughput of arrays, compared with a device-to-device copy, CuPy and torch.compile in the same run.

  throughput.py [--small]

Each figure is the bytes that the operation has to move, in units of what the copy moves in the same time. A goal is
such a figure, or a part of the figure of CuPy or torch. A row below its goal ends with "below". The environment is
that of tests/array/capi/arrays.py. If ARRAY_COSTS is the path of the program array_costs, it measures the host.
"""
import ctypes as c
import os
import statistics
import subprocess
import sys
import time

import numpy as np
from arrays import Context, array_library, call, core, evaluate

try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
except ImportError:
    cupy = None

SMALL = "--small" in sys.argv
SHIFT = 8 if SMALL else 0
CONTEXT = Context()
COPY, CUPY, TORCH = "copy", "CuPy", "torch"
GOALS = {
    "sample 4, f32": 0.97, "add, f32": 1.02, "add, int8": 1.00, "f32 + bf16": 0.97, "u8 to f32": 0.93, "row + column": 0.97, "a + b.T": 0.95,
    "sum, f32": 1.03, "sum of columns": 1.00, "softmax 262144 x 1024": 0.97, "softmax 65536 x 4096": 0.95, "softmax 8192 x 32768": 0.95,
    "layer norm 65536 x 4096": 0.95, "mean and var, f32": 1.00, "cumulative sum": (0.6, CUPY), "x[mask]": (0.5, CUPY),
    "take of random rows of 128 B": (1.0, CUPY), "sort, f32": (0.5, CUPY), "matmul 4096, f32": (0.5, TORCH)}
STREAM = c.c_void_p()
call("cucore_array_context_stream", CONTEXT.handle, c.byref(STREAM))


def synchronize():
    call("cucore_stream_synchronize", STREAM, library=core)


def seconds(action, wait, rounds=20):
    """The median of five runs, per round."""
    action(), wait()
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(rounds):
            action()
        wait()
        times.append((time.perf_counter() - begin) / rounds)
    return statistics.median(times)


def ours(make):
    def action():
        results = make()
        evaluate(results if isinstance(results, (list, tuple)) else [results])
    return seconds(action, synchronize)


def numbers(count, dtype="float32", scale=1e-6):
    base = CONTEXT.arange(count, "int64").astype("float32") * scale + 0.5
    result = base.astype(dtype)
    evaluate([result])
    return result


def pipeline(x, y, z):
    return (x.apply("sin") * y.apply("cos") + (-z * z).apply("exp") + (x + 1.0).apply("log")).apply("sqrt")


def softmax(x):
    shifted = (x - x.reduce("max", [1], True)).apply("exp")
    return shifted / shifted.reduce("sum", [1], True)


def layer_norm(x):
    away = x - x.reduce("mean", [1], True)
    return away / ((away * away).reduce("mean", [1], True) + 1e-5).apply("sqrt")


def scattered(count, below):
    """Positions below a power of two, in an order without a pattern."""
    mixed = CONTEXT.arange(count, "int64") * 2654435761
    result = mixed.apply("right_shift", 13).apply("bitwise_and", below - 1)
    evaluate([result])
    return result


def other_cases():
    """Operations whose goals are parts of the figures of other libraries."""
    n = 1 << (28 - SHIFT)
    x = numbers(n)
    mask = scattered(n, 2).apply("equal", 1)
    evaluate([mask])
    cx, cmask = (cupy.random.random(n, dtype="float32"), cupy.arange(n) % 2 == 1) if cupy else (None, None)
    yield ("cumulative sum", 8 * n, lambda: x.scan("cumulative_sum", 0), (lambda: cupy.cumsum(cx)) if cupy else None, None)
    yield ("x[mask]", 7 * n, lambda: x[mask], (lambda: cx[cmask]) if cupy else None, None)
    del mask, cmask
    few = n >> 2
    part, cpart = x[:few].copy(), cx[:few].copy() if cupy else None
    evaluate([part])
    yield ("sort, f32", 8 * few, lambda: part.view("cucore_array_sort", 0, 0), (lambda: cupy.sort(cpart)) if cupy else None, None)
    del x, cx, part, cpart
    rows, taken = 1 << (24 - SHIFT), 1 << (27 - SHIFT)
    table, places = numbers(rows * 32).reshape(rows, 32), scattered(taken, rows)
    ctable, cplaces = (cupy.zeros((rows, 32), "float32"), cupy.arange(taken) * 2654435761 >> 13 & rows - 1) if cupy else (None, None)
    yield ("take of random rows of 128 B", 264 * taken, lambda: table.take(places, 0), (lambda: ctable.take(cplaces, 0)) if cupy else None, None)
    del table, places, ctable, cplaces
    side = 4096 >> SHIFT // 2
    a = numbers(side * side).reshape(side, side)
    ta = torch.rand(side, side, device="cuda") if torch else None
    yield ("matmul 4096, f32", 12 * side * side, lambda: a.view("cucore_array_matmul", a.handle), None, (lambda: ta @ ta) if torch else None)


def cases():
    """Name, bytes, ours, CuPy's and torch's action; the inputs live while a case runs."""
    n = 1 << (28 - SHIFT)
    x, y, z = (numbers(n) for _ in range(3))
    tx = [torch.rand(n, device="cuda") for _ in range(3)] if torch else None
    compiled = torch.compile(lambda a, b, d: torch.sqrt(torch.sin(a) * torch.cos(b) + torch.exp(-d * d) + torch.log(a + 1))) if torch and not SMALL else None
    fused = cupy.ElementwiseKernel("float32 x, float32 y, float32 z", "float32 r", "r = sqrtf(sinf(x) * cosf(y) + expf(-z * z) + logf(x + 1))",
                                   "pipeline") if cupy else None
    cx = [cupy.from_dlpack(t) for t in tx] if cupy and torch else None
    yield ("sample 4, f32", 16 * n, lambda: pipeline(x, y, z), (lambda: fused(*cx)) if cx else None, (lambda: compiled(*tx)) if compiled else None)
    yield ("add, f32", 12 * n, lambda: x + y, (lambda: cx[0] + cx[1]) if cx else None, (lambda: tx[0] + tx[1]) if tx else None)
    yield ("sum, f32", 4 * n, lambda: x.reduce("sum"), (lambda: cx[0].sum()) if cx else None, (lambda: tx[0].sum()) if tx else None)
    yield ("mean and var, f32", 4 * n, lambda: [x.reduce("mean"), x.reduce("var")], None, (lambda: torch.var_mean(tx[0])) if tx else None)
    half = numbers(n, "bfloat16")
    yield ("f32 + bf16", 10 * n, lambda: x + half, None, None)
    bytes_ = numbers(n, "uint8", 1e-8)
    yield ("u8 to f32", 5 * n, lambda: bytes_.astype("float32"), None, None)
    side = 1 << (14 - SHIFT // 2)
    square, other = x.reshape(side, side), y.reshape(side, side)
    ts = [t.reshape(side, side) for t in tx[:2]] if tx else None
    row, column = numbers(side), numbers(side).reshape(side, 1)
    yield ("row + column", 4 * side * side, lambda: row + column, None, (lambda: ts[0][0] + ts[0][:, :1]) if ts else None)
    yield ("a + b.T", 12 * side * side, lambda: square + other.T, None, (lambda: ts[0] + ts[1].T) if ts else None)
    yield ("sum of columns", 4 * side * side, lambda: square.reduce("sum", [0]), None, (lambda: ts[0].sum(0)) if ts else None)
    for rows, length in ((262144, 1024), (65536, 4096), (8192, 32768)):
        matrix = x.reshape(rows >> SHIFT, length)
        tm = tx[0].reshape(rows >> SHIFT, length) if tx else None
        yield (f"softmax {rows} x {length}", 8 * n, lambda: softmax(matrix), None, (lambda: torch.softmax(tm, 1)) if tx else None)
    matrix = x.reshape(65536 >> SHIFT, 4096)
    tm = tx[0].reshape(65536 >> SHIFT, 4096) if tx else None
    yield ("layer norm 65536 x 4096", 8 * n, lambda: layer_norm(matrix), None, (lambda: torch.nn.functional.layer_norm(tm, (4096,))) if tx else None)
    del x, y, z, square, other, matrix, half, bytes_, tx, cx
    n8 = 1 << (30 - SHIFT)
    a, b = numbers(n8, "int8", 1e-8), numbers(n8, "int8", 1e-8)
    yield ("add, int8", 3 * n8, lambda: a + b, None, None)
    del a, b
    yield from other_cases()


class Copy:
    """A copy of 1 GiB. It runs before and after each row, because the memory of a warm GPU is up to 2 % slower."""

    def __init__(self):
        self.size = 1 << (30 - SHIFT)
        device, self.buffers = c.c_void_p(), [c.c_void_p(), c.c_void_p()]
        call("cucore_array_context_device", CONTEXT.handle, c.byref(device))
        for buffer in self.buffers:
            call("cucore_buffer_create", device, c.c_size_t(self.size), STREAM, c.byref(buffer), library=core)

    def run(self):
        call("cucore_buffer_copy", self.buffers[0], c.c_size_t(0), self.buffers[1], c.c_size_t(0), c.c_size_t(self.size), STREAM, library=core)

    def rate(self):
        """Bytes a second, read and written."""
        return 2 * self.size / seconds(self.run, synchronize)


def host_costs():
    x = numbers(1024)
    rounds = 2000
    out = c.c_void_p()
    add = array_library.cucore_array_binary
    error = c.c_void_p()
    begin = time.perf_counter()
    for _ in range(rounds):
        add(101, x.handle, x.handle, c.byref(out), c.byref(error))
        array_library.cucore_array_release(out)
    record = (time.perf_counter() - begin) / rounds
    known = []
    for _ in range(200):
        r = pipeline(x, x, x)
        begin = time.perf_counter()
        evaluate([r])
        known.append(time.perf_counter() - begin)
    synchronize()
    print("goals: record an operation 0.5 us, evaluate a known expression 6 us")
    if "ARRAY_COSTS" in os.environ:
        for name, count in (("record", rounds), ("expression", rounds), ("loop", rounds), ("evaluation", 200)):
            print(subprocess.run([os.environ["ARRAY_COSTS"], name, str(count)], check=True, capture_output=True, text=True).stdout.strip())
    print(f"record an operation {record * 1e6:.2f} us (with ctypes), evaluate a known expression {statistics.median(known) * 1e6:.1f} us")


def main():
    copy, rates = Copy(), []
    print("| what | cucore | goal | CuPy | torch | |\n|---|---|---|---|---|---|")
    for name, moved, make, theirs, torchs in cases():
        before = copy.rate()
        row = [moved / ours(make)]
        row.append(moved / seconds(theirs, cupy.cuda.Device().synchronize) if theirs else None)
        row.append(moved / seconds(torchs, torch.cuda.synchronize) if torchs else None)
        rates.append((before + copy.rate()) / 2)
        row = [value and value / rates[-1] for value in row]
        goal, unit = GOALS[name] if isinstance(GOALS[name], tuple) else (GOALS[name], COPY)
        base = {COPY: 1, CUPY: row[1], TORCH: row[2]}[unit]
        texts = ["-" if value is None else f"{value:.3f}" for value in row]
        texts.insert(1, f"{goal:.2f}" + (f" of {unit}" if unit != COPY else ""))
        print(f"| {name} | " + " | ".join(texts) + (" | below |" if base and row[0] < goal * base else " | |"), flush=True)
    print(f"copy {min(rates) / 1e9:.0f} to {max(rates) / 1e9:.0f} GB/s")
    host_costs()
    print({key: value for key, value in CONTEXT.info().items() if value})


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
