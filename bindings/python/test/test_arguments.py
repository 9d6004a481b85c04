# SPDX-License-Identifier: Apache-2.0
"""The most common mistakes with arguments, each with its whole message; docs/python.md has the same
table."""
import ctypes
import pathlib
import pickle
import re
import warnings

import numpy as np
import pytest

import cucore

SOURCE = r"""
struct Pair { int number; float factor; };
template <class T> __global__ void axpy(T a, const T *x, T *y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void sum(Pair pair, float *out) { *out = pair.number + pair.factor; }
extern "C" __global__ void count(unsigned n, unsigned *out) { *out = n; }
"""


class Triple(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("factor", ctypes.c_float), ("more", ctypes.c_float)]


@pytest.fixture(scope="module")
def kernels():
    code = cucore.Program(SOURCE).compile(names=["axpy<float>"])
    return {name: code.kernel(name) for name in ("axpy<float>", "sum", "count")}


# The mistakes: (kernel, its arguments, exception, message). x, y and closed are buffers. The
# messages are complete.
MISTAKES = {
    "float for an integer": (
        "axpy<float>", (2.0, "x", "y", 2.5), TypeError,
        "axpy<float> argument 4 of 4: the argument is 2.5 (float); expected an integer of 4 bytes; pass an int"),
    "too large": (
        "axpy<float>", (2.0, "x", "y", 1 << 40), OverflowError,
        "axpy<float> argument 4 of 4: the argument is 1099511627776; expected an integer of 4 bytes, from -2147483648 to "
        "4294967295; pass a number in this range"),
    "too large a float": (
        "axpy<float>", (1e39, "x", "y", 4), OverflowError,
        "axpy<float> argument 1 of 4: the argument is 1e+39; expected a floating-point number of 4 bytes, at most "
        "3.4028235e+38; pass a number in this range"),
    "negative for unsigned": (
        "count", (-(1 << 31) - 1, "y"), OverflowError,
        "count argument 1 of 2: the argument is -2147483649; expected an integer of 4 bytes, from -2147483648 to 4294967295; "
        "pass a number in this range"),
    "pointer for a number": (
        "axpy<float>", ("x", 2.0, "y", 4), TypeError,
        "axpy<float> argument 1 of 4: the argument is a Buffer; expected a floating-point number of 4 bytes; pass a float or an "
        "int"),
    "number for a pointer": (
        "axpy<float>", (2.0, 2.0, "y", 4), TypeError,
        "axpy<float> argument 2 of 4: the argument is 2.0 (float); expected a pointer; pass a Buffer, an array on the device, an "
        "address as an int, or None"),
    "struct of another size": (
        "sum", (Triple(1, 2, 3), "y"), TypeError,
        "sum argument 1 of 2: the argument is an object of type Triple with 12 bytes; expected a struct of 8 bytes; pass a "
        "ctypes.Structure, a NumPy record or bytes of that size"),
    "number for a struct": (
        "sum", (7, "y"), TypeError,
        "sum argument 1 of 2: the argument is 7 (int); expected a struct of 8 bytes; pass a ctypes.Structure, a NumPy record or "
        "bytes of that size"),
    "wrong count": (
        "axpy<float>", (2.0, "x", "y"), TypeError, "axpy<float> takes 4 arguments, 3 were given"),
    "closed buffer": (
        "axpy<float>", (2.0, "closed", "y", 4), cucore.InvalidHandleError,
        "axpy<float> argument 2 of 4: the Buffer is closed; expected an open one; close it after the last launch that uses it"),
    "buffer of another device": (
        "axpy<float>", (2.0, "other", "y", 4), cucore.InvalidArgumentError,
        "axpy<float> argument 2 of 4: the argument is a Buffer of device 1; expected one of device 0, the device of the stream; "
        "copy it with copy_from, or use Buffer.managed"),
}
PAGE = pathlib.Path(__file__).parents[3] / "docs" / "python.md"


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes(what, device, stream, kernels):
    name, arguments, error, message = MISTAKES[what]
    if "other" in arguments and cucore.Device.count() < 2:
        pytest.skip("needs two devices")
    buffers = {each: cucore.Buffer(device, 64, stream) for each in "xy"}
    buffers["closed"] = cucore.Buffer(device, 64, stream)
    buffers["closed"].close()
    if "other" in arguments:
        second = cucore.Device(1)
        buffers["other"] = cucore.Buffer(second, 64, cucore.Stream(second))
    buffers["y"].fill(b"\7", 64, stream)
    values = [buffers.get(each, each) if isinstance(each, str) else each for each in arguments]
    for launch in (kernels[name][1, 4, stream], lambda *all_: cucore.launch(stream, cucore.LaunchConfig(1, 4), kernels[name], *all_)):
        with pytest.raises(error) as caught:
            launch(*values)
        assert str(caught.value) == message
    seen = bytearray(64)
    buffers["y"].read(seen, stream)
    assert seen == b"\7" * 64  # nothing ran


def test_the_page_has_every_message():
    if not PAGE.exists():
        pytest.skip("the pages are not here")
    rows = re.findall(r"^\| ([^|]+) \| `([^|]+)` \|$", PAGE.read_text(), re.M)
    assert {row for row in rows if row[0] in MISTAKES} == {(what, mistake[3]) for what, mistake in MISTAKES.items()}


def test_converted_by_class(device, stream, kernels):
    """Valid arguments: numbers of the other class without loss, in every form of Python."""
    x, y = (cucore.Buffer.managed(device, 16) for _ in range(2))
    source, result = np.frombuffer(x, np.float32), np.frombuffer(y, np.float32)
    for a in (2, 2.0, np.int64(2), np.float16(2), np.float64(2), ctypes.c_int(2), ctypes.c_double(2), 2 * np.True_, bytes(ctypes.c_float(2))):
        for n in (4, 4.0, np.float32(4), np.uint8(4), ctypes.c_double(4), ctypes.c_longlong(4), np.array(4)):
            source[:], result[:] = [1, 2, 3, 4], 1
            kernels["axpy<float>"][1, 4, stream](a, x, y, n)
            stream.synchronize()
            assert result.tolist() == [3, 5, 7, 9], (a, n)
    out = np.frombuffer(y, np.uint32)
    for n, expected in [(-1, 0xFFFFFFFF), (-1.0, 0xFFFFFFFF), (True, 1), (np.int8(-1), 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF)]:
        kernels["count"][1, 1, stream](n, y)  # PTX does not record whether an integer is signed
        stream.synchronize()
        assert out[0] == expected
    for n in (float("nan"), float("inf"), 0.5, np.float32(0.5), ctypes.c_float(0.5), Triple(), None, "4", [4], 4j, stream, np.array(0.5), np.array([4.0, 5.0]),
              ctypes.c_void_p(4), ctypes.c_void_p(), ctypes.c_char_p(b"4")):
        with pytest.raises(TypeError, match="^count argument 1 of 2: the argument is .*; expected an integer of 4 bytes; pass an int$"):
            kernels["count"][1, 1, stream](n, y)
    for a in (np.array([1, 2]), ctypes.c_void_p(4)):
        with pytest.raises(TypeError, match="^axpy<float> argument 1 of 4: the argument is .*; expected a floating-point number of 4 bytes; pass a float"):
            kernels["axpy<float>"][1, 4, stream](a, x, y, 4)
    for pointer in (1.0, True, 1j, b"12345678", (ctypes.c_float * 2)(), ctypes.pointer(ctypes.c_float()), "x", np.float64(1)):
        with pytest.raises(TypeError, match="^count argument 2 of 2: the argument is .*; expected a pointer; pass a Buffer"):
            kernels["count"][1, 1, stream](1, pointer)
    with pytest.raises(OverflowError, match="expected a pointer, from 0 to"):
        kernels["count"][1, 1, stream](1, -y.address)


STORES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4, "f64": 8}
NUMBERS = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.longlong, np.uint8, np.uint16, np.uint32, np.uint64, np.ulonglong, np.float16, np.float32,
           np.float64, np.longdouble, np.complex64, np.complex128]
VALUES = [0, 1, -1, 3, 127, 200, 1.5, -2.0, 40000.0, 2.0**31, 2.0**40, 2**63 + 5, 1e300, float("inf"), float("nan"), 1 + 2j]


@pytest.fixture(scope="module")
def stores():
    def entry(kind):
        register = {"f": "%f" + kind[1:], "u": "%r" + kind[1:]}[kind[0]]
        return (f".visible .entry {kind}(.param .{kind} a, .param .u64 out) {{ .reg .{kind} {register}; .reg .u64 %p; "
                f"ld.param.{kind} {register}, [a]; ld.param.u64 %p, [out]; st.global.{kind} [%p], {register}; ret; }}\n")
    text = ".version 7.0\n.target sm_75\n.address_size 64\n" + "".join(map(entry, STORES))
    code = cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, text)
    return {kind: code.kernel(kind) for kind in STORES}


def _stored(kernel, value, stream):
    """The bytes that reach the kernel, or the exception's type."""
    out = cucore.Buffer.managed(stream.device, 8)
    np.frombuffer(out, np.uint8)[:] = 0xEE
    try:
        kernel[1, 1, stream](value, out)
    except (TypeError, OverflowError) as error:
        return type(error)
    stream.synchronize()
    return bytes(out)


def test_numbers_of_numpy_are_those_of_python(stream, stores):
    """Read from their memory, they must arrive as Python's number of the same value; derived classes too."""
    seen = 0
    for number in NUMBERS:
        class Derived(number if number is not np.bool_ else np.int8):
            pass
        for value in VALUES:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    scalars = [number(value), Derived(value)]
                except (TypeError, OverflowError, ValueError):
                    continue
            for scalar in scalars:
                item = scalar.item() if number is not np.longdouble else float(scalar)
                for kind, kernel in stores.items():
                    for again in range(2):  # the first one may teach the type
                        assert _stored(kernel, scalar, stream) == _stored(kernel, item, stream), (number, value, kind)
                    seen += 1
    assert seen > 1000


def test_a_number_of_numpy_in_a_struct(stream, kernels):
    """Classes that are not numbers: a struct of 8 bytes refuses numbers, and a half is its own bits."""
    for number in (np.float32(1), np.int64(1), np.bool_(True), np.uint64(2**63), np.float16(1)):
        with pytest.raises(TypeError, match="^sum argument 1 of 2: the argument is .*numpy"):
            kernels["sum"][1, 1, stream](number, None)


def test_classes_of_parameters(device, kernels):
    Class = cucore.ParameterClass
    axpy = kernels["axpy<float>"]
    assert axpy.parameters == ((0, 4), (8, 8), (16, 8), (24, 4)) and axpy.parameter(1, device) == (8, 8)
    for parameters in (axpy.parameters, [axpy.parameter(i, device) for i in range(4)]):
        assert [each.parameter_class for each in parameters] == [Class.FLOAT, Class.POINTER, Class.POINTER, Class.INTEGER]
    code = cucore.Program(SOURCE).compile()
    found = {symbol.lowered_name: symbol.parameters for symbol in code.symbols}["sum"]
    assert [each.parameter_class for each in found] == [Class.AGGREGATE, Class.POINTER]
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again[0].parameter_class is Class.AGGREGATE
    with pytest.raises(cucore.InvalidArgumentError):
        axpy.parameter(4)
    assert cucore.ObjectCode.deserialize(code.serialize()).kernel("count").parameters[0].parameter_class is Class.INTEGER


def test_a_closed_kernel_or_stream(device, stream, kernels):
    kernel = cucore.Program(SOURCE).compile().kernel("count")
    bound = kernel[1, 1, stream]
    y = cucore.Buffer.managed(device, 4)
    bound(7, y)
    stream.synchronize()
    kernel.close()
    with pytest.raises(cucore.InvalidHandleError, match="Kernel is closed"):
        bound(7, y)
