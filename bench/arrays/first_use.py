# SPDX-License-Identifier: Apache-2.0
"""The first use of expressions, compared with NVRTC's own time for the same text, and read from a cache on disk.

  first_use.py

A second process evaluates the same expressions with the cache of the first one. The environment is that of
tests/array/capi/arrays.py. CUCORE_NVRTC is the path of libnvrtc, else it is that of the toolkit.
"""
import ctypes as c
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from arrays import Context, call, core, evaluate

FUNCTIONS = ("sin", "cos", "exp", "log", "sqrt", "tanh", "expm1", "log1p", "floor", "square", "sign", "rint")
SOURCE = 3  # CUCORE_ARRAY_EXPLAIN_SOURCE
GOAL_OF_NVRTC, GOAL_OF_DISK_MS = 1.05, 0.5


def expressions(x):
    """Twelve expressions with a kernel each."""
    for number, name in enumerate(FUNCTIONS):
        y = x.apply(name) * x + 1.0
        for other in FUNCTIONS[:number % 4]:
            y = y + (y * x).apply(other)
        yield y


def source(array):
    size, handles, text = c.c_size_t(), (c.c_void_p * 1)(array.handle), c.create_string_buffer(1 << 18)
    call("cucore_array_explain", handles, c.c_size_t(1), SOURCE, text, c.c_size_t(len(text)), c.byref(size))
    return text.value.decode()


def seconds(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


class Nvrtc:
    """Compiles as the library does, by calls of NVRTC alone."""

    def __init__(self, arch):
        places = (os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda")
        found = (path for place in places for path in Path(place, "lib64").glob("libnvrtc.so.1?"))
        self.library = c.CDLL(os.environ.get("CUCORE_NVRTC") or next(found, "libnvrtc.so.13"))
        emulated = os.environ.get("CUCORE_DRIVER") == "cpu"
        options = [f"-arch={arch.replace('sm_', 'compute_') if emulated else arch}", "-std=c++17", "-minimal", "-default-device", "-fmad=false"]
        self.options = (c.c_char_p * len(options))(*(option.encode() for option in options))
        self.result = "PTX" if emulated else "CUBIN"

    def compile(self, text):
        program, size = c.c_void_p(), c.c_size_t()
        steps = [lambda: self.library.nvrtcCreateProgram(c.byref(program), text.encode(), b"array kernel", 0, None, None),
                 lambda: self.library.nvrtcCompileProgram(program, len(self.options), self.options),
                 lambda: getattr(self.library, f"nvrtcGet{self.result}Size")(program, c.byref(size)),
                 lambda: getattr(self.library, f"nvrtcGet{self.result}")(program, c.create_string_buffer(size.value)),
                 lambda: self.library.nvrtcDestroyProgram(c.byref(program))]
        for step in steps:
            if status := step():
                sys.exit(f"first_use.py: NVRTC returned {status}")


def arch_of(context):
    device = c.c_void_p()
    call("cucore_array_context_device", context.handle, c.byref(device))
    core.cucore_device_arch.restype = c.c_char_p
    return core.cucore_device_arch(device).decode()


def first_uses(context, nvrtc):
    """The times of the evaluations, and of NVRTC for the same texts under other names, in turns."""
    x = context.array(np.linspace(0.1, 2, 1000, dtype="float32"))
    evaluate([x + 2.0])
    ours, theirs = [], []
    if nvrtc:  # the first compile of a process loads the compiler
        nvrtc.compile("extern \"C\" __global__ void first() {}")
    for array in expressions(x):
        text = re.sub(r"\ba_([a-z]+_[0-9a-f]{16})", r"b_\1", source(array)) if nvrtc else ""
        ours.append(seconds(lambda: evaluate([array])))  # noqa: B023
        if nvrtc:
            theirs.append(seconds(lambda: nvrtc.compile(text)))  # noqa: B023
    return ours, theirs


def cache_in(folder):
    class Options(c.Structure):
        _fields_ = [("struct_size", c.c_size_t), ("directory", c.c_char_p), ("defaults", c.c_uint8 * 88)]

    handle, options = c.c_void_p(), Options(c.sizeof(Options), folder.encode())
    call("cucore_cache_open", c.byref(options), c.byref(handle), library=core)
    return handle


def from_disk(folder):
    context = Context(cache=cache_in(folder))
    ours, _ = first_uses(context, None)
    info = context.info()
    if info["kernels_compiled"]:
        sys.exit(f"first_use.py: the second process compiled {info['kernels_compiled']} kernels")
    print(f"from disk, a kernel: {statistics.median(ours) * 1e3:.3f} ms (goal {GOAL_OF_DISK_MS}); {min(ours) * 1e3:.3f} to {max(ours) * 1e3:.3f}")


def main():
    if len(sys.argv) > 1:
        return from_disk(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        context = Context(cache=cache_in(folder))
        ours, theirs = first_uses(context, Nvrtc(arch_of(context)))
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        print(f"first use: {statistics.median(ours) * 1e3:.1f} ms, NVRTC alone {statistics.median(theirs) * 1e3:.1f} ms, "
              f"ratio {ratio:.3f} (goal {GOAL_OF_NVRTC}); kernels compiled {context.info()['kernels_compiled']}", flush=True)
        subprocess.run([sys.executable, "-B", __file__, folder], check=True)
    call("cucore_array_context_synchronize", context.handle)


if __name__ == "__main__":
    main()
