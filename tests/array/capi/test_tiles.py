# SPDX-License-Identifier: Apache-2.0
"""Transposed operands, whose elements pass through tiles of shared memory, compared with NumPy."""
import unittest

import numpy as np
from arrays import Context, evaluate
from test_explain import SOURCE, explain

DTYPES = ("bool", "int8", "uint16", "float16", "int32", "float32", "float64", "complex64", "complex128")
# rows and columns: whole tiles, edges on both sides, one side of a tile, and the least sizes
SHAPES = ((64, 128), (70, 45), (33, 200), (129, 64), (32, 32))
CONTEXT = Context()


def values(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    numbers = rng.integers(0, 100, shape).astype(dtype)
    return numbers + (1j * rng.integers(0, 100, shape)).astype(dtype) if dtype.startswith("complex") else numbers


def has_tiles(array):
    return "__shared__" in explain([array], SOURCE)


class Tiles(unittest.TestCase):
    def check(self, result, expected, tiles=True):
        self.assertEqual(has_tiles(result), tiles)
        np.testing.assert_array_equal(result.numpy(), expected)

    def test_types_and_edges(self):
        for dtype in DTYPES:
            for shape in SHAPES:
                a, b = values(dtype, shape), values(dtype, shape[::-1], 1)
                with self.subTest(dtype=dtype, shape=shape):
                    self.check(CONTEXT.array(a) + CONTEXT.array(b).T, a + b.T)

    def test_several_operands(self):
        a, *others = (values("float32", (96, 80) if seed == 0 else (80, 96), seed) for seed in range(5))
        x, *rest = map(CONTEXT.array, (a, *others))
        self.check(x + rest[0].T * rest[1].T, a + others[0].T * others[1].T)
        # More than fit in shared memory with large tiles, and more than fit at all.
        x = x.astype("complex128")
        result, expected = x, a.astype("complex128")
        for other in others:
            result, expected = result + CONTEXT.array(other.astype("complex128")).T, expected + other.T.astype("complex128")
        self.check(result, expected)

    def test_batches(self):
        a, b = values("float32", (3, 40, 2, 50)), values("float32", (3, 50, 2, 40), 1)
        self.check(CONTEXT.array(a) + CONTEXT.array(b).permute(0, 3, 2, 1), a + b.transpose(0, 3, 2, 1))
        c = values("float32", (50, 2, 3, 40), 2)
        self.check(CONTEXT.array(a) - CONTEXT.array(c).permute(2, 3, 1, 0), a - c.transpose(2, 3, 1, 0))

    def test_views(self):
        a, b = values("int32", (60, 70)), values("int32", (75, 64), 1)
        x, y = CONTEXT.array(a), CONTEXT.array(b)
        self.check(x + y[2:72, 3:63].T, a + b[2:72, 3:63].T)
        self.check(x + y[2:72, 3:63].T.flip(0, 1), a + b[2:72, 3:63].T[::-1, ::-1])
        self.check(x[:, ::2] + y[2:72:2, 3:63].T, a[:, ::2] + b[2:72:2, 3:63].T)
        row, column = values("int32", (70,), 2), values("int32", (60, 1), 3)
        self.check(x * CONTEXT.array(row) + y[:70, :60].T - CONTEXT.array(column), a * row + b[:70, :60].T - column)

    def test_parts_and_positions(self):
        a, b = values("float32", (40, 50)), values("complex64", (50, 40), 1)
        self.check(CONTEXT.array(a) + CONTEXT.array(b).T.part(2), a + b.T.imag)
        numbers = np.arange(2000).reshape(50, 40)
        result = CONTEXT.array(a).astype("int64") + CONTEXT.array(numbers).T + CONTEXT.arange(2000).reshape(40, 50)
        self.check(result, a.astype("int64") + numbers.T + np.arange(2000).reshape(40, 50))

    def test_copies_and_writes(self):
        a, b = values("float64", (50, 40)), values("float64", (40, 50), 1)
        np.testing.assert_array_equal(CONTEXT.array(a).T.copy().numpy(), a.T)
        x = CONTEXT.array(b)
        x += CONTEXT.array(a).T
        self.check(x, b + a.T)
        square = values("float32", (64, 64), 2)
        y = CONTEXT.array(square)
        y += y.T
        np.testing.assert_array_equal(y.numpy(), square + square.T)

    def test_writes_into_transposed_regions(self):
        """The kernel walks along the memory that it writes: what is transposed like the region needs no tiles."""
        a, b = values("float32", (71, 60)), values("float32", (60, 70), 1)
        for turn, tiles in ((False, True), (True, False)):
            for start in (0, 1):
                source = b[:, : 70 - start]
                expected, x = a.copy(), CONTEXT.array(a)
                value = CONTEXT.array(np.ascontiguousarray(source.T)).T if turn else CONTEXT.array(np.ascontiguousarray(source))
                region = x[1 + start:].T
                region[...] = value * 2
                expected[1 + start:].T[...] = source * 2
                self.check(x, expected, tiles)
        expected, x = a.copy(), CONTEXT.array(a)
        region = x[1:, ::-1].T
        region += 3
        expected[1:, ::-1].T[...] += 3
        self.check(x, expected, tiles=False)
        expected, z = values("complex64", (5, 40, 50)), CONTEXT.array(values("complex64", (5, 40, 50)))
        part = z[1:].permute(2, 0, 1).part(2)
        part[...] = CONTEXT.array(np.ascontiguousarray(values("float32", (50, 4, 40), 3)))
        expected[1:].transpose(2, 0, 1).imag[...] = values("float32", (50, 4, 40), 3)
        np.testing.assert_array_equal(z.numpy(), expected)

    def test_short_axes_have_no_tiles(self):
        a, b = values("float32", (20, 90)), values("float32", (90, 20), 1)
        self.check(CONTEXT.array(a) + CONTEXT.array(b).T, a + b.T, tiles=False)

    def test_transposed_arrays_have_the_kernels_of_the_arrays(self):
        x = CONTEXT.array(np.random.default_rng(3).random((70, 90)).astype("float32"))
        evaluate([x])
        for make in (lambda y, axis: y.reduce("sum", [axis]), lambda y, axis: y.apply("exp").reduce("mean", [axis]),
                     lambda y, axis: y.reduce("max", [axis]), lambda y, axis: y.reduce("sum")):
            for axis in 0, 1:
                with self.subTest(axis=axis):
                    plain, turned = make(x, axis), make(x.T, 1 - axis)
                    self.assertEqual(*(explain([each]).splitlines()[1].split()[0] for each in (plain, turned)))
                    np.testing.assert_array_equal(plain.numpy().view("int32"), turned.numpy().view("int32"))
        for axis in 0, 1:
            plain, turned = x.scan("cumulative_sum", axis), x.T.scan("cumulative_sum", 1 - axis)
            self.assertEqual(*(explain([each]).splitlines()[1].split()[0] for each in (plain, turned)))
            np.testing.assert_array_equal(plain.numpy(), turned.numpy().T)

    def test_reductions_of_other_layouts_have_the_same_bits(self):
        """They have no tiles; a copy in the layout of the other operand has them."""
        a, b = (np.random.default_rng(seed).random((90, 70) if seed else (70, 90)).astype("float32") for seed in range(2))
        x, y = CONTEXT.array(a), CONTEXT.array(b)
        copy = CONTEXT.full((70, 90), 0, "float32")
        copy[...] = y.T
        self.assertTrue(has_tiles(copy))
        evaluate([copy])
        for make in (lambda z: (x + z).reduce("sum", [1]), lambda z: (x + z).reduce("sum", [0]), lambda z: (x * z).reduce("sum"),
                     lambda z: (x + z).scan("cumulative_sum", 1)):
            np.testing.assert_array_equal(make(y.T).numpy().view("int32"), make(copy).numpy().view("int32"))

    def test_same_bits(self):
        """A function of the sum has the bits that it has without tiles."""
        a, b = (np.random.default_rng(seed).random((90, 70) if seed else (70, 90)).astype("float32") for seed in range(2))
        x, y = CONTEXT.array(a), CONTEXT.array(b)
        dense = CONTEXT.array(np.ascontiguousarray(b.T))
        results = [(x.apply("sin") + each.apply("exp") / x) for each in (y.T, dense)]
        self.assertEqual([has_tiles(result) for result in results], [True, False])
        evaluate(results)
        np.testing.assert_array_equal(*(result.numpy().view("int32") for result in results))


if __name__ == "__main__":
    unittest.main()
