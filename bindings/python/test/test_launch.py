# SPDX-License-Identifier: Apache-2.0
"""Scenarios about a launch's arguments and about faults. See tests/bindings/scenarios.md."""
import ctypes
import enum
import struct
import sys

import numpy as np
import pytest

import cucore
from conftest import ON_GPU, run_python


class Pair(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("factor", ctypes.c_float)]


def bits(value):
    return int(np.float16(value).view(np.uint16))


def test_argument_types(device, stream, code):
    take, take_complex = code.kernel("take"), code.kernel("take_complex")
    out = cucore.Buffer.managed(device, 80)
    view = np.frombuffer(out, np.float64)
    colour = enum.IntEnum("colour", {"RED": 3})
    dtype = np.dtype([("number", "i4"), ("factor", "f4")])
    forms = [
        (True, -1, -2, -3, -4, 1.5, 2.5, Pair(7, 0.5), None),
        (np.bool_(True), np.int8(-1), np.int16(-2), np.int32(-3), np.int64(-4), np.float32(1.5), np.float64(2.5),
         np.array((7, 0.5), dtype)[()], 0),
        (ctypes.c_bool(True), ctypes.c_int8(-1), ctypes.c_int16(-2), ctypes.c_int32(-3), ctypes.c_int64(-4),
         ctypes.c_float(1.5), ctypes.c_double(2.5), bytes(Pair(7, 0.5)), ctypes.c_void_p(0)),
        # by value where the size is another one
        (np.int64(1), np.int64(-1), ctypes.c_int64(-2), np.int8(-3), ctypes.c_short(-4), np.float64(1.5),
         ctypes.c_float(2.5), bytearray(Pair(7, 0.5)), np.uint64(0)),
        (1, 255 - 256, -2, -3, -4, np.float16(1.5), np.float32(2.5), memoryview(Pair(7, 0.5)), None),
    ]
    for form in forms:
        view[:] = -99
        take[1, 1, stream](*form, out)
        stream.synchronize()
        assert view.tolist() == [1, -1, -2, -3, -4, 1.5, 2.5, 7, 0.5, 0], form
    take[1, 1, stream](0, 127, 65535, 0xFFFFFFFF, (1 << 64) - 1, colour.RED and 1.0, 0.0, Pair(colour.RED, 1), out.address, out)
    stream.synchronize()
    assert view.tolist() == [0, 127, -1, -1, -1, 1, 0, 3, 1, float(out.address)]
    for f, d, half in [(1 + 2j, 3 - 4j, 1.5), (np.complex64(1 + 2j), np.complex128(3 - 4j), np.float32(1.5)),
                       (np.complex128(1 + 2j), np.complex64(3 - 4j), 1.5)]:
        take_complex[1, 1, stream](f, d, half, out)
        stream.synchronize()
        assert view[:5].tolist() == [1, 2, 3, -4, bits(1.5)]
    take_complex[1, 1, stream](0j, complex("inf"), float("inf"), out)
    stream.synchronize()
    assert view[2] == float("inf") and view[4] == bits("inf")

    data = cucore.Buffer(device, 16, stream)

    class Array:  # of another library
        __cuda_array_interface__ = {"shape": (2, 2), "typestr": "<f4", "data": (data.address, False), "version": 3,
                                    "strides": (8, 4), "stream": 1}

    class Tensor:
        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, *, stream):
            assert stream
            return cucore._cucore._export_dlpack(data, 2, 0)

    class OtherStream:
        def __cuda_stream__(self):
            return 0, stream.native

    ones = np.ones(4, np.float32)
    data.write(ones, stream)
    for memory in (data, data.address, Array(), Tensor(), np.uint64(data.address), ctypes.c_void_p(data.address)):
        code.kernel("scale")[1, 4, OtherStream()](2.0, memory, 4)
    cucore.launch(OtherStream(), cucore.LaunchConfig(1, 4), code.kernel("scale"), 2.0, data, 4)
    data.read(ones, OtherStream())
    assert (ones == 2**7).all()
    legacy = device.default_stream()
    stream.synchronize()
    code.kernel("scale")[1, 4](0.5, data, 4)
    code.kernel("scale")[cucore.LaunchConfig(1, 4), legacy](0.5, data, 4)
    data.read(ones, legacy)
    assert (ones == 2**5).all()
    block = np.zeros(20, np.uint8)
    block[:4].view(np.float32)[0], block[8:16].view(np.uint64)[0], block[16:].view(np.int32)[0] = 2, data.address, 4
    cucore.launch_packed(legacy, cucore.LaunchConfig(1, 4), code.kernel("scale"), block)
    data.read(ones, legacy)
    assert (ones == 2**6).all()


def test_wrong_arguments(device, stream, code):
    scale, take = code.kernel("scale"), code.kernel("take")
    data = cucore.Buffer(device, 80, stream)
    data.write(np.float32(7), stream)
    good = [True, 1, 1, 1, 1, 1.0, 1.0, Pair(1, 1), None, data]

    class Masked:
        __cuda_array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (4096, False), "version": 3, "mask": data}

    class Strided:
        __cuda_array_interface__ = {"shape": (2,), "typestr": "<f4", "data": (4096, False), "version": 3, "strides": (8,)}

    class Broken:
        def __dlpack_device__(self):
            raise RuntimeError("no device today")

        __dlpack__ = None

    for position, value, error in [
        (2, 70000, OverflowError), (2, -40000, OverflowError), (1, 256, OverflowError), (1, -129, OverflowError),
        (3, 1 << 32, OverflowError), (4, 1 << 64, OverflowError), (4, -(1 << 63) - 1, OverflowError),
        (5, 1e39, OverflowError), (0, 1.5, TypeError), (0, 1j, TypeError), (1, "x", TypeError),
        (1, b"xy", TypeError), (7, Pair, TypeError), (7, 7, TypeError), (7, bytes(4), TypeError), (7, None, TypeError), (7, data, TypeError),
        (7, (ctypes.c_int * 3)(), TypeError), (9, 1.0, TypeError), (9, True, TypeError), (9, -1, OverflowError), (9, bytes(8), TypeError), (3, data, TypeError), (8, [1], TypeError),
        (8, np.zeros(4), BufferError), (8, Masked(), BufferError), (8, Strided(), BufferError), (8, {}, TypeError),
        (8, stream, TypeError), (3, ctypes.c_void_p(1 << 40), TypeError), (3, np.datetime64("now"), TypeError),
        (8, Broken(), TypeError),
    ]:
        arguments = list(good)
        arguments[position] = value
        with pytest.raises(error, match=rf"^take argument {position + 1} of 10: "):
            take[1, 1, stream](*arguments)
    for count in (0, 2, 4, 40):
        with pytest.raises(TypeError, match=f"^scale takes 3 arguments, {count} were given$"):
            scale[1, 1, stream](*[1] * count)
    with pytest.raises(TypeError, match="^scale takes 3 arguments, 1 was given$"):
        scale[1, 1, stream](1)
    with pytest.raises(OverflowError, match="^take_complex argument 3 of 4: "):
        code.kernel("take_complex")[1, 1, stream](0j, 0j, 1e6, data)
    with pytest.raises(OverflowError, match="^take_complex argument 1 of 4: "):
        code.kernel("take_complex")[1, 1, stream](1e300j, 0j, 1, data)
    with pytest.raises(cucore.InvalidArgumentError):
        cucore.launch_packed(stream, cucore.LaunchConfig(1, 1), scale, b"short")
    out = np.zeros(1, np.float32)
    data.read(out, stream)
    assert out[0] == 7  # nothing ran


class Said:
    """A __cuda_array_interface__ of four floats, except for the given fields."""

    def __init__(self, address=4096, **others):
        self.__cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (address, False), "version": 3, **others}
        self.__cuda_array_interface__ = {k: v for k, v in self.__cuda_array_interface__.items() if v is not Ellipsis}

    __cuda_array_interface__ = None


class Tensor(ctypes.Structure):
    """DLTensor"""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("type", ctypes.c_uint32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class Given:
    """A buffer's memory with __dlpack__, with other extents and strides."""

    def __init__(self, data, shape, strides):
        self.data = data
        self.shape, self.strides = (ctypes.c_int64 * len(shape))(*shape), (ctypes.c_int64 * len(strides))(*strides)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream):
        capsule = cucore._cucore._export_dlpack(self.data, 2, 0)
        pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
        pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = Tensor.from_address(pointer_of(capsule, b"dltensor"))
        tensor.ndim, tensor.shape, tensor.strides = len(self.shape), self.shape, self.strides
        return capsule


def test_malformed_arrays(device, stream, code):
    """The message contains the array's defect, with the argument's number."""
    scale = code.kernel("scale")
    data = cucore.Buffer(device, 16, stream)

    class Raises:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("detach it first")

    class Consumed:
        def __init__(self):
            self.capsule = data.__dlpack__()

        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, stream):
            return self.capsule

    class NoCapsule(Consumed):
        def __dlpack__(self, stream):
            return 7

    class Failing(Consumed):
        def __dlpack__(self, stream):
            raise ValueError("not today")

    consumed = Consumed()
    scale[1, 4, stream](1.0, consumed, 0)
    for value, words in [
        (Said(shape=...), "has no shape"), (Said(typestr=...), "has no typestr"), (Said(data=...), "has no data"),
        (Said(data=None), r"data .* is None, not \(address, read-only\)"), (Said(data=(None, False)), "16 bytes at no address"),
        (Said(data=("x", False)), "data .* is"), (Said(data=4096), "data .* is 4096"), (Said(shape=4), "shape .* is 4, not a tuple"),
        (Said(shape=(-1,)), r"shape .* is \(-1,\)"), (Said(shape=(1.5,)), "shape .* is"), (Said(typestr="floats"), "typestr .* is 'floats'"),
        (Said(typestr=None), "typestr .* is None"), (Said(strides=(4, 4)), "1 extents and 2 strides"),
        (Said(strides=(8,)), "not contiguous"), (Said(strides="x"), "strides .* is 'x'"), (Said(mask=data), "mask"),
        (Raises(), "RuntimeError: detach it first"), (consumed, "consumed already"), (NoCapsule(), "returned a int, which is not a DLPack capsule"),
        (Failing(), "__dlpack__ raised ValueError: not today"), (Given(data, (2, 2), (1, 2)), "not contiguous"),
    ]:
        with pytest.raises(BufferError, match=rf"^scale argument 2 of 3: .*{words}") as caught:
            scale[1, 4, stream](1.0, value, 0)
        if value.__class__ in (Raises, Failing):
            assert "today" in repr(caught.value.__cause__) or "detach" in repr(caught.value.__cause__)
        with pytest.raises(BufferError, match=words):
            cucore.Buffer.from_array(value, device, stream)
    # Nothing to read or write: strides and addresses are then ignored.
    for empty in (Said(None, shape=(0,)), Said(0, shape=(4, 0, 2), strides=(100, 7, 3)), Given(data, (3, 0), (1, 1)),
                  Given(data, (0, 3), (100, 7))):
        scale[1, 4, stream](1.0, empty, 0)
        assert cucore.Buffer.from_array(empty, device).size == 0
    # A kernel may only read.
    ones = np.ones(4, np.float32)
    data.write(ones, stream)
    read_only = Said(data=(data.address, True), shape=[np.int64(2), 2], strides=(8, 4))
    scale[1, 4, stream](3.0, read_only, 4)
    data.read(ones, stream)
    assert (ones == 3).all()
    with pytest.raises(BufferError, match="read-only"):
        cucore.Buffer.from_array(read_only)


# The fault of the kernel, and the CPU device's report of it.
MISTAKES = {
    "assert(n > 100);": "assertion failed: `n > 100`",
    "__trap();": "trap instruction",
    "*(volatile int *)(long long)(n - 64) = 1;": "illegal address: wrote 4 bytes at 0x0, near the null pointer",
    "data[0] = data[n];": "illegal address: read 4 bytes at",
    "*(int *)((char *)data + 2) = 1;": "misaligned address: wrote 4 bytes at",
    "data[0] = deeper(n);": "stack overflow",
    "while (n) { data[0] += n; }": "has used its budget of 100000 warp instructions, which CUCORE_CPU_TIMEOUT sets",
    "free(data);": "free of an address that malloc did not return",
    'if (threadIdx.x < 32) asm volatile("bar.sync 3, 96;");': "deadlock",
    "void (*f)() = (void (*)())(long long)(n - 64); f();": "call of an address that is not a function of this type: 0x0",
}


@pytest.mark.skipif(ON_GPU, reason="what the CPU device tells of a fault")
@pytest.mark.parametrize("lineinfo", [False, True])
def test_mistakes_are_told(lineinfo):
    run_python(f"""
import cucore
device = cucore.Device()
for body, wanted in {MISTAKES!r}.items():
    source = '''__device__ __noinline__ int deeper(int n) {{ volatile int a[16]; a[n & 15] = n; return deeper(n + 1) + a[(n + 1) & 15]; }}
template <class T> __global__ void k(T *data, int n) {{
''' + body + '''
}}'''
    code = cucore.Program(source, name="mine.cu", lineinfo={lineinfo}).compile(names=["k<int>"])
    with cucore.Stream(device) as stream:
        code.kernel("k<int>")[2, 64, stream](cucore.Buffer(device, 256, stream), 64)
        try:
            stream.synchronize()
            raise SystemExit("no fault: " + body)
        except cucore.KernelFaultError as error:
            told = str(error)
    assert told.startswith("an earlier kernel broke the context: kernel 'k<int>'") and wanted in told, told
    assert "found by the attempt to wait for a stream of device 0: CUDA_ERROR_" in told, told
    assert not any(part in told for part in (".cucore", ";;", ";)", "\\n", "\\t", "st.global", "call.uni")), told
    if "budget" not in told:
        assert ("at mine.cu:" in told) == {lineinfo} and ("Program(lineinfo=...)" in told) != {lineinfo}, told
    device.reset()
""", CUCORE_CPU_TIMEOUT="100000")


def test_fault_and_reset():
    # In a separate process, because a fault breaks all streams of a device.
    run_python("""
import cucore
from conftest import ON_GPU, SOURCE
device = cucore.Device(0)
code = cucore.Program(SOURCE).compile()
old = cucore.Stream(device)
data = cucore.Buffer(device, 4, old)
code.kernel("crash")[1, 1, old](data)
for call in (old.synchronize, lambda: cucore.Buffer(device, 4, old), device.synchronize):
    try:
        call()
    except cucore.KernelFaultError as error:
        assert error.status is cucore.Status.KERNEL_FAULT and error.native_name == "CUDA_ERROR_ILLEGAL_ADDRESS"
        told = str(error)
        assert told.startswith("an earlier kernel broke the context"), told
        assert ("compute-sanitizer" if ON_GPU else "kernel 'crash' block (0,0,0) thread (0,0,0): illegal address: wrote 4 bytes at ") in told, told
        assert ON_GPU or "compile with Program(lineinfo=...)" in told, told
    else:
        raise AssertionError("no fault")
if ON_GPU:  # only the end of the process remains
    try:
        device.reset()
        cucore.Stream(device)
    except cucore.Error as error:
        assert error.native_name, error
    raise SystemExit
device.reset()
for call in (old.synchronize, lambda: data.read(bytearray(4), old)):
    try:
        call()
    except cucore.InvalidStateError:
        pass
    else:
        raise AssertionError("the old stream works")
new = cucore.Stream(device)
fresh = cucore.Buffer(device, 4, new)
fresh.write(bytes(4), new)
code.kernel("spin")[1, 1, new](fresh, 5)
out = bytearray(4)
fresh.read(out, new)
assert out[0] == 5
""")


def test_configs_are_values():
    config = cucore.LaunchConfig((4, 2), 8, cluster=2, cooperative=True)
    assert config == cucore.LaunchConfig([4, 2, 1], (8,), cluster=(2, 1), cooperative=True)
    assert hash(config) == hash(cucore.LaunchConfig((4, 2), 8, cluster=2, cooperative=True))
    assert config != cucore.LaunchConfig((4, 2), 8) and config != (4, 2)
    assert eval(repr(config), vars(cucore)) == config


def test_extents_that_change_meanwhile(code):
    extents = []

    class Clearing:
        def __index__(self):
            extents.clear()
            return 1

    extents += [Clearing(), Clearing(), Clearing()]
    assert code.kernel("scale")[extents, 1] and extents == []


def test_scalars_of_the_other_byte_order(device, stream, code):
    other = "__ctype_be__" if sys.byteorder == "little" else "__ctype_le__"
    swapped_int, swapped_long = getattr(ctypes.c_int, other)(7), getattr(ctypes.c_longlong, other)(9)
    with cucore.Buffer.managed(device, 80) as out:
        pair = struct.pack("=if", 0, 0.0)
        code.kernel("take")[1, 1, stream](True, 1, 2, swapped_int, swapped_long, 1.0, 2.0, pair, None, out)
        stream.synchronize()
        assert np.frombuffer(out, "f8")[3:5].tolist() == [7, 9]
