# SPDX-License-Identifier: Apache-2.0
"""Contexts, the current one, scopes, evaluation and statistics."""
from __future__ import annotations

import weakref
from collections.abc import Awaitable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Optional, Union

import cucore
from cucore._async import PresentWork

from . import _array
from ._array import Array, _Context
from ._dtypes import find

_POLICIES = {"lazy": 0, "eager": 1}
_MATHS = {"accurate": 0, "contract": 1, "fast": 2}
_SETTINGS = ("policy", "math", "default_float", "cache", "max_bytes", "max_pending", "max_depth")


def _choice(what: str, given: str, numbers: Mapping[str, int]) -> int:
    if given not in numbers:
        raise ValueError(f"{what} is {given!r}; expected one of {', '.join(numbers)}")
    return numbers[given]


def _limit(what: str, given: int, most: int) -> int:
    if not 0 <= given <= most:
        raise ValueError(f"{what} is {given}; expected 0 to {most}")
    return given


def _device(given: Any) -> cucore.Device:
    """A Device, its number, or None for device 0."""
    return given if isinstance(given, cucore.Device) else cucore.Device(given or 0)


class Context(_Context):
    """A device, a stream, and settings, with which arrays are computed.

    ``policy`` is "lazy" or "eager", ``math`` is "accurate", "contract" or "fast". Without a stream the context has one of
    its own. ``max_bytes`` limits the memory of arrays and of temporary ones; 0 removes the limit.
    """

    _stream: Optional[cucore.Stream] = None

    def __new__(cls, device: Any = None, stream: Any = None, *, policy: str = "lazy", math: str = "accurate", default_float: Any = None,
                cache: Optional[cucore.Cache] = None, max_bytes: int = 0, max_pending: int = 0, max_depth: int = 0) -> Context:
        if stream is not None and device is None:
            device = stream.device
        number = 0 if default_float is None else find(default_float).number
        made = cls._create(_device(device), stream, cache, _choice("policy", policy, _POLICIES), _choice("math", math, _MATHS), number,
                           _limit("max_bytes", max_bytes, (1 << 63) - 1), _limit("max_pending", max_pending, (1 << 32) - 1),
                           _limit("max_depth", max_depth, (1 << 32) - 1))
        made._stream = stream
        return made

    @property
    def device(self) -> cucore.Device:
        """The device of the arrays."""
        return cucore.Device(self._ordinal)

    @property
    def stream(self) -> cucore.Stream:
        """The stream that orders all work of the context."""
        if self._stream is None:
            native, keeper = self._native_stream
            self._stream = cucore.Stream.from_native(native, self.device)
            self._stream.__dict__["_owner"] = keeper  # not the context, which keeps the stream
        return self._stream

    def evaluate(self) -> None:
        """Queues everything that is pending. Does not wait."""
        _array.evaluate_context(self)

    def synchronize(self) -> None:
        """Queues everything that is pending, and waits for it."""
        _array.synchronize(self)

    def trim(self, keep_bytes: int = 0) -> None:
        """Gives back cached plans, working memory, and memory of the pool without use. Waits for the stream."""
        _array.trim(self, keep_bytes)

    def statistics(self) -> Mapping[str, int]:
        """Returns the counts of kernels, evaluations and bytes."""
        return self._query()

    def __repr__(self) -> str:
        return f"<Context of {self.device}>"


_current: ContextVar[Optional[Context]] = ContextVar("cucore.array.context", default=None)
_settings: ContextVar[dict[str, Any]] = ContextVar("cucore.array.settings")
_defaults: dict[int, Context] = {}
_by_settings: dict[tuple[Any, ...], Context] = {}


def default_context(device: Any = None) -> Context:
    """Returns the context of the process for a device; without one, for device 0."""
    ordinal = device.ordinal if isinstance(device, cucore.Device) else int(device or 0)
    found = _defaults.get(ordinal)
    if found is None:
        found = _defaults.setdefault(ordinal, Context._of_device(_device(device)))
    return found


def current_context(device: Any = None) -> Context:
    """Returns the context in which new arrays are made: that of the innermost using(), else the default one."""
    found = _current.get()
    if device is not None and (found is None or found._ordinal != _device(device).ordinal):
        return default_context(device)
    return found if found is not None else default_context()


def context_of(array: Array) -> Context:
    """Returns the context of an array."""
    return Context._of_array(array)


def _make(settings: dict[str, Any]) -> Context:
    if set(settings) <= {"device"}:
        return default_context(settings.get("device"))
    if settings.get("stream") is not None:
        return Context(**settings)
    ordinal = _device(settings.get("device")).ordinal
    key = (ordinal, *(settings.get(name) for name in _SETTINGS))
    if key not in _by_settings:
        _by_settings[key] = Context(**settings)
    return _by_settings[key]


@contextmanager
def using(context: Optional[Context] = None, *, device: Any = None, stream: Any = None, **settings: Any) -> Iterator[Context]:
    """Makes new arrays in another context: ``with xp.using(device=1, math="fast"):``.

    The settings are those of Context. Settings that are not given are those of the surrounding using(). Operations on existing
    arrays stay in the context of these.
    """
    given = {name: value for name, value in {"device": device, "stream": stream, **settings}.items() if value is not None}
    merged = {**_settings.get({}), **given}
    if device is not None and stream is None:
        merged.pop("stream", None)  # a stream belongs to one device
    if context is None:
        context = _make(merged)  # it may raise, and the settings must not remain then
    token, before = _settings.set(merged), _current.set(context)
    try:
        yield _current.get() or default_context()
    finally:
        _current.reset(before)
        _settings.reset(token)


_scope: ContextVar[Optional[list[weakref.ref[Array]]]] = ContextVar("cucore.array.scope", default=None)


class scope:  # noqa: N801
    """Releases all arrays that were made inside, at the end of the with statement; except those given to keep()."""

    def __enter__(self) -> scope:
        self._made: list[weakref.ref[Array]] = []
        self._kept: set[int] = set()
        self._outer = _scope.get()
        self._token = _scope.set(self._made)
        _array._count_scopes(1)
        return self

    def keep(self, array: Array) -> Array:
        """Excludes an array from the release, and returns it. A surrounding scope releases it."""
        self._kept.add(id(array))
        if self._outer is not None:
            self._outer.append(weakref.ref(array))
        return array

    def __exit__(self, *_: object) -> None:
        _array._count_scopes(-1)
        _scope.reset(self._token)
        for reference in self._made:
            array = reference()
            if array is not None and id(array) not in self._kept:
                array._release()


def evaluate(*arrays: Array) -> None:
    """Queues the kernels that compute the arrays; without arrays, everything that is pending in the current context."""
    if not arrays:
        current_context().evaluate()
    for group in _by_context(arrays):
        _array.evaluate(group)


def _by_context(arrays: tuple[Array, ...]) -> list[list[Array]]:
    groups: dict[Context, list[Array]] = {}
    for array in arrays:
        groups.setdefault(context_of(array), []).append(array)
    return list(groups.values())


class Evaluation(Awaitable[Any]):
    """Arrays whose elements are being computed. ``await`` returns them when the elements exist."""

    def __init__(self, arrays: tuple[Array, ...]) -> None:
        self._arrays = arrays
        self._ends = [PresentWork(context.stream) for context in {context_of(array) for array in arrays}]

    def __await__(self) -> Generator[Any, None, Any]:
        for end in self._ends:
            yield from end.__await__()
        for array in self._arrays:
            _check(array)
        return self._arrays[0] if len(self._arrays) == 1 else self._arrays


def _check(array: Array) -> None:
    """Raises what the kernels of an evaluated array found late. A view without elements reports it, and does not wait."""
    try:
        nothing = (array if array.ndim else array[None])[:0]
    except cucore.InvalidHandleError:
        return  # a released array needs no elements
    _array.read(nothing, bytearray())


def evaluate_async(*arrays: Array) -> Evaluation:
    """Queues the kernels, and returns an object to await: ``r = await xp.evaluate_async(r)``."""
    evaluate(*arrays)
    return Evaluation(arrays)


def synchronize() -> None:
    """Queues everything that is pending in the current context, and waits for it."""
    current_context().synchronize()


_EXPLANATIONS = {"plan": 1, "graph": 2, "source": 3, "ptx": 4, "counts": 5}


def explain(*arrays: Array, what: str = "plan") -> str:
    """Describes what evaluate() of the arrays would do now; nothing is launched.

    The plan contains the kernels and the bytes that they move. The graph is in the language DOT, and counts are JSON. The
    other descriptions are "source" and "ptx".
    """
    if not arrays:
        raise ValueError("explain() needs at least one array")
    return _array.explain(arrays, _choice("what", what, _EXPLANATIONS))


def statistics(context: Optional[Context] = None) -> Mapping[str, int]:
    """Returns the counts of a context, by default of the current one: kernels, evaluations and their reasons, bytes."""
    return (context or current_context()).statistics()


Device = Union[cucore.Device, int, None]
