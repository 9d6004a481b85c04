# SPDX-License-Identifier: Apache-2.0
"""The types of elements, and what they promote to."""
from __future__ import annotations

import builtins
from typing import Any, NamedTuple, Optional, Union

from . import _array
from ._array import Array


class DType:
    """The type of an element. Use the objects of the module: ``xp.float32``."""

    __slots__ = ("name", "number", "kind", "itemsize")

    def __init__(self, name: str, number: int, kind: str, itemsize: int) -> None:
        self.name = name
        self.number = number
        self.kind = kind
        """b (bool), i (signed), u (unsigned), f (real) or c (complex), as in NumPy."""
        self.itemsize = itemsize

    def __repr__(self) -> str:
        return f"cucore.array.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> builtins.bool:
        if isinstance(other, DType):
            return self is other
        try:
            return find(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> str:
        return self.name


_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 2, 4, 8), "c": (8, 16)}
_NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64",
          "complex64", "complex128")
_KINDS = [(kind, size) for kind, sizes in _SIZES.items() for size in sizes]
DTYPES = tuple(DType(name, at + 1, *_KINDS[at]) for at, name in enumerate(_NAMES))
(bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128) = DTYPES
bool_ = bool
#: By the number of the C API.
BY_NUMBER: tuple[Optional[DType], ...] = (None, *DTYPES)
_BY_NAME: dict[str, DType] = {**{dtype.name: dtype for dtype in DTYPES}, "bool_": bool, "int": int64, "float": float64, "complex": complex128}
#: NumPy's short names, such as f4 and <f4. Memory of arrays is little-endian.
_BY_NAME.update({f"{mark}{dtype.kind}{dtype.itemsize}": dtype for dtype in DTYPES if dtype is not bfloat16 for mark in ("", "<", "=", "|")})
_BY_NAME["?"] = bool
_BY_TYPE: dict[Any, DType] = {builtins.bool: bool, int: int64, float: float64, complex: complex128}


def find(given: Any) -> DType:
    """Returns the dtype of a name, of a Python type, or of NumPy's object."""
    if isinstance(given, DType):
        return given
    name = given if isinstance(given, str) else str(getattr(given, "name", None) or getattr(given, "__name__", ""))
    found = _BY_TYPE.get(given) if isinstance(given, type) else None
    found = found or _BY_NAME.get(name)
    if found is None:
        raise TypeError(f"{given!r} is not a dtype; expected one of {', '.join(_NAMES)}")
    return found


class FloatInfo(NamedTuple):
    """The limits of a type of real numbers, or of the parts of a complex one."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType

    @property
    def tiny(self) -> float:
        return self.smallest_normal


class IntegerInfo(NamedTuple):
    """The limits of a type of integers."""

    bits: int
    max: int
    min: int
    dtype: DType


#: Bits of the fraction, and the smallest exponent of a normal number.
_FORMATS = {float16: (10, -14), bfloat16: (7, -126), float32: (23, -126), float64: (52, -1022)}
_PART = {complex64: float32, complex128: float64}


def finfo(type: Any, /) -> FloatInfo:
    """Returns the limits of a type of real or complex numbers."""
    dtype = type.dtype if isinstance(type, Array) else find(type)
    part = _PART.get(dtype, dtype)
    if part not in _FORMATS:
        raise TypeError(f"{dtype.name} has no fractions; use iinfo()")
    fraction, least = _FORMATS[part]
    most = (2.0 - 2.0**-fraction) * 2.0**(1 - least)
    return FloatInfo(8 * part.itemsize, 2.0**-fraction, most, -most, 2.0**least, part)


def iinfo(type: Any, /) -> IntegerInfo:
    """Returns the limits of a type of integers."""
    dtype = type.dtype if isinstance(type, Array) else find(type)
    if dtype.kind not in "iu":
        raise TypeError(f"{dtype.name} is not a type of integers; use finfo()")
    bits = 8 * dtype.itemsize
    least = -(1 << (bits - 1)) if dtype.kind == "i" else 0
    return IntegerInfo(bits, least + (1 << bits) - 1, least, dtype)


KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "c",
         "numeric": "iufc"}
Kind = Union[DType, str, "tuple[Union[DType, str], ...]"]


def isdtype(dtype: Any, kind: Kind) -> builtins.bool:
    """Returns whether a dtype is of a kind: a dtype, "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating", "numeric", or a tuple of these."""
    found = find(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(found, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is not a kind of dtypes; expected one of {', '.join(KINDS)}")
        return found.kind in KINDS[kind]
    return found is find(kind)


_CASTINGS = {"same_kind": 0, "no": 1, "equiv": 1, "safe": 2, "unsafe": 3}


def can_cast(from_: Any, to: Any, /, casting: str = "safe") -> builtins.bool:
    """Returns whether elements can be converted by a rule of NumPy."""
    if casting not in _CASTINGS:
        raise ValueError(f"{casting!r} is not a rule of casting; expected one of {', '.join(_CASTINGS)}")
    dtype = from_.dtype if isinstance(from_, Array) else find(from_)
    return _array.can_cast(dtype.number, find(to).number, _CASTINGS[casting])


def dtype_of_number(number: int) -> DType:
    return DTYPES[number - 1]


def promote_types(type1: Any, type2: Any, /) -> DType:
    """Returns the type that both types are converted to."""
    return dtype_of_number(_array.promote(find(type1).number, find(type2).number))


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Returns the type of an operation with arrays, dtypes and numbers; numbers have no type of their own."""
    weak = [one for one in arrays_and_dtypes if isinstance(one, (builtins.bool, int, float, complex))]
    strong = [one.dtype if isinstance(one, Array) else find(getattr(one, "dtype", one)) for one in arrays_and_dtypes
              if not isinstance(one, (builtins.bool, int, float, complex))]
    if not strong:
        if not weak:
            raise ValueError("result_type() needs at least one array, dtype or number")
        return max((find(type(one)) for one in weak), key=lambda dtype: dtype.number)
    found = strong[0]
    for dtype in strong[1:]:
        found = promote_types(found, dtype)
    for number in weak:
        found = _with_number(found, number)
    return found


def _with_number(dtype: DType, number: Any) -> DType:
    """Numbers of a higher kind promote to that kind, in the least size that NumPy takes."""
    if isinstance(number, builtins.bool) or dtype.kind == "c":
        return dtype
    if isinstance(number, int):
        return int64 if dtype is bool else dtype
    if isinstance(number, float):
        return dtype if dtype.kind == "f" else float64
    return complex64 if dtype.kind == "f" and dtype is not float64 else complex128
