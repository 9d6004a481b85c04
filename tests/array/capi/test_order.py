# SPDX-License-Identifier: Apache-2.0
"""Sorting, searching and different elements, against NumPy."""
import ctypes as c
import unittest

import numpy as np
from arrays import Array, Context, Failure, call

context = Context()
DTYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128")


def values_of(dtype, shape, rng):
    """Few different values, so that many are equal, and NaN among floating-point numbers."""
    values = rng.integers(0, 2 if dtype == "bool" else 50, shape)
    if dtype.startswith("int"):
        values = values - 25
    values = values.astype(dtype)
    if values.dtype.kind in "fc":
        values = values * np.array(0.5, dtype) - np.array(7, dtype)
        values[rng.random(shape) < 0.1] = np.nan
        values[rng.random(shape) < 0.05] = -np.inf
        values[rng.random(shape) < 0.05] = -0.0
    if values.dtype.kind == "c":
        values = values + 1j * rng.integers(-3, 3, shape)
        values[rng.random(shape) < 0.05] = complex(1, float("nan"))
    return values.astype(dtype)


def bits(values):
    """Equal only for the same bits; all NaN are one."""
    values = np.ascontiguousarray(values)
    if values.dtype.kind in "fc":
        return [str(value) for value in values.ravel().tolist()]
    return values.ravel().tolist()


def descending(values, axis, function):
    """NumPy has no descending order: the reverse of the stable order of the reversed axis."""
    flipped = np.flip(values, axis)
    if function is np.sort:
        return np.flip(np.sort(flipped, axis=axis, kind="stable"), axis)
    return values.shape[axis] - 1 - np.flip(np.argsort(flipped, axis=axis, kind="stable"), axis)


class Sort(unittest.TestCase):
    def check(self, values, axis):
        array = context.array(values)
        np.testing.assert_array_equal(bits(array.view("cucore_array_sort", axis, 0).numpy()), bits(np.sort(values, axis=axis, kind="stable")))
        np.testing.assert_array_equal(array.view("cucore_array_argsort", axis, 0).numpy(), np.argsort(values, axis=axis, kind="stable"))
        np.testing.assert_array_equal(bits(array.view("cucore_array_sort", axis, 1).numpy()), bits(descending(values, axis, np.sort)))
        np.testing.assert_array_equal(array.view("cucore_array_argsort", axis, 1).numpy(), descending(values, axis, np.argsort))

    def test_all_types(self):
        rng = np.random.default_rng(1)
        for dtype in DTYPES:
            with self.subTest(dtype=dtype):
                self.check(values_of(dtype, (300,), rng), 0)

    def test_all_lengths(self):
        rng = np.random.default_rng(2)
        for length in (1, 2, 3, 8, 9, 31, 255, 256, 257, 511, 2047, 2048, 2049, 4096, 5000, 9000, 20000):
            with self.subTest(length=length):
                self.check(values_of("float32", (length,), rng), 0)
        self.check(values_of("complex128", (3000,), rng), 0)
        self.check(values_of("complex64", (70000,), rng), 0)
        for dtype in ("bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"):
            with self.subTest(dtype=dtype):
                self.check(values_of(dtype, (2, 65536 + 4097), rng), 1)
        wide = rng.integers(-(1 << 62), 1 << 62, 100000)
        self.check(wide, 0)
        self.check(wide.view("float64"), 0)
        self.check(values_of("int64", (7000,), rng), 0)

    def test_all_axes(self):
        rng = np.random.default_rng(3)
        values = values_of("int32", (3, 5, 4), rng)
        for axis in (0, 1, 2, -1):
            self.check(values, axis)
        self.check(values.T, 1)
        self.check(values_of("float32", (3, 3000), rng), 1)
        self.check(values_of("float32", (2500, 2), rng), 0)

    def test_nothing(self):
        self.check(np.zeros((0, 3), "float32"), 0)
        self.check(np.zeros((3, 0), "float32"), 0)

    def test_an_expression_is_computed_by_the_same_kernel(self):
        own = Context()
        x = own.array(np.arange(10.0)[::-1].copy())
        before = own.info()["kernels_launched"]
        result = (x * 2 + 1).view("cucore_array_sort", 0, 0)
        np.testing.assert_array_equal(result.numpy(), np.arange(10.0) * 2 + 1)
        self.assertEqual(own.info()["kernels_launched"] - before, 1)

    def test_an_axis_out_of_range_is_refused(self):
        for axis in (1, -2):
            with self.assertRaises(Failure):
                context.array(np.zeros(3)).view("cucore_array_sort", axis, 0)
        with self.assertRaises(Failure):
            context.array(np.array(1.0)).view("cucore_array_sort", -1, 0)


class Search(unittest.TestCase):
    def test_searchsorted_equals_numpy(self):
        rng = np.random.default_rng(4)
        for dtype in ("int32", "float32", "float16", "float64", "complex64"):
            values = values_of(dtype, (40,), rng)
            ordered, sought = np.sort(values), values_of(dtype, (3, 7), rng)
            for right in (0, 1):
                side = "right" if right else "left"
                base, wanted, order = context.array(ordered), context.array(sought), context.array(np.argsort(values, kind="stable"))
                found = base.view("cucore_array_searchsorted", wanted.handle, right, None)
                np.testing.assert_array_equal(found.numpy(), np.searchsorted(ordered, sought, side))
                unsorted = context.array(values)
                found = unsorted.view("cucore_array_searchsorted", wanted.handle, right, order.handle)
                np.testing.assert_array_equal(found.numpy(), np.searchsorted(ordered, sought, side))

    def test_types_are_compared_exactly_and_views_have_strides(self):
        base = context.array(np.arange(0, 100, 2))[::-1][::-1][::3]
        wanted = context.array(np.array([0.5, 6.0, 6.5, 1000.0]))
        found = base.view("cucore_array_searchsorted", wanted.handle, 0, None)
        np.testing.assert_array_equal(found.numpy(), np.searchsorted(np.arange(0, 100, 2)[::3], [0.5, 6.0, 6.5, 1000.0]))

    def test_nothing_to_search_in(self):
        base, wanted = context.array(np.zeros(0)), context.array(np.ones(3))
        self.assertEqual(base.view("cucore_array_searchsorted", wanted.handle, 0, None).numpy().tolist(), [0, 0, 0])


def unique(array, want=7):
    outputs = [c.c_void_p() for _ in range(4)]
    call("cucore_array_unique", array.handle, want, *map(c.byref, outputs))
    return [Array(array.context, handle).numpy() if handle else None for handle in outputs]


class Unique(unittest.TestCase):
    def test_unique_equals_numpy(self):
        rng = np.random.default_rng(6)
        for dtype in ("bool", "int8", "uint16", "int64", "float32", "complex64"):
            for shape in ((30,), (4, 50), (0,), (1,), (3000,)):
                values = rng.integers(0, 2 if dtype == "bool" else 20, shape).astype(dtype)
                found, index, inverse, counts = unique(context.array(values))
                expected = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
                for one, other in zip((found, index, inverse, counts), expected):
                    np.testing.assert_array_equal(one.ravel(), other.ravel())
                self.assertEqual(inverse.shape, values.shape)
                np.testing.assert_array_equal(unique(context.array(values), 0)[0], expected[0])

    def test_each_nan_differs(self):
        values = np.array([1, np.nan, 1, np.nan])
        found, _, inverse, counts = unique(context.array(values))
        self.assertEqual((len(found), counts.tolist(), inverse.tolist()), (3, [2, 1, 1], [0, 1, 0, 2]))

    def test_all_nans_are_one_if_they_are_equal(self):
        for dtype in ("float16", "float32", "complex64"):
            values = np.array([np.nan, 1, -np.nan, 1, np.inf, np.nan], dtype)
            for one, other in zip(unique(context.array(values), 15), np.unique(values, return_index=True, return_inverse=True, return_counts=True)):
                np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(unique(context.array(np.array([3, 1, 3])), 8)[0], [1, 3])
        with self.assertRaisesRegex(Failure, "want is 16; expected at most 15"):
            unique(context.array(values), 16)

    def test_equal_zeros_are_one(self):
        found, *_, counts = unique(context.array(np.array([0.0, -0.0, 0.0])))
        self.assertEqual((found.tolist(), counts.tolist()), ([0.0], [3]))


def repeat(array, repeats, axis):
    if isinstance(repeats, int):
        return array.view("cucore_array_repeat", None, c.c_int64(repeats), axis).numpy()
    counts = context.array(np.array(repeats))
    return array.view("cucore_array_repeat", counts.handle, c.c_int64(0), axis).numpy()


class Repeat(unittest.TestCase):
    FLAT = -(1 << 31)

    def test_repeat_equals_numpy(self):
        values = np.arange(6).reshape(2, 3)
        array = context.array(values)
        for repeats, axis in ((2, 0), (3, 1), (0, 1), ([1, 2], 0), ([2, 0, 3], 1), ([0, 0, 0], 1), ([2], 1)):
            np.testing.assert_array_equal(repeat(array, repeats, axis), np.repeat(values, repeats, axis))
        for repeats in (2, [1, 2, 3, 0, 1, 2]):
            np.testing.assert_array_equal(repeat(array, repeats, self.FLAT), np.repeat(values, repeats))

    def test_negative_and_wrong_numbers_are_refused(self):
        array = context.array(np.arange(3))
        for repeats in (-1, [1, -1, 2], [1, 2], [0.5, 1, 1]):
            with self.assertRaises(Failure):
                repeat(array, repeats, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
