# SPDX-License-Identifier: Apache-2.0
"""Arrays compared with NumPy, on the CPU device or a GPU."""
import itertools
import json
import sys
import unittest
import warnings
from pathlib import Path

import numpy as np
from arrays import Context, Failure, apply, evaluate, join

TABLE = json.loads(Path(sys.argv.pop(1)).read_text()) if len(sys.argv) > 1 and sys.argv[1].endswith(".json") else []
CONTEXT, EAGER = Context(), Context(policy=1)
EXACT = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "equal", "negative", "abs", "sqrt", "floor", "square", "sign")
warnings.simplefilter("ignore")
np.seterr(all="ignore")


def values(dtype, shape, seed=0):
    rnd = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rnd.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        info = np.iinfo(dtype)
        return rnd.integers(max(info.min, -50), min(info.max, 100), shape).astype(dtype)
    if kind == "c":
        return (rnd.normal(0, 2, shape) + 1j * rnd.normal(0, 2, shape)).astype(dtype)
    return rnd.normal(0, 3, shape).astype(dtype)


def layouts(array):
    """The same elements as arrays of different memory."""
    yield "contiguous", CONTEXT.array(array)
    yield "transposed", CONTEXT.array(array.T).T
    padded = np.zeros((array.shape[0], 2 * array.shape[1] + 1), array.dtype)
    padded[:, 1::2] = array
    yield "strided", CONTEXT.array(padded)[:, 1::2]
    yield "reversed", CONTEXT.array(array[::-1, ::-1].copy()).flip(0, 1)
    shifted = np.concatenate([np.zeros(1, array.dtype), array.ravel()])
    yield "unaligned", CONTEXT.array(shifted)[1:].reshape(*array.shape)


class Elementwise(unittest.TestCase):
    def same(self, got, expected, name, ulp=0):
        self.assertEqual(got.shape, expected.shape, name)
        self.assertEqual(got.dtype, expected.dtype, name)
        if ulp == 0:
            np.testing.assert_array_equal(got, expected, name)
        else:
            np.testing.assert_allclose(got, expected, rtol=ulp * np.finfo(expected.dtype).eps, atol=ulp * np.finfo(expected.dtype).tiny, err_msg=name)

    def test_layouts(self):
        for dtype in ("float32", "float64", "int32", "uint8", "complex64", "float16", "bool"):
            for shape in ((3, 5), (8, 64), (1, 1), (7, 1), (2, 300)):
                a = values(dtype, shape)
                for (name, x), (other, y) in itertools.product(layouts(a), layouts(a)):
                    if other != "contiguous" and name != "contiguous":
                        continue
                    self.same((x + y).numpy(), a + a, f"{dtype} {shape} {name} + {other}")

    def test_operations_of_the_table(self):
        for dtype in ("int8", "uint16", "int64", "float32", "float64"):
            sources = [values(dtype, (5, 7), seed) for seed in range(2)]
            positive = [np.abs(source) + (np.dtype(dtype).type(0.1) if dtype.startswith("float") else 0) for source in sources]
            arrays = {id(source): CONTEXT.array(source) for source in sources + positive}
            cases = list(self.cases(dtype, sources, positive, arrays))
            evaluate([got for _, got, _ in cases])  # a few kernels for all
            for record, got, expected in cases:
                self.compare(record, f"{record['name']} {dtype}", got.numpy(), expected)

    def cases(self, dtype, sources, positive, arrays):
        for record in TABLE:
            if record["family"] not in ("unary", "binary") or not record["numpy"] or record.get("outputs", 1) > 1 or record.get("scalars"):
                continue
            if dtype[0] in "iu" and (record["name"] == "reciprocal" or record["rule"] == "rounding"):
                continue  # 1 / 0, and floor of integers, which was a float before NumPy 2.1
            narrow = record["name"] == "power" or (dtype.startswith("float") and record.get("weight", 1) > 8)
            operands = (positive if narrow else sources)[:2 if record["family"] == "binary" else 1]
            try:
                expected = getattr(np, record["numpy"][0])(*operands)
            except (TypeError, AttributeError):
                continue
            yield record, apply(CONTEXT, record["name"], *[arrays[id(operand)] for operand in operands]), expected

    def compare(self, record, name, got, expected):
        if expected.dtype.kind not in "fc" or ("ulp" not in record and record.get("weight", 1) == 1):
            self.same(got, expected, name)
            return
        self.assertEqual(got.dtype, expected.dtype, name)  # NumPy's own functions of float16 round once more
        np.testing.assert_allclose(got, expected, rtol=64 * np.finfo(expected.dtype).eps, err_msg=name)

    def test_broadcast(self):
        a, b = values("float32", (4, 1, 6)), values("float32", (5, 1))
        x, y = CONTEXT.array(a), CONTEXT.array(b)
        self.same((x * y + x).numpy(), a * b + a, "broadcast")
        self.same((x.broadcast(4, 5, 6) - y).numpy(), a - b, "broadcast view")

    def test_many_axes(self):
        shape = (2, 1, 3, 1, 2, 2, 1, 2, 1, 1, 2, 1)
        a = values("int32", shape)
        x = CONTEXT.array(a)
        order = (11, 4, 2, 0, 1, 3, 5, 7, 6, 8, 10, 9)
        self.same((x.permute(*order) + 1).numpy(), np.transpose(a, order) + 1, "axes")
        b = a.reshape((1,) * 20 + shape)
        self.same((CONTEXT.array(b) * 2).numpy(), b * 2, "32 axes")

    def test_empty_and_scalars(self):
        for shape in ((0,), (3, 0), (), (1,), (1, 1, 1)):
            a = values("float64", shape)
            self.same((CONTEXT.array(a) + 1).numpy(), a + np.float64(1), str(shape))

    def test_promotion_with_numbers(self):
        for dtype in ("bool", "int8", "uint8", "int64", "float16", "float32", "complex64"):
            a = values(dtype, (4,))
            for number in (True, 3, 1.5, 2j):
                self.same((CONTEXT.array(a) * number).numpy(), a * number, f"{dtype} * {number}")
                self.same((number - CONTEXT.array(a.astype(a.dtype if a.dtype != bool else "int8"))).numpy(),
                          number - a.astype(a.dtype if a.dtype != bool else "int8"), f"{number} - {dtype}")

    def test_casts(self):
        names = ("bool", "int8", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64", "complex64")
        for source, target in itertools.product(names, names):
            a = np.abs(values(source, (3, 4)))
            if np.dtype(source).kind == "c" and np.dtype(target).kind != "c":
                continue
            self.same(CONTEXT.array(a).astype(target).numpy(), a.astype(target), f"{source} to {target}")

    def test_half_precision_rounds_once(self):
        a = np.array([1 + 2**-11, 1 + 2**-11 + 2**-40, 65519.0, 65520.0, 6e-8, 1e-8, np.inf, np.nan, -0.0])
        self.same(CONTEXT.array(a).astype("float16").numpy(), a.astype("float16"), "float16")
        bits = CONTEXT.array(np.float32([1, 1 + 2**-8, 1 + 2**-8 + 2**-20, -2.5, np.inf])).astype("bfloat16").numpy()
        self.assertEqual([hex(v) for v in bits], ["0x3f80", "0x3f80", "0x3f81", "0xc020", "0x7f80"])

    def test_several_results(self):
        a = values("float32", (9,))
        whole, rest = CONTEXT.array(a).apply("divmod", 2.0, results=2)
        expected = np.divmod(a, np.float32(2))
        self.same(whole.numpy(), expected[0], "quotient")
        self.same(rest.numpy(), expected[1], "rest")

    def test_parts(self):
        a = values("complex64", (3, 4))
        x = CONTEXT.array(a)
        self.same(x.part(1).numpy(), a.real, "real")
        self.same((x * 2).part(2).numpy(), (a * 2).imag, "imag")
        x.part(2).update("multiply", 3.0)
        a.imag *= 3
        self.same(x.numpy(), a, "write to the imaginary part")


class Memory(unittest.TestCase):
    def test_views_share(self):
        a = np.arange(24.0).reshape(4, 6)
        x = CONTEXT.array(a)
        y, b = x[1:3, ::2], a[1:3, ::2]
        y += 1
        b += 1
        np.testing.assert_array_equal(x.numpy(), a)
        x[0] = 7
        a[0] = 7
        x[1:] = x[:-1]
        a[1:] = a[:-1].copy()
        np.testing.assert_array_equal(x.numpy(), a)
        np.testing.assert_array_equal(y.numpy(), b)

    def test_results_keep_old_elements(self):
        x = CONTEXT.array(np.arange(8.0))
        y = x * 2
        x += 100
        np.testing.assert_array_equal(y.numpy(), np.arange(8.0) * 2)
        element = x[3]
        x[3] = 0
        self.assertEqual(element.item(), 103)

    def test_write_and_where(self):
        x = CONTEXT.array(np.arange(6))
        x.write(np.arange(6) * 10)
        mask = CONTEXT.array(np.array([True, False] * 3))
        apply(CONTEXT, "add", x, 1, out=x, where=mask)
        np.testing.assert_array_equal(x.numpy(), [1, 10, 21, 30, 41, 50])

    def test_read_only(self):
        with self.assertRaisesRegex(Failure, "broadcast view"):
            CONTEXT.array(np.arange(3)).broadcast(2, 3).update("add", 1)

    def test_a_limit_of_memory(self):
        context = Context(max_bytes=4096)
        x = context.array(np.zeros(256))
        y = x + 1
        big = context.empty((400,), "float64") * 2
        with self.assertRaisesRegex(Failure, "max_bytes"):
            big.numpy()
        del big
        np.testing.assert_array_equal(y.numpy(), np.ones(256))


class Reductions(unittest.TestCase):
    LENGTHS = (1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 130, 511, 513, 1025, 4096, 8193, 32767, 32768, 32769, 70001)

    def test_sums_of_integers(self):
        for length in self.LENGTHS:
            a = np.arange(length, dtype="int32") * 7 - 3
            x = CONTEXT.array(a)
            self.assertEqual(x.reduce("sum").item(), int(a.sum()), length)
            self.assertEqual(x.reduce("max").item(), int(a.max()), length)
            self.assertEqual(x[::-1].reduce("argmax").item(), int(a[::-1].argmax()), length)

    def test_axes(self):
        a = values("float64", (4, 5, 6))
        for x, source in ((CONTEXT.array(a), a), (CONTEXT.array(a.transpose(2, 0, 1).copy()).permute(1, 2, 0), a)):
            for count in range(4):
                for axes in itertools.combinations(range(3), count):
                    for op in ("sum", "prod", "min", "max", "mean", "var", "any", "all", "count_nonzero"):
                        for keep in (False, True):
                            got = x.reduce(op, axes, keep).numpy()
                            expected = getattr(np, op)(source, axis=axes, keepdims=keep)
                            np.testing.assert_allclose(got, expected, rtol=1e-12, err_msg=f"{op} {axes} {keep}")
                            self.assertEqual(got.dtype, np.asarray(expected).dtype, op)

    def test_columns(self):
        for shape in ((1000, 3), (513, 130), (5000, 7), (3, 600, 40)):
            a = values("int16", shape)
            axis = len(shape) - 2
            np.testing.assert_array_equal(CONTEXT.array(a).reduce("sum", [axis]).numpy(), a.sum(axis))
            np.testing.assert_array_equal(CONTEXT.array(a).reduce("argmin", [axis]).numpy(), a.argmin(axis))

    def test_variances(self):
        """Of long rows and of columns, which are read once."""
        rng = np.random.default_rng(5)
        cases = [((length,), None) for length in (1, 33, 513, 32768, 32769, 70001)] + [((1037, 131), [0]), ((3, 600, 128), [1]), ((2, 9, 3), [1]), ((3, 40000), [1]), ((30, 4, 40), [0, 2])]
        for shape, axes in cases:
            for dtype, offset, tolerance in (("float32", 0, 2e-6), ("float32", 1000, 2e-6), ("float64", 1e6, 1e-11), ("float16", 0, 2e-3), ("complex64", 3, 2e-6)):
                a = (rng.standard_normal(shape) + offset).astype(dtype)
                if a.dtype.kind == "c":
                    a += 1j * rng.standard_normal(shape).astype("float32")
                wide = a.astype("complex128" if a.dtype.kind == "c" else "float64")
                for op in ("var", "std"):
                    got = CONTEXT.array(a).reduce(op, axes).numpy()
                    expected = getattr(np, op)(wide, axis=None if axes is None else tuple(axes))
                    np.testing.assert_allclose(got, expected, rtol=tolerance, err_msg=f"{op} {shape} {dtype} {offset}")

    def test_variances_of_extremes(self):
        size = 70001
        outlier = np.random.default_rng(6).standard_normal(size).astype("float32")
        outlier[0] = 1e6
        np.testing.assert_allclose(CONTEXT.array(outlier).reduce("var").item(), outlier.astype("float64").var(), rtol=1e-5)
        np.testing.assert_array_equal(CONTEXT.array(np.full(size, 3e38, "float32")).reduce("var").numpy(), np.float32(0))
        for bad in (np.nan, np.inf):
            a = np.ones((size, 2), "float32")
            a[1234, 1] = bad
            self.assertTrue(np.isnan(CONTEXT.array(a).reduce("var").item()))
            np.testing.assert_array_equal(CONTEXT.array(a).reduce("var", [0]).numpy(), [0, np.nan])
        far = CONTEXT.array(np.full(size, 1e8) + np.arange(size) % 2)
        np.testing.assert_allclose(far.reduce("var", correction=1).item(), np.var(np.arange(size) % 2, ddof=1), rtol=1e-14)

    def test_norms(self):
        a = values("float64", (6, 7))
        x = CONTEXT.array(a)
        for order in (2.0, 1.0, np.inf, -np.inf, 0.0, 3.0):
            np.testing.assert_allclose(x.reduce("norm", [1], order=order).numpy(), np.linalg.norm(a, order, axis=1), rtol=1e-12)
        np.testing.assert_allclose(x.reduce("logsumexp", [1]).numpy(), np.log(np.exp(a).sum(1)), rtol=1e-12)

    def test_nan(self):
        a = np.array([3.0, np.nan, 1.0, np.nan])
        x = CONTEXT.array(a)
        self.assertTrue(np.isnan(x.reduce("max").item()))
        self.assertEqual(x.reduce("argmin").item(), 1)

    def test_no_elements(self):
        x = CONTEXT.array(np.zeros((0, 3)))
        np.testing.assert_array_equal(x.reduce("sum", [0]).numpy(), np.zeros(3))
        with self.assertRaisesRegex(Failure, "no identity"):
            x.reduce("max", [0])

    def test_half_precision_accumulates_in_float32(self):
        a = np.full(4096, 1.0, "float16")
        self.assertEqual(CONTEXT.array(a).reduce("sum").item(), 4096.0)


class Scans(unittest.TestCase):
    def test_sums(self):
        for length in (1, 2, 5, 31, 129, 1024, 1025, 5000, 32768, 32769, 100003):
            a = values("int16", (length,))
            x = CONTEXT.array(a)
            np.testing.assert_array_equal(x.scan("cumulative_sum", 0).numpy(), np.cumsum(a), str(length))
            np.testing.assert_array_equal(x.scan("cumsum", 0, reverse=True).numpy(), np.cumsum(a[::-1])[::-1], str(length))
            f = a.astype("float64")
            np.testing.assert_allclose(CONTEXT.array(f).scan("cumsum", -1).numpy(), np.cumsum(f), rtol=1e-12, atol=1e-9)

    def test_axes(self):
        a = values("int32", (3, 40, 5))
        for x, source in ((CONTEXT.array(a), a), (CONTEXT.array(a).T, a.T)):
            for axis in range(3):
                np.testing.assert_array_equal(x.scan("cumsum", axis).numpy(), np.cumsum(source, axis))
                np.testing.assert_array_equal(x[:, ::-1].scan("cumprod", axis, "int64").numpy(), np.cumprod(source[:, ::-1], axis, "int64"))
        got = CONTEXT.array(a).scan("cumsum", 1, initial=True).numpy()
        np.testing.assert_array_equal(got, np.concatenate([np.zeros((3, 1, 5), "int64"), np.cumsum(a, 1)], 1))

    def test_producers_are_inside(self):
        x = CONTEXT.array(values("float32", (4, 3000)))
        before = CONTEXT.info()["kernels_launched"]
        result = (x * x + 1.0).scan("cumsum", 1)
        lazy = result.numpy()
        self.assertEqual(CONTEXT.info()["kernels_launched"] - before, 1)
        y = EAGER.array(x.numpy())
        np.testing.assert_array_equal((y * y + 1.0).scan("cumsum", 1).numpy(), lazy)


def softmax(x):
    shifted = (x - x.reduce("max", [-1], True)).apply("exp")
    return shifted / shifted.reduce("sum", [-1], True)


def layer_norm(x):
    away = x - x.reduce("mean", [-1], True)
    return away / ((away * away).reduce("mean", [-1], True) + 1e-5).apply("sqrt")


PROGRAMS = {
    "pipeline": lambda x: ((x.apply("sin") * x.apply("cos")) + (-(x * x)).apply("exp") + ((x * x) + 1.0).apply("log")).apply("abs").apply("sqrt"),
    "softmax": softmax,
    "layer norm": layer_norm,
    "sum of products": lambda x: (x * x + 1.0).reduce("sum"),
    "root of squares": lambda x: (x * x).reduce("sum").apply("sqrt"),
    "standardise": lambda x: (x - x.reduce("mean", [-1], True)) / x.reduce("std", [-1], True),
    "sums of columns": lambda x: (x * 2.0 - 1.0).reduce("sum", [0]) * 3.0,
    "variance": lambda x: (x * 2.0 - 1.0).reduce("var") * 3.0,
    "variances of columns": lambda x: (x * 2.0 - 1.0).reduce("var", [0]) * 3.0,
}


class Fusion(unittest.TestCase):
    """One kernel, and the bits of a kernel per operation."""

    SHAPES = ((3, 5), (2, 128), (5, 129), (4, 1000), (2, 5000), (1, 32768), (1, 33000), (700, 6))

    def test_bits(self):
        for name, program in PROGRAMS.items():
            for shape in self.SHAPES:
                for dtype in ("float32", "float64", "float16"):
                    a = values(dtype, shape)
                    lazy, eager = program(CONTEXT.array(a)).numpy(), program(EAGER.array(a)).numpy()
                    np.testing.assert_array_equal(np.atleast_1d(lazy).view("uint8"), np.atleast_1d(eager).view("uint8"), f"{name} {shape} {dtype}")

    def test_one_kernel(self):
        for name, program in PROGRAMS.items():
            x = CONTEXT.array(values("float32", (64, 256)))
            before = CONTEXT.info()["kernels_launched"]
            result = program(x)
            result.numpy()
            self.assertEqual(CONTEXT.info()["kernels_launched"] - before, 1, name)

    def test_bytes(self):
        x, y = (CONTEXT.array(values("float32", (64, 256), seed)) for seed in range(2))
        result = softmax(x * y + 1.0)
        before = CONTEXT.info()
        result.numpy()
        after = CONTEXT.info()
        self.assertEqual(after["bytes_read"] - before["bytes_read"], 2 * 64 * 256 * 4)
        self.assertEqual(after["bytes_written"] - before["bytes_written"], 64 * 256 * 4)

    def test_loops_stay_flat(self):
        x = CONTEXT.array(np.zeros(1000, "float32"))
        for _ in range(500):
            x = x * 0.5 + 1.0
        np.testing.assert_allclose(x.numpy(), 2.0, rtol=1e-6)
        y = CONTEXT.array(np.zeros(1000, "float32"))
        before = CONTEXT.info()["kernels_compiled"]
        for _ in range(500):
            y += y * 0.25 + 1.0
            y *= 0.5
        y.numpy()
        self.assertLess(CONTEXT.info()["kernels_compiled"] - before, 5)


class Indexing(unittest.TestCase):
    def test_arrays_of_indices(self):
        a = np.arange(4 * 5 * 6).reshape(4, 5, 6)
        i, j, k = np.array([[0, 3], [-1, 2]]), np.array([1, -5]), np.array([[5], [0]], "int32")
        x = CONTEXT.array(a)
        items = {"i": i, "j": j, "k": k}
        arrays = {name: CONTEXT.array(value) for name, value in items.items()}
        for text in ("i", "i, j", "i, j, k", ":, j", ":, :, k", "i, :, k", "..., j", "None, i", "1:3, i % 3", "i, 2", "2, i", "1, :, j", "::-1, j, None, k",
                     "i, 1:4, ::2", "i, None, j", ":, i, j", "0, i, j", "i, ..., 3", "..., i, 3"):
            mod = text.replace("i % 3", "m")
            names = dict(items, m=i % 3), dict(arrays, m=CONTEXT.array(i % 3))
            expected, got = (eval(f"s[{mod}]", {"s": source, **each}) for source, each in zip((a, x), names))
            np.testing.assert_array_equal(got.numpy(), expected, text)

    def test_take(self):
        a = values("float32", (5, 7))
        x = CONTEXT.array(a)
        rows = np.array([4, 0, -1, 2])
        np.testing.assert_array_equal(x.T.take(CONTEXT.array(rows), 1).numpy(), a.T.take(rows, 1))
        places = np.argsort(a, 1)
        np.testing.assert_array_equal(x.take_along(CONTEXT.array(places), 1).numpy(), np.take_along_axis(a, places, 1))
        before = CONTEXT.info()["kernels_launched"]
        total = (x.take(CONTEXT.array(rows), 0) * 2.0 + 1.0).reduce("sum", [1])
        np.testing.assert_allclose(total.numpy(), (a[rows] * 2 + 1).sum(1), rtol=1e-6)
        self.assertEqual(CONTEXT.info()["kernels_launched"] - before, 1)

    def test_an_index_of_the_device_is_out_of_range(self):
        x = CONTEXT.array(np.arange(5.0))
        picked = x.take(CONTEXT.array(np.array([0, 7, 1])), 0)
        with self.assertRaisesRegex(Failure, "index 7 is out of range for axis 0 of size 5"):
            picked.numpy()
        np.testing.assert_array_equal((x + 1).numpy(), np.arange(5.0) + 1)  # others live

    def test_an_index_that_is_no_integer(self):
        with self.assertRaisesRegex(Failure, "expected integers"):
            CONTEXT.array(np.arange(5.0)).take(CONTEXT.array(np.zeros(3)), 0)


class Joins(unittest.TestCase):
    def test_concat_and_stack(self):
        a, b, d = values("float32", (2, 3)), values("int32", (2, 5)), values("float64", (2, 0))
        x, y, z = CONTEXT.array(a), CONTEXT.array(b), CONTEXT.array(d)
        got, expected = join("concat", [x, y, z], 1).numpy(), np.concatenate([a, b, d], 1)
        np.testing.assert_array_equal(got, expected)
        self.assertEqual(got.dtype, expected.dtype)
        for axis in (0, 1, 2, -1):
            np.testing.assert_array_equal(join("stack", [x, x * 2.0], axis).numpy(), np.stack([a, a * 2], axis))
        parts = join("stack", [x, x * 2.0], 1).unstack(1)
        np.testing.assert_array_equal(parts[1].numpy(), a * 2)
        with self.assertRaisesRegex(Failure, r"concat: array 1 has the shape \(.*\); expected \(.*\), where axis 0 may have another size"):
            join("concat", [x, y], 0)

    def test_a_fused_expression_has_no_temporary_memory(self):
        context = Context()
        x, y, z = (context.array(np.full(1 << 16, number, "float32")) for number in (1, 2, 3))
        before = context.info()
        pipeline = (x.apply("sin") * y.apply("cos") + (-z * z).apply("exp") + (x + 1.0).apply("log")).apply("sqrt")
        pipeline.numpy()
        after = context.info()
        self.assertEqual(after["peak_bytes"] - before["live_bytes"], 1 << 18)
        self.assertEqual(after["kernels_launched"] - before["kernels_launched"], 1)

    def test_a_join_has_no_temporary_memory(self):
        context = Context()
        x = context.array(np.zeros(1 << 16, "float32"))
        before = context.info()
        joined = join("concat", [x + 1.0, x * 2.0], 0)
        joined.numpy()
        after = context.info()
        self.assertEqual(after["peak_bytes"] - before["live_bytes"], 2 << 18)
        self.assertEqual(after["kernels_launched"] - before["kernels_launched"], 2)

    def test_roll_tile_and_pad(self):
        a = np.arange(12).reshape(3, 4)
        x = CONTEXT.array(a)
        for shift, axes in (([1], None), ([-5], None), ([1], [0]), ([2, -1], [0, 1]), ([0], [1]), ([7], [-1])):
            np.testing.assert_array_equal(x.roll(shift, axes).numpy(), np.roll(a, shift[0] if axes is None else shift, axes), f"{shift} {axes}")
        for repeats in ((2,), (2, 3), (2, 1, 2), (0, 2)):
            np.testing.assert_array_equal(x.tile(*repeats).numpy(), np.tile(a, repeats), str(repeats))
        np.testing.assert_array_equal(x.pad(1, 0, 2, 3, number=9).numpy(), np.pad(a, ((1, 0), (2, 3)), constant_values=9))


class Messages(unittest.TestCase):
    def test_texts(self):
        x = CONTEXT.array(np.zeros((3, 4)))
        for action, text in ((lambda: x + CONTEXT.array(np.zeros((2, 4))), r"\(3, 4\).*\(2, 4\)"),
                             (lambda: x[5], "index 5 is out of range for axis 0 of size 3"),
                             (lambda: x.reduce("sum", [2]), "2"),
                             (lambda: x.reshape(5, 5), "25|5"),
                             (lambda: x.apply("bitwise_and", 1.0), "bitwise_and")):
            with self.assertRaisesRegex(Failure, text):
                action()


if __name__ == "__main__":
    unittest.main()
