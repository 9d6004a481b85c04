#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A new C function of arrays that follows the conventions reaches Java without a line."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "bindings/tools"
SOURCES = ROOT / "bindings/java/array/src"
HEADER = (ROOT / "include/cucore_array.h").read_text(encoding="utf-8")
NEW = """
/**
 * Turns the matrices of two axes by 90 degrees, as cucore_array_flip() with NULL would not.
 *
 * @param x      the array
 * @param turns  how often
 * @param axes   the axes
 * @param count  of axes
 * @param wrap   1: elements that leave enter at the other end
 * @param dtype  the type; CUCORE_ARRAY_DTYPE_DEFAULT: that of the array
 * @param out    receives the turned array
 * @param error  NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_turn_around(const cucore_array *x, int64_t turns,
                                                        const int32_t *axes, size_t count,
                                                        int32_t wrap, cucore_array_dtype dtype,
                                                        cucore_array **out, cucore_error **error);
"""
UNKNOWN = NEW.replace("int64_t turns", "float turns")
RECORD = NEW.replace("cucore_array **out", "cucore_array_op_info *out")


def generated(text):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        header = folder / "cucore_array.h"
        header.write_text(text, encoding="utf-8")
        run = lambda *command: subprocess.run([sys.executable, "-B", *map(str, command)], check=True, capture_output=True, text=True)
        run(TOOLS / "array_natives.py", header, folder / "Natives.java", folder / "natives.cpp")
        run(TOOLS / "array_members.py", header, SOURCES, folder, folder / "stamp")
        return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def with_function(declaration):
    mark = '#include "cucore_array_names.h"'
    assert mark in HEADER
    return HEADER.replace(mark, declaration + mark)


class NewFunction(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.before, cls.after = generated(HEADER), generated(with_function(NEW))

    def added(self, name):
        old = self.before[name].splitlines()
        return "\n".join(line for line in self.after[name].splitlines() if line not in old)

    def test_it_is_a_native_method(self):
        self.assertEqual(self.added("Natives.java").strip(),
                         "static native long turnAround(NdArray x, long turns, int[] axes, boolean wrap, int dtype);")
        body = self.added("natives.cpp")
        self.assertIn("ARRAY_NATIVE(jlong, turnAround)\n(JNIEnv* env, jclass, jobject given_x, jlong given_turns, jintArray given_axes, "
                      "jboolean given_wrap, jint given_dtype) {", body)
        self.assertIn("ok(cucore_array_turn_around, x, turns, axes.data(), axes.size(), wrap, dtype, &out);", body)

    def test_it_is_a_method_and_a_function_with_a_comment(self):
        method = self.added("ArrayFunctions.java")
        self.assertIn("public NdArray turnAround(long turns, int[] axes, boolean wrap, DType dtype) {", method)
        self.assertIn('return new NdArray(Natives.turnAround(self(), turns, axes, wrap, Calls.notNull(dtype, "dtype").getValue()));', method)
        self.assertIn("/** Turns the matrices of two axes by 90 degrees, as flip() with null would not.", method)
        self.assertIn("* @param wrap true: elements that leave enter at the other end", method)
        self.assertIn("* @param dtype the type; DType.DEFAULT: that of the array", method)
        self.assertIn("* @return the turned array */", method)
        self.assertIn("public static NdArray turnAround(NdArray x, long turns, int[] axes, boolean wrap, DType dtype) {", self.added("NdFunctions.java"))

    def test_nothing_else_changes(self):
        self.assertEqual({name for name in self.after if self.after[name] != self.before[name]},
                         {"cucore_array.h", "Natives.java", "natives.cpp", "ArrayFunctions.java", "NdFunctions.java"})


class Refusals(unittest.TestCase):
    def refusal(self, declaration):
        with self.assertRaises(subprocess.CalledProcessError) as failed:
            generated(with_function(declaration))
        return failed.exception.stderr.strip()

    def test_an_unknown_type_is_named(self):
        self.assertEqual(self.refusal(UNKNOWN), "cucore_array_turn_around: no convention for the parameter float turns; add one to array_model.py")

    def test_a_result_that_needs_a_class_is_named(self):
        self.assertEqual(self.refusal(RECORD), "cucore_array_turn_around: no convention for the result; write a member by hand in "
                         "bindings/java/array that calls Natives.turnAround()")


if __name__ == "__main__":
    unittest.main()
