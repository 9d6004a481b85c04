# SPDX-License-Identifier: Apache-2.0
"""NdArray: an array of cucore with the members and spellings of numpy.ndarray, for tests that were written for NumPy.

It converts names, arguments and types; all elements are computed by cucore.array. A part that cucore.array lacks raises Absent.
"""
import operator

import numpy as np

import cucore.array as xp

BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor", "matmul")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
UNARY = ("neg", "pos", "abs", "invert")


class Absent(AttributeError):
    """A test needs a part of NumPy that cucore.array does not have."""


def to_ours(value):
    """Replaces the arrays of a test and of NumPy, also inside of lists, tuples and slices, by arrays of cucore."""
    if isinstance(value, NdArray):
        return value.ours
    if isinstance(value, (np.ndarray, np.generic)):
        return xp.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_ours, value)) if type(value) in (list, tuple) else value
    if isinstance(value, slice):
        return slice(to_ours(value.start), to_ours(value.stop), to_ours(value.step))
    if isinstance(value, (type, np.dtype)) and not issubclass(getattr(value, "type", value), (int, float, complex, np.generic)):
        raise Absent(f"type {value}")
    return value


def to_theirs(value):
    """Replaces arrays and types of cucore in a result by those that the tests expect."""
    if isinstance(value, xp.Array):
        return NdArray(value)
    if isinstance(value, xp.DType):
        return np.dtype(value.name)
    if isinstance(value, tuple):
        return tuple(map(to_theirs, value))
    return list(map(to_theirs, value)) if isinstance(value, list) else value


def to_numpy(value):
    """Replaces arrays in what a test asserts by NumPy's; those without axes by scalars, as NumPy's functions return them."""
    if isinstance(value, NdArray):
        value = value.ours
    if isinstance(value, xp.Array):
        return value.numpy()[()]
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(map(to_numpy, value))
    return value


def as_dtype(given):
    """A dtype as cucore.array spells it, from any spelling of NumPy."""
    if given is None or isinstance(given, xp.DType):
        return given
    found = np.dtype(given)
    if found.kind not in "biufc" or not found.isnative or found.itemsize > (16 if found.kind == "c" else 8):
        raise Absent(f"type {found}")
    return found.name


class NdArray:
    """An array of cucore under NumPy's names."""

    recorded = 0  # results of operations that the library had not computed yet

    __array_ufunc__ = None  # NumPy's scalars leave operators to this class
    __hash__ = None

    def __init__(self, ours):
        self.ours = ours
        NdArray.recorded += ours.is_pending

    def __array__(self, dtype=None):
        return self.ours.numpy() if dtype is None else self.ours.numpy().astype(dtype)

    @property
    def dtype(self):
        return np.dtype(self.ours.dtype.name)

    def __getattr__(self, name):
        from namespace import method_of
        return method_of(self, name)

    def __getitem__(self, key):
        made = self.ours[to_ours(key)]
        wait_for_indices(key)
        return to_theirs(made)

    def __setitem__(self, key, value):
        self.ours[to_ours(key)] = to_ours(value)
        wait_for_indices(key)

    def __iter__(self):
        return map(to_theirs, iter(self.ours))

    def __len__(self):
        return len(self.ours)

    def __bool__(self):
        return bool(self.ours)

    def __int__(self):
        return int(self.ours)

    def __float__(self):
        return float(self.ours)

    def __complex__(self):
        return complex(self.ours)

    def __index__(self):
        return operator.index(self.ours)

    def __contains__(self, value):
        return to_ours(value) in self.ours

    def __repr__(self):
        return repr(self.ours)

    def __round__(self, decimals=0):
        return NdArray(xp.round(self.ours, decimals))

    def __divmod__(self, other):
        return to_theirs(divmod(self.ours, to_ours(other)))

    def __rdivmod__(self, other):
        return to_theirs(divmod(to_ours(other), self.ours))

    @property
    def shape(self):
        return self.ours.shape

    @shape.setter
    def shape(self, shape):
        self.ours = xp.reshape(self.ours, shape, copy=False)

    @property
    def real(self):
        return NdArray(self.ours.real)

    @real.setter
    def real(self, value):
        self.ours.real = to_ours(value)

    @property
    def imag(self):
        return NdArray(self.ours.imag)

    @imag.setter
    def imag(self, value):
        self.ours.imag = to_ours(value)


def wait_for_indices(key):
    """An index out of range that the device finds is raised by the next wait; NumPy's tests expect it at once."""
    if any(isinstance(part, (NdArray, np.ndarray, list)) for part in (key if isinstance(key, tuple) else (key,))):
        xp.synchronize()


def _attach(name, function):
    function.__name__ = name
    setattr(NdArray, name, function)


def _binary(name):
    compute = getattr(operator, f"__{name}__")
    in_place = getattr(operator, f"__i{name}__", None)
    _attach(f"__{name}__", lambda self, other: to_theirs(compute(self.ours, to_ours(other))))
    _attach(f"__r{name}__", lambda self, other: to_theirs(compute(to_ours(other), self.ours)))

    def assign(self, other):
        self.ours = in_place(self.ours, to_ours(other))
        return self
    _attach(f"__i{name}__", assign)


def _comparison(name):
    compute = getattr(operator, name)
    _attach(f"__{name}__", lambda self, other: to_theirs(compute(self.ours, to_ours(other))))


def _unary(name):
    compute = getattr(operator, f"__{name}__")
    _attach(f"__{name}__", lambda self: to_theirs(compute(self.ours)))


for kind, names in ((_binary, BINARY), (_comparison, COMPARISONS), (_unary, UNARY)):
    for each in names:
        kind(each)
