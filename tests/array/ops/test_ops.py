# SPDX-License-Identifier: Apache-2.0
"""Compares the types of operations with those that NumPy 2 has (../goldens/result_types.json)."""
import ctypes
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARY, TABLE, GOLDENS = ctypes.CDLL(sys.argv.pop(1)), Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
LIBRARY.ops_failure.restype = LIBRARY.ops_name.restype = ctypes.c_char_p
TYPES = ["", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
         "float64", "complex64", "complex128"]
LETTERS = " ?bhilBHILe fdFD"  # of the goldens, by number; bfloat16 has none
WEAK = {"p": -1, "j": -2, "g": -3, "G": -4}
RECORDS = json.loads((TABLE / "ops.json").read_text())


def types(name, numbers):
    """Returns (types of the results, expression), or None if the operation is refused."""
    results, letter, expression = (ctypes.c_int32 * 2)(), ctypes.c_int32(), ctypes.c_char_p()
    number = LIBRARY.ops_find(name.encode())
    if LIBRARY.ops_types(number, (ctypes.c_int32 * len(numbers))(*numbers), len(numbers), results, ctypes.byref(letter),
                         ctypes.byref(expression)):
        return None
    return [result for result in results if result], expression.value.decode()


# In NumPy, a weak int is float16 here, and the default type everywhere else.
DIFFERENT = {("ldexp", "j" + letter) for letter in "?bhilBHI"}


class Goldens(unittest.TestCase):
    def test_types_are_those_of_numpy(self):
        goldens = json.loads(GOLDENS.read_text())
        self.assertGreaterEqual(int(goldens["numpy"].split(".")[0]), 2)
        wrong, compared = [], 0
        for name, table in goldens["functions"].items():
            for numpy, combinations in table.items():
                for letters in combinations.split():
                    mine = types(name, [WEAK.get(letter) or LETTERS.index(letter) for letter in letters])
                    got = "".join(LETTERS[result] for result in mine[0]) if mine else ""
                    compared += 1
                    if got != numpy and (name, letters) not in DIFFERENT:
                        wrong.append(f"{name}({letters}) is {got or 'refused'}; NumPy: {numpy or 'refused'}")
        self.assertEqual(wrong, [])
        self.assertGreater(compared, 10000)


class Table(unittest.TestCase):
    def test_names_find_their_records(self):
        for record in RECORDS:
            self.assertEqual(LIBRARY.ops_name(record["number"]).decode(), record["name"])
            for name in [record["name"], *(record.get("numpy") or []), record.get("standard", "")]:
                if name:
                    self.assertEqual(LIBRARY.ops_find(name.encode()), record["number"], name)
        self.assertEqual(LIBRARY.ops_find(b"nothing"), 0)
        self.assertEqual(LIBRARY.ops_name(99), b"")

    def test_each_defined_combination_has_an_expression(self):
        for record in RECORDS:
            arity = {"unary": 1, "binary": 2, "more": 3}.get(record["family"])
            if not arity:
                continue
            for one in range(1, len(TYPES)):
                for other in range(1, len(TYPES)):
                    found = types(record["name"], [one, other, other][:arity])
                    if found:
                        self.assertTrue(found[1], (record["name"], one, other))

    def test_the_message_of_a_refusal(self):
        self.assertIsNone(types("bitwise_and", [TYPES.index("uint64"), TYPES.index("int8")]))
        self.assertEqual(LIBRARY.ops_failure().decode(),
                         "bitwise_and: the operands are uint64 and int8; expected integers of a common type")

    def test_a_contradiction_stops_the_generator(self):
        for change, message in (({"rule": "none"}, "abs: the rule none does not exist"),
                                ({"number": 2}, "negative: the name or the number exists twice"),
                                ({"number": 120}, "abs: the number is of another family"),
                                ({"text": {"q": "x"}}, "abs: classes q"),
                                ({"wieght": 2}, "abs: unknown fields {'wieght'}")):
            with tempfile.TemporaryDirectory() as folder:
                changed = [{**RECORDS[0], **change}, *RECORDS[1:]]
                (Path(folder) / "ops.json").write_text(json.dumps(changed))
                done = subprocess.run([sys.executable, "-B", TABLE / "gen.py", "cpp", Path(folder) / "ops.json", TABLE / "rules.inc",
                                       Path(folder) / "out.cpp"], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr.strip()), (1, f"ops.json: {message}"))

    def test_a_new_operation_is_one_record(self):
        added = {"number": 98, "name": "halve", "family": "unary", "rule": "floating", "text": {"f": "x / 2", "c": "x / 2"},
                 "doc": "half of the number"}
        records = sorted([*RECORDS, added], key=lambda record: record["number"])
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ops.json").write_text(json.dumps(records))
            subprocess.run([sys.executable, "-B", TABLE / "gen.py", "cpp", Path(folder) / "ops.json", TABLE / "rules.inc",
                            Path(folder) / "out.cpp"], check=True)
            self.assertIn('{"halve", 98},', (Path(folder) / "out.cpp").read_text())


if __name__ == "__main__":
    unittest.main()
