#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One new record of the table of operations is a new operation in C, Python, Java and C#, by the generators of the build."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/array/ops"
HEADER = ROOT / "include/cucore_array.h"
RECORDS = json.loads((TABLE / "ops.json").read_text(encoding="utf-8"))
ONE = {"number": 98, "name": "twice_of", "family": "unary", "rule": "number", "text": {"f": "x + x"}, "doc": "the number added to itself"}
TWO = {"number": 198, "name": "mean_of", "family": "binary", "rule": "floating", "text": {"f": "(x + y) / 2"}, "numpy": ["mean_of_two"],
       "doc": "the number between two numbers"}
# Each generator with its arguments, and what its files contain for both records.
GENERATORS = {
    "C, the library": (TABLE / "gen.py", ["cpp", "OPS", TABLE / "rules.inc", "OUT/table.cpp"],
                       ['{"twice_of", 98},', '{"mean_of_two", 198},', '"x + x"', '"(x + y) / 2"']),
    "C, the header": (TABLE / "gen.py", ["names", "OPS", TABLE / "rules.inc", "OUT/names.h"],
                      ["  CUCORE_ARRAY_OP_TWICE_OF = 98, /**< the number added to itself */", "  CUCORE_ARRAY_OP_MEAN_OF = 198,",
                       "#define cucore_array_twice_of(x, out, error) ", "#define cucore_array_mean_of(x, y, out, error) "]),
    "Python": (ROOT / "bindings/python/array/generate.py", ["OPS", HEADER, ROOT / "bindings/python/array/_array.pyi", "OUT"],
               ["twice_of = Operation(98, 1, 1, 'twice_of', ", "mean_of = Operation(198, 2, 1, 'mean_of', ", "\nmean_of_two = mean_of\n",
                "def twice_of(x: _Operand, /, *, out:", "def mean_of_two(x1: _Operand, x2: _Operand, /, *, out:", "    'twice_of',"]),
    "Java": (ROOT / "bindings/tools/array_operations.py", ["OPS", HEADER, "OUT"],
             ["  public NdArray twiceOf() {", "  public static NdArray twiceOf(NdArray x) {", "  public NdArray meanOf(Operand y) {", "  public NdArray meanOf(double y) {",
              "  public static NdArray meanOf(Operand x, Operand y) {", "  /** The number between two numbers."]),
    "C#": (ROOT / "bindings/tools/array_csharp.py", ["OPS", HEADER, ROOT / "bindings/csharp/array/src", "OUT"],
           ["  public NdArray TwiceOf() {", "  public static NdArray TwiceOf(NdArray x) {", "  public NdArray MeanOf(NdArray y) {",
            "  public static NdArray MeanOf(NdArray x, NdArray y, OperationOptions? options) {", "/// <summary>The number between two numbers.</summary>"]),
}


def generated(name, records):
    """All text that a generator writes for a table."""
    script, arguments, _ = GENERATORS[name]
    with tempfile.TemporaryDirectory() as folder:
        ops, out = Path(folder, "ops.json"), Path(folder, "out")
        out.mkdir()
        ops.write_text(json.dumps(sorted(records, key=lambda record: record["number"])), encoding="utf-8")
        given = [str(each).replace("OPS", str(ops)).replace("OUT", str(out)) for each in arguments]
        subprocess.run([sys.executable, "-B", script, *given], check=True)
        return "\n".join(path.read_text(encoding="utf-8") for path in sorted(out.iterdir()))


class OneRecord(unittest.TestCase):
    def test_it_is_an_operation_in_every_language(self):
        for name, (_, _, expected) in GENERATORS.items():
            before, after = generated(name, RECORDS), generated(name, [*RECORDS, ONE, TWO])
            self.assertEqual([each for each in expected if each not in after], [], f"missing in {name}")
            self.assertEqual([each for each in expected if each in before], [], f"in {name} without the record")

    def test_one_is_as_good_as_two(self):
        for name, (_, _, expected) in GENERATORS.items():
            only = generated(name, [*RECORDS, ONE])
            of_one = [each for each in expected if "wice" in each or "TWICE" in each]
            self.assertTrue(of_one and all(each in only for each in of_one), name)


if __name__ == "__main__":
    unittest.main()
