# SPDX-License-Identifier: Apache-2.0
"""Records the results of NumPy 2's functions, for machines that have an older NumPy.

  record_values.py OPS.json > values.json

Exact results are recorded as a digest per layout. The others are recorded as elements, those of the whole buffer: views of it have
the same elements. The results are "" where NumPy refuses the operands.
"""
import base64
import datetime
import hashlib
import json
import sys
import warnings

import numpy as np
from cases import DTYPES, LAYOUTS, operands, results

DIGITS = 8
# Functions of complex numbers that NumPy computes with fused multiplications on some processors.
FUSED = ("multiply", "square", "divide", "reciprocal", "sign")


def digest(values):
    """The digest of types, shapes and elements. All NaN are equal, and zeros differ by their signs."""
    text = hashlib.sha256()
    for value in values:
        value = np.array(value)
        text.update(f"{value.dtype.name}{value.shape}".encode())
        flat = value.ravel()
        if value.dtype.kind in "fc":
            flat = flat.view(flat.real.dtype)
            flat = np.where(np.isnan(flat), np.array(np.nan, flat.dtype), flat)
        text.update(flat.tobytes())
    return text.hexdigest()[:DIGITS]


def is_exact(record, dtype):
    """Whether the results are equal in all bits; sums of these operands are."""
    name, is_complex = record["name"], dtype.startswith("complex")
    if record["family"] in ("reduce", "scan"):
        return name not in ("mean", "var", "std") and not (name.endswith("prod") and (is_complex or dtype == "float16"))
    if name == "float_power" or is_complex and name in FUSED:
        return False
    real, *rest = record.get("ulp", [0])
    return not any([real, *rest] if is_complex else [real, *rest[:1]])


def refused(compute):
    try:
        with np.errstate(all="ignore"):
            return compute()
    except (TypeError, ValueError):
        return None


def elements(values):
    return [[value.dtype.name, base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()] for value in map(np.asarray, values)]


def of_layouts(function, record, dtype):
    """A digest per layout, in one string."""
    text = ""
    for layout in LAYOUTS.values():
        views = [layout(flat, np) for flat in operands(record["name"], record["family"], dtype)]
        made = refused(lambda: results(function, record["family"], views))
        text += "-" * DIGITS if made is None else digest(made)
    return text


def golden(function, record, dtype):
    if is_exact(record, dtype):
        text = of_layouts(function, record, dtype)
        return "" if set(text) == {"-"} else text
    if record["family"] in ("reduce", "scan"):  # of each layout
        made = []
        for layout in LAYOUTS.values():
            views = [layout(flat, np) for flat in operands(record["name"], record["family"], dtype)]
            found = refused(lambda: results(function, record["family"], views))
            made.append(None if found is None else elements(found))
        return made if any(made) else ""
    made = refused(lambda: results(function, record["family"], operands(record["name"], record["family"], dtype)))
    return "" if made is None else elements(made)


def functions(records):
    """The functions of the table that NumPy has."""
    named = {"clip": np.clip, "where": np.where}
    for record in records:
        names = record.get("numpy") or []
        function = named.get(record["name"]) or next((getattr(np, name) for name in names if hasattr(np, name)), None)
        if function is not None and record["name"] not in ("isclose", "nan_to_num"):
            yield record, function


def main(path):
    warnings.simplefilter("ignore")
    records = json.load(open(path))
    tables = {record["name"]: {dtype: golden(function, record, dtype) for dtype in DTYPES} for record, function in functions(records)}
    json.dump({"numpy": np.__version__, "date": str(datetime.date.today()), "functions": tables}, sys.stdout, indent=0, separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1])
