#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One new record of the table of operations is one new method, and one new function, in Java."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "bindings/tools/array_operations.py"
RECORDS = json.loads((ROOT / "src/array/ops/ops.json").read_text(encoding="utf-8"))
NEW = {"number": 9001, "name": "twice_of", "family": "unary", "rule": "number", "text": {"f": "x + x"}, "doc": "the number < or & added to itself"}


def generate(records):
    with tempfile.TemporaryDirectory() as folder:
        ops = Path(folder, "ops.json")
        ops.write_text(json.dumps(records), encoding="utf-8")
        subprocess.run([sys.executable, "-B", GENERATOR, ops, ROOT / "include/cucore_array.h", folder], check=True)
        return {path.stem: path.read_text(encoding="utf-8") for path in Path(folder).glob("*.java")}


class OneRecord(unittest.TestCase):
    def test_it_is_one_method_and_one_function(self):
        before, after = generate(RECORDS), generate([*RECORDS, NEW])
        self.assertEqual({name for name in after if after[name] != before[name]}, {"ArrayOperations", "NdOperations"})
        self.assertIn("public NdArray twiceOf() {\n    return Calls.unary(9001, self());", after["ArrayOperations"])
        self.assertIn("public static NdArray twiceOf(NdArray x) {", after["NdOperations"])
        self.assertIn("/** The number &lt; or &amp; added to itself.\n", after["ArrayOperations"])

    def test_every_operation_is_there(self):
        files = generate(RECORDS)
        self.assertIn(" floorDivideAssign(Operand y) {", files["ArrayOperations"])
        self.assertIn(" where(Operand x, Operand y, Operand z) {", files["NdOperations"])
        for name in ("sin", "add", "sum", "cumulativeSum", "isnan", "bitwiseLeftShift", "divmod"):
            self.assertRegex(files["ArrayOperations"], rf" {name}\(")

    def test_sizes_are_those_of_the_types(self):
        self.assertIn("SIZES = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16}", generate(RECORDS)["DType"])


if __name__ == "__main__":
    unittest.main()
