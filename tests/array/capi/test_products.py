# SPDX-License-Identifier: Apache-2.0
"""Matrix products, numbers at equal distances, and random numbers."""
import ctypes as c
import unittest

import numpy as np
from arrays import DTYPES, Array, Context, Failure, array_library, call, numbers, operand, scalar

context = Context()
array_library.cucore_array_generator_release.argtypes = [c.c_void_p]


def product(name, x, y, *arguments):
    left, right = context.array(x), context.array(y)
    return left.view(f"cucore_array_{name}", right.handle, *arguments)


def matmul(x, y):
    return x.view("cucore_array_matmul", y.handle)


def integers(dtype, shape, rng):
    values = rng.integers(0, 2 if dtype == "bool" else 9, shape).astype(dtype)
    return values + 1j * rng.integers(-4, 4, shape).astype(dtype) if values.dtype.kind == "c" else values


class Products(unittest.TestCase):
    """Small integers, so that sums of floating-point numbers are exact."""

    def test_matmul_of_all_types(self):
        rng = np.random.default_rng(1)
        for dtype in ("bool", "int8", "uint8", "int16", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"):
            for shapes in (((3, 4), (4, 5)), ((5,), (5, 3)), ((3, 5), (5,)), ((6,), (6,)), ((70, 33), (33, 65)), ((2, 3, 4), (4, 2))):
                x, y = (integers(dtype, shape, rng) for shape in shapes)
                with self.subTest(dtype=dtype, shapes=shapes):
                    found = product("matmul", x, y)
                    expected = np.matmul(x, y)
                    self.assertEqual(found.dtype, expected.dtype.name)
                    np.testing.assert_array_equal(found.numpy(), expected)

    def test_sizes_around_tiles_and_broadcast_batches(self):
        rng = np.random.default_rng(2)
        for shapes in (((1, 1), (1, 1)), ((129, 17), (17, 130)), ((64, 128), (128, 64)), ((31, 1), (1, 33)), ((2, 1, 3, 4), (5, 4, 2)), ((3, 2, 2), (3, 2, 2)), ((200, 5), (5, 2)), ((3, 0), (0, 4)), ((0, 3), (3, 2))):
            x, y = (integers("float32", shape, rng) for shape in shapes)
            np.testing.assert_array_equal(product("matmul", x, y).numpy(), np.matmul(x, y))

    def test_views_and_pending_factors(self):
        rng = np.random.default_rng(3)
        values = integers("float32", (4, 6), rng)
        x = context.array(values)
        np.testing.assert_array_equal(matmul(x + 1, x.T).numpy(), (values + 1) @ values.T)
        steps = x[:, ::-2]
        np.testing.assert_array_equal(matmul(steps.T, steps).numpy(), values[:, ::-2].T @ values[:, ::-2])
        square = context.array(values[:, :4].copy())
        np.testing.assert_array_equal(matmul(square, square).numpy(), values[:, :4] @ values[:, :4])

    def test_types_are_promoted_and_shapes_checked(self):
        self.assertEqual(product("matmul", np.ones((2, 2), "int32"), np.ones((2, 2), "float32")).dtype, "float64")
        for shapes in (((2, 3), (2, 3)), ((), (3,)), ((3,), (2,)), ((2, 3, 4), (3, 4, 5))):
            with self.assertRaises(Failure):
                product("matmul", np.ones(shapes[0]), np.ones(shapes[1]))
        with self.assertRaises(Failure) as raised:
            product("matmul", np.ones((2, 3)), np.ones((2, 3)))
        self.assertIn("matmul: shapes (2, 3) and (2, 3) do not fit: 3 is not 2", str(raised.exception))

    def test_tensordot_equals_numpy(self):
        rng = np.random.default_rng(4)
        x, y = integers("float64", (3, 4, 5), rng), integers("float64", (4, 3, 2), rng)
        for x_axes, y_axes in (([1, 0], [0, 1]), ([0], [1]), ([-2], [0]), ([], [])):
            found = product("tensordot", x, y, numbers(x_axes, c.c_int32), numbers(y_axes, c.c_int32), c.c_size_t(len(x_axes)))
            np.testing.assert_array_equal(found.numpy(), np.tensordot(x, y, (x_axes, y_axes)))

    def test_vecdot_conjugates_the_left_factor(self):
        rng = np.random.default_rng(5)
        for dtype in ("int32", "float32", "complex64"):
            x, y = integers(dtype, (3, 4), rng), integers(dtype, (2, 3, 4), rng)
            np.testing.assert_array_equal(product("vecdot", x, y, -1).numpy(), np.sum(np.conj(x) * y, axis=-1))
            np.testing.assert_array_equal(product("vecdot", x, y, -2).numpy(), np.sum(np.conj(x) * y, axis=-2))


class Numbers(unittest.TestCase):
    def linspace(self, start, stop, count, endpoint=True, dtype="default"):
        return Array.made(context, "cucore_array_linspace", DTYPES[dtype], c.byref(scalar(start)), c.byref(scalar(stop)), c.c_int64(count), endpoint,
                          first=context.handle)

    def test_linspace_equals_numpy(self):
        for start, stop, count in ((0.0, 1.0, 11), (-3, 7, 4), (5.0, -5.0, 33), (1.0, 2.0, 1), (0.0, 1.0, 0), (1j, 2 + 3j, 7)):
            for endpoint in (True, False):
                np.testing.assert_array_equal(self.linspace(start, stop, count, endpoint).numpy(), np.linspace(start, stop, count, endpoint))
        np.testing.assert_array_equal(self.linspace(0, 10, 7, dtype="int32").numpy(), np.linspace(0, 10, 7, dtype="int32"))
        np.testing.assert_array_equal(self.linspace(0, 1, 7, dtype="float32").numpy(), np.linspace(0, 1, 7, dtype="float32"))

    def test_eye_equals_numpy(self):
        for rows, columns, diagonal in ((3, 3, 0), (2, 5, 1), (4, 2, -1), (3, 3, 7), (0, 3, 0)):
            found = Array.made(context, "cucore_array_eye", DTYPES["int32"], c.c_int64(rows), c.c_int64(columns), c.c_int64(diagonal), first=context.handle)
            np.testing.assert_array_equal(found.numpy(), np.eye(rows, columns, diagonal, "int32"))


BITS, UNIFORM, NORMAL, INTEGERS, BERNOULLI, EXPONENTIAL = range(1, 7)


class Generator:
    def __init__(self, seed=7):
        self.handle = c.c_void_p()
        call("cucore_array_generator_create", context.handle, c.c_uint64(seed), c.byref(self.handle))

    def __del__(self):
        array_library.cucore_array_generator_release(self.handle)

    def __call__(self, distribution, shape, *parameters, dtype="default"):
        values = (type(operand(0)) * max(len(parameters), 1))(*map(operand, parameters))
        return Array.made(context, "cucore_array_random", distribution, DTYPES[dtype], values, c.c_size_t(len(parameters)), numbers(shape),
                          c.c_size_t(len(shape)), first=self.handle)

    @property
    def state(self):
        state = (c.c_uint64 * 4)()
        call("cucore_array_generator_state", self.handle, state)
        return list(state)


def philox(place, key):
    """The published algorithm, in Python's integers."""
    counter, k = [place & 0xffffffff, place >> 32, 0, 0], [key & 0xffffffff, key >> 32]
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [second >> 32 ^ counter[1] ^ k[0], second & 0xffffffff, first >> 32 ^ counter[3] ^ k[1], first & 0xffffffff]
        k = [(k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff]
    return counter


class Random(unittest.TestCase):
    def test_the_published_vectors(self):
        self.assertEqual(philox(0, 0), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8])

    def test_bits_are_those_of_philox(self):
        seed = 0x123456789abcdef0
        found = Generator(seed)(BITS, (5, 3)).numpy().ravel()
        for place, value in enumerate(found.tolist()):
            words = philox(place, seed)
            self.assertEqual(value, words[0] | words[1] << 32)

    def test_numbers_continue_and_a_state_repeats_them(self):
        generator = Generator()
        first, second = generator(BITS, (10,)).numpy(), generator(BITS, (6,)).numpy()
        np.testing.assert_array_equal(np.concatenate([first, second]), Generator()(BITS, (16,)).numpy())
        self.assertEqual(generator.state, [7, 16, 0, 0])
        other = Generator(1)
        call("cucore_array_generator_set_state", other.handle, (c.c_uint64 * 4)(7, 10, 0, 0))
        np.testing.assert_array_equal(other(BITS, (6,)).numpy(), second)
        with self.assertRaises(Failure):
            call("cucore_array_generator_set_state", other.handle, (c.c_uint64 * 4)(7, 10, 1, 0))

    def test_moments(self):
        count = 60000
        for dtype, rough in (("float16", 0.02), ("bfloat16", 0.03), ("float32", 0.01), ("float64", 0.01)):
            for distribution, mean, deviation in ((UNIFORM, 0.5, 12 ** -0.5), (NORMAL, 0, 1), (EXPONENTIAL, 1, 1)):
                values = Generator()(distribution, (count,), dtype=dtype).astype("float64").numpy()
                self.assertLess(abs(values.mean() - mean), 2 * rough, (dtype, distribution))
                self.assertLess(abs(values.std() - deviation), 2 * rough, (dtype, distribution))
                if distribution == UNIFORM:
                    self.assertTrue(0 <= values.min() and values.max() < 1)
                self.assertTrue(np.isfinite(values).all())

    def test_parameters_broadcast(self):
        low, high = context.array(np.array([[0.0], [10.0]])), context.array(np.array([1.0, 20.0, 30.0]))
        values = Generator()(UNIFORM, (2, 3), low, high).numpy()
        base = Generator()(UNIFORM, (2, 3)).numpy()
        np.testing.assert_array_equal(values, np.array([[0.0], [10.0]]) + base * (np.array([1.0, 20.0, 30.0]) - np.array([[0.0], [10.0]])))

    def test_integers_are_in_their_interval_without_a_bias(self):
        for dtype, low, high in (("int64", -3, 4), ("uint8", 250, 256), ("int8", -128, 128), ("uint64", 0, (1 << 63) + 5), ("int64", -(1 << 63), (1 << 63) - 1)):
            values = Generator(3)(INTEGERS, (20000,), low, high, dtype=dtype).numpy()
            self.assertEqual(values.dtype.name, dtype)
            self.assertTrue(low <= int(values.min()) and int(values.max()) < high)
            if high - low < 300:
                counts = np.bincount(values.astype("int64") - low, minlength=high - low)
                expected = len(values) / (high - low)
                self.assertLess((((counts - expected) ** 2) / expected).sum(), 2 * (high - low) + 30)
        with self.assertRaises(Failure):
            Generator()(INTEGERS, (3,), 4, 4)

    def test_uniform_numbers_are_less_than_the_upper_bound(self):
        for dtype in ("float16", "bfloat16", "float32"):
            for low, high in ((1.0, 2.0), (100.0, 101.0), (101.0, 100.0), (-60000.0, 59904.0)):
                values = Generator()(UNIFORM, (1 << 17,), low, high, dtype=dtype).astype("float64").numpy()
                least = low if low < high else high
                with self.subTest(dtype=dtype, low=low):
                    self.assertTrue(np.isfinite(values).all())
                    self.assertTrue((abs(values - least) <= abs(high - low) + 256 * (least < -1)).all())
                    self.assertFalse((values == high).any())
        np.testing.assert_array_equal(Generator()(UNIFORM, (3,), 5.0, 5.0).numpy(), [5.0] * 3)

    def test_intervals_without_a_finite_length_are_refused(self):
        for low, high, dtype in ((-1.7e308, 1.7e308, "float64"), (-3e38, 3e38, "float32"), (0.0, float("inf"), "float64"), (float("nan"), 1.0, "float64"),
                                 (0.0, 1e6, "float16")):
            with self.assertRaisesRegex(Failure, "expected a finite high - low"):
                Generator()(UNIFORM, (3,), low, high, dtype=dtype)

    def test_empty_intervals_of_arrays_have_their_lower_bound(self):
        low, high = context.array(np.array([5, 5, -3, 8])), context.array(np.array([5, 4, 0, -9]))
        values = Generator()(INTEGERS, (100, 4), low, high).numpy()
        np.testing.assert_array_equal(values[:, [0, 1, 3]], [[5, 5, 8]] * 100)
        np.testing.assert_array_equal(np.unique(values[:, 2]), [-3, -2, -1])

    def test_bernoulli(self):
        values = Generator()(BERNOULLI, (20000,), 0.25).numpy()
        self.assertEqual(values.dtype.name, "bool")
        self.assertLess(abs(values.mean() - 0.25), 0.02)

    def test_numbers_fuse_and_do_not_change_when_they_are_computed_again(self):
        before = context.info()["kernels_launched"]
        generator = Generator()
        noise = generator(NORMAL, (1000,), dtype="float32")
        result = (noise * 2.0 + 1.0).numpy()
        self.assertEqual(context.info()["kernels_launched"] - before, 1)
        np.testing.assert_array_equal(result, noise.numpy() * np.float32(2) + np.float32(1))

    def test_wrong_types_and_counts_are_refused(self):
        generator = Generator()
        for arguments, dtype in (((BITS, (3,)), "float32"), ((UNIFORM, (3,)), "int32"), ((INTEGERS, (3,), 0, 5), "float32"), ((UNIFORM, (3,), 1.0), "default"),
                                 ((INTEGERS, (3,)), "default"), ((9, (3,)), "default"), ((NORMAL, (-1,)), "default")):
            with self.assertRaises(Failure):
                generator(*arguments, dtype=dtype)


if __name__ == "__main__":
    unittest.main(verbosity=2)
