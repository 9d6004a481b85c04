# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the library: one base class, one class a status."""
from __future__ import annotations

import builtins
import errno
from typing import NamedTuple, Tuple

from ._enums import Severity, Status

__all__ = [
    "Diagnostic",
    "Error", "InvalidArgumentError", "InvalidHandleError", "BufferTooSmallError", "AbiMismatchError",
    "InvalidStateError", "NotFoundError", "FileMissingError", "UnsupportedError",
    "NotUpdatableError", "ShapeError", "DtypeError", "IndexError", "NumericError", "LibraryMissingError", "DriverTooOldError",
    "NoDeviceError", "OutOfMemoryError", "OutOfDeviceMemoryError", "IoError", "NotPermittedError", "CompilationError",
    "LinkingError", "InvalidCodeError", "LaunchError", "KernelFaultError", "SignatureError", "NotReadyError",
    "CudaError", "InternalError",
]


class Diagnostic(NamedTuple):
    """One thing that a compiler or a linker said."""

    severity: Severity
    file: str
    """"" where it is not said."""
    line: int
    """From 1; 0 where it is not said."""
    column: int
    text: str
    """Without the file, the line and the severity."""


class Error(Exception):
    """A call of the library failed.

    What it says is one sentence: what was attempted, on what, why it failed and what to do.
    """

    #: How the call ended.
    status: Status

    #: The whole output of the compiler or the linker; "" where there is none.
    log: str

    #: What the log says, one by one.
    diagnostics: Tuple[Diagnostic, ...]

    #: Whose number ``native_code`` is: "cuda", "nvrtc", "nvjitlink" or "cucore".
    origin: str

    #: The number that the driver or the compiler gave; 0 where the failure is the library's own.
    native_code: int

    #: Its name, such as "CUDA_ERROR_INVALID_PTX"; "" where there is none.
    native_name: str

    def __init__(self, status: int, message: str, log: str = "", origin: str = "cucore", native_code: int = 0,
                 native_name: str = "", diagnostics: Tuple[Tuple[int, str, int, int, str], ...] = ()) -> None:
        # All of it is in args: so errors can be pickled and cross processes.
        super().__init__(int(status), message, log, origin, native_code, native_name, diagnostics)
        self.status = Status(status)
        self.log = log
        self.origin = origin
        self.native_code = native_code
        self.native_name = native_name
        self.diagnostics = tuple(Diagnostic(Severity(d[0]), *d[1:]) for d in diagnostics)

    @property
    def message(self) -> str:
        """The sentence alone, without the log."""
        return str(self.args[1])

    def __str__(self) -> str:
        return f"{self.message}\n{self.log}" if self.log else self.message


class InvalidArgumentError(Error, ValueError):
    """An argument is out of its range."""


class InvalidHandleError(Error, ValueError):
    """The object was closed."""


class BufferTooSmallError(Error, ValueError):
    """The memory given is too small for the result."""


class AbiMismatchError(Error):
    """The library is older than what uses it."""


class InvalidStateError(Error):
    """The right call at the wrong moment."""


class NotFoundError(Error, LookupError):
    """No such kernel, symbol or file; the message lists what there is."""


class FileMissingError(NotFoundError, FileNotFoundError):
    """No such file: Python's FileNotFoundError, with ``filename``, and a NotFoundError."""

    @classmethod
    def of(cls, error: NotFoundError, path: object) -> "FileMissingError":
        """The same failure, of a file."""
        made = cls(*error.args)
        made.errno, made.filename = errno.ENOENT, path
        return made

    def __reduce__(self) -> Tuple[object, ...]:
        return type(self), self.args, {"errno": self.errno, "filename": self.filename}


class UnsupportedError(Error, NotImplementedError):
    """This device, driver or library cannot do it."""


class NotUpdatableError(Error):
    """The change needs a new executable."""


class ShapeError(Error, ValueError):
    """Shapes or dimensions do not fit together."""


class DtypeError(Error, TypeError):
    """An element type does not allow the operation."""


class IndexError(Error, builtins.IndexError):
    """An index is outside its axis; also Python's IndexError."""


class NumericError(Error, ArithmeticError):
    """A matrix is singular, or an iteration has not converged."""


class LibraryMissingError(Error):
    """A library could not be opened; the message lists every path tried."""


class DriverTooOldError(Error):
    """The driver is too old; the message names both versions."""


class NoDeviceError(Error):
    """There is a driver, but no device."""


class OutOfMemoryError(Error, MemoryError):
    """Host memory is used up."""


class OutOfDeviceMemoryError(Error, MemoryError):
    """Device memory is used up."""


class IoError(Error, OSError):
    """A file could not be read or written."""


class NotPermittedError(Error, PermissionError):
    """The system denies this to the user."""


class CompilationError(Error):
    """The source is wrong; ``log`` has the compiler's output."""


class LinkingError(Error):
    """The linker refused; ``log`` has its output."""


class InvalidCodeError(Error):
    """An image or a container that is not well formed."""


class LaunchError(Error):
    """The kernel cannot be launched so on this device."""


class KernelFaultError(Error):
    """A kernel broke its context; see Device.reset."""


class SignatureError(Error):
    """A required signature is missing or wrong."""


class NotReadyError(Error):
    """The work is not complete yet."""


class CudaError(Error):
    """Any other error of the driver; see ``native_name``."""


class InternalError(Error):
    """A fault of the library: please report it."""


_CLASSES = {
    101: InvalidArgumentError, 102: InvalidHandleError, 103: BufferTooSmallError, 104: AbiMismatchError,
    105: InvalidStateError, 106: NotFoundError, 107: UnsupportedError, 108: NotUpdatableError, 109: ShapeError,
    110: DtypeError, 111: IndexError, 112: NumericError,
    201: LibraryMissingError, 202: DriverTooOldError, 203: NoDeviceError, 204: OutOfMemoryError,
    205: OutOfDeviceMemoryError, 206: IoError, 207: NotPermittedError,
    301: CompilationError, 302: LinkingError, 303: InvalidCodeError, 304: LaunchError, 305: KernelFaultError,
    306: SignatureError, 401: NotReadyError, 901: CudaError, 902: InternalError,
}


def _make(status: int, message: str, log: str, origin: str, native_code: int, native_name: str,
          diagnostics: Tuple[Tuple[int, str, int, int, str], ...]) -> Error:
    return _CLASSES.get(status, Error)(status, message, log, origin, native_code, native_name, diagnostics)
