"""Linker's constructor and link(), bundles and lists of keys."""
from __future__ import annotations

from typing import Iterable, Optional, Union

from . import _cucore, _options
from ._cucore import Linker, ObjectCode
from ._enums import CodeType
from ._program import Key, as_keys, fill


def arguments(**keywords):  # type: ignore[no-untyped-def]
    """What Linker(...) hands to the library."""
    return (fill(_cucore._LinkerOptions(), _options.linker_options, keywords, "Linker"),)


def _link(self: Linker, target: CodeType = CodeType.CUBIN) -> ObjectCode:
    return self._link(target)


_link.__name__ = "link"
_link.__doc__ = Linker._link.__doc__


def bundle(images: Iterable[ObjectCode]) -> ObjectCode:
    all_images = _cucore._Images()
    for image in images:
        all_images.add(image)
    return all_images._bundle()


bundle.__doc__ = _cucore._Images._bundle.__doc__


def keys(given: Union[None, Key, Iterable[Key]]) -> Optional[_cucore._Keys]:
    """The keys as the library wants them."""
    if given is None:
        return None
    out = _cucore._Keys()
    for key in as_keys(given):
        out.add(key.algorithm, key.data)
    return out


_cucore._extend(Linker, "link", _link)
_cucore._extend(ObjectCode, "bundle", staticmethod(bundle))
