# SPDX-License-Identifier: Apache-2.0
"""Runs the expression of each operation on the CPU device and compares the results with NumPy.

  test_expressions.py LIBRARY TABLE DEVICE_TEXTS

Operations with exact results are equal in every bit; the others are within their bound.
"""
import ctypes
import json
import sys
import unittest
import warnings
from pathlib import Path

import cucore
import numpy as np

LIBRARY, TABLE, TEXTS = ctypes.CDLL(sys.argv.pop(1)), Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
LIBRARY.ops_expression.restype = ctypes.c_char_p
NUMBERS = {"bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8, "uint64": 9,
           "float32": 12, "float64": 13, "complex64": 14, "complex128": 15}
DEVICE = {"bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
          "uint32": "u32", "uint64": "u64", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128"}
# NumPy computes these with other rules of C on integers, or for the types that it has itself.
UNLIKE = {"reciprocal"}  # of 0 in integers
OVERFLOWS = {"hypot"}  # CUDA's own hypot is infinite for the largest numbers, on a GPU too
RECORDS = [r for r in json.loads((TABLE / "ops.json").read_text())
           if r["family"] in ("unary", "binary") and r["numpy"] and hasattr(np, r["numpy"][0])]


def values(dtype, rnd):
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        special = np.array([0.0, -0.0, 1, -1, 0.5, -2, 30, -30, np.inf, -np.inf, np.nan])
        parts = np.concatenate([special, rnd.normal(0, 2, 10), rnd.normal(0, 1e-3, 2)])
        result = np.empty((len(parts), len(parts)), dtype)  # inf * 1j would have a NaN
        result.real, result.imag = parts[:, None], parts
        return result.ravel()
    if dtype == bool:
        return np.array([False, True] * 8)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = [0, 1, 2, 3, 5, 7, 8, 31, 63, info.max, info.max - 1, info.min, info.min + 1]
        if dtype.kind == "i":
            small += [-1, -2, -3, -7, -8]
        return np.array(small + [int(v) for v in rnd.integers(info.min, info.max, 40, dtype=dtype)], dtype)
    special = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 1e-3, -1e-3, 100.25, -100.25, 1e10, -1e10, np.inf, -np.inf, np.nan,
               np.finfo(dtype).tiny, -np.finfo(dtype).tiny / 4, np.finfo(dtype).max]
    return np.concatenate([np.array(special), rnd.normal(0, 3, 60), rnd.uniform(-1, 1, 40), rnd.normal(0, 1e5, 20)]).astype(dtype)


def pairs(record, dtype, rnd):
    one = values(dtype, rnd)
    if record["family"] == "unary":
        return [one]
    other = values(dtype, rnd)
    if one.dtype.kind == "c":
        one, other = rnd.choice(one, 80, False), rnd.choice(other, 80, False)
    return [np.repeat(one, len(other)), np.tile(other, len(one))]


class Case:
    """An operation on operands of one type."""

    def __init__(self, record, dtype):
        self.record, self.dtype = record, dtype
        self.name = f"{record['name']}_{dtype}"
        self.function = getattr(np, record["numpy"][0])
        rnd = np.random.default_rng(record["number"])
        self.operands = pairs(record, dtype, rnd)
        if dtype.startswith("complex") and "power" in record["name"]:  # C leaves special values open
            with np.errstate(all="ignore"):
                growth = np.abs(self.operands[1] * np.log(self.operands[0]))
            chosen = (growth < 30) | (self.operands[0] == 0)  # the error grows with it
            chosen &= np.logical_and.reduce([np.isfinite(o) for o in self.operands])
            self.operands = [o[chosen] for o in self.operands]
        if record["name"] in OVERFLOWS and dtype.startswith("float"):
            self.operands = [np.where(np.abs(o) == np.finfo(dtype).max, o.dtype.type(1), o) for o in self.operands]
        if record["name"] == "power" and dtype.startswith("int"):
            self.operands[1] = np.abs(self.operands[1] // 2)  # NumPy refuses negative exponents
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = self.function(*self.operands)
        self.results = list(results) if isinstance(results, tuple) else [results]
        if record["name"] == "expm1" and dtype.startswith("complex"):
            self.follow_the_standard()

    def follow_the_standard(self):
        """The Array API determines results of real parts that are not finite, where NumPy has NaN."""
        operand, result = self.operands[0], self.results[0]
        real, open_angle = ~np.isfinite(operand.real) & (operand.imag == 0), ~np.isfinite(operand.imag)
        result[(operand.real == np.inf) & open_angle] = complex(np.inf, np.nan)
        result[(operand.real == -np.inf) & open_angle] = -1
        result.imag[real] = operand.imag[real]

    def kernel(self):
        count = len(self.operands)
        numbers = (ctypes.c_int32 * count)(*[NUMBERS[self.dtype]] * count)
        types, text = LIBRARY.ops_expression(self.record["number"], numbers, count).decode().split("| ", 1)
        types = types.split()
        parameters = [f"const {DEVICE[self.dtype]}* p{at}" for at in range(count)]
        parameters += [f"{DEVICE[r.dtype.name]}* r{at}" for at, r in enumerate(self.results)]
        operands = "".join(f" {t} {n} = {t}(p{at}[i]);" for at, (t, n) in enumerate(zip(types, "xyz")))
        second = f" {DEVICE[self.results[1].dtype.name]} second; " if len(self.results) > 1 else ""
        unsigned = "typedef u" + types[0][1:] + " U;" if types[0][0] == "i" else f"typedef {types[0]} U;"
        store = f"r0[i] = {text};" + (" r1[i] = second;" if second else "")
        return (f'extern "C" __global__ void {self.name}({", ".join(parameters)}, int n) {{ typedef {types[0]} T; {unsigned} '
                f"int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;{operands}{second} {store} }}\n")


def cases():
    for record in RECORDS:
        for dtype in NUMBERS:
            if dtype.startswith("complex") and record["name"] == "sign" and np.lib.NumpyVersion(np.__version__) < "2.0.0":
                continue  # it was the sign of the real part
            try:
                yield Case(record, dtype)
            except TypeError:  # NumPy refuses the type
                continue


def steps_between(got, expected, scale):
    """The distance of each element in units of the last place of `scale`; equal infinities and NaN count as equal."""
    with np.errstate(all="ignore"):
        steps = np.abs(got.astype(np.longdouble) - expected) / np.spacing(np.abs(scale))
    steps[(got == expected) | (np.isnan(got) & np.isnan(expected))] = 0
    return np.nan_to_num(steps, nan=np.inf)


def compare_complex(case, got, expected):
    """Each part must be near in units of the larger part, which rounding reaches."""
    bounds = case.record.get("ulp", [0, 0])
    bound = 100 if "power" in case.record["name"] else bounds[2] if len(bounds) > 2 else COMPLEX_BOUND if case.record.get("weight", 1) > 1 else 0
    parts = [(got.real, expected.real), (got.imag, expected.imag)] if expected.dtype.kind == "c" else [(got, expected)]
    with np.errstate(all="ignore"):
        scale = np.nan_to_num(np.abs(expected), nan=1, posinf=1)
        if case.record["name"] == "log1p":  # NumPy's own errors are of the size of 1
            scale = np.maximum(scale, 1)
        # The sign of an infinity is open if the other part is NaN.
        if expected.dtype.kind == "c":
            open_sign = np.isinf(expected.real) & np.isnan(expected.imag) | np.isnan(expected.real) & np.isinf(expected.imag)
            parts = [(np.where(open_sign, np.abs(mine), mine), np.where(open_sign, np.abs(theirs), theirs)) for mine, theirs in parts]
    for name, (mine, theirs) in zip(("re", "im"), parts):
        steps = steps_between(mine, theirs, np.where(np.isfinite(theirs), scale, 1).astype(theirs.dtype))
        if steps.max() > bound:
            index = int(steps.argmax())
            yield (f"{case.name}.{name}({[str(o[index]) for o in case.operands]}) is {got[index]}; NumPy: {expected[index]}; "
                   f"{steps[index]:.3g} ulp, expected {bound}; {(steps > bound).sum()} of {steps.size}")


COMPLEX_BOUND = 6


class Expressions(unittest.TestCase):
    def test_results_are_those_of_numpy(self):
        all_cases = [case for case in cases() if case.results[0].dtype.name in DEVICE]
        head = "".join((TEXTS / f"{name}.cuh").read_text() for name in ("types", "math", "ints", "reals", "complex"))
        device = cucore.Device(0)
        wrong = []
        for first in range(0, len(all_cases), 100):
            part = all_cases[first:first + 100]
            code = cucore.Program(head + "".join(case.kernel() for case in part), fma=False).compile("ptx")
            for case in part:
                wrong += self.compare(case, code.kernel(case.name), device)
        self.assertEqual(wrong, [], len(wrong))
        self.assertGreater(len(all_cases), 400)

    def compare(self, case, kernel, device):
        count = case.operands[0].size
        inputs = [cucore.Buffer.from_host(operand) for operand in case.operands]
        outputs = [cucore.Buffer.from_host(np.zeros_like(result)) for result in case.results]
        kernel[(count + 127) // 128, 128](*inputs, *outputs, count)
        bounds = case.record.get("ulp", [0, 0])
        for at, (buffer, expected) in enumerate(zip(outputs, case.results)):
            got = buffer.to_numpy(expected.dtype)
            if expected.dtype.kind not in "fc":
                if case.record["name"] in UNLIKE:
                    continue
                different = np.flatnonzero(got != expected)
                if different.size:
                    index = different[0]
                    yield f"{case.name}({[str(o[index]) for o in case.operands]}) is {got[index]}; NumPy: {expected[index]} ({different.size} differ)"
                continue
            if case.operands[0].dtype.kind == "c":
                yield from compare_complex(case, got, expected)
                continue
            bound = bounds[0 if expected.dtype == np.float32 else 1] + 1 if "ulp" in case.record else 0
            # A sum near 0 cannot be nearer than its terms are.
            scale = np.maximum.reduce([np.abs(expected), *map(np.abs, case.operands)]) if case.record["name"].startswith("logadd") else expected
            steps = steps_between(got, expected, scale.astype(expected.dtype))
            if steps.max() > bound:
                index = int(steps.argmax())
                yield f"{case.name}[{at}]({[str(o[index]) for o in case.operands]}) is {got[index]}; NumPy: {expected[index]}; {steps[index]:.3g} ulp, expected {bound}"


if __name__ == "__main__":
    unittest.main()
