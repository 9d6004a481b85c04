# SPDX-License-Identifier: Apache-2.0
"""Information about the module for the Array API."""
from __future__ import annotations

from typing import Any

import cucore

from ._context import current_context
from ._dtypes import DTYPES, KINDS, DType, bfloat16, complex128, float64, int64


class Info:
    """Capabilities, default types and devices."""

    def capabilities(self) -> dict[str, Any]:
        """Returns which optional parts exist."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self) -> cucore.Device:
        """Returns the device of new arrays."""
        return current_context().device

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """Returns the types of numbers without a type."""
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """Returns the types of a kind by name. bfloat16 is not in the standard, and not in the result."""
        kinds = [kind] if isinstance(kind, str) else list(KINDS) if kind is None else list(kind)
        for one in kinds:
            if one not in KINDS:
                raise ValueError(f"{one!r} is not a kind of dtypes; expected one of {', '.join(KINDS)}")
        return {dtype.name: dtype for dtype in DTYPES
                if dtype is not bfloat16 and dtype.name != "float16" and any(dtype.kind in KINDS[one] for one in kinds)}

    def devices(self) -> list[cucore.Device]:
        """Returns all devices."""
        return [cucore.Device(ordinal) for ordinal in range(cucore.Device.count())]


def __array_namespace_info__() -> Info:  # noqa: N807
    """Returns an object with the capabilities, default types and devices."""
    return Info()
