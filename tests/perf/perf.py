# SPDX-License-Identifier: Apache-2.0
"""cucore_perf.h by ctypes, for tests."""
import ctypes as c
import json
import os

core = c.CDLL(os.environ["CUCORE_LIBRARY"])
library = c.CDLL(os.environ["CUCORE_PERF_LIBRARY"])
core.cucore_error_message.restype = c.c_char_p
core.cucore_error_log.restype = c.c_char_p
TEXT, JSON = 1, 2


class Options(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("archs", c.POINTER(c.c_char_p)), ("arch_count", c.c_size_t), ("allow", c.POINTER(c.c_char_p)),
                ("allow_count", c.c_size_t), ("block", c.c_uint32), ("shared", c.c_uint32), ("grid", c.c_uint32), ("multiprocessors", c.c_uint32),
                ("sources", c.c_int32), ("reserved", c.c_int32)]


class Failed(Exception):
    def __init__(self, status, error):
        self.status = status
        super().__init__(core.cucore_error_message(error).decode() + "\n" + core.cucore_error_log(error).decode())
        core.cucore_error_release(error)


def call(function, *arguments):
    error = c.c_void_p()
    status = function(*arguments, c.byref(error))
    if status:
        raise Failed(status, error)


def strings(values):
    return (c.c_char_p * len(values))(*[value.encode() for value in values])


def write(analysis, form):
    size = c.c_size_t()
    call(library.cucore_analysis_write, analysis, form, None, c.c_size_t(0), c.byref(size))
    buffer = c.create_string_buffer(size.value)
    call(library.cucore_analysis_write, analysis, form, buffer, size, c.byref(size))
    return buffer.value.decode()


def analyze_bytes(data, kind=0, form=JSON, archs=(), allow=(), sources=True, **numbers):
    """Analyses an image: 1 PTX, 2 CUBIN, 4 FATBIN. Returns the parsed JSON, or the text."""
    code, analysis = c.c_void_p(), c.c_void_p()
    call(core.cucore_objectcode_create, kind, data, c.c_size_t(len(data)), None, c.byref(code))
    options = Options(struct_size=c.sizeof(Options), archs=strings(archs), arch_count=len(archs), allow=strings(allow), allow_count=len(allow),
                      sources=1 if sources else 2, **numbers)
    try:
        call(library.cucore_analysis_create, code, c.byref(options), c.byref(analysis))
        text = write(analysis, form)
    finally:
        core.cucore_objectcode_release(code)
        library.cucore_analysis_release(analysis)
    return json.loads(text) if form == JSON else text


def analyze(path, **options):
    data = open(path, "rb").read()
    kind = 2 if data[:4] == b"\x7fELF" else 4 if data[:4] == b"\x50\xed\x55\xba" else 1
    return analyze_bytes(data, kind, **options)
