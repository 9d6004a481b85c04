# SPDX-License-Identifier: Apache-2.0
"""The libraries that are opened at run time, and the library's messages."""
from __future__ import annotations

import atexit
import os
import sys
import threading
from importlib.machinery import PathFinder
from typing import Callable, NamedTuple, Optional

from . import _cucore, _errors
from ._enums import Library, LogLevel


class LibraryInfo(NamedTuple):
    """The state of one of the libraries."""

    path: str
    version: tuple[int, int]
    available: bool
    reason: str
    header_folders: str
    """Of NVRTC: the folders of the toolkit's headers that compiles search, with ':' between them."""


#: cucore_library_query
def library_query(library: Library) -> LibraryInfo:
    """Opens a library if it is not open yet and returns its state, or the reason that it cannot be
    used."""
    return LibraryInfo(_cucore._library_path(library), _cucore._library_version(library),
                       _cucore._library_available(library), _cucore._library_reason(library),
                       _cucore._library_header_folders(library))


def warn_of_cpu_device() -> None:
    """Warns that the CPU device is in use although the program did not choose it."""
    try:
        _cucore.driver_select("auto")  # changes nothing; refused if the driver in use was chosen by its name
    except _errors.Error:
        return
    import ctypes
    import warnings
    try:
        ctypes.CDLL("libcuda.so.1")
        reason = "the NVIDIA driver has no usable device"
    except OSError as error:
        reason = f"the NVIDIA driver was not found: {error}"
    warnings.warn(f"cucore uses the CPU device, because {reason}; kernels run slowly; set CUCORE_DRIVER=cpu to choose it "
                  "without this warning", UserWarning, stacklevel=2)


class _Messages:
    """The thread that takes the library's messages and calls the user's function."""

    def __init__(self, callback: Callable[[LogLevel, str], None], least: LogLevel) -> None:
        self._callback = callback
        self._receiver = _cucore._LogReceiver(least)
        self._thread = threading.Thread(target=self._run, name="cucore-log", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        # A bounded wait, because a thread that stays in native code would block the exit.
        while not self._receiver.stopped:
            while self._receiver.next(200):
                self._deliver(self._receiver.level, self._receiver.message)
        while self._receiver.next(0):  # messages that came before the stop
            self._deliver(self._receiver.level, self._receiver.message)

    def _deliver(self, level: LogLevel, message: str) -> None:
        try:
            self._callback(level, message)
        except BaseException:  # also SystemExit, which would end the messages with this thread
            try:
                sys.excepthook(*sys.exc_info())
            except BaseException:
                pass  # further messages matter more than a hook that fails

    def stop(self) -> None:
        """Ends the messages; those already received are delivered first."""
        self._receiver.stop()
        if threading.current_thread() is not self._thread:
            self._thread.join()


_lock = threading.Lock()
_messages: Optional[_Messages] = None


#: cucore_log_set_callback
def set_log_callback(callback: Optional[Callable[[LogLevel, str], None]], least: LogLevel = LogLevel.INFO) -> None:
    """Sets the one receiver of the library's messages, called as callback(level, message); None for none.

    It runs on a thread of its own, so it may take any lock and call anything.
    """
    if callback is not None and not callable(callback):
        raise TypeError(f"callback: a callable is needed, not {type(callback).__name__}")
    global _messages
    with _lock:
        previous, _messages = _messages, _Messages(callback, least) if callback is not None else None
    # Without the lock, because this waits for the thread of the messages, whose function may call this too.
    if previous is not None:
        previous.stop()


# The folders of libraries below the package nvidia: of CUDA 13 and newer, and of the wheels of CUDA 12.
_FOLDERS = (*(f"cu{release}/lib" for release in range(19, 12, -1)), "cuda_nvrtc/lib", "nvjitlink/lib", "cuda_nvcc/nvvm/lib64",
            "cublas/lib", "cufft/lib", "cusolver/lib", "curand/lib", "cusparse/lib", "nccl/lib", "cuda_cupti/lib")


def _nvidia_wheels() -> list[str]:
    """The folders of libraries in NVIDIA's wheels, the newest toolkit first."""
    spec = PathFinder.find_spec("nvidia")
    roots = list(spec.submodule_search_locations or ()) if spec else []
    if not roots:
        return []
    return [folder for root in roots for name in _FOLDERS if os.path.isdir(folder := os.path.join(root, name))]


# The beginnings of the file names of the libraries in NVIDIA's wheels.
_FILES = {
    Library.NVRTC: "libnvrtc.so", Library.NVJITLINK: "libnvJitLink.so", Library.NVVM: "libnvvm.so",
    Library.CUBLAS: "libcublas.so", Library.CUBLASLT: "libcublasLt.so", Library.CUFFT: "libcufft.so",
    Library.CUSOLVER: "libcusolver.so", Library.CURAND: "libcurand.so", Library.CUSPARSE: "libcusparse.so",
    Library.NCCL: "libnccl.so", Library.CUPTI: "libcupti.so",
}


def nvidia_files() -> dict[Library, str]:
    """The file of each library in NVIDIA's wheels, of the newest toolkit that has it."""
    names = {folder: sorted(os.listdir(folder)) for folder in _nvidia_wheels()}
    found = {}
    for library, beginning in _FILES.items():
        for folder, files in names.items():
            file = next((name for name in files if name.startswith(beginning)), None)
            if file:
                found[library] = os.path.join(folder, file)
                break
    return found


def _use_nvidia_wheels() -> None:
    for library, file in nvidia_files().items():
        try:
            _cucore.library_set_path(library, os.path.dirname(file))
        except _errors.InvalidStateError:
            pass  # already in use, by another choice


def _after_fork() -> None:
    """The thread of the messages is not in the child, nor is the owner of the lock."""
    global _lock, _messages
    _lock, _messages = threading.Lock(), None


os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def _stop() -> None:
    set_log_callback(None)
