# SPDX-License-Identifier: Apache-2.0
"""Each family of kernels with unusual layouts: no axes, no elements, one element, 32 axes, an odd first element, negative steps. NumPy is the judge.

The elements are small integers, so that sums are exact in each type.
"""
import sys
import unittest
import warnings

import numpy as np

import cucore
import cucore.array as xp

DTYPES = ("uint8", "int32", "float32", "float64")
LENGTH = 24 * 24 + 1
#: Views of a buffer of LENGTH elements; the expressions are those of NumPy and of cucore.array.
LAYOUTS = {
    "dense": lambda flat: flat[1:].reshape(24, 24).copy(),
    "unaligned": lambda flat: flat[1:].reshape(24, 24),
    "unaligned, odd rows": lambda flat: flat[1:551].reshape(22, 25),
    "reversed": lambda flat: flat[:-1].reshape(24, 24)[::-1, ::-1],
    "steps": lambda flat: flat[:-1].reshape(24, 24)[1::2, ::-3],
    "transposed": lambda flat: flat[:-1].reshape(24, 24).T,
    "no axes": lambda flat: flat[3:4].reshape(()),
    "one element": lambda flat: flat[7:8],
    "one row": lambda flat: flat[7:20].reshape(1, 13),
    "one column": lambda flat: flat[7:20].reshape(13, 1),
    "no elements": lambda flat: flat[:0],
    "no rows": lambda flat: flat[:0].reshape(0, 5),
    "no columns": lambda flat: flat[:0].reshape(5, 0),
    "32 axes": lambda flat: flat[1:193].reshape((1, 2) * 5 + (1,) * 20 + (2, 3)),
    "32 axes, reversed": lambda flat: flat[1:193].reshape((1,) * 24 + (2, 2, 2, 2, 2, 1, 2, 3)).T[::-1],
}


def swapped_sum(x, lib):
    """The second operand has its elements in the opposite order of axes."""
    return x + lib.permute_dims(lib.permute_dims(x, range(x.ndim)[::-1]).copy(), range(x.ndim)[::-1])


def written(x, index, value):
    made = x.copy()
    made[index] = value
    return made


def written_sum(x, lib):
    """The kernel of the sum must not write past the indices."""
    return written(lib.zeros(6, dtype=x.dtype), [4], lib.reshape(lib.any(x > 8), (1,)))


def written_rows(x, lib):
    group = x[:2] - lib.max(x[:2], axis=-1, keepdims=True)
    return written(lib.zeros((3, x.shape[-1]), dtype=x.dtype), lib.asarray([True, False, True]), group)


def shifted_in_place(x, lib):
    made = x.copy()
    made[1:] += made[:-1]
    return made


def product(x, lib):
    return lib.matmul(x, lib.permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)))


def rows(x):
    return x.ndim > 0 and x.shape[-1] > 0


def columns(x):
    return x.ndim > 0 and x.shape[0] > 0


def always(_):
    return True


def has_axes(x):
    return x.ndim > 0


#: A function of an array and its library, and the arrays that it accepts.
FAMILIES = {
    "map": (lambda x, lib: x * 3 + 1, always),
    "map of a broadcast column": (lambda x, lib: x + x[..., :1], has_axes),
    "map of a broadcast row": (lambda x, lib: x - x[:1], has_axes),
    "map of swapped axes": (swapped_sum, always),
    "choice": (lambda x, lib: lib.where(x > 3, x, x * 2), always),
    "cast": (lambda x, lib: (x + 1).astype("int8"), always),
    "fill": (lambda x, lib: lib.full_like(x, 7), always),
    "copy": (lambda x, lib: x.copy(), always),
    "sum": (lambda x, lib: lib.sum(x), always),
    "sum of rows": (lambda x, lib: lib.sum(x, axis=-1), has_axes),
    "sum of columns": (lambda x, lib: lib.sum(x, axis=0), has_axes),
    "sum of all but the last axis": (lambda x, lib: lib.sum(x, axis=tuple(range(x.ndim - 1))), has_axes),
    "greatest": (lambda x, lib: lib.max(x, axis=-1), rows),
    "place of the least": (lambda x, lib: lib.argmin(x, axis=0), columns),
    "any": (lambda x, lib: lib.any(x > 8), always),
    "sum of a product": (lambda x, lib: lib.sum(x * x + 1), always),
    "row group": (lambda x, lib: x - lib.max(x, axis=-1, keepdims=True) + lib.sum(x, axis=-1, keepdims=True), rows),
    "scan of rows": (lambda x, lib: lib.cumulative_sum(x, axis=-1), has_axes),
    "scan of columns": (lambda x, lib: lib.cumulative_sum(x, axis=0), has_axes),
    "mask": (lambda x, lib: x[x > 3], always),
    "places": (lambda x, lib: lib.nonzero(x > 3)[-1], has_axes),
    "sort of rows": (lambda x, lib: lib.sort(x, axis=-1), has_axes),
    "sort of columns": (lambda x, lib: lib.sort(x, axis=0), has_axes),
    "order of rows": (lambda x, lib: lib.argsort(x, axis=-1, stable=True), has_axes),
    "different elements": (lambda x, lib: lib.unique_values(x), always),
    "product": (product, lambda x: x.ndim > 1),
    "gather": (lambda x, lib: x[..., [0, -1, 0]], rows),
    "take": (lambda x, lib: lib.take(x, lib.asarray([0, -1]), axis=0), columns),
    "scatter": (lambda x, lib: written(x, [0, -1, 0], 9), columns),
    "scatter of a sum": (written_sum, always),
    "masked write of a row group": (written_rows, lambda x: x.ndim == 2 and x.shape[0] > 1 and x.shape[1] > 0),
    "masked write": (lambda x, lib: written(x, x > 3, 1), always),
    "region": (lambda x, lib: written(x, (Ellipsis, slice(None, None, -2)), 5), has_axes),
    "overlap": (shifted_in_place, has_axes),
    "join": (lambda x, lib: lib.concat([x + 1, x * 2], axis=-1), has_axes),
    "flip": (lambda x, lib: lib.flip(x) + 1, always),
    "roll": (lambda x, lib: lib.roll(x, 5) + 1, always),
    "repeat": (lambda x, lib: lib.repeat(x, 3, axis=-1), has_axes),
    "tile": (lambda x, lib: lib.tile(x, (2,) * 7), lambda x: x.size < 200),
    "reshape": (lambda x, lib: lib.reshape(x, (-1,)) * 2, always),
}


class Numpy:
    """NumPy 1 under the names of the Array API."""

    permute_dims, concat, unique_values = map(staticmethod, (np.transpose, np.concatenate, np.unique))

    def __getattr__(self, name):
        return getattr(np, name)

    def cumulative_sum(self, x, axis):
        return np.cumsum(x, axis)

    def argsort(self, x, axis, stable):
        return np.argsort(x, axis, kind="stable")


class Families(unittest.TestCase):
    def check(self, dtype):
        flat = (np.arange(LENGTH) * 2654435761 % (1 << 32) >> 28).astype(dtype)
        ours = xp.asarray(flat)
        expected, found = {}, {}
        for layout, view in LAYOUTS.items():
            for family, (function, accepts) in FAMILIES.items():
                if accepts(view(flat)):
                    expected[family, layout] = function(view(flat), Numpy())
                    found[family, layout] = function(view(ours), xp)
        xp.evaluate(*found.values())
        for key, values in expected.items():
            with self.subTest(dtype=dtype, family=key[0], layout=key[1]):
                self.assertEqual((found[key].shape, found[key].dtype.name), (values.shape, values.dtype.name))
                np.testing.assert_array_equal(found[key].numpy(), values)
        self.assertGreater(len(expected), 400)


for name in DTYPES:
    setattr(Families, f"test_{name}", lambda self, name=name: self.check(name))

class Limits(unittest.TestCase):
    """Shapes with more than 32 axes or 2^63 - 1 elements or bytes are refused, and nothing is computed."""

    def refused(self, message, function):
        with self.assertRaisesRegex((cucore.ShapeError, IndexError), message):
            function()

    def test_axes(self):
        many, some = xp.ones((1,) * 32), xp.ones((1,) * 20)
        index = xp.zeros((1, 1), dtype=xp.int64)
        self.refused("33 dimensions; expected at most 32", lambda: xp.stack([many, many]))
        self.refused("33 dimensions; expected at most 32", lambda: xp.expand_dims(many, axis=0))
        self.refused("33 dimensions; expected at most 32", lambda: many[index])
        self.refused("33 dimensions; expected at most 32", lambda: xp.take(many, index, axis=0))
        self.refused("more than 32 dimensions", lambda: many[None])
        self.refused("40 dimensions; expected at most 32", lambda: xp.tensordot(some, some, axes=0))
        self.refused("33 axes; expected at most 32", lambda: xp.ones((1,) * 33))
        self.refused("33 dimensions; expected at most 32", lambda: xp.tile(xp.ones((2,) * 17), (2,) * 17))

    def test_elements(self):
        x = xp.arange(4)
        for refused in (lambda: xp.repeat(x, 2**62), lambda: xp.tile(x, 2**62), lambda: xp.pad(x, 2**62), lambda: xp.pad(x, 2**63 - 1)):
            self.refused("the result has too many elements", refused)
        wide = xp.broadcast_to(x[:1].astype(xp.int8), (2**62,))
        self.refused("the result has too many elements", lambda: xp.concat([wide, wide]))
        self.refused("more than 2\\^63 - 1 elements", lambda: xp.add(wide, xp.ones((4, 1))))

    def test_bytes(self):
        wide = xp.broadcast_to(xp.ones(1, dtype=xp.int8), (2**61,))
        self.assertEqual(wide.nbytes, 2**61)
        for refused in (lambda: xp.zeros(2**60), lambda: xp.arange(2**61), lambda: xp.broadcast_to(xp.ones(1), (2**61,)), lambda: xp.empty(2**60),
                        lambda: wide + xp.ones(1), lambda: wide.astype(xp.float64), lambda: xp.add(wide, xp.ones((), dtype=xp.complex128))):
            self.refused("more than 2\\^63 - 1 bytes", refused)

    def test_shifts(self):
        self.assertEqual(xp.roll(xp.arange(5), (2**63 - 1, 2**63 - 1)).tolist(), [1, 2, 3, 4, 0])


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main(argv=sys.argv[:1])
