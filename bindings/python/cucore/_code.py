# SPDX-License-Identifier: Apache-2.0
"""Members of ObjectCode and Kernel in addition to the native ones: symbols, bytes, pickling."""
from __future__ import annotations

import os
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Union

from . import _cucore
from ._cucore import Device, Kernel, LaunchConfig, ObjectCode, PreparedLaunch
from ._enums import CodeType, ParameterClass, SignaturePolicy, SymbolKind
from ._errors import Diagnostic, FileMissingError, NotFoundError, UnsupportedError
from ._link import keys
from ._members import member
from ._program import Key, code_type

Bytes = Union[bytes, bytearray, memoryview]


# Behind the comments of classes that calls of the library return.
MORE = {"Kernel": """

ObjectCode.kernel(name) returns a kernel. A launch has these forms:

    kernel[grid, block](*args)
    kernel[grid, block, stream](*args)
    kernel[grid, block, stream, dynamic_shared](*args)
    kernel[config, stream](*args)

Grid and block are an int or up to three ints; the grid counts blocks. LaunchConfig has further settings. Without a
stream the launch uses the default stream of the device of the first Buffer among the arguments.

Each argument is converted to the parameter of the kernel: an int, a float, a Buffer, an array on the device, a ctypes
structure or bytes. A launch refuses other values, and its message contains the position of the argument.

    kernel = cucore.Program(source).compile().kernel("scale")
    kernel[4, 256, stream](2.0, data, 1000)
"""}


class _Place(NamedTuple):
    offset: int
    size: int


class Parameter(_Place):
    """One parameter of a kernel: ``offset`` and ``size`` in the parameter block, in bytes, and the class of values that it
    accepts. As a tuple it is (offset, size)."""

    #: UNKNOWN if the code does not record it.
    parameter_class: ParameterClass = ParameterClass.UNKNOWN


class Resources(NamedTuple):
    """The resources of a kernel, from its machine code; -1 if not recorded."""

    registers: int
    static_shared: int
    stack: int
    max_threads: int
    constant: int
    code_size: int


class Symbol(NamedTuple):
    """A kernel or a variable of object code."""

    expression: str
    """The name as written, "saxpy<float>"; "" where unknown."""
    lowered_name: str
    """The name in the code."""
    kind: SymbolKind
    parameters: Optional[tuple[Parameter, ...]]
    """Of a kernel; None where the code does not say."""
    size: int
    """Of a variable, in bytes."""
    resources: Optional[Resources]
    """Of a kernel; None where the code is not machine code."""


class Global(NamedTuple):
    """The location of a variable of object code on a device."""

    address: int
    size: int


def _resources(code: ObjectCode, index: int) -> Optional[Resources]:
    try:
        return Resources(*(getattr(code, f"_symbol_resources_{field}")(index) for field in Resources._fields))
    except UnsupportedError:
        return None


def _parameters(infos: tuple[tuple[int, int, int], ...]) -> tuple[Parameter, ...]:
    made = tuple(Parameter(offset, size) for offset, size, _ in infos)
    for parameter, (_, _, number) in zip(made, infos):
        if number in _CLASSES:  # later versions may add classes
            parameter.parameter_class = _CLASSES[number]
    return made


_CLASSES = {int(each): each for each in ParameterClass}


def _symbol(code: ObjectCode, index: int) -> Symbol:
    count = code._symbol_parameter_count(index)
    kind = code._symbol_kind(index)
    parameters = None
    if kind == SymbolKind.KERNEL and count >= 0:
        parameters = _parameters(code._symbol_parameters(index))
    return Symbol(code._symbol_expression(index), code._symbol_lowered_name(index), kind, parameters,
                  code._symbol_size(index), _resources(code, index) if kind == SymbolKind.KERNEL else None)


#: cucore_objectcode_symbol_at cucore_objectcode_symbol_parameters cucore_objectcode_symbol_parameter_at cucore_objectcode_symbol_resources
@member(ObjectCode, "symbols", property, native=ObjectCode._symbol_expression)
def symbols(self: ObjectCode) -> tuple[Symbol, ...]:
    return tuple(_symbol(self, i) for i in range(self.symbol_count))


#: cucore_objectcode_diagnostic_at
@member(ObjectCode, "diagnostics", property)
def diagnostics(self: ObjectCode) -> tuple[Diagnostic, ...]:
    """The diagnostics of the compiler or linker."""
    return tuple(Diagnostic(self._diagnostic_severity(i), self._diagnostic_file(i), self._diagnostic_line(i),
                            self._diagnostic_column(i), self._diagnostic_text(i))
                 for i in range(self.diagnostic_count))


#: cucore_objectcode_metadata_key cucore_objectcode_metadata_value
@member(ObjectCode, "metadata", property)
def metadata(self: ObjectCode) -> dict[str, str]:
    """Facts about its origin: "producer" and others."""
    return {self._metadata_key(i): self._metadata_value(i) for i in range(self.metadata_count)}


@member(ObjectCode, "images", property)
def images(self: ObjectCode) -> tuple[ObjectCode, ...]:
    """The images of a bundle; for other code, itself."""
    return tuple(self.image(i) for i in range(self.image_count))


#: cucore_objectcode_create
@member(ObjectCode, "from_bytes", staticmethod, native=ObjectCode._create,
        more="names: the expressions under which kernels are found, to their lowered names.")
def from_bytes(type: CodeType, data: Union[Bytes, str], *, name: Optional[str] = None, arch: Optional[str] = None,
               names: Optional[Mapping[str, str]] = None) -> ObjectCode:
    names = names or {}
    if isinstance(data, str) and type == CodeType.PTX:
        data = data.encode()  # PTX is text
    return ObjectCode._create(type, data, name, arch, tuple(names), tuple(names.values()))


#: cucore_objectcode_from_file
@member(ObjectCode, "from_file", staticmethod,
        more="names: the expressions under which kernels are found, to their lowered names. from_file(path) detects the type.")
def from_file(type: Union[CodeType, str, "os.PathLike[str]"], path: Union[None, str, "os.PathLike[str]"] = None, *, name: Optional[str] = None,
              arch: Optional[str] = None, names: Optional[Mapping[str, str]] = None) -> ObjectCode:
    names = names or {}
    file, number = (type, 0) if path is None else (path, type)
    if not isinstance(number, int):
        number = code_type(number)  # type: ignore[arg-type]
    try:
        return ObjectCode._from_file(number, file, name, arch, tuple(names), tuple(names.values()))  # type: ignore[arg-type]
    except NotFoundError as error:
        if os.path.exists(file):
            raise
        raise FileMissingError.of(error, file) from None


#: cucore_objectcode_serialize
@member(ObjectCode, "serialize", more="compression: zstd; without it the bytes are as they are. key: signs.")
def serialize(self: ObjectCode, *, compression: bool = False, key: Optional[Key] = None) -> bytes:
    signing = keys(key)
    # no room: returns only the size
    out = bytearray(self._serialize(compression, signing, bytearray()))
    self._serialize(compression, signing, out)
    return bytes(out)


#: cucore_objectcode_deserialize
@member(ObjectCode, "deserialize", staticmethod,
        more="max_code_size: refuse images above this many bytes; 0 is 1 GiB.\nsignature: whether one is asked for.\nverify: the keys that verify.")
def deserialize(data: Bytes, *, max_code_size: int = 0, signature: SignaturePolicy = SignaturePolicy.NONE,
                verify: Iterable[Key] = ()) -> ObjectCode:
    return _read(data, max_code_size, signature, keys(verify) if verify else None)


_read = ObjectCode._deserialize
_UNSIGNED = SignaturePolicy.NONE


def _restore(data: bytes) -> ObjectCode:
    """Called by pickles of ObjectCode. Stored pickles contain its name, so it stays here under this
    name."""
    return _read(data, 0, _UNSIGNED, None)


@member(ObjectCode, "__reduce_ex__")
@member(ObjectCode, "__reduce__")
def _reduce(self: ObjectCode, protocol: int = 0) -> tuple[object, tuple[bytes]]:
    """Its container goes in its place."""
    return _restore, (self.serialize(),)


@member(ObjectCode, "__deepcopy__")
@member(ObjectCode, "__copy__")
def _same(self: ObjectCode, memo: object = None) -> ObjectCode:
    """Object code never changes: its copy is itself."""
    return self


#: cucore_objectcode_find_global
@member(ObjectCode, "find_global")
def find_global(self: ObjectCode, name: str, device: Device) -> Global:
    return Global(*self._find_global(name, device))


#: cucore_prepared_launch_create
@member(Kernel, "prepare")
def kernel_prepare(self: Kernel, stream: Any, config: LaunchConfig, /, *args: Any) -> PreparedLaunch:
    """Converts and checks the arguments once, as ``launch`` does. ``run()`` of the result launches the kernel.

    The result keeps the kernel, the stream and the arguments. An array of another library is ready for the stream at
    this call; later changes of it need an ``update``.
    """
    return _cucore._prepare(stream, config, self, *args)


#: cucore_prepared_launch_update
@member(PreparedLaunch, "update")
def prepared_update(self: PreparedLaunch, index: int, value: Any, /) -> None:
    """Replaces the argument at an index, from 0, for all later launches. The value is converted as by ``launch``.

    If the value is refused, the argument has its previous value.
    """
    _cucore._update(self, index, value)


#: cucore_kernel_parameter_at cucore_kernel_parameters
@member(Kernel, "parameter")
def kernel_parameter(self: Kernel, index: int, device: Optional[Device] = None) -> Parameter:
    self._parameter(index, device)  # refuses an index that is out of range
    return _parameters(self._parameters(device))[index]


#: cucore_kernel_parameter_count
@member(Kernel, "parameter_count", property)
def kernel_parameter_count(self: Kernel) -> Optional[int]:
    """The number of its parameters; None if neither the code nor the driver records it."""
    count = self._parameter_count
    return None if count < 0 else count


@member(Kernel, "parameters", property)
def kernel_parameters(self: Kernel) -> Optional[tuple[Parameter, ...]]:
    """The position and the class of each parameter; None if neither the code nor the driver records them."""
    return None if kernel_parameter_count(self) is None else _parameters(self._parameters(None))


#: cucore_objectcode_data
@member(ObjectCode, "data", property)
def data(self: ObjectCode) -> bytes:
    """A copy of the bytes; memoryview(code) sees them without one."""
    return self._data()
