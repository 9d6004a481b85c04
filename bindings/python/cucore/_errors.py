# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the library: one base class, one class per status."""
from __future__ import annotations

import builtins
import errno
from typing import Any, NamedTuple, Tuple

from ._enums import Severity, Status


class Diagnostic(NamedTuple):
    """One message of a compiler or linker."""

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

    The message is one sentence: the attempted action, its object, the reason and the advice.
    """

    #: How the call ended.
    status: Status

    #: The whole output of the compiler or linker, or "".
    log: str

    #: The diagnostics in the log.
    diagnostics: Tuple[Diagnostic, ...]

    #: The owner of ``native_code``, "cuda", "nvrtc", "nvjitlink" or "cucore".
    origin: str

    #: The number from the driver or the compiler; 0 if the failure is the library's own.
    native_code: int

    #: Its name, such as "CUDA_ERROR_INVALID_PTX", or "".
    native_name: str

    def __init__(self, status: int, message: str, log: str = "", origin: str = "cucore", native_code: int = 0,
                 native_name: str = "", diagnostics: Tuple[Tuple[int, str, int, int, str], ...] = ()) -> None:
        # All of it is in args, so that errors can be pickled and cross processes.
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
        # The message of failed checks has the first reports, so the log would repeat them.
        return f"{self.message}\n{self.log}" if self.log and self.status != Status.CHECKS else self.message


#: exceptions


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


def _make(status: int, *parts: Any) -> Error:
    return _CLASSES.get(status, Error)(status, *parts)
