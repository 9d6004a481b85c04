"""The cache."""
from __future__ import annotations

from . import _cucore, _options
from ._program import fill


def arguments(directory=None, **keywords):  # type: ignore[no-untyped-def]
    """What Cache(...) hands to the library."""
    if directory is not None:
        keywords["directory"] = directory
    return (fill(_cucore._CacheOptions(), _options.cache_options, keywords, "Cache"),)
