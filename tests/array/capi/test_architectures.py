# SPDX-License-Identifier: Apache-2.0
"""The kernels of each family compiled for each architecture: the text for GPUs, without one.

The scripted driver describes a GPU, and NVRTC compiles the explained sources to CUBINs. Maps keep their values in
registers: nothing is spilled.
"""
import ctypes as c
import os
import re
import unittest

import numpy as np
from arrays import Context
from test_explain import SOURCE, explain

ARCHITECTURES = (75, 80, 90, 100, 120)
NVRTC_NAMES = ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda/lib/libnvrtc.so")
# as the library passes them
OPTIONS = ("--std=c++17", "--minimal", "--device-as-default-execution-space", "--fmad=false", "--ptxas-options=-v")


def open_nvrtc():
    for name in (os.environ.get("REAL_NVRTC"), *NVRTC_NAMES):
        try:
            if name:
                return c.CDLL(name)
        except OSError:
            pass
    return None


NVRTC = open_nvrtc()


def compiled(source, architecture):
    """Returns the log of ptxas."""
    program, size = c.c_void_p(), c.c_size_t()
    assert NVRTC.nvrtcCreateProgram(c.byref(program), source.encode(), b"kernel.cu", 0, None, None) == 0
    options = [option.encode() for option in (*OPTIONS, f"--gpu-architecture=sm_{architecture}")]
    status = NVRTC.nvrtcCompileProgram(program, len(options), (c.c_char_p * len(options))(*options))
    NVRTC.nvrtcGetProgramLogSize(program, c.byref(size))
    log = c.create_string_buffer(size.value)
    NVRTC.nvrtcGetProgramLog(program, log)
    NVRTC.nvrtcDestroyProgram(c.byref(program))
    assert status == 0, log.value.decode()
    return log.value.decode()


@unittest.skipUnless(NVRTC, "NVRTC is not installed")
class Architectures(unittest.TestCase):
    def setUp(self):
        self.context = Context()
        self.x, self.y = (self.context.array(np.zeros((64, 1024), "float32")) for _ in range(2))
        self.long = self.context.array(np.zeros(1 << 17, "float32"))

    def check(self, family, result):
        source = explain([result], SOURCE)
        self.assertIn(f" a_{family}_", source)
        for architecture in ARCHITECTURES:
            with self.subTest(family=family, architecture=architecture):
                log = compiled(source, architecture)
                self.assertRegex(log, r"Used \d+ registers")
                if family == "map":
                    self.assertEqual(set(re.findall(r"(\d+) bytes spill", log)), {"0"}, log)

    def test_map(self):
        x, y = self.x, self.y
        self.check("map", ((x.apply("sin") * y.apply("cos") + (-y * y).apply("exp") + (x + 1.0).apply("log"))).apply("sqrt"))

    def test_map_of_half_precision(self):
        self.check("map", self.x + self.y.astype("bfloat16") * self.x.astype("float16"))

    def test_map_of_strides_and_broadcasts(self):
        self.check("map", self.x[:, ::2] + self.y[:1, :512] * self.x[:, :1])

    def test_map_of_tiles(self):
        result = self.long.reshape(256, 512) + self.context.array(np.zeros((512, 256), "float32")).T
        self.assertIn("__shared__", explain([result], SOURCE))
        self.check("map", result)

    def test_map_of_complex_numbers(self):
        self.check("map", self.x.astype("complex64") * self.y.astype("complex64") + 1j)

    def test_rows(self):
        away = self.x - self.x.reduce("max", [1], True)
        powers = away.apply("exp")
        self.check("rows", powers / powers.reduce("sum", [1], True))

    def test_chunked(self):
        self.check("chunked", (self.long * self.long).reduce("sum"))

    def test_outer(self):
        self.check("outer", self.x.reduce("sum", [0]))

    def test_scan(self):
        self.check("scan", self.x.scan("cumulative_sum", 1))

    def test_sort(self):
        self.check("sort", self.x.view("cucore_array_sort", 1, 0))

    def test_matmul(self):
        other = self.y.T
        self.check("matmul", self.x.view("cucore_array_matmul", other.handle))


if __name__ == "__main__":
    unittest.main()
