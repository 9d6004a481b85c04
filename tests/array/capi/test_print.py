# SPDX-License-Identifier: Apache-2.0
"""The text of arrays is that of NumPy's str()."""
import ctypes as c
import unittest

import numpy as np
from arrays import Context, Failure, PrintOptions, call

context = Context()
FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = ("bool", *INTEGERS, *FLOATS, "complex64", "complex128")
SPECIAL = (0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, 1e-4, 9e-5, 1e8, 1e3, 0.1)


def bits(dtype, count, rng):
    """Any pattern of bits, so that most numbers have very large or small exponents."""
    dtype = np.dtype(dtype)
    values = np.frombuffer(rng.bytes(count * dtype.itemsize), dtype)
    return values % 2 == 1 if dtype == bool else values


def numbers(dtype, count, rng):
    """Numbers of one of the ranges in which the format changes."""
    if np.dtype(dtype).kind in "bui":
        return bits("uint8", count, rng).astype(dtype) if rng.random() < 0.5 else bits("uint8" if dtype == "bool" else dtype, count, rng).astype(dtype)
    if np.dtype(dtype).kind == "c":
        part = "float32" if dtype == "complex64" else "float64"
        return np.stack((numbers(part, count, rng), numbers(part, count, rng)), 1).view(dtype)[:, 0]
    with np.errstate(all="ignore"):
        kind = rng.integers(6)
        if kind == 0:
            return bits(dtype, count, rng)
        if kind == 1:
            return rng.integers(-100, 100, count).astype(dtype)
        if kind == 2:
            return (rng.integers(-1000, 1000, count) / 8).astype(dtype)
        if kind == 3:
            return rng.choice(SPECIAL, count).astype(dtype)
        return (rng.standard_normal(count) * 10.0 ** rng.integers(-9, 9)).astype(dtype)


def shape_of(rng, most):
    shape = [int(rng.integers(1, 8)) for _ in range(rng.integers(0, 5))]
    while np.prod(shape, dtype=int) > most:
        shape.pop()
    return tuple(shape)


def expected(values, **options):
    # An array without axes is printed as a number, without the options.
    if values.shape == ():
        return str(values)
    names = {"edge_items": "edgeitems", "line_width": "max_line_width"}
    options = {names.get(name, name): value for name, value in options.items()}
    return np.array2string(values, **options)


@unittest.skipIf(np.lib.NumpyVersion(np.__version__) >= "2.3.0", "NumPy 2.3 prints large numbers of float16 and float32 differently")
class Print(unittest.TestCase):
    maxDiff = None

    def check(self, values, **options):
        given = {name: -1 if name == "precision" and value == 0 else int(value) for name, value in options.items()}
        self.assertEqual(context.array(values).print(**given), expected(values, **options), (values.dtype, values.shape, options))

    def test_random_arrays_with_the_defaults(self):
        rng = np.random.default_rng(1)
        for _ in range(250):
            for dtype in DTYPES:
                shape = shape_of(rng, 100)
                self.check(numbers(dtype, int(np.prod(shape, dtype=int)), rng).reshape(shape))

    def test_random_arrays_with_options(self):
        rng = np.random.default_rng(2)
        for _ in range(150):
            for dtype in DTYPES:
                shape = shape_of(rng, 60)
                self.check(numbers(dtype, int(np.prod(shape, dtype=int)), rng).reshape(shape), precision=int(rng.integers(0, 12)),
                           line_width=int(rng.integers(1, 120)), suppress_small=bool(rng.integers(2)))

    def test_all_numbers_of_float16(self):
        everything = np.arange(65536, dtype="uint16").view("float16")
        for value in everything[::7]:
            self.check(np.array(value))
        for start in range(0, 65536, 512):
            self.check(everything[start:start + 512])

    def test_long_arrays_show_their_edges(self):
        rng = np.random.default_rng(3)
        for shape in ((1001,), (10, 101), (4, 300), (7, 11, 15), (2000, 1), (3, 3, 3, 3, 13)):
            for dtype in ("int32", "float32", "complex64"):
                self.check(numbers(dtype, int(np.prod(shape)), rng).reshape(shape))
        self.check(np.arange(20.0), threshold=5, edge_items=2)
        self.check(np.arange(24).reshape(4, 6), threshold=10, edge_items=1)
        self.check(np.arange(1000))

    def test_only_the_edges_of_long_arrays_are_read(self):
        x = context.array(np.zeros(1 << 16, "float32"))
        before = context.info()["bytes_read"]
        self.assertEqual(x.print(), "[0. 0. 0. ... 0. 0. 0.]")
        self.assertEqual(context.info()["bytes_read"] - before, 2 * 6 * 4)  # for the size, then for the text

    def test_views_parts_and_pending_arrays(self):
        values = np.arange(24.0).reshape(4, 6)
        x = context.array(values)
        self.assertEqual(x.T.print(), str(values.T))
        self.assertEqual((x[::2, ::-1] + 0.5).print(), str(values[::2, ::-1] + 0.5))
        self.assertEqual(x.broadcast(2, 4, 6).print(), str(np.broadcast_to(values, (2, 4, 6))))
        z = context.array(values + 1j * values)
        self.assertEqual(z.part(2)[:, 1:].print(), str(values[:, 1:]))
        self.assertEqual(context.arange(3000).reshape(30, 100)[::-1].print(), str(np.arange(3000).reshape(30, 100)[::-1]))

    def test_no_elements_and_no_axes(self):
        for shape in ((0,), (2, 0), (0, 3, 1)):
            self.assertEqual(context.empty(shape).print(), "[]")
        for value in (True, 5, -3, 1.0, 1e16, 1.5e-5, 123456.75, -0.0, np.nan, -np.inf, 2j, 1 + 2.5j, complex(-0.0, 1), complex(1, np.nan),
                      complex(np.inf, -1), complex(np.nan, -np.inf), 1e20 + 1e-7j):
            self.check(np.array(value))

    def test_bfloat16_has_the_fewest_digits(self):
        for word in range(1, 0x7f80, 3):
            value = float(np.uint32(word << 16).view("float32"))
            text = context.array(np.array(word, "uint16"), "bfloat16").print()
            self.assertEqual(nearest_bfloat16(float(text)), word, text)
            digits = len(text.split("e")[0].replace(".", "").strip("0"))
            if digits > 1:
                self.assertNotEqual(nearest_bfloat16(float(f"{value:.{digits - 2}e}")), word, text)
        self.assertEqual(context.array(np.array([0x3f80, 0x4049, 0xbf00], "uint16"), "bfloat16").print(), "[ 1.    3.14 -0.5 ]")

    def test_sizes_and_options_are_checked(self):
        x, size = context.array(np.arange(3)), c.c_size_t()
        buffer = c.create_string_buffer(b"unchanged")
        with self.assertRaisesRegex(Failure, "the text needs 8 bytes and the buffer has 7"):
            call("cucore_array_print", x.handle, None, buffer, c.c_size_t(7), c.byref(size))
        self.assertEqual((size.value, buffer.value), (8, b"unchanged"))
        call("cucore_array_print", x.handle, None, buffer, c.c_size_t(8), c.byref(size))
        self.assertEqual(buffer.value, b"[0 1 2]")
        for field, value in (("threshold", -1), ("precision", -2), ("edge_items", -1), ("line_width", -5)):
            with self.assertRaisesRegex(Failure, f"cucore_array_print_options.{field} is {value}; expected at least"):
                x.print(**{field: value})
        with self.assertRaisesRegex(Failure, "suppress_small"):
            x.print(suppress_small=2)
        with self.assertRaisesRegex(Failure, "struct_size"):
            call("cucore_array_print", x.handle, c.byref(PrintOptions(4)), None, c.c_size_t(0), c.byref(size))


def nearest_bfloat16(value):
    """The bits of the nearest number; half to even."""
    word = int(np.float64(value).view("uint64"))
    if value > 3.4e38:
        return 0x7f80
    exponent = max((word >> 52) - 1023, -126)
    unit = 2.0 ** (exponent - 7)
    count = round(value / unit)
    with np.errstate(over="ignore"):
        return int(np.float32(count * unit).view("uint32")) >> 16


if __name__ == "__main__":
    unittest.main(verbosity=2)
