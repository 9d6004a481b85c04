# SPDX-License-Identifier: Apache-2.0
"""Records the types of the results of NumPy 2's functions, for machines that have an older NumPy.

  record_types.py OPS.json > result_types.json

The file maps each function to its results, and each result to the operands that have it. A type is one letter, a weak number of Python is one of
p (bool), j (int), g (float), G (complex). The results are "" where NumPy refuses the operands.
"""
import itertools
import json
import sys
import warnings

import numpy as np

TYPES = {"?": "bool", "b": "int8", "h": "int16", "i": "int32", "l": "int64", "B": "uint8", "H": "uint16", "I": "uint32", "L": "uint64",
         "e": "float16", "f": "float32", "d": "float64", "F": "complex64", "D": "complex128"}
WEAK = {"p": True, "j": 1, "g": 1.0, "G": 1j}
LETTERS = {name: letter for letter, name in TYPES.items()}


def value(letter):
    return WEAK[letter] if letter in WEAK else np.ones(2, TYPES[letter])


def operands(arity):
    """All types; with two operands also a weak number on either side."""
    yield from itertools.product(TYPES, repeat=arity)
    if arity == 2:
        yield from itertools.product(TYPES, WEAK)
        yield from itertools.product(WEAK, TYPES)


def result(function, letters):
    try:
        results = function(*(value(letter) for letter in letters))
    except (TypeError, ValueError):
        return ""
    return "".join(LETTERS[np.asarray(r).dtype.name] for r in (results if isinstance(results, tuple) else (results,)))


def table(function, combinations):
    rows = {}
    for letters in combinations:
        rows.setdefault(result(function, letters), []).append("".join(letters))
    return {key: " ".join(combination) for key, combination in sorted(rows.items())}


def main(path):
    if int(np.__version__.split(".")[0]) < 2:
        sys.exit(f"NumPy is {np.__version__}; expected 2 or newer")
    warnings.simplefilter("ignore")
    tables = {}
    for record in json.load(open(path)):
        arity = {"unary": 1, "binary": 2}.get(record["family"])
        function = getattr(np, record["numpy"][0], None) if record["numpy"] else None
        if arity and isinstance(function, np.ufunc):
            tables[record["name"]] = table(function, operands(arity))
        elif record["family"] in ("reduce", "scan") and function:
            tables[record["name"]] = table(function, operands(1))
    tables["where"] = table(np.where, [("?", *both) for both in operands(2)])
    for name in ("angle", "real", "imag"):
        tables[name] = table(getattr(np, name), operands(1))
    print(json.dumps({"numpy": np.__version__, "functions": tables}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
