# SPDX-License-Identifier: Apache-2.0
"""Arrays of cucore_array.h by ctypes, for tests that compare with NumPy."""
import ctypes as c
import os

import numpy as np

DTYPES = {name: number for number, name in enumerate(
    ("default", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64",
     "complex64", "complex128"))}
NAMES = {number: name for name, number in DTYPES.items()}
array_library = c.CDLL(os.environ["CUCORE_ARRAY_LIBRARY"])
core = c.CDLL(os.environ["CUCORE_LIBRARY"])
core.cucore_error_message.restype = c.c_char_p
core.cucore_error_log.restype = c.c_char_p
for function in ("shape", "strides"):
    getattr(array_library, f"cucore_array_{function}").restype = c.POINTER(c.c_int64)
array_library.cucore_array_ndim.restype = c.c_size_t
array_library.cucore_array_bytes.restype = c.c_size_t


class Scalar(c.Structure):
    _fields_ = [("kind", c.c_int32), ("reserved", c.c_int32), ("integer", c.c_int64), ("real", c.c_double), ("imag", c.c_double)]


class Operand(c.Structure):
    _fields_ = [("array", c.c_void_p), ("scalar", Scalar)]


class Index(c.Structure):
    _fields_ = [("kind", c.c_int32), ("given", c.c_uint32), ("start", c.c_int64), ("stop", c.c_int64), ("step", c.c_int64), ("array", c.c_void_p)]


class ContextOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("stream", c.c_void_p), ("cache", c.c_void_p), ("policy", c.c_int32), ("math", c.c_int32),
                ("default_float", c.c_int32), ("reserved", c.c_int32), ("max_bytes", c.c_size_t), ("max_pending", c.c_uint32),
                ("max_depth", c.c_uint32), ("max_retained_bytes", c.c_size_t)]


class ContextInfo(c.Structure):
    FIELDS = ("pending", "live_bytes", "peak_bytes", "evaluations", "by_read", "by_call", "by_depth", "by_count", "by_export", "by_write",
              "kernels_launched", "kernels_compiled", "kernels_from_memory", "kernels_from_disk", "compile_ms", "recomputed",
              "copies_for_readers", "bytes_read", "bytes_written", "arrays", "retained_bytes", "by_retained", "temporary_bytes", "plans_cached",
              "reserved_bytes")
    _fields_ = [("struct_size", c.c_size_t)] + [(name, c.c_uint64) for name in FIELDS]


class ReduceOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("axes", c.POINTER(c.c_int32)), ("axis_count", c.c_size_t), ("axes_given", c.c_int32),
                ("keepdims", c.c_int32), ("dtype", c.c_int32), ("reserved", c.c_int32), ("correction", c.c_double), ("order", c.c_double),
                ("order_given", c.c_int32), ("reserved2", c.c_int32)]


class ApplyOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("dtype", c.c_int32), ("reserved", c.c_int32), ("out", c.c_void_p), ("where", c.c_void_p)]


class PrintOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("threshold", c.c_int64), ("precision", c.c_int32), ("edge_items", c.c_int32),
                ("line_width", c.c_int32), ("suppress_small", c.c_int32)]


class Failure(Exception):
    """A call failed: its status and message."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def call(name, *arguments, library=None):
    error = c.c_void_p()
    status = getattr(library or array_library, name)(*arguments, c.byref(error))
    if status:
        message = core.cucore_error_message(error).decode() + core.cucore_error_log(error).decode()
        core.cucore_error_release(error)
        raise Failure(status, message)


def scalar(number):
    if isinstance(number, (bool, np.bool_)):
        return Scalar(1, 0, int(number))
    if isinstance(number, int):
        return Scalar(2 if number < 1 << 63 else 3, 0, number if number < 1 << 63 else number - (1 << 64))
    if isinstance(number, complex):
        return Scalar(5, 0, 0, number.real, number.imag)
    return Scalar(4, 0, 0, number)


def operand(value):
    return Operand(value.handle, Scalar()) if isinstance(value, Array) else Operand(None, scalar(value))


def numbers(values, kind=c.c_int64):
    return (kind * max(len(values), 1))(*values)


class Context:
    def __init__(self, ordinal=0, **options):
        device = c.c_void_p()
        call("cucore_device_open", ordinal, c.byref(device), library=core)
        self.handle = c.c_void_p()
        fields = ContextOptions(c.sizeof(ContextOptions), **options)
        call("cucore_array_context_create", device, c.byref(fields), c.byref(self.handle))
        core.cucore_device_release(device)

    def __del__(self):
        array_library.cucore_array_context_release(self.handle)

    def info(self):
        info = ContextInfo(c.sizeof(ContextInfo))
        call("cucore_array_context_query", self.handle, c.byref(info))
        return {name: getattr(info, name) for name in ContextInfo.FIELDS}

    def array(self, values, dtype=None):
        """An array with the elements and strides of NumPy's; bfloat16 comes as uint16."""
        values = np.asarray(values)
        dtype = dtype or values.dtype.name
        return Array.made(self, "cucore_array_from_host", DTYPES[dtype], values.ctypes.data_as(c.c_void_p), numbers(values.shape), values.ndim,
                          numbers(values.strides), first=self.handle)

    def npy(self, data):
        return Array.made(self, "cucore_array_from_npy", data, c.c_size_t(len(data)), first=self.handle)

    def arange(self, count, dtype="default"):
        return Array.made(self, "cucore_array_arange", DTYPES[dtype], None, None, c.c_int64(count), first=self.handle)

    def full(self, shape, number, dtype="default"):
        return Array.made(self, "cucore_array_full", DTYPES[dtype], numbers(shape), len(shape), c.byref(scalar(number)), first=self.handle)

    def empty(self, shape, dtype="default"):
        return Array.made(self, "cucore_array_empty", DTYPES[dtype], numbers(shape), len(shape), first=self.handle)

    def evaluate(self):
        call("cucore_array_context_evaluate", self.handle)

    def synchronize(self):
        call("cucore_array_context_synchronize", self.handle)

    def trim(self, keep=0):
        call("cucore_array_context_trim", self.handle, c.c_size_t(keep))


def op_number(name):
    number = c.c_int32()
    call("cucore_array_op_find", name.encode(), c.byref(number))
    return number.value


class Array:
    def __init__(self, context, handle):
        self.context, self.handle = context, handle

    @classmethod
    def made(cls, context, name, *arguments, first):
        out = c.c_void_p()
        call(name, first, *arguments, c.byref(out))
        return cls(context, out)

    def __del__(self):
        array_library.cucore_array_release(self.handle)

    def view(self, name, *arguments):
        return Array.made(self.context, name, *arguments, first=self.handle)

    @property
    def shape(self):
        return tuple(array_library.cucore_array_shape(self.handle)[:array_library.cucore_array_ndim(self.handle)])

    @property
    def strides(self):
        return tuple(array_library.cucore_array_strides(self.handle)[:array_library.cucore_array_ndim(self.handle)])

    @property
    def dtype(self):
        return NAMES[array_library.cucore_array_dtype_of(self.handle)]

    def numpy(self):
        result = np.empty(self.shape, "uint16" if self.dtype == "bfloat16" else self.dtype)
        call("cucore_array_read", self.handle, result.ctypes.data_as(c.c_void_p), c.c_size_t(result.nbytes))
        return result

    def item(self):
        out = Scalar()
        call("cucore_array_item", self.handle, c.byref(out))
        return (bool(out.integer), out.integer, out.integer % (1 << 64), out.real, complex(out.real, out.imag))[out.kind - 1]

    def output(self, name, *arguments):
        """The bytes that a function writes after it was asked for their number."""
        size = c.c_size_t()
        call(name, self.handle, *arguments, None, c.c_size_t(0), c.byref(size))
        buffer = c.create_string_buffer(size.value)
        call(name, self.handle, *arguments, buffer, size, c.byref(size))
        return buffer.raw[:size.value]

    def print(self, **options):
        fields = PrintOptions(c.sizeof(PrintOptions), **options)
        return self.output("cucore_array_print", c.byref(fields))[:-1].decode()

    def npy(self):
        return self.output("cucore_array_to_npy")

    def apply(self, op, *others, dtype="default", out=None, where=None, results=1, first=True):
        return apply(self.context, op, *(self, *others), dtype=dtype, out=out, where=where, results=results)

    def reduce(self, op, axes=None, keepdims=False, dtype="default", correction=0.0, order=None):
        given = numbers(axes or (), c.c_int32)
        options = ReduceOptions(c.sizeof(ReduceOptions), given if axes else None, len(axes or ()), axes is not None, keepdims, DTYPES[dtype], 0,
                                correction, order or 0.0, order is not None)
        return Array.made(self.context, "cucore_array_reduce", self.handle, c.byref(options), first=op_number(op))

    def scan(self, op, axis, dtype="default", initial=False, reverse=False):
        return Array.made(self.context, "cucore_array_scan", self.handle, axis, DTYPES[dtype], initial, reverse, first=op_number(op))

    def astype(self, dtype):
        return self.view("cucore_array_cast", DTYPES[dtype], 0)

    def copy(self):
        return self.view("cucore_array_copy")

    def reshape(self, *shape):
        return self.view("cucore_array_reshape", numbers(shape), len(shape), 0)

    @property
    def T(self):  # noqa: N802
        return self.view("cucore_array_permute", None, 0)

    def permute(self, *axes):
        return self.view("cucore_array_permute", numbers(axes, c.c_int32), len(axes))

    def broadcast(self, *shape):
        return self.view("cucore_array_broadcast", numbers(shape), len(shape))

    def flip(self, *axes):
        return self.view("cucore_array_flip", numbers(axes, c.c_int32), len(axes))

    def take(self, indices, axis):
        return self.view("cucore_array_take", indices.handle, axis)

    def take_along(self, indices, axis):
        return self.view("cucore_array_take_along", indices.handle, axis)

    def roll(self, shifts, axes=None):
        return self.view("cucore_array_roll", numbers(shifts), None if axes is None else numbers(axes, c.c_int32), c.c_size_t(len(shifts)))

    def tile(self, *repeats):
        return self.view("cucore_array_tile", numbers(repeats), c.c_size_t(len(repeats)))

    def pad(self, *widths, number=0):
        return self.view("cucore_array_pad", numbers(widths), 0, c.byref(scalar(number)))

    def unstack(self, axis):
        out = (c.c_void_p * self.shape[axis])()
        call("cucore_array_unstack", self.handle, axis, out, c.c_size_t(len(out)))
        return [Array(self.context, c.c_void_p(handle)) for handle in out]

    def part(self, part):
        return self.view("cucore_array_part", part)

    def __getitem__(self, items):
        indices = index_items(items)
        return self.view("cucore_array_select", indices, len(indices))

    def __setitem__(self, items, value):
        indices = index_items(items)
        call("cucore_array_assign_select", self.handle, indices, len(indices), 0, c.byref(operand(value)))

    def update_at(self, op, items, value):
        indices = index_items(items)
        call("cucore_array_assign_select", self.handle, indices, len(indices), op_number(op), c.byref(operand(value)))

    def nonzero(self):
        out = (c.c_void_p * len(self.shape))()
        call("cucore_array_nonzero", self.handle, out, c.c_size_t(len(out)))
        return [Array(self.context, c.c_void_p(handle)) for handle in out]

    def update(self, op, value):
        call("cucore_array_assign_op", op_number(op), self.handle, c.byref(operand(value)))
        return self

    def write(self, values):
        values = np.ascontiguousarray(values)
        call("cucore_array_write", self.handle, values.ctypes.data_as(c.c_void_p), c.c_size_t(values.nbytes))

    def __add__(self, other): return self.apply("add", other)
    def __sub__(self, other): return self.apply("subtract", other)
    def __mul__(self, other): return self.apply("multiply", other)
    def __truediv__(self, other): return self.apply("divide", other)
    def __neg__(self): return self.apply("negative")
    def __radd__(self, other): return apply(self.context, "add", other, self)
    def __rsub__(self, other): return apply(self.context, "subtract", other, self)
    def __rmul__(self, other): return apply(self.context, "multiply", other, self)
    def __iadd__(self, other): return self.update("add", other)
    def __isub__(self, other): return self.update("subtract", other)
    def __imul__(self, other): return self.update("multiply", other)


def apply(context, op, *operands, dtype="default", out=None, where=None, results=1):
    values = (Operand * len(operands))(*map(operand, operands))
    options = ApplyOptions(c.sizeof(ApplyOptions), DTYPES[dtype], 0, out.handle if out else None, where.handle if where else None)
    handles = (c.c_void_p * results)()
    call("cucore_array_apply", op_number(op), values, c.c_size_t(len(operands)), c.byref(options), None if out else handles,
         c.c_size_t(0 if out else results))
    arrays = [Array(context, c.c_void_p(handle)) for handle in handles] if not out else [out]
    return arrays[0] if len(arrays) == 1 else arrays


def evaluate(arrays):
    """All arrays, of one context, without a wait."""
    handles = (c.c_void_p * max(len(arrays), 1))(*[array.handle for array in arrays])
    call("cucore_array_evaluate", handles, c.c_size_t(len(arrays)))


def index_items(items):
    items = items if isinstance(items, tuple) else (items,)
    result = (Index * max(len(items), 1))()
    for at, item in enumerate(items):
        if isinstance(item, slice):
            parts = (item.start, item.stop, item.step)
            result[at] = Index(2, sum(1 << bit for bit, part in enumerate(parts) if part is not None), *(part or 0 for part in parts))
        elif item is None:
            result[at] = Index(3)
        elif item is Ellipsis:
            result[at] = Index(4)
        elif isinstance(item, Array):
            result[at] = Index(5, 0, 0, 0, 0, item.handle)
        else:
            result[at] = Index(1, 0, item)
    return (Index * len(items))(*result[:len(items)])


def join(name, arrays, axis):
    handles = (c.c_void_p * max(len(arrays), 1))(*[array.handle for array in arrays])
    return Array.made(arrays[0].context, f"cucore_array_{name}", c.c_size_t(len(arrays)), axis, first=handles)
