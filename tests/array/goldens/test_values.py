# SPDX-License-Identifier: Apache-2.0
"""Compares each function, type and layout with the results of NumPy 2 (values.json; record_values.py describes it).

Usage: test_values.py OPS.json values.json [TYPE]...
"""
import base64
import json
import sys

import numpy as np

import cucore.array as xp
from cases import DTYPES, LAYOUTS, operands, results
from record_values import DIGITS, digest

RECORDS = {record["name"]: record for record in json.load(open(sys.argv[1]))}
GOLDENS = json.load(open(sys.argv[2]))
ROUNDED = 4  # NumPy's own error, in units in the last place
UNLISTED = 8  # the bound of functions that the table has none for, as of powers


class Case:
    """A function with one type and one layout."""

    def __init__(self, name, dtype, layout):
        self.record, self.dtype, self.layout = RECORDS[name], dtype, layout
        self.name = f"{name} of {dtype}, {layout}"
        self.buffers = operands(name, self.record["family"], dtype)
        self.golden = GOLDENS["functions"][name][dtype]

    def record_ours(self):
        """The pending results; nothing if the function refuses the operands."""
        views = [LAYOUTS[self.layout](xp.asarray(flat), xp) for flat in self.buffers]
        try:
            self.ours = results(function_of(self.record), self.record["family"], views)
        except (TypeError, ValueError):
            self.ours = None
        return self.ours or []

    def fault(self):
        """Returns a difference from the golden in words, or None."""
        ours = None if self.ours is None else [one.numpy() for one in self.ours]
        expected = self.expected()
        if ours is None or expected is None:
            return None if ours is expected else f"{self.name} is {'refused' if ours is None else 'computed'}, not so by NumPy"
        if isinstance(expected, str):
            return None if digest(ours) == expected else f"{self.name} is {ours}; the digest of NumPy differs"
        return None if all(map(self.is_close, ours, expected)) else f"{self.name} is {ours}; NumPy: {expected}"

    def expected(self):
        """A digest, arrays, or None if NumPy refuses the operands."""
        at = list(LAYOUTS).index(self.layout)
        if self.golden == "":
            return None
        if isinstance(self.golden, str):
            text = self.golden[at * DIGITS:(at + 1) * DIGITS]
            return None if text == "-" * DIGITS else text
        if self.record["family"] not in ("reduce", "scan"):
            return [LAYOUTS[self.layout](decoded(one), np) for one in self.golden]
        if self.golden[at] is None:
            return None
        return [decoded(one).reshape(ours.shape) for one, ours in zip(self.golden[at], self.ours or self.golden[at])]

    def is_close(self, ours, theirs):
        if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
            return False
        if ours.dtype.kind not in "fc":
            return np.array_equal(ours, theirs)
        bound = (max(self.record.get("ulp", [UNLISTED])) + ROUNDED) * np.finfo(ours.dtype).eps
        with np.errstate(all="ignore"):
            near = np.abs(ours - theirs) <= bound * np.maximum(np.abs(theirs), np.finfo(ours.dtype).tiny / np.finfo(ours.dtype).eps)
        return bool(np.all(near | (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))))


def decoded(one):
    return np.frombuffer(base64.b64decode(one[1]), one[0])


def function_of(record):
    return getattr(xp, record["name"], None) or getattr(xp, record["numpy"][0])


def compare(dtype, layout):
    """Records all functions, computes them together, and returns the faults."""
    cases = [Case(name, dtype, layout) for name, golden in GOLDENS["functions"].items() if dtype in golden]
    xp.evaluate(*[one for case in cases for one in case.record_ours()])
    return len(cases), list(filter(None, (case.fault() for case in cases)))


def main(dtypes):
    assert int(GOLDENS["numpy"].split(".")[0]) >= 2, f"the goldens are of NumPy {GOLDENS['numpy']}"
    count, faults = 0, []
    for dtype in dtypes:
        for layout in LAYOUTS:
            compared, found = compare(dtype, layout)
            count, faults = count + compared, faults + found
    print(*faults, sep="\n")
    print(f"{count} cases, {len(faults)} faults; {xp.statistics()['kernels_compiled']} kernels compiled")
    return 1 if faults or count < 90 * len(dtypes) * len(LAYOUTS) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[3:] or DTYPES))
