# SPDX-License-Identifier: Apache-2.0
"""Descriptions of an evaluation: plans, counts, sources."""
import ctypes as c
import json
import unittest

import numpy as np
from arrays import Context, Failure, apply, call, evaluate

PLAN, GRAPH, SOURCE, PTX, COUNTS = range(1, 6)


def explain(arrays, what=PLAN):
    handles = (c.c_void_p * max(len(arrays), 1))(*[array.handle for array in arrays])
    size = c.c_size_t()
    try:
        call("cucore_array_explain", handles, c.c_size_t(len(arrays)), what, None, c.c_size_t(0), c.byref(size))
    except Failure:
        if size.value == 0:
            raise
    buffer = c.create_string_buffer(size.value)
    call("cucore_array_explain", handles, c.c_size_t(len(arrays)), what, buffer, size, c.byref(size))
    assert len(buffer.value) + 1 == size.value
    return buffer.value.decode()


def named(array, name):
    call("cucore_array_set_name", array.handle, name.encode())
    return array


ROWS, LENGTH = 24, 48


class Patterns(unittest.TestCase):
    """One kernel, no temporaries, and no byte more than inputs and outputs have."""

    def setUp(self):
        self.context = Context()
        rng = np.random.default_rng(1)
        self.x, self.y, self.z = (self.array(rng.random((ROWS, LENGTH), "float32")) for _ in range(3))

    def array(self, values):
        return self.context.array(np.asarray(values))

    def check(self, results, inputs, outputs):
        counts = json.loads(explain(results, COUNTS))
        self.assertEqual((counts["kernels"], counts["temporaries"], counts["temporary_bytes"]), (1, 0, 0), explain(results))
        self.assertEqual((counts["bytes_read"], counts["bytes_written"]), (inputs, outputs), explain(results))
        self.assertGreater(counts["flops"], 0)
        before = self.context.info()
        evaluate(results)
        after = self.context.info()
        self.assertEqual(after["kernels_launched"] - before["kernels_launched"], 1)
        self.assertEqual(after["bytes_read"] - before["bytes_read"], inputs)
        self.assertEqual(after["bytes_written"] - before["bytes_written"], outputs)

    ALL = 4 * ROWS * LENGTH

    def test_sample_4(self):
        x, y, z = self.x, self.y, self.z
        self.check([(x.apply("sin") * y.apply("cos") + (-z * z).apply("exp") + (x + 1.0).apply("log")).apply("sqrt")], 3 * self.ALL, self.ALL)

    def test_softmax(self):
        shifted = (self.x - self.x.reduce("max", [1], True)).apply("exp")
        self.check([shifted / shifted.reduce("sum", [1], True)], self.ALL, self.ALL)

    def test_log_softmax(self):
        away = self.x - self.x.reduce("max", [1], True)
        self.check([away - away.apply("exp").reduce("sum", [1], True).apply("log")], self.ALL, self.ALL)

    def test_layer_norm(self):
        away = self.x - self.x.reduce("mean", [1], True)
        self.check([away / ((away * away).reduce("mean", [1], True) + 1e-5).apply("sqrt")], self.ALL, self.ALL)

    def test_standardise(self):
        x = self.x
        self.check([(x - x.reduce("mean", [1], True)) / x.reduce("std", [1], True)], self.ALL, self.ALL)

    def test_sum_of_products(self):
        self.check([(self.x * self.y).reduce("sum")], 2 * self.ALL, 4)

    def test_length(self):
        self.check([(self.x * self.x).reduce("sum").apply("sqrt")], self.ALL, 4)

    def test_where(self):
        mask = self.array(np.arange(ROWS * LENGTH).reshape(ROWS, LENGTH) % 3 == 0)
        self.check([apply(self.context, "where", mask, self.x + 1.0, self.y) * self.z], 3 * self.ALL + ROWS * LENGTH, self.ALL)

    def test_mean_and_var_together(self):
        self.check([self.x.reduce("mean"), self.x.reduce("var")], self.ALL, 8)

    def test_mean_and_var_of_a_long_array(self):
        x = self.array(np.ones(100003, "float32"))
        self.check([x.reduce("mean"), x.reduce("var")], 4 * 100003, 8)

    def test_mean_and_var_of_columns(self):
        self.check([self.x.reduce("mean", [0]), self.x.reduce("var", [0])], self.ALL, 8 * LENGTH)


class Texts(unittest.TestCase):
    def setUp(self):
        self.context = Context()
        self.x, self.y = (self.context.array(np.arange(4.0, dtype="float32")) for _ in range(2))

    def test_the_plan_has_names_and_the_formula(self):
        x, y = named(self.x, "x"), named(self.y, "y")
        result = named((x * y + 2.0).apply("sqrt"), "result")
        lines = explain([result]).splitlines()
        self.assertEqual(lines[0], "plan: 1 kernel, reads 32 B, writes 16 B, no temporaries")
        self.assertRegex(lines[1], r"^a_map_[0-9a-f]{16}  f32\[4\]  V\d U\d B256 i32  not compiled yet$")
        self.assertEqual(lines[2:], ["  result = sqrt(x * y + 2)"])
        result.numpy()
        self.assertEqual(explain([result]), "plan: nothing to compute\n")
        self.assertIn("in memory", explain([(x * y + 3.0).apply("sqrt")]))

    def test_brackets_follow_the_operators(self):
        x, y = named(self.x, "x"), named(self.y, "y")
        for result, text in (((x + y) * x, "(x + y) * x"), (x + y * x, "x + y * x"), (x - (y - x), "x - (y - x)"), (-(x + y), "-(x + y)"),
                             (x.apply("less", y), "x < y"), (x.astype("int32"), "i32(x)")):
            self.assertIn(f"r = {text}\n", explain([result]))

    def test_arrays_without_names_have_letters(self):
        self.assertIn("  r = a + b\n", explain([self.x + self.y]))
        results = explain([self.x + self.y, self.x - self.y])
        self.assertIn("  r1 = a + b\n", results)
        self.assertIn("  r2 = a - b\n", results)

    def test_a_name_follows_writes_and_is_removed(self):
        x = named(self.x, "total")
        x += 1.0
        self.assertIn("total = total + 1", explain([x]))
        x.numpy()
        named(x, "")
        self.assertNotIn("total", explain([x + 1.0]))

    def test_temporaries_are_counted(self):
        left, right = self.x.reshape(2, 2) + 1.0, self.y.reshape(2, 2)
        result = left.view("cucore_array_matmul", right.handle)
        del left
        counts = json.loads(explain([result], COUNTS))
        self.assertEqual((counts["kernels"], counts["temporaries"], counts["temporary_bytes"]), (2, 1, 16))
        self.assertIn("1 temporary of 16 B", explain([result]))
        evaluate([result])
        info = self.context.info()
        self.assertEqual((info["temporary_bytes"], info["plans_cached"]), (16, 1))

    def test_a_trim_gives_plans_and_memory_back(self):
        large = self.context.array(np.zeros(1 << 20)) + 1.0
        evaluate([large])
        self.assertEqual(float(large.numpy()[-1]), 1.0)
        info = self.context.info()
        self.assertGreaterEqual(info["plans_cached"], 1)
        self.assertGreaterEqual(info["reserved_bytes"], 8 << 20)
        del large
        self.context.trim(keep=1 << 40)
        self.assertEqual(self.context.info()["plans_cached"], 0)
        self.context.trim()
        self.assertLess(self.context.info()["reserved_bytes"], 8 << 20)
        self.assertEqual(list((self.x + 1.0).numpy()), list(self.x.numpy() + 1.0))

    def test_source_and_ptx_are_those_of_the_kernel(self):
        result = self.x * 3.0
        name = explain([result]).splitlines()[1].split()[0]
        self.assertIn(f"__global__ void __launch_bounds__(256) {name}(", explain([result], SOURCE))
        self.assertIn(f".entry {name}(", explain([result], PTX))
        self.assertEqual(self.context.info()["kernels_launched"], 0)

    def test_the_graph_is_dot(self):
        text = explain([named(self.x, "x") * 3.0], GRAPH)
        self.assertTrue(text.startswith("digraph arrays {") and text.endswith("}\n"))
        for part in ('label="x = stored\\nf32(4,)"', 'label="r = multiply\\nf32(4,)"', 'label="3"', " -> "):
            self.assertIn(part, text)

    def test_names_in_the_graph_are_escaped(self):
        text = explain([named(self.x, 'a"];b[label="\\\n') * 3.0], GRAPH)
        self.assertIn('label="a\\"];b[label=\\"\\\\\\n = stored\\nf32(4,)"', text)

    def test_shared_indices_have_a_line(self):
        base, index = named(self.context.array(np.arange(16).reshape(4, 4) % 4), "base"), named(self.context.array(np.array([1, 2, 3])), "index")
        for _ in range(18):
            index = base[index, index]
        lines = explain([index]).splitlines()
        self.assertIn("  s2 = base[s1, s1]", lines)
        self.assertEqual(lines[-1], "  r = base[s17, s17]")
        self.assertLess(len("".join(lines)), 1000)

    def test_what_only_a_reduction_needs_is_stored_if_it_has_a_name(self):
        new = self.x * 2.0
        norm = (new - self.y).reduce("norm")
        self.assertEqual(json.loads(explain([norm], COUNTS))["bytes_written"], 16 + 4)
        norm.numpy()
        self.assertEqual(explain([new]), "plan: nothing to compute\n")

    def test_a_named_value_is_stored_by_each_family_of_reductions(self):
        for shape, axes in (((40000,), [0]), ((3, 40000), [1]), ((600, 40), [0]), ((5, 30), [1]), ((70000, 3), [0])):
            values = np.arange(np.prod(shape), dtype="float32").reshape(shape) % 17
            named_value = self.context.array(values) * 2.0 + 1.0
            total = named_value.reduce("sum", axes)
            before = self.context.info()["kernels_launched"]
            np.testing.assert_array_equal(total.numpy(), (values * 2 + 1).sum(axes[0]))
            np.testing.assert_array_equal(named_value.numpy(), values * 2 + 1)
            self.assertLessEqual(self.context.info()["kernels_launched"] - before, 1 if len(axes) + axes[0] == len(shape) else 2, shape)

    def test_wrong_calls_are_refused(self):
        other = Context().array(np.zeros(3))
        for arrays, what in (([], PLAN), ([self.x, other], PLAN), ([self.x], 0), ([self.x], 6)):
            with self.assertRaises(Failure):
                explain(arrays, what)


if __name__ == "__main__":
    unittest.main(verbosity=2)
