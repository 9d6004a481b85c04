# SPDX-License-Identifier: Apache-2.0
"""Memory that arrays share with buffers, other contexts and other libraries."""
import ctypes as c
import gc
import threading
import unittest

import numpy as np
from arrays import DTYPES, Array, Context, Failure, call, core, numbers

INVALID_ARGUMENT = 101
context = Context()
core.cucore_buffer_address.restype = c.c_uint64
core.cucore_buffer_address.argtypes = [c.c_void_p]
core.cucore_buffer_host_pointer.restype = c.c_void_p
core.cucore_buffer_host_pointer.argtypes = [c.c_void_p]
core.cucore_buffer_release.argtypes = [c.c_void_p]
core.cucore_device_is_emulated.restype = c.c_int32


def device_of(own):
    device = c.c_void_p()
    call("cucore_array_context_device", own.handle, c.byref(device))
    return device


EMULATED = core.cucore_device_is_emulated(device_of(context)) != 0


def stream_of(own):
    stream = c.c_void_p()
    call("cucore_array_context_stream", own.handle, c.byref(stream))
    return stream


class Buffer:
    def __init__(self, handle):
        self.handle = handle

    @classmethod
    def of_bytes(cls, data):
        handle = c.c_void_p()
        call("cucore_buffer_create", device_of(context), c.c_size_t(len(data)), stream_of(context), c.byref(handle), library=core)
        call("cucore_buffer_write", handle, c.c_size_t(0), data, c.c_size_t(len(data)), stream_of(context), library=core)
        return cls(handle)

    def __del__(self):
        core.cucore_buffer_release(self.handle)

    def read(self, size, offset=0):
        result = (c.c_char * size)()
        call("cucore_buffer_read", self.handle, c.c_size_t(offset), result, c.c_size_t(size), stream_of(context), library=core)
        return bytes(result)

    def write(self, data, offset=0):
        call("cucore_buffer_write", self.handle, c.c_size_t(offset), data, c.c_size_t(len(data)), stream_of(context), library=core)

    def array(self, dtype, shape, offset=0, strides=None):
        return Array.made(context, "cucore_array_from_buffer", DTYPES[dtype], self.handle, c.c_size_t(offset), numbers(shape), c.c_size_t(len(shape)),
                          numbers(strides) if strides else None, first=context.handle)


def buffer_of(array):
    handle, offset = c.c_void_p(), c.c_size_t()
    call("cucore_array_buffer", array.handle, c.byref(handle), c.byref(offset))
    return Buffer(handle), offset.value


class Buffers(unittest.TestCase):
    def test_an_array_reads_and_writes_a_buffer(self):
        values = np.arange(6, dtype="float32")
        buffer = Buffer.of_bytes(values.tobytes())
        array = buffer.array("float32", (2, 3))
        np.testing.assert_array_equal(array.numpy(), values.reshape(2, 3))
        array[0] = 7.0
        self.assertEqual(np.frombuffer(buffer.read(24), "float32").tolist(), [7, 7, 7, 3, 4, 5])
        buffer.write(np.float32(9).tobytes(), 20)
        self.assertEqual(array.numpy().tolist(), [[7, 7, 7], [3, 4, 9]])

    def test_strides_and_offsets(self):
        values = np.arange(12, dtype="int16")
        buffer = Buffer.of_bytes(values.tobytes())
        for offset, shape, strides in ((4, (3, 2), (6, 2)), (22, (4,), (-4,)), (0, (2, 2), (2, 8)), (6, (0,), None)):
            array = buffer.array("int16", shape, offset, strides)
            expected = np.lib.stride_tricks.as_strided(values[offset // 2:], shape, strides or (2,) * len(shape))
            np.testing.assert_array_equal(array.numpy(), expected)
        overlapping = buffer.array("int16", (3, 3), 0, (2, 2))
        np.testing.assert_array_equal(overlapping.numpy(), np.lib.stride_tricks.as_strided(values, (3, 3), (2, 2)))
        with self.assertRaises(Failure) as raised:
            overlapping[0] = 1
        self.assertIn("read-only", str(raised.exception))

    def test_elements_outside_and_unaligned_ones_are_refused(self):
        buffer = Buffer.of_bytes(bytes(24))
        for dtype, shape, offset, strides in (("float32", (7,), 0, None), ("float32", (6,), 4, None), ("float32", (2,), 0, (-4,)), ("float32", (2,), 2, None),
                                              ("float32", (2,), 0, (6,))):
            with self.assertRaises(Failure):
                buffer.array(dtype, shape, offset, strides)

    def test_numbers_whose_sums_exceed_64_bits_are_refused(self):
        buffer = Buffer.of_bytes(bytes(4096))
        most = (1 << 63) - 1
        for shape, offset, strides in (((1,), most, None), ((8,), most - 7, None), ((1,), (1 << 64) - 8, None), ((2,), 0, (most,)),
                                       ((5,), 0, (1 << 62,)), ((2, 2), 0, (most, most)), ((2, 2), 0, (-most - 1, -most - 1)), ((0,), 4097, None)):
            with self.assertRaises(Failure) as raised:
                buffer.array("uint8", shape, offset, strides)
            self.assertEqual(raised.exception.status, INVALID_ARGUMENT)
        self.assertEqual(buffer.array("uint8", (0,), 4096).numpy().tolist(), [])

    def test_a_reader_does_not_move_shared_memory(self):
        array = context.array(np.zeros(300_000))
        address = core.cucore_buffer_address(buffer_of(array)[0].handle)
        stopped = threading.Event()

        def read():
            while not stopped.is_set():
                array.numpy()
        reader = threading.Thread(target=read)
        reader.start()
        found = {core.cucore_buffer_address(buffer_of(array)[0].handle) for _ in range(500)}
        stopped.set()
        reader.join()
        self.assertEqual(found, {address})

    def test_the_memory_of_an_array_sees_its_writes(self):
        array = context.array(np.arange(8.0))
        pending = array * 2.0
        shared = array.copy()
        view = array[2:]
        buffer, offset = buffer_of(view)
        self.assertEqual(offset, 16)
        np.testing.assert_array_equal(np.frombuffer(buffer.read(48, offset), "float64"), np.arange(2.0, 8.0))
        array += 10.0
        later = array + 0.5
        array[0] = -1.0
        self.assertEqual(np.frombuffer(buffer.read(64), "float64").tolist(), [-1, 11, 12, 13, 14, 15, 16, 17])
        np.testing.assert_array_equal(pending.numpy(), np.arange(8.0) * 2)
        np.testing.assert_array_equal(shared.numpy(), np.arange(8.0))
        np.testing.assert_array_equal(later.numpy(), np.arange(8.0) + 10.5)
        self.assertGreater(context.info()["by_write"], 0)
        self.assertGreater(context.info()["by_export"], 0)

    def test_every_write_goes_into_shared_memory(self):
        """Writes that read what they change, in each way, against NumPy."""
        def shift(a):
            a[1:] = a[:-1]

        def add_shifted(a):
            a[1:] += a[:-1]

        def reverse(a):
            a[:] = a[::-1]

        def whole(a):
            a[:] = 3

        for action in (shift, add_shifted, reverse, whole):
            values = np.arange(300)
            array = context.array(values)
            buffer, _ = buffer_of(array)
            address = core.cucore_buffer_address(buffer.handle)
            if action is add_shifted:
                values[1:] += values[:-1].copy()
                part = array[1:]
                part += array[:-1]
            else:
                action(values)
                action(array)
            np.testing.assert_array_equal(np.frombuffer(buffer.read(values.nbytes), values.dtype), values, action.__name__)
            again, _ = buffer_of(array)
            self.assertEqual(core.cucore_buffer_address(again.handle), address)

    def test_writes_through_indices_go_into_shared_memory(self):
        values = np.random.default_rng(1).permutation(50)
        array = context.array(values)
        buffer, _ = buffer_of(array)
        values[values.copy()] = values * 2
        array[array] = array * 2
        np.testing.assert_array_equal(np.frombuffer(buffer.read(values.nbytes), values.dtype), values)

    def test_elements_are_read_into_pinned_memory(self):
        handle = c.c_void_p()
        call("cucore_buffer_create_pinned", device_of(context), c.c_size_t(64), c.byref(handle), library=core)
        pinned = Buffer(handle)
        array = context.array(np.arange(6, dtype="int32").reshape(2, 3)).T
        call("cucore_array_read_into", array.handle, pinned.handle, c.c_size_t(8))
        call("cucore_stream_synchronize", stream_of(context), library=core)
        host = np.frombuffer((c.c_char * 64).from_address(core.cucore_buffer_host_pointer(pinned.handle)), "int32")
        self.assertEqual(host[2:8].tolist(), [0, 3, 1, 4, 2, 5])
        with self.assertRaises(Failure):
            call("cucore_array_read_into", array.handle, pinned.handle, c.c_size_t(48))


class Contexts(unittest.TestCase):
    def test_a_copy_in_another_context(self):
        other = Context()
        array = context.array(np.arange(6.0).reshape(2, 3)).T * 2.0
        moved = array.view("cucore_array_to_context", other.handle)
        np.testing.assert_array_equal(moved.numpy(), np.arange(6.0).reshape(2, 3).T * 2)
        array += 1.0
        np.testing.assert_array_equal(moved.numpy(), np.arange(6.0).reshape(2, 3).T * 2)


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class Managed(c.Structure):
    pass


Deleter = c.CFUNCTYPE(None, c.POINTER(Managed))
Managed._fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("context", c.c_void_p), ("deleter", Deleter), ("flags", c.c_uint64), ("tensor", Tensor)]


class Foreign:
    """A tensor of another library, over NumPy's memory."""

    def __init__(self, values, code, flags=0, major=1, device=(1, 0)):
        self.values, self.deleted = values, 0
        self.shape, self.strides = numbers(values.shape), numbers([stride // values.itemsize for stride in values.strides])
        self.deleter = Deleter(self.delete)
        self.managed = Managed(major, 0, None, self.deleter, flags, Tensor(values.ctypes.data, *device, values.ndim, code, values.itemsize * 8, 1,
                                                                           self.shape, self.strides, 0))

    def delete(self, _):
        self.deleted += 1

    def array(self, copy=0):
        return Array.made(context, "cucore_array_from_dlpack", c.byref(self.managed), 1, copy, first=context.handle)


class Pinned(Foreign):
    """A tensor over memory of the host that the CPU device reaches."""

    def __init__(self):
        self.memory = exported(context.array(np.arange(4.0)) * 1.0)
        tensor = self.memory.contents.tensor
        super().__init__(np.frombuffer((c.c_char * 32).from_address(tensor.data + tensor.byte_offset), "float64"), 2)

    def end(self):
        self.memory.contents.deleter(self.memory)


def exported(array, copy=0):
    out = c.c_void_p()
    call("cucore_array_to_dlpack", array.handle, None, 1, copy, c.byref(out))
    return c.cast(out, c.POINTER(Managed))


class DLPack(unittest.TestCase):
    def settle(self, foreign):
        """Work on the stream is over, and the context has looked."""
        gc.collect()
        for _ in range(3):
            context.array(np.zeros(1)).numpy()
        return foreign.deleted

    def test_foreign_memory(self):
        foreign = Foreign(np.arange(12, dtype="int32").reshape(3, 4)[:, ::2], 0)
        array = foreign.array()
        np.testing.assert_array_equal(array.numpy(), foreign.values)
        del array
        self.assertEqual(self.settle(foreign), 1)

    def test_a_tensor_of_ours_comes_back_to_the_same_memory(self):
        array = context.array(np.arange(4.0))
        managed = exported(array)
        back = Array.made(context, "cucore_array_from_dlpack", managed, 1, 2, first=context.handle)
        back += 1.0
        self.assertEqual(back.numpy().tolist(), [1, 2, 3, 4])
        self.assertEqual(array.numpy().tolist(), [1, 2, 3, 4])
        del array
        gc.collect()
        self.assertEqual((back * 2.0).numpy().tolist(), [2, 4, 6, 8])

    def test_copies(self):
        foreign = Foreign(np.arange(4.0), 2)
        array = foreign.array(copy=1)
        foreign.values[:] = 9
        self.assertEqual(array.numpy().tolist(), [0, 1, 2, 3])
        del array
        self.assertEqual(self.settle(foreign), 1)

    @unittest.skipUnless(EMULATED, "the device does not reach the memory")
    def test_a_copy_of_reachable_memory_is_finished(self):
        foreign = Pinned()
        array = foreign.array(copy=1)
        self.assertEqual(foreign.deleted, 1)
        foreign.values[:] = 9
        self.assertEqual(array.numpy().tolist(), [0, 1, 2, 3])
        foreign.end()

    @unittest.skipUnless(EMULATED, "the device does not reach the memory")
    def test_an_export_keeps_the_tensor_that_it_shows(self):
        foreign = Pinned()
        array = foreign.array(copy=2)
        managed = exported(array)
        del array
        self.assertEqual(self.settle(foreign), 0)
        managed.contents.deleter(managed)
        self.assertEqual(self.settle(foreign), 1)
        foreign.end()

    @unittest.skipUnless(EMULATED, "the device does not reach the memory")
    def test_an_owner_may_evaluate_when_a_trim_gives_memory_back(self):
        other, seen = context.array(np.arange(3.0)), []

        class Evaluating(Pinned):
            def delete(self, _):
                seen.append((other * 2.0).numpy().tolist())
        foreign = Evaluating()
        array = foreign.array(copy=2)
        (array + 1.0).numpy()
        del array
        gc.collect()
        context.trim()
        self.assertEqual(seen, [[0, 2, 4]])
        foreign.end()

    def test_read_only_tensors(self):
        managed = exported(context.array(np.arange(4.0)))
        managed.contents.flags = 1
        array = Array.made(context, "cucore_array_from_dlpack", managed, 1, 0, first=context.handle)
        with self.assertRaises(Failure):
            array[0] = 1.0
        self.assertEqual((array + 1.0).numpy().tolist(), [1, 2, 3, 4])

    def test_host_memory_is_not_shared(self):
        foreign = Foreign(np.arange(4.0), 2)
        with self.assertRaises(Failure):
            foreign.array(copy=2)
        self.assertEqual(foreign.deleted, 0)

    def test_refused_tensors_stay_with_the_caller(self):
        for foreign in (Foreign(np.arange(4.0), 2, major=2), Foreign(np.arange(4.0), 77), Foreign(np.arange(4.0), 2, device=(2, 99))):
            with self.assertRaises(Failure):
                foreign.array()
            self.assertEqual(self.settle(foreign), 0)

    def test_an_export_shares_the_memory(self):
        array = context.array(np.arange(6, dtype="float32").reshape(2, 3))
        managed = exported(array.T)
        tensor = managed.contents.tensor
        self.assertEqual((managed.contents.major, managed.contents.flags, tensor.code, tensor.bits, tensor.ndim), (1, 0, 2, 32, 2))
        self.assertEqual((tensor.shape[:2], tensor.strides[:2]), ([3, 2], [1, 3]))
        if EMULATED:
            self.assertEqual((tensor.device_type, tensor.device_id), (1, 0))
            memory = np.frombuffer((c.c_char * 24).from_address(tensor.data + tensor.byte_offset), "float32")
            array += 1.0
            array.numpy()
            self.assertEqual(memory.tolist(), [1, 2, 3, 4, 5, 6])
        managed.contents.deleter(managed)

    def test_an_export_outlives_its_array(self):
        managed = exported(context.array(np.arange(3.0)) * 2.0)
        gc.collect()
        if EMULATED:
            tensor = managed.contents.tensor
            self.assertEqual(np.frombuffer((c.c_char * 24).from_address(tensor.data + tensor.byte_offset)).tolist(), [0, 2, 4])
        managed.contents.deleter(managed)

    def test_read_only_exports_and_copies(self):
        wide = context.array(np.arange(3.0)).broadcast(2, 3)
        managed = exported(wide)
        self.assertEqual(managed.contents.flags, 1)
        managed.contents.deleter(managed)
        out = c.c_void_p()
        with self.assertRaises(Failure):
            call("cucore_array_to_dlpack", wide.handle, None, 0, 0, c.byref(out))
        managed = exported(wide, copy=1)
        self.assertEqual(managed.contents.flags, 2)
        managed.contents.deleter(managed)


if __name__ == "__main__":
    unittest.main(verbosity=2)
