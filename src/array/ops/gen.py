#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of ops.json what the library consists of.

  gen.py cpp OPS RULES OUT     the table as C++ (op.hpp)
  gen.py names OPS RULES OUT   the enumeration and the macros of C, cucore_array_names.h
  gen.py texts OUT FILE ...    device texts as strings (texts.hpp)

A record of ops.json:
  number    permanent: unary 1 to 99, binary 101 to 199, more 201 to 299, reduce 301 to 399, scan 401 to 499
  name      in the C enumeration, in upper case, and in the languages
  rule      of the types: rules.cpp
  text      expressions by classes of types: b(ool), i (signed), u(nsigned), f (real), c(omplex), m (int64 and uint64)
  numpy     names in NumPy, the first is the main one; absent: NumPy has no such function of arrays alone
  standard  the name in the Array API
  weight    the cost of an element in units of an addition
  ulp       the largest error in f32, f64 and complex, in units of the last place; absent: exact bits
  outputs, scalars  the number of results and of scalar parameters
"""
import json
import re
import sys
from pathlib import Path

FAMILIES = {"unary": (1, 1), "binary": (101, 2), "more": (201, 3), "reduce": (301, 1), "scan": (401, 1)}
CLASSES = "biufcm"
FIELDS = {"number", "name", "family", "rule", "text", "numpy", "standard", "weight", "ulp", "outputs", "scalars", "doc"}


def read(path, rules):
    """Returns the records; raises ValueError for a table that contradicts itself."""
    records = json.loads(Path(path).read_text(encoding="utf-8"))
    known = set(re.findall(r"^RULE\((\w+)\)", Path(rules).read_text(encoding="utf-8"), re.M))
    names, numbers = set(), set()
    for record in records:
        name, first = record["name"], FAMILIES[record["family"]][0]
        check(not set(record) - FIELDS, name, f"unknown fields {set(record) - FIELDS}")
        check(name not in names and record["number"] not in numbers, name, "the name or the number exists twice")
        check(first <= record["number"] < first - first % 100 + 100, name, "the number is of another family")
        check(record["rule"].upper() in known, name, f"the rule {record['rule']} does not exist")
        letters = "".join(record["text"])
        check(set(letters) <= set(CLASSES) and len(set(letters)) == len(letters), name, f"classes {letters}")
        names.add(name)
        numbers.add(record["number"])
    check([r["number"] for r in records] == sorted(numbers), "ops.json", "the numbers are not in order")
    return records


def check(condition, name, message):
    if not condition:
        raise ValueError(f"{name}: {message}")


def quoted(text):
    return json.dumps(text, ensure_ascii=True)


def expression(record, letter):
    return next((text for letters, text in record["text"].items() if letter in letters), "")


def cpp(records):
    rows = []
    for r in records:
        numpy = r.get("numpy") or [""]
        rows.append(f'    {{{r["number"]}, Family::{r["family"].upper()}, {FAMILIES[r["family"]][1]}, {r.get("outputs", 1)}, '
                    f'{r.get("scalars", 0)}, Rule::{r["rule"].upper()}, {r.get("weight", 1)}, {quoted(r["name"])}, {quoted(numpy[0])}, '
                    f'{quoted(r.get("standard", ""))}, {quoted(r["doc"])},\n     {{{{'
                    + ", ".join(quoted(expression(r, letter)) for letter in CLASSES) + "}}},")
    aliases = {alias: r["number"] for r in records for alias in [*(r.get("numpy") or []), r.get("standard", "")] if alias}
    for r in records:
        aliases[r["name"]] = r["number"]
    names = [f"    {{{quoted(name)}, {number}}}," for name, number in sorted(aliases.items())]
    return "\n".join(["// Made by gen.py.", '#include "array/ops/op_table.hpp"', "", "namespace cucore::array {", "",
                      "const Op OPS[] = {", *rows, "};", "const size_t OP_COUNT = sizeof OPS / sizeof *OPS;", "",
                      "const OpName OP_NAMES[] = {", *names, "};",
                      "const size_t OP_NAME_COUNT = sizeof OP_NAMES / sizeof *OP_NAMES;", "", "}  // namespace cucore::array", ""])


def names(records):
    """A macro for each operation of one or two operands without parameters, and for each reduction."""
    enumerators = [f"  CUCORE_ARRAY_OP_{r['name'].upper()} = {r['number']}, /**< {r['doc']} */" for r in records]
    macros = []
    for r in records:
        number = f"CUCORE_ARRAY_OP_{r['name'].upper()}"
        if r.get("outputs", 1) != 1 or r.get("scalars"):
            continue
        if r["family"] == "unary":
            macros.append(f"#define cucore_array_{r['name']}(x, out, error) \\\n  cucore_array_unary({number}, x, out, error)")
        elif r["family"] == "binary":
            macros.append(f"#define cucore_array_{r['name']}(x, y, out, error) \\\n  cucore_array_binary({number}, x, y, out, error)")
        elif r["family"] == "scan":
            macros.append(f"#define cucore_array_{r['name']}(x, axis, dtype, out, error) \\\n  cucore_array_scan({number}, x, axis, dtype, 0, 0, out, error)")
        elif r["family"] == "reduce":
            macros.append(f"#define cucore_array_{r['name']}(x, options, out, error) \\\n  cucore_array_reduce({number}, x, options, out, error)")
    return "\n".join(["/*", " * cucore_array_names.h - the operations on arrays by name. Made from the table of operations.", " *",
                      " * SPDX-License-Identifier: Apache-2.0", " */", "#ifndef CUCORE_ARRAY_NAMES_H_INCLUDED",
                      "#define CUCORE_ARRAY_NAMES_H_INCLUDED", "", "/** The operations. Numbers are permanent. */",
                      "typedef enum cucore_array_op {", *enumerators, "  CUCORE_ARRAY_OP_FORCE_INT32 = 0x7fffffff",
                      "} cucore_array_op;", "", *macros, "", "#endif /* CUCORE_ARRAY_NAMES_H_INCLUDED */", ""])


def texts(files):
    """The texts without their comments and blank lines."""
    rows = []
    for file in map(Path, files):
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip() and not line.lstrip().startswith("//")]
        rows.append(f'    {{"{file.stem}",\n' + "\n".join(f"     {quoted(line + chr(10))}" for line in lines) + "},")
    return "\n".join(["// Made by gen.py.", '#include "array/codegen/texts.hpp"', "", "namespace cucore::array {", "namespace {", "",
                      "struct Text {", "  std::string_view name, text;", "};", "", "constexpr Text TEXTS[] = {", *rows, "};", "",
                      "}  // namespace", "", "std::string_view device_text(std::string_view name) noexcept {",
                      "  for (const Text& text : TEXTS)", "    if (text.name == name) return text.text;", "  return {};", "}", "",
                      "}  // namespace cucore::array", ""])


def main(what, *arguments):
    if what == "texts":
        Path(arguments[0]).write_text(texts(arguments[1:]), encoding="utf-8")
        return
    ops, rules, out = arguments
    Path(out).write_text({"cpp": cpp, "names": names}[what](read(ops, rules)), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ValueError as wrong:
        sys.exit(f"ops.json: {wrong}")
