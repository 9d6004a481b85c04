# SPDX-License-Identifier: Apache-2.0
"""Linker's constructor and link(), bundles and lists of keys."""
from __future__ import annotations

from typing import Iterable, Optional, Union

from . import _cucore
from ._cucore import Cache, Linker, ObjectCode
from ._enums import CodeType
from ._members import member
from ._program import Key, as_keys


_link_through = _cucore.Cache._link


#: cucore_linker_link
@member(Linker, "link", more="cache: looked in first, and told of what was linked; see Cache.link.")
def _link(self: Linker, target: CodeType = CodeType.CUBIN, *, cache: Optional[Cache] = None) -> ObjectCode:
    return self._link(target) if cache is None else _link_through(cache, self, target)[0]


#: cucore_objectcode_bundle
@member(ObjectCode, "bundle", staticmethod, native=_cucore._Images._bundle)
def bundle(images: Iterable[ObjectCode]) -> ObjectCode:
    all_images = _cucore._Images()
    for image in images:
        all_images.add(image)
    return all_images._bundle()


def keys(given: Union[None, Key, Iterable[Key]]) -> Optional[_cucore._Keys]:
    """Returns the keys in the library's form."""
    if given is None:
        return None
    out = _cucore._Keys()
    for key in as_keys(given):
        out.add(key.algorithm, key.data)
    return out
