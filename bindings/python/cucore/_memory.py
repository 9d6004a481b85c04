# SPDX-License-Identifier: Apache-2.0
"""Device memory of objects that only Python's collector can free."""
from __future__ import annotations

import gc
import time
import weakref

# With the pauses between them the attempts take half a second, as the JDK's for direct buffers do.
_MOST_TRIES = 9
_LONGEST_WAIT_MS = 500


class _Canary:
    """Garbage that shows whether a collection has run: gc.collect() returns at once while another thread collects."""

    __slots__ = ("itself", "__weakref__")

    def __init__(self) -> None:
        self.itself = self


def _is_collected(canary: weakref.ref[_Canary]) -> bool:
    return canary() is None


def _collect() -> bool:
    """Runs one full collection; returns whether it could. In a finalizer it cannot."""
    for _ in range(_LONGEST_WAIT_MS):
        canary = weakref.ref(_Canary())
        gc.collect()
        if _is_collected(canary):
            return True
        time.sleep(0.001)
    return False


def reclaim(tries: int) -> bool:
    """Collects dropped buffers; returns whether an allocation that found no memory should be tried again.

    Other threads may take the memory that one thread has freed, and their own may still be pending. A collection that
    finds nothing is therefore not the last attempt.
    """
    if tries >= _MOST_TRIES:
        return False
    if tries:
        time.sleep(2 ** tries / 1000)
    return _collect()
