# SPDX-License-Identifier: Apache-2.0
"""Random numbers: values are a function of the seed and of the number of elements taken before.

    generator = xp.random.default_rng(7)
    x = generator.normal(size=(1000, 3), dtype=xp.float32)

The numbers are made inside the kernels that need them. They are those of Philox4x32-10, not those of NumPy.
"""
from __future__ import annotations

import os
from typing import Any, Optional

from . import _array
from ._array import Array
from ._context import Device, current_context
from ._creation import as_shape
from ._shapes import broadcast_shapes

_BITS, _UNIFORM, _NORMAL, _INTEGERS, _BERNOULLI, _EXPONENTIAL = range(1, 7)


class Generator:
    """A stream of random numbers of one seed."""

    def __init__(self, seed: Optional[int] = None, *, device: Device = None) -> None:
        self._native = _array.generator(current_context(device), int.from_bytes(os.urandom(8), "little") if seed is None else seed)

    @property
    def state(self) -> tuple[int, int, int, int]:
        """Four numbers, from which a generator continues."""
        return _array.generator_state(self._native)

    @state.setter
    def state(self, numbers: tuple[int, int, int, int]) -> None:
        _array.generator_set_state(self._native, numbers)

    def _make(self, distribution: int, parameters: tuple[Any, ...], size: Any, dtype: Any) -> Array:
        shape = broadcast_shapes(*(one.shape for one in parameters if isinstance(one, Array))) if size is None else as_shape(size)
        return _array.random(self._native, distribution, dtype, parameters, shape)

    def bits(self, size: Any = None, *, dtype: Any = None) -> Array:
        """Returns unsigned integers of random bits, by default 64."""
        return self._make(_BITS, (), size, dtype)

    def random(self, size: Any = None, *, dtype: Any = None) -> Array:
        """Returns numbers from 0 to less than 1."""
        return self._make(_UNIFORM, (), size, dtype)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, *, dtype: Any = None) -> Array:
        """Returns numbers from low to less than high."""
        return self._make(_UNIFORM, (low, high), size, dtype)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, dtype: Any = None) -> Array:
        """Returns numbers of a normal distribution, of its mean and standard deviation."""
        return self._make(_NORMAL, (loc, scale), size, dtype)

    def standard_normal(self, size: Any = None, *, dtype: Any = None) -> Array:
        """Returns numbers of the normal distribution of mean 0 and standard deviation 1."""
        return self._make(_NORMAL, (), size, dtype)

    def integers(self, low: Any, high: Any = None, size: Any = None, *, dtype: Any = None, endpoint: bool = False) -> Array:
        """Returns integers from low to less than high, all equally often; with one number, from 0 to less than it."""
        first, last = (0, low) if high is None else (low, high)
        return self._make(_INTEGERS, (first, last + 1 if endpoint else last), size, dtype)

    def bernoulli(self, p: Any = 0.5, size: Any = None, *, dtype: Any = None) -> Array:
        """Returns True with probability p."""
        return self._make(_BERNOULLI, (p,), size, dtype)

    def exponential(self, scale: Any = 1.0, size: Any = None, *, dtype: Any = None) -> Array:
        """Returns numbers of an exponential distribution, of its mean."""
        return self._make(_EXPONENTIAL, (scale,), size, dtype)


def default_rng(seed: Optional[int] = None) -> Generator:
    """Returns a generator; without a seed, of a random one."""
    return Generator(seed)
