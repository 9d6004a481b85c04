# SPDX-License-Identifier: Apache-2.0
"""Runs pipelines of Halide on the CPU device, and compares their results with NumPy.

    /usr/bin/python3 tests/cpu/clients/run_halide.py COMPAT [NAME ...]

COMPAT is the folder with libcuda.so.1. Halide (python3-halide of Debian) compiles each pipeline to PTX by LLVM and
loads it with the driver API. A pipeline that Halide runs on the processor instead counts as a failure. The
script ends with 1 if a pipeline fails.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 120  # seconds of one pipeline
SIZE = 96  # no multiple of the tiles, which have 16


def pixels(numpy):
    return numpy.random.default_rng(7).integers(0, 256, (SIZE, SIZE)).astype(numpy.float32)


class Pipelines:
    """Each method returns the result of Halide and the expected one."""

    def __init__(self):
        import halide
        import numpy
        self.hl, self.np = halide, numpy
        self.target = halide.Target("host-cuda-cuda_capability_70")
        self.x, self.y, self.xi, self.yi = (halide.Var(name) for name in ("x", "y", "xi", "yi"))
        self.image = pixels(numpy)
        self.input = halide.Buffer(self.image.copy())  # the first index is that of NumPy

    def tile(self, function):
        return function.gpu_tile(self.x, self.y, self.xi, self.yi, 16, 16)

    def result(self, function, shape=(SIZE, SIZE)):
        buffer = function.realize(list(shape), self.target)
        buffer.copy_to_host()
        return self.np.array(buffer)

    def points(self):
        f = self.hl.Func("points")
        f[self.x, self.y] = self.hl.sqrt(self.input[self.x, self.y]) + self.x * 3 + self.y
        self.tile(f)
        i, j = self.np.indices((SIZE, SIZE))
        return self.result(f), self.np.sqrt(self.image) + i * 3 + j

    def blur_in_shared_memory(self):
        clamped = self.hl.BoundaryConditions.repeat_edge(self.input)
        rows, f = self.hl.Func("rows"), self.hl.Func("blur")
        x, y = self.x, self.y
        rows[x, y] = clamped[x - 1, y] + clamped[x, y] + clamped[x + 1, y]
        f[x, y] = rows[x, y - 1] + rows[x, y] + rows[x, y + 1]
        self.tile(f)
        rows.compute_at(f, x).gpu_threads(x, y)
        padded = self.np.pad(self.image, 1, "edge")
        return self.result(f), sum(padded[i:i + SIZE, j:j + SIZE] for i in range(3) for j in range(3))

    def matrix_product(self):
        f, k = self.hl.Func("product"), self.hl.RDom([(0, SIZE)])
        f[self.x, self.y] = 0.0
        f[self.x, self.y] += self.input[self.x, k.x] * self.input[k.x, self.y]
        self.tile(f)
        f.update().gpu_tile(self.x, self.y, self.xi, self.yi, 16, 16)
        return self.result(f), self.image @ self.image

    def histogram_with_atomics(self):
        f, r = self.hl.Func("histogram"), self.hl.RDom([(0, SIZE), (0, SIZE)])
        f[self.x] = self.hl.cast(self.hl.Int(32), 0)
        bin_of = self.hl.clamp(self.hl.cast(self.hl.Int(32), self.input[r.x, r.y]), 0, 255)
        f[bin_of] += 1
        f.gpu_tile(self.x, self.xi, 64)
        f.update().atomic().gpu_tile(r.x, r.y, self.hl.RVar("rx"), self.hl.RVar("ry"), 16, 16)
        return self.result(f, (256,)), self.np.bincount(self.image.astype(int).ravel(), minlength=256)

    def stages_on_the_device(self):
        first, f = self.hl.Func("first"), self.hl.Func("second")
        first[self.x, self.y] = self.input[self.x, self.y] * 2.0
        f[self.x, self.y] = first[self.x, self.y] + first[SIZE - 1 - self.x, self.y]
        self.tile(first.compute_root())
        self.tile(f)
        return self.result(f), 2 * (self.image + self.image[::-1])

    def bytes_and_shifts(self):
        f = self.hl.Func("narrow")
        value = self.hl.cast(self.hl.UInt(8), self.input[self.x, self.y]) >> 1
        f[self.x, self.y] = value ^ self.hl.cast(self.hl.UInt(8), self.x)
        self.tile(f)
        i, _ = self.np.indices((SIZE, SIZE))
        return self.result(f), (self.image.astype(self.np.uint8) >> 1) ^ i.astype(self.np.uint8)


NAMES = [name for name in vars(Pipelines) if not name.startswith("_") and name not in ("tile", "result")]


def run_here(name):
    pipelines = Pipelines()
    result, expected = getattr(pipelines, name)()
    pipelines.np.testing.assert_allclose(result, expected, rtol=1e-5)


def kernels_in(trace):
    lines = trace.read_text().splitlines() if trace.exists() else []
    return sum(json.loads(line)["call"] == "cuLaunchKernel" for line in lines)


def run(name, libraries, trace):
    environment = dict(os.environ, LD_LIBRARY_PATH=str(libraries), CUCORE_CPU_TRACE=str(trace))
    try:
        result = subprocess.run([sys.executable, "-B", __file__, "--child", name], env=environment, capture_output=True,
                                text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return "did not end"
    if result.returncode:
        return (result.stderr.strip().splitlines() or ["no output"])[-1][:90]
    launches = kernels_in(trace)
    return f"passes, kernels: {launches}" if launches else "ran on the processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compat", type=Path)
    parser.add_argument("name", nargs="*")
    options = parser.parse_intermixed_args()
    passed, names = 0, options.name or NAMES
    with tempfile.TemporaryDirectory() as folder:
        for library in ("libcuda.so", "libcuda.so.1"):
            (Path(folder) / library).symlink_to(options.compat.resolve() / "libcuda.so.1")
        for name in names:
            outcome = run(name, folder, Path(folder) / f"{name}.json")
            passed += outcome.startswith("passes")
            print(f"{name}: {outcome}", flush=True)
    print(f"{passed} of {len(names)} pass")
    return 0 if passed == len(names) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run_here(sys.argv[2])
    else:
        sys.exit(main())
