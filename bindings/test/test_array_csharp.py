#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In C#, one new record of the table of operations, and one new function of the header, are new members without a line by hand."""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATOR, SOURCES = ROOT / "bindings/tools/array_csharp.py", ROOT / "bindings/csharp/array/src"
RECORDS = json.loads((ROOT / "src/array/ops/ops.json").read_text(encoding="utf-8"))
HEADER = (ROOT / "include/cucore_array.h").read_text(encoding="utf-8")
RECORD = {"number": 9001, "name": "twice_of", "family": "unary", "rule": "number", "text": {"f": "x + x"}, "doc": "the number < or & added to itself"}
FUNCTION = """
/**
 * Mirrors the elements. Nothing waits.
 *
 * @param x         the array
 * @param shape     the sizes
 * @param ndim      the number of axes
 * @param other     another array
 * @param reversed  1: from the end
 * @param copy      ON: always a copy
 * @param out       receives the mirrored array
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes < 0
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_mirror(const cucore_array *x, const int64_t *shape, size_t ndim, const cucore_array *other,
                                                   int32_t reversed, cucore_toggle copy, cucore_array **out, cucore_error **error);
"""


def generate(records=RECORDS, header=HEADER):
    with tempfile.TemporaryDirectory() as folder:
        ops, text = Path(folder, "ops.json"), Path(folder, "array.h")
        ops.write_text(json.dumps(records), encoding="utf-8")
        text.write_text(header, encoding="utf-8")
        subprocess.run([sys.executable, "-B", GENERATOR, ops, text, SOURCES, folder], check=True)
        return {path.stem: path.read_text(encoding="utf-8") for path in Path(folder).glob("*.cs")}


class Generated(unittest.TestCase):
    def test_a_record_is_a_method_and_a_function(self):
        before, after = generate(), generate([*RECORDS, RECORD])
        self.assertEqual({name for name in after if after[name] != before[name]}, {"ArrayOperations.Generated"})
        made = after["ArrayOperations.Generated"]
        self.assertIn("public NdArray TwiceOf() { return Calls.Unary(9001, this); }", made)
        self.assertIn("public static NdArray TwiceOf(NdArray x) { return Calls.NotNull(x, nameof(x)).TwiceOf(); }", made)
        self.assertIn("public static NdArray TwiceOf(NdArray x, OperationOptions? options) {", made)
        self.assertIn("/// <summary>The number &lt; or &amp; added to itself.</summary>\n", made)

    def test_a_function_of_the_header_is_a_member(self):
        before, after = generate(), generate(header=HEADER.replace("#include \"cucore_array_names.h\"", FUNCTION))
        self.assertEqual({name for name in after if after[name] != before[name]}, {"ArrayNative.Generated", "ArrayMembers.Generated"})
        made = after["ArrayMembers.Generated"]
        self.assertIn("public NdArray Mirror(NdArray other, long[] shape, bool reversed = false, bool? copy = null) {", made)
        self.assertIn("cucore_array_mirror(Handle, Calls.NotNull(shape, nameof(shape)), Calls.Count(shape), NdArray.HandleOf(other, nameof(other)), "
                      "reversed ? 1 : 0, Calls.Toggled(copy), out IntPtr made, out IntPtr error), error);", made)
        self.assertIn('/// <summary>Mirrors the elements.</summary>', made)
        self.assertIn('/// <param name="reversed">true: from the end</param>', made)
        self.assertIn('/// <returns>the mirrored array</returns>', made)
        self.assertIn('/// <exception cref="Cucore.ShapeException">shapes &lt; 0</exception>', made)

    def test_every_function_of_the_header_is_called(self):
        files = generate()
        called = "".join(text for name, text in files.items() if name != "ArrayNative.Generated")
        functions = set(re.findall(r"CUCORE_ARRAY_API[^;]*?(cucore_array_\w+)\(", HEADER))
        self.assertGreater(len(functions), 90)
        of_c = {f"cucore_array_{name}" for name in ("retain", "context_retain", "generator_retain", "op_at", "op_count", "binary_scalar")}
        self.assertEqual({each for each in functions - of_c if f"ArrayNative.{each}" not in called}, set())

    def test_no_comment_contains_a_name_of_c(self):
        for name, text in generate().items():
            comments = "\n".join(line for line in text.splitlines() if "///" in line)
            self.assertEqual(re.findall(r"\bcucore_\w+|\bCUCORE_\w+|\bNULL\b|\bint32_t\b", comments), [], name)


if __name__ == "__main__":
    unittest.main()
