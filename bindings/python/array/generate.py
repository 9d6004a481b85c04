#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the operations of cucore.array from the table: generate.py OPS HEADER STUB FOLDER.

It writes a function per operation into _operations.py, and types and docstrings into _operations.pyi. It adds the methods
of the table to STUB, which becomes _array.pyi. The file context_info.inc lists the fields of the statistics.
"""
import json
import re
import sys
from pathlib import Path

OPERANDS = {"unary": ("x",), "binary": ("x1", "x2"), "more": ("x1", "x2", "x3")}
# Parameters of reductions beyond x, by the rule of their type.
WITH_DTYPE = {"sum"}
ONE_AXIS = {"argmin", "argmax"}
METHODS = {"reduce", "scan"}
# The package has functions of these names that do more.
REPLACED = {"where", "clip", "round", "real", "imag"}
UNARY_METHODS = ("conj", "conjugate")


def names_of(record):
    """All names of an operation: its own first, then NumPy's and the standard's."""
    every = [record["name"], *(record.get("numpy") or []), record.get("standard", "")]
    return list(dict.fromkeys(name for name in every if name.isidentifier()))


def is_plain(record):
    """Element-wise, and without parameters beyond the operands."""
    return record["family"] in OPERANDS and not record.get("scalars")


def exported(records):
    """The names of the module that the package has too."""
    every = [name for record in records if record["family"] not in OPERANDS or is_plain(record) for name in names_of(record)]
    return [name for name in every if name not in REPLACED]


def doc_of(record):
    text = record["doc"][0].upper() + record["doc"][1:]
    if record["family"] in OPERANDS:
        return f"Computes for each element: {record['doc']}."
    return f"{text}, along axes of the array." if record["family"] == "reduce" else f"{text}, along an axis of the array."


def reduction(record):
    """(parameters, arguments) of a reduction: axes, keepdims, dtype, correction, order."""
    if record["name"] in ONE_AXIS:
        return "axis: Optional[int] = None, *, keepdims: bool = False", "axis, keepdims, None, 0.0, 2.0"
    kept = "keepdims: bool = False"
    if record["rule"] in WITH_DTYPE:
        return f"axis: Axes = None, dtype: Any = None, *, {kept}", "axis, keepdims, dtype, 0.0, 2.0"
    if record["rule"] == "variance":
        return f"axis: Axes = None, *, correction: float = 0.0, {kept}", "axis, keepdims, None, correction, 2.0"
    if record["rule"] == "norm":
        return f"axis: Axes = None, *, order: float = 2.0, {kept}", "axis, keepdims, None, 0.0, order"
    return f"axis: Axes = None, *, {kept}", "axis, keepdims, None, 0.0, 2.0"


def scan(record):
    standard = record.get("standard", "")
    if standard:
        return "axis: Optional[int] = None, dtype: Any = None, include_initial: bool = False", "axis, dtype, include_initial"
    return "axis: Optional[int] = None, dtype: Any = None", "axis, dtype, False"


def function(record, owner):
    parameters, arguments = reduction(record) if record["family"] == "reduce" else scan(record)
    return (f"def {record['name']}({owner}, /, {parameters}) -> Array:\n"
            f'    """{doc_of(record)}"""\n'
            f"    return _{record['family']}({record['number']}, {owner.split(':')[0]}, {arguments})\n")


def module(records):
    out = ['"""The operations of the table. Made by generate.py."""', "from __future__ import annotations", "",
           "from typing import Any, Optional, Sequence, Union", "", "from ._array import Array, Operation",
           "from ._reductions import _reduce, _scan", "", "Axes = Union[int, Sequence[int], None]", ""]
    for record in records:
        every = names_of(record)
        if record["family"] in OPERANDS:
            own = every[0] if is_plain(record) else f"_{every[0]}"
            count = len(OPERANDS[record["family"]])
            out.append(f"{own} = Operation({record['number']}, {count}, {record.get('outputs', 1)}, {record['name']!r}, {doc_of(record)!r})")
        else:
            out += ["", "", function(record, "x: Array"), ""]
        if record["family"] not in OPERANDS or is_plain(record):
            out += [f"{other} = {every[0]}" for other in every[1:]]
    methods = [(name, record["name"]) for record in records if record["family"] in METHODS or record["name"] in UNARY_METHODS
               for name in names_of(record)]
    out += ["", f"NUMBERS = {{{', '.join(repr(r['name']) + ': ' + str(r['number']) for r in records)}}}", "", "METHODS = {", *(f"    {name!r}: {own}," for name, own in methods), "}", "",
            "__all__ = [", *(f"    {name!r}," for name in exported(records)), "]", ""]
    return "\n".join(out)


def result_of(record):
    return "Array" if record.get("outputs", 1) == 1 else "tuple[Array, Array]"


def stub(records):
    out = ["from typing import Any, Optional, Sequence, Union", "", "from ._array import Array, Operation", "",
           "Axes = Union[int, Sequence[int], None]", "_Operand = Union[Array, bool, int, float, complex, Any]", "METHODS: dict[str, Any]", "NUMBERS: dict[str, int]",
           f"__all__ = {exported(records)!r}"]
    for record in records:
        for name in names_of(record):
            if not is_plain(record) and record["family"] in OPERANDS:
                out.append(f"_{name}: Operation")
                break
            if record["family"] in OPERANDS:
                operands = ", ".join(f"{operand}: _Operand" for operand in OPERANDS[record["family"]])
                out += [f"def {name}({operands}, /, *, out: Optional[Array] = ..., where: Union[Array, bool, None] = ..., dtype: Any = ...)"
                        f" -> {result_of(record)}:", f'    """{doc_of(record)}"""']
            else:
                out += stub_function(record, name, "x: Array", 0)
    return "\n".join([*out, ""])


def stub_function(record, name, owner, depth):
    lines = function({**record, "name": name}, owner).replace(" = None", " = ...").replace(" = False", " = ...").splitlines()[:2]
    return [" " * depth + re.sub(r" = [\d.]+", " = ...", line) for line in lines]


def array_stub(records, text):
    out = []
    for record in records:
        for name in names_of(record):
            if record["family"] in METHODS:
                out += stub_function(record, name, "self", 4)
            elif record["name"] in UNARY_METHODS:
                out += [f"    def {name}(self, /) -> Array:", f'        """{doc_of(record)}"""']
    return text.replace("    #: operations\n", "\n".join(out) + "\n").replace("    #: operators\n", operators())


def operators():
    """The binary operators: x op y, y op x and x op= y."""
    names = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"]
    every = [f"{prefix}{name}" for name in names for prefix in ("", "r", "i")] + ["lt", "le", "gt", "ge"]
    return "".join(f"    def __{name}__(self, other: _Operand, /) -> Array: ...\n" for name in every)


def statistics(header):
    body = re.search(r"typedef struct cucore_array_context_info \{(.*?)\}", header, re.S).group(1)
    return "".join(f"CUCORE_FIELD({name})\n" for name in re.findall(r"uint64_t\s+(\w+);", body))


def main(ops, header, template, folder):
    records = json.loads(Path(ops).read_text(encoding="utf-8"))
    texts = {"_operations.py": module(records), "_operations.pyi": stub(records),
             "_array.pyi": array_stub(records, Path(template).read_text(encoding="utf-8")),
             "context_info.inc": statistics(Path(header).read_text(encoding="utf-8"))}
    for name, text in texts.items():
        (Path(folder) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
