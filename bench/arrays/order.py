# SPDX-License-Identifier: Apache-2.0
"""Scans, masks, gathers, sorting and matrix products of arrays, in units of CuPy's time in the same run.

  order.py [--small]

The environment is that of throughput.py.
"""
import sys


import cupy
import numpy as np

from throughput import CONTEXT, SMALL, ours, seconds, synchronize

SHIFT = 8 if SMALL else 0


def random(shape, dtype="float32"):
    values = np.random.default_rng(1).random(shape, "float32")
    return CONTEXT.array(values), cupy.asarray(values)


def cases():
    """Name, goal in units of CuPy, ours, CuPy's action."""
    n = 1 << (28 - SHIFT)
    x, cx = random((n,))
    yield "cumulative sum 2^28", 0.6, lambda: x.scan("cumulative_sum", 0), lambda: cupy.cumsum(cx)
    mask, cmask = x.apply("greater", 0.5), cx > 0.5
    mask.numpy()
    yield "x[mask] 2^28", 0.5, lambda: x[mask], lambda: cx[cmask]
    rows = 1 << (22 - SHIFT)
    table, ctable = x.reshape(rows * 2, 32), cx.reshape(rows * 2, 32)
    places = np.random.default_rng(2).integers(0, 2 * rows, n // 32 * 16 // 2)
    index, cindex = CONTEXT.array(places), cupy.asarray(places)
    yield "take random rows of 128 B", 1.0, lambda: table.take(index, 0), lambda: cupy.take(ctable, cindex, 0)
    target, ctarget = random((n // 4,))
    order = np.random.default_rng(3).permutation(n // 4)
    to, cto = CONTEXT.array(order), cupy.asarray(order)
    source, csource = random((n // 4,))

    def scatter():
        target[to] = source
        return target

    def cscatter():
        ctarget[cto] = csource
    yield "x[i] = y 2^26", None, scatter, cscatter
    short, cshort = x[:n // 4], cx[:n // 4]
    for array in (short.copy(),):
        yield "sort f32 2^26", 0.5, lambda: array.view("cucore_array_sort", 0, 0), lambda: cupy.sort(cshort)
        yield "argsort f32 2^26", None, lambda: array.view("cucore_array_argsort", 0, 0), lambda: cupy.argsort(cshort)
    lines, clines = x[:n // 4].reshape(-1, 1024), cshort.reshape(-1, 1024)
    yield "sort rows of 1024", None, lambda: lines.view("cucore_array_sort", 1, 0), lambda: cupy.sort(clines, axis=1)
    side = 4096 >> (SHIFT // 2)
    a, ca = x[:side * side].reshape(side, side).copy(), cx[:side * side].reshape(side, side).copy()
    b, cb = x[side * side:2 * side * side].reshape(side, side).copy(), cx[side * side:2 * side * side].reshape(side, side).copy()
    yield f"matmul f32 {side}", 0.5, lambda: a.view("cucore_array_matmul", b.handle), lambda: ca @ cb


def main():
    print(f"{'':28}{'us':>12}{'CuPy us':>12}{'of CuPy':>9}{'goal':>7}")
    for name, goal, own, peer in cases():
        mine = ours(own)
        theirs = seconds(peer, cupy.cuda.runtime.deviceSynchronize)
        print(f"{name:28}{mine * 1e6:12.1f}{theirs * 1e6:12.1f}{theirs / mine:9.2f}{goal or '':>7}", flush=True)


if __name__ == "__main__":
    main()
