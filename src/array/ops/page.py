#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/array_operations.md of the table of operations.

  page.py OPS RULES OUT            writes the page
  page.py OPS RULES PAGE --check   compares it: 1 if it differs
"""
import sys
from pathlib import Path

from gen import read

TITLES = {"unary": "One operand", "binary": "Two operands", "more": "Three operands", "reduce": "Reductions", "scan": "Scans"}
# The operands of each rule of rules.cpp, and the type of its result.
COMMON, FLOAT = "the common type", "the float of the operands"
RULES = {
    "angle": ("numbers", "float64 for integers and bool, else the real type"), "arithmetic": ("all", f"{COMMON}; int8 for bool"),
    "arithmetic_real": ("all but complex", f"{COMMON}; int8 for bool"), "bits": ("integers, bool", COMMON),
    "clip": ("all", "the type of the first operand"), "comparison": ("all", "bool"), "count": ("integers, bool", "uint8"),
    "divide": ("all", f"{COMMON}; float64 for integers and bool"), "float_power": ("all", "float64 or complex128"),
    "floating": ("all", FLOAT), "floating_real": ("all but complex", FLOAT), "frexp": ("all but complex", f"{FLOAT}, and int32"),
    "integer": ("integers, bool", f"{COMMON}; int8 for bool"), "integer_number": ("integers", COMMON), "isclose": ("all", "bool"),
    "ldexp": ("a real number, and an integer that int64 holds", "the float of the first operand"), "logical": ("all", "bool"),
    "magnitude": ("all", f"{COMMON}; its real type for complex"), "mean": ("all", f"{COMMON}; float64 for integers and bool"),
    "norm": ("all", "the real type; float64 for integers and bool"), "number": ("numbers", COMMON), "part": ("all", f"{COMMON}; its real type for complex"),
    "position": ("all", "int64"), "predicate": ("all", "bool"), "predicate_real": ("all but complex", "bool"),
    "rounding": ("all but complex", COMMON), "same": ("all", COMMON), "sum": ("all", f"{COMMON}; int64 or uint64 for integers and bool"),
    "variance": ("all", "the real type; float64 for integers and bool"), "where": ("a condition, and all", "the common type of the last two operands")}
HEAD = """# Operations of arrays

The table of operations, `src/array/ops/ops.json`, has one record for each of them. This page, the enumeration `cucore_array_op` and the members of the languages are made of it. The [page of arrays](arrays.md) describes what all operations have in common: promotion, broadcasting, views and lazy evaluation.

- Python has each name as a function of `cucore.array`; names of NumPy and of the Array API are separated by commas.
- The name in C is `CUCORE_ARRAY_OP_` and the first name in upper case, as `CUCORE_ARRAY_OP_FLOOR_DIVIDE`.
- Java has it as a method of `NdArray` and a function of `Nd`, `floorDivide`; C# as `FloorDivide`.
- The *common type* is the type that NumPy 2 promotes the operands to. The *float of the operands* is float16 for 8-bit integers and bool, float32 for 16-bit integers, and float64 for larger ones.
- *Error* is the largest difference from the exact result, in units of the last place. Its numbers are those of f32, f64 and complex. Operations without a number return the bits that NumPy defines.
"""


def names(record):
    every = [record["name"], *record.get("numpy", []), *([record["standard"]] if "standard" in record else [])]
    return ", ".join(f"`{name}`" for name in dict.fromkeys(every))


def row(record):
    operands, result = RULES[record["rule"]]
    error = ", ".join(str(number) for number in record.get("ulp", []))
    cells = (names(record), record["doc"], operands, result, error or "–")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def page(records):
    parts = [HEAD]
    for family, title in TITLES.items():
        parts.append(f"## {title}\n| names | result | operands | type of the result | error |\n|---|---|---|---|---|\n"
                     + "\n".join(row(record) for record in records if record["family"] == family) + "\n")
    return "\n".join(parts)


def main(ops, rules, out, check=""):
    text = page(read(ops, rules))
    if not check:
        Path(out).write_text(text, encoding="utf-8")
        return 0
    if Path(out).read_text(encoding="utf-8") == text:
        return 0
    print(f"{out} differs from the table of operations; write it with: python3 {sys.argv[0]} {ops} {rules} {out}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
