# SPDX-License-Identifier: Apache-2.0
"""Files of arrays: .npy and .npz, as NumPy reads and writes them; without pickles."""
from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator, Mapping
from typing import IO, Any, Union

from . import _array
from ._array import Array
from ._context import current_context
from ._creation import asarray

File = Union[str, "os.PathLike[str]", IO[bytes]]


def to_npy(x: Any) -> bytes:
    """Returns the bytes of a .npy file."""
    return _array.to_npy(x if isinstance(x, Array) else asarray(x))


def from_npy(data: bytes) -> Array:
    """Returns the array of the bytes of a .npy file."""
    return _array.from_npy(current_context(), data)


def _path(file: File, ending: str) -> Any:
    if not isinstance(file, (str, os.PathLike)):
        return file
    path = os.fspath(file)
    return path if path.endswith(ending) else path + ending


def save(file: File, x: Any, /) -> None:
    """Writes a .npy file."""
    data = to_npy(x)
    if isinstance(file, (str, os.PathLike)):
        with open(_path(file, ".npy"), "wb") as out:
            out.write(data)
    else:
        file.write(data)


def _save_all(file: File, arrays: Mapping[str, Any], compression: int) -> None:
    with zipfile.ZipFile(_path(file, ".npz"), "w", compression) as out:
        for name, x in arrays.items():
            out.writestr(f"{name}.npy", to_npy(x))


def _named(arrays: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    numbered = {f"arr_{at}": x for at, x in enumerate(arrays)}
    if twice := set(numbered) & set(named):
        raise ValueError(f"savez(): {', '.join(sorted(twice))} is also the name of an array without one")
    return {**numbered, **named}


def savez(file: File, /, *arrays: Any, **named: Any) -> None:
    """Writes several arrays into a .npz file; those without a name are arr_0, arr_1 and so on."""
    _save_all(file, _named(arrays, named), zipfile.ZIP_STORED)


def savez_compressed(file: File, /, *arrays: Any, **named: Any) -> None:
    """Writes several arrays into a compressed .npz file."""
    _save_all(file, _named(arrays, named), zipfile.ZIP_DEFLATED)


class ArrayFile(Mapping[str, Array]):
    """The arrays of a .npz file by name. An array is read when it is asked for."""

    def __init__(self, file: Any) -> None:
        self._archive = zipfile.ZipFile(file)
        self._names = [name[:-4] for name in self._archive.namelist() if name.endswith(".npy")]

    def __getitem__(self, name: str) -> Array:
        return from_npy(self._archive.read(f"{name}.npy"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def close(self) -> None:
        """Closes the file."""
        self._archive.close()

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def load(file: File, /) -> Union[Array, ArrayFile]:
    """Reads a .npy file, or opens a .npz file, whose arrays are items."""
    if not isinstance(file, (str, os.PathLike)):
        data = file.read()
        return ArrayFile(io.BytesIO(data)) if data.startswith(b"PK") else from_npy(data)
    if zipfile.is_zipfile(file):
        return ArrayFile(file)
    with open(file, "rb") as npy:
        return from_npy(npy.read())


__all__ = ["load", "save", "savez", "savez_compressed"]
