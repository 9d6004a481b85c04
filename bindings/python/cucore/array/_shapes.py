# SPDX-License-Identifier: Apache-2.0
"""Other shapes of arrays, and joins of several."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _array
from ._array import Array
from ._creation import as_shape
from ._reductions import as_array, as_axes


def broadcast_to(x: Any, /, shape: Any) -> Array:
    """Returns a read-only view of another shape, whose elements repeat."""
    return _array.broadcast(as_array(x), as_shape(shape))


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """Returns the shape that all shapes broadcast to."""
    every = [tuple(as_shape(shape)) for shape in shapes]
    ndim = max(map(len, every), default=0)
    result = [1] * ndim
    for shape in every:
        for at, size in enumerate(shape, ndim - len(shape)):
            if result[at] == 1:
                result[at] = size
            elif size not in (1, result[at]):
                raise ValueError(f"broadcast_shapes(): shapes {every} do not broadcast: dimension {at} is {result[at]} and {size}")
    return tuple(result)


def broadcast_arrays(*arrays: Any) -> list[Array]:
    """Returns read-only views of the common shape."""
    every = [as_array(x) for x in arrays]
    shape = broadcast_shapes(*(x.shape for x in every))
    return [x if x.shape == shape else _array.broadcast(x, shape) for x in every]


def reshape(x: Any, /, shape: Any, *, copy: Optional[bool] = None) -> Array:
    """Returns the elements in another shape: a view where the strides permit it. One size may be -1."""
    return _array.reshape(as_array(x), as_shape(shape), copy)


def ravel(x: Any, /) -> Array:
    """Returns the elements along one axis: a view where the strides permit it."""
    return _array.reshape(as_array(x), (-1,), None)


def permute_dims(x: Any, /, axes: Optional[Sequence[int]] = None) -> Array:
    """Returns a view with the axes in another order; without axes, in reversed order."""
    return _array.permute(as_array(x), axes)


def transpose(x: Any, axes: Optional[Sequence[int]] = None) -> Array:
    """Returns a view with the axes in another order, as permute_dims()."""
    return _array.permute(as_array(x), axes)


def _axis(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise IndexError(f"axis {axis} is out of range for {ndim} axes")
    return axis % ndim


def swapaxes(x: Any, axis1: int, axis2: int, /) -> Array:
    """Returns a view with two axes exchanged."""
    x = as_array(x)
    axes = list(range(x.ndim))
    first, second = _axis(axis1, x.ndim), _axis(axis2, x.ndim)
    axes[first], axes[second] = second, first
    return _array.permute(x, axes)


def matrix_transpose(x: Any, /) -> Array:
    """Returns a view with the last two axes exchanged."""
    x = as_array(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose(): the array has {x.ndim} axes; expected at least 2")
    return swapaxes(x, -2, -1)


def moveaxis(x: Any, source: Any, destination: Any, /) -> Array:
    """Returns a view with some axes at other places; the order of the others stays."""
    x = as_array(x)
    sources = [_axis(axis, x.ndim) for axis in as_axes(source)]
    destinations = [_axis(axis, x.ndim) for axis in as_axes(destination)]
    if len(sources) != len(destinations) or len(set(sources)) != len(sources) or len(set(destinations)) != len(destinations):
        raise ValueError(f"moveaxis(): axes {source} and {destination}; expected equally many, and each once")
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for to, axis in sorted(zip(destinations, sources)):
        order.insert(to, axis)
    return _array.permute(x, order)


def expand_dims(x: Any, /, axis: Any = 0) -> Array:
    """Returns a view with new axes of size 1."""
    return _array.expand(as_array(x), as_axes(axis))


def squeeze(x: Any, /, axis: Any = None) -> Array:
    """Returns a view without axes of size 1; without an axis, without all of them."""
    given = as_array(x)
    axes = tuple(at for at, size in enumerate(given.shape) if size == 1) if axis is None else as_axes(axis)
    return _array.squeeze(given, axes) if len(axes) else given[...]


def flip(x: Any, /, *, axis: Any = None) -> Array:
    """Returns a view with axes in reversed order; without an axis, all of them."""
    given = as_array(x)
    axes = tuple(range(given.ndim)) if axis is None else as_axes(axis)
    return _array.flip(given, axes) if len(axes) else given[...]


def flipud(x: Any, /) -> Array:
    """Returns a view with the first axis reversed."""
    return flip(x, axis=0)


def fliplr(x: Any, /) -> Array:
    """Returns a view with the second axis reversed."""
    return flip(x, axis=1)


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Array:
    """Moves the elements of axes in circles; without an axis, all elements as one axis."""
    x = as_array(x)
    shifts = list(as_axes(shift))
    if axis is None:
        return _array.roll_flat(x, shifts, None, len(shifts))
    axes = list(as_axes(axis))
    if len(shifts) == 1:
        shifts *= len(axes)
    elif len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ValueError(f"roll(): {len(shifts)} shifts of {len(axes)} axes")
    return _array.roll(x, shifts, axes)


def tile(x: Any, repetitions: Any, /) -> Array:
    """Repeats a whole array along its axes."""
    return _array.tile(as_array(x), as_axes(repetitions))


def repeat(x: Any, repeats: Any, /, *, axis: Optional[int] = None) -> Array:
    """Repeats each element along an axis; without an axis, of all elements. The counts are one number or one per element."""
    x = as_array(x) if axis is not None else ravel(x)
    counts = None if isinstance(repeats, int) else as_array(repeats)
    return _array.repeat(x, counts, repeats if counts is None else 0, axis or 0)


def pad(x: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Array:
    """Surrounds an array with equal elements."""
    x = as_array(x)
    if mode != "constant":
        raise ValueError(f"pad(): mode is {mode!r}; expected 'constant'")
    widths: list[Any] = [pad_width] if isinstance(pad_width, int) else list(pad_width)
    if len(widths) == 2 and all(isinstance(width, int) for width in widths):
        widths = [tuple(widths)]
    pairs: list[Any] = [(width, width) if isinstance(width, int) else tuple(width) * (2 // len(width)) for width in widths]
    pairs = pairs * x.ndim if len(pairs) == 1 else pairs
    if len(pairs) != x.ndim:
        raise ValueError(f"pad(): {len(pairs)} widths for {x.ndim} axes")
    return _array.pad(x, [width for pair in pairs for width in pair], 0, constant_values)


def concat(arrays: Sequence[Any], /, *, axis: Optional[int] = 0) -> Array:
    """Joins arrays along an axis; with None, all their elements."""
    every = [as_array(x) for x in arrays]
    if axis is None:
        return _array.concat([ravel(x) for x in every], 0)
    return _array.concat(every, axis)


def concatenate(arrays: Sequence[Any], axis: Optional[int] = 0, *, dtype: Any = None) -> Array:
    """Joins arrays along an axis, as concat()."""
    made = concat(arrays, axis=axis)
    return made if dtype is None else _array.cast(made, dtype, None)


def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Array:
    """Joins arrays of one shape along a new axis."""
    return _array.stack([as_array(x) for x in arrays], axis)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Returns a view of each element of an axis."""
    x = as_array(x)
    return tuple(_array.unstack(x, axis, x.shape[_axis(axis, x.ndim)]))


def _at_least(x: Any, ndim: int) -> Array:
    given = as_array(x)
    if ndim == 3 and given.ndim == 2:
        return _array.expand(given, (2,))
    if ndim == 3 and given.ndim == 1:
        return _array.expand(given, (0, 2))
    return given if given.ndim >= ndim else _array.expand(given, tuple(range(ndim - given.ndim)))


def _of_each(arrays: tuple[Any, ...], ndim: int) -> Any:
    made = tuple(_at_least(x, ndim) for x in arrays)
    return made[0] if len(made) == 1 else made


def atleast_1d(*arrays: Any) -> Any:
    """Returns views with at least one axis."""
    return _of_each(arrays, 1)


def atleast_2d(*arrays: Any) -> Any:
    """Returns views with at least two axes."""
    return _of_each(arrays, 2)


def atleast_3d(*arrays: Any) -> Any:
    """Returns views with at least three axes."""
    return _of_each(arrays, 3)


def hstack(arrays: Sequence[Any]) -> Array:
    """Joins along the second axis, or along the only one."""
    every = [_at_least(x, 1) for x in arrays]
    return _array.concat(every, 0 if every and every[0].ndim == 1 else 1)


def vstack(arrays: Sequence[Any]) -> Array:
    """Joins along the first axis; arrays of one axis are rows."""
    return _array.concat([_at_least(x, 2) for x in arrays], 0)


def dstack(arrays: Sequence[Any]) -> Array:
    """Joins along the third axis."""
    return _array.concat([_at_least(x, 3) for x in arrays], 2)


def column_stack(arrays: Sequence[Any]) -> Array:
    """Joins along the second axis; arrays of one axis are columns."""
    every = [as_array(x) for x in arrays]
    return _array.concat([reshape(x, (-1, 1)) if x.ndim < 2 else x for x in every], 1)


def array_split(x: Any, indices_or_sections: Union[int, Sequence[int]], axis: int = 0) -> list[Array]:
    """Returns views of consecutive parts, whose sizes differ by 1 at most, or which end at given indices."""
    x = as_array(x)
    axis = _axis(axis, x.ndim)
    size = x.shape[axis]
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1:
            raise ValueError(f"split: {indices_or_sections} parts; expected at least 1")
        each, more = divmod(size, indices_or_sections)
        ends = [at * each + min(at, more) for at in range(indices_or_sections + 1)]
    else:
        ends = [0, *indices_or_sections, size]
    every: list[Any] = [slice(None)] * axis
    return [x[tuple([*every, slice(first, last)])] for first, last in zip(ends, ends[1:])]


def split(x: Any, indices_or_sections: Union[int, Sequence[int]], axis: int = 0) -> list[Array]:
    """Returns views of equal parts, or of parts that end at given indices."""
    x = as_array(x)
    if isinstance(indices_or_sections, int) and x.shape[_axis(axis, x.ndim)] % max(indices_or_sections, 1):
        raise ValueError(f"split(): axis {axis} has size {x.shape[axis]}; expected a multiple of {indices_or_sections}")
    return array_split(x, indices_or_sections, axis)


def hsplit(x: Any, indices_or_sections: Union[int, Sequence[int]]) -> list[Array]:
    """Splits the second axis, or the only one."""
    return split(x, indices_or_sections, 0 if as_array(x).ndim == 1 else 1)


def vsplit(x: Any, indices_or_sections: Union[int, Sequence[int]]) -> list[Array]:
    """Splits the first axis."""
    return split(x, indices_or_sections, 0)


def dsplit(x: Any, indices_or_sections: Union[int, Sequence[int]]) -> list[Array]:
    """Splits the third axis."""
    return split(x, indices_or_sections, 2)


__all__ = ["array_split", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "column_stack",
           "concat", "concatenate", "dsplit", "dstack", "expand_dims", "flip", "fliplr", "flipud", "hsplit", "hstack", "matrix_transpose",
           "moveaxis", "pad", "permute_dims", "ravel", "repeat", "reshape", "roll", "split", "squeeze", "stack", "swapaxes", "tile", "transpose",
           "unstack", "vsplit", "vstack"]
