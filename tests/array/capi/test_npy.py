# SPDX-License-Identifier: Apache-2.0
"""Files of NumPy: .npy."""
import ctypes as c
import io
import struct
import unittest

import numpy as np
from arrays import Context, Failure, call

context = Context()
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128")
SHAPES = ((), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 4), (1,) * 32)
STATUS_SHAPE, STATUS_DTYPE = 109, 110


def saved(values, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, values, version=version)
    return file.getvalue()


def made(dtype, shape):
    count = int(np.prod(shape))
    values = np.arange(count).reshape(shape) % 2 if dtype == "bool" else np.arange(count).reshape(shape)
    return (values * (1 - 2.5j)).astype(dtype) if dtype.startswith("complex") else values.astype(dtype)


def file_of(header, version=(1, 0), elements=b""):
    """A file with any header."""
    header = header.encode("latin1")
    length = struct.pack("<H" if version[0] == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes(version) + length + header + elements


def header_of(descr="'<i4'", order="False", shape="(2,)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


class Npy(unittest.TestCase):
    def test_written_bytes_are_those_of_numpy(self):
        for dtype in DTYPES:
            for shape in SHAPES:
                values = made(dtype, shape)
                with self.subTest(dtype=dtype, shape=shape):
                    self.assertEqual(context.array(values).npy(), saved(values))

    def test_all_versions_orders_and_types_are_read(self):
        for dtype in DTYPES:
            for shape in SHAPES:
                values = made(dtype, shape)
                for version in ((1, 0), (2, 0), (3, 0)):
                    for stored in (values, np.asfortranarray(values), values.astype(values.dtype.newbyteorder(">"))):
                        x = context.npy(saved(stored, version))
                        self.assertEqual((x.dtype, x.shape), (dtype, stored.shape))
                        np.testing.assert_array_equal(x.numpy(), stored)

    def test_views_and_pending_arrays_are_written_in_order(self):
        values = np.arange(12.0).reshape(3, 4)
        x = context.array(values)
        self.assertEqual((x.T + 1)[::-1].npy(), saved(np.ascontiguousarray((values.T + 1)[::-1])))

    def test_bfloat16_is_stored_as_two_bytes(self):
        words = np.array([0x3f80, 0x4049, 0x7fc0], "uint16")
        data = context.array(words, "bfloat16").npy()
        self.assertIn(b"'descr': '<V2'", data)
        np.testing.assert_array_equal(np.load(io.BytesIO(data)).view("uint16"), words)
        x = context.npy(data)
        self.assertEqual(x.dtype, "bfloat16")
        np.testing.assert_array_equal(x.numpy(), words)

    def test_bytes_of_bool_become_0_and_1(self):
        x = context.npy(file_of(header_of("'|b1'", shape="(3,)"), elements=b"\x00\x02\xff"))
        self.assertEqual(x.numpy().view("uint8").tolist(), [0, 1, 1])

    def test_other_spellings_of_the_header(self):
        elements = struct.pack("<2i", 7, -8)
        for header in ('{"shape":(2L,),"fortran_order":False,"descr":"<i4"}', "{ 'descr' : '=i4' , 'fortran_order' : False , 'shape' : ( 2 , ) }   \n"):
            self.assertEqual(context.npy(file_of(header, elements=elements + b"more")).numpy().tolist(), [7, -8])

    def refused(self, data, message, status=None):
        with self.assertRaises(Failure) as caught:
            context.npy(data)
        self.assertIn(message, str(caught.exception))
        if status:
            self.assertEqual(caught.exception.status, status)

    def test_files_that_end_early_are_refused(self):
        data = saved(np.arange(5))
        for size in range(len(data)):
            with self.assertRaises(Failure):
                context.npy(data[:size])
        self.refused(data[:-1], "from_npy: the elements have 40 bytes, of which the data has 39")
        self.refused(data[:20], "from_npy: the data has 20 bytes and ends in the header")
        self.refused(data[:5], "from_npy: the data does not begin as a .npy file, with \"\\x93NUMPY\"")

    def test_wrong_headers_are_refused(self):
        rows = (
            (b"PK\x03\x04 something else", "does not begin as a .npy file"),
            (file_of(header_of(), (4, 0)), "the version is 4.0; expected 1.0, 2.0 or 3.0"),
            (file_of("[]"), "the header is not valid at its byte 0: expected '{'"),
            (file_of("{'descr': '<i4'}"), "the key 'fortran_order' is missing"),
            (file_of("{'descr': '<i4', 'descr': '<i4'}"), "the key 'descr' is there twice"),
            (file_of("{'color': 1}"), "the key 'color' is unknown"),
            (file_of("{'descr': '<i4"), "the string has no end"),
            (file_of(header_of(order="maybe")), "expected True or False"),
            (file_of(header_of(shape="(-1,)")), "expected a size from 0 to 2^63 - 1"),
            (file_of(header_of(shape="(99999999999999999999,)")), "expected a size from 0 to 2^63 - 1"),
            (file_of(header_of(shape="(2 2)")), "expected ')'"),
            (file_of(header_of() + "x"), "expected the end of the header"),
        )
        for data, message in rows:
            with self.subTest(message):
                self.refused(data, message)

    def test_other_types_and_shapes_are_refused(self):
        self.refused(file_of(header_of("'|O'")), "the elements have the type '|O'", STATUS_DTYPE)
        self.refused(file_of(header_of("'<f16'")), "the elements have the type '<f16'", STATUS_DTYPE)
        self.refused(file_of(header_of("[('a', '<i4')]")), "the elements have several fields", STATUS_DTYPE)
        self.refused(file_of(header_of(shape="(" + "1," * 33 + ")")), "the shape has more than 32 axes", STATUS_SHAPE)
        self.refused(file_of(header_of(shape="(4611686018427387904, 4)")), "", STATUS_SHAPE)
        self.refused(file_of(header_of("'<c16'", shape="(4611686018427387904,)")), "exceed 2^64 bytes", STATUS_SHAPE)

    def test_a_buffer_that_is_too_small_stays_unchanged(self):
        x, size = context.array(np.arange(3)), c.c_size_t()
        buffer = c.create_string_buffer(b"unchanged", 100)
        with self.assertRaisesRegex(Failure, "the file needs 152 bytes and the buffer has 100"):
            call("cucore_array_to_npy", x.handle, buffer, c.c_size_t(100), c.byref(size))
        self.assertEqual((size.value, buffer.value), (152, b"unchanged"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
