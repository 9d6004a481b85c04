# SPDX-License-Identifier: Apache-2.0
"""The members of Array that are written in Python."""
from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, Optional

import cucore
from cucore._errors import InvalidArgumentError

from . import _array, _elements, _files, _indexing, _interop, _linear, _numpy, _operations, _printing, _shapes, _sorting
from ._array import Array
from ._context import context_of, default_context, evaluate, evaluate_async, explain
from ._creation import asarray


class OutOfRangeError(InvalidArgumentError, OverflowError):
    """An integer of Python does not fit the type of the elements."""


def _shape(sizes: tuple[Any, ...]) -> Any:
    return sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes


def reshape(self: Array, *shape: Any, copy: Optional[bool] = None) -> Array:
    """Returns the elements in another shape: a view where the strides permit it. One size may be -1."""
    return _array.reshape(self, _shape(shape), copy)


def transpose(self: Array, *axes: Any) -> Array:
    """Returns a view with the axes in another order; without axes, in reversed order."""
    return _array.permute(self, None if not axes or axes == (None,) else _shape(axes))


def flatten(self: Array) -> Array:
    """Returns a copy with one axis."""
    return _array.reshape(self, (-1,), True)


def fill(self: Array, value: Any) -> None:
    """Writes one number to all elements."""
    _array.assign(self, value)


def sort(self: Array, axis: int = -1, *, descending: bool = False) -> None:
    """Sorts the elements of an axis in place."""
    _array.assign(self, _array.sort(self, axis, descending))


def to_device(self: Array, device: Any, /, *, stream: Any = None) -> Array:
    """Returns the array itself on its own device, else a copy on another one."""
    ordinal = device.ordinal if isinstance(device, cucore.Device) else int(device)
    if stream is not None:
        raise ValueError("to_device(): stream must be None; work is ordered by the streams of the contexts")
    if ordinal == context_of(self)._ordinal:
        return self
    return _array.to_context(self, default_context(ordinal))


def evaluated(self: Array) -> Array:
    """Queues the kernels that compute the elements, and returns the array. Does not wait."""
    evaluate(self)
    return self


def explained(self: Array, what: str = "plan") -> str:
    """Describes what evaluate() would do now, as the function explain()."""
    return explain(self, what=what)


def named(self: Array, name: str) -> Array:
    """Names the array in the texts of explain(), and returns it."""
    _array.set_name(self, name)
    return self


def namespace(self: Array, /, *, api_version: Optional[str] = None) -> Any:
    """Returns the module cucore.array, which follows the Array API."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"the version {api_version} of the Array API is not known; expected 2024.12 or older")
    from . import _namespace
    return _namespace()


def iterate(self: Array) -> Iterator[Array]:
    if self.ndim == 0:
        raise TypeError("an array without axes cannot be iterated")
    return iter([self[at] for at in range(self.shape[0])] if self.ndim == 1 else _array.unstack(self, 0, self.shape[0]))


def contains(self: Array, value: Any) -> bool:
    return bool(_operations.any(_operations.equal(self, value)))


def wait(self: Array) -> Generator[Any, None, Array]:
    return evaluate_async(self).__await__()


def to_complex(self: Array) -> complex:
    if self.ndim:
        raise TypeError(f"only arrays without axes become a Python complex; this one has {self.ndim}: use .item()")
    return complex(self.item())


def set_real(self: Array, value: Any) -> None:
    _array.assign(_elements.real(self), value)


def set_imag(self: Array, value: Any) -> None:
    _array.assign(_array.part(self, 2), value)


def _first(function: Any, **fixed: Any) -> Any:
    """A method of the function whose first parameter is the array."""
    def method(self: Array, *arguments: Any, **keywords: Any) -> Any:
        return function(self, *arguments, **fixed, **keywords)
    method.__doc__ = function.__doc__
    return method


def take(self: Array, indices: Any, axis: Optional[int] = None) -> Array:
    """Returns elements of an axis; without an axis, of all elements in C order."""
    return _indexing.take(self, indices, axis=axis)


def squeeze(self: Array, axis: Any = None) -> Array:
    """Returns a view without axes of size 1; without an axis, without all of them."""
    return _shapes.squeeze(self, axis)


def argsort(self: Array, axis: int = -1, *, descending: bool = False) -> Array:
    """Returns the positions that put an axis in order. Equal elements stay in their order."""
    return _array.argsort(self, axis, descending)


def repeat(self: Array, repeats: Any, axis: Optional[int] = None) -> Array:
    """Repeats each element of an axis; without an axis, of all elements in C order."""
    return _shapes.repeat(self, repeats, axis=axis)


def compress(self: Array, condition: Any, axis: Optional[int] = None) -> Array:
    """Returns the elements of an axis for which a condition is true; without an axis, of all elements. Waits for their number."""
    return _indexing.compress(condition, self, axis)


def searchsorted(self: Array, values: Any, side: str = "left", sorter: Optional[Array] = None) -> Array:
    """Returns the positions in the array, which is in order, where the values keep the order."""
    return _sorting.searchsorted(self, values, side, sorter=sorter)


def copied(self: Array) -> Array:
    """Returns a copy in C order. The elements are copied when one of both is written, at the earliest."""
    return _array.copy(self) if self.is_contiguous else _array.reshape(self, self.shape, True)


def reduced(self: Array) -> Any:
    """Pickles contain the bytes of a .npy file."""
    return _files.from_npy, (_files.to_npy(self),)


def deep_copied(self: Array, memo: Any) -> Array:
    return _array.copy(self)


#: Functions that are methods as they are.
_FUNCTIONS = (_elements.astype, _elements.clip, _elements.round, _indexing.diagonal, _indexing.nonzero, _linear.dot, _linear.trace,
              _shapes.ravel, _shapes.swapaxes)
_METHODS: dict[str, Any] = {
    **_operations.METHODS,
    **{function.__name__: function for function in (
        reshape, transpose, flatten, fill, sort, to_device, take, squeeze, argsort, repeat, compress, searchsorted, _interop.tolist)},
    **{function.__name__: function for function in _FUNCTIONS},
    "copy": copied, "evaluate": evaluated, "explain": explained, "named": named, "numpy": _interop.to_numpy,
    "__array_namespace__": namespace, "__array__": _interop.refuse_array, "__array_ufunc__": _numpy.array_ufunc,
    "__dlpack__": _interop.dlpack, "__array_function__": _numpy.array_function, "__dlpack_device__": _interop.dlpack_device,
    "__str__": _printing.text, "__repr__": _printing.description,
    "__copy__": _array.copy, "__deepcopy__": deep_copied, "__reduce__": reduced,
    "__iter__": iterate, "__contains__": contains, "__await__": wait, "__complex__": to_complex,
    "_lend": _array.lend, "_index": staticmethod(_indexing.as_index), "_convert": staticmethod(asarray),
    "_overflow": staticmethod(lambda error: OutOfRangeError(*error.args)),
}
_PROPERTIES: dict[str, Any] = {
    "real": (_elements.real, set_real, "The real parts: a view of complex elements."),
    "imag": (_elements.imag, set_imag, "The imaginary parts: a view of complex elements."),
    "mT": (_shapes.matrix_transpose, None, "A view with the last two axes exchanged."),
    "device": (lambda self: context_of(self).device, None, "The device of the elements."),
    "context": (context_of, None, "The context that computes the elements."),
    "__cuda_array_interface__": (_interop.cuda_array_interface, None, "The memory for libraries that support this interface."),
    "itemsize": (lambda self: self.dtype.itemsize, None, "The bytes of an element."),
}
#: NumPy asks for it before its own operators.
_PRIORITY = 1000


def attach() -> None:
    """Adds the members to the type."""
    for name, method in _METHODS.items():
        setattr(Array, name, as_method(method))
    for name, (read, write, doc) in _PROPERTIES.items():
        setattr(Array, name, property(read, write, doc=doc))
    Array.__array_priority__ = _PRIORITY


def as_method(function: Any) -> Any:
    """Functions of C are not bound to an array by themselves."""
    return function if isinstance(function, (staticmethod, type(attach))) else _first(function)
