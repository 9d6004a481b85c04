# SPDX-License-Identifier: Apache-2.0
"""Kernels that are slow for a reason: the first lines of each format name the reason and its line.

    test_reasons.py LIBRARY_FOLDER
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARIES = Path(sys.argv.pop(1)).resolve()
COMMAND = os.environ["CUCORE_COMMAND"]
SKIPPED = 77

SOURCE = """#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void strided(const float *x, float *y, int n) {
  y[INDEX] = 2 * x[INDEX * 8 % n];  // strided
}
extern "C" __global__ void transpose(const float *in, float *out, int n) {
  int x = INDEX, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = in[x * n + y];  // transpose
}
extern "C" __global__ void banks(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + INDEX];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];  // banks
}
extern "C" __global__ void local(const int *keys, float *out, int n) {
  float bins[32], sum = 0;
  for (int k = 0; k < 32; ++k) bins[k] = k;
  for (int k = 0; k < 64; ++k)
    bins[keys[(INDEX + k) % n] & 31] += 1.0f;  // local
  for (int k = 0; k < 32; ++k) sum += bins[k] * k;
  out[INDEX] = sum;
}
extern "C" __global__ void diverge(const float *x, float *y, int n) {
  float v = x[INDEX];
  if (threadIdx.x & 1) {  // diverge
#pragma unroll 1
    for (int k = 0; k < 40; ++k) v = v * 1.01f + 1;
  } else {
#pragma unroll 1
    for (int k = 0; k < 40; ++k) v = v * 0.99f - 1;
  }
  y[INDEX] = v;
}
extern "C" __global__ void doubles(const float *x, float *y, int n) {
  float v = x[INDEX];
#pragma unroll 1
  for (int k = 0; k < 64; ++k)
    v = v * 1.01 + 0.5;  // doubles
  y[INDEX] = v;
}
extern "C" __global__ void tiny(float *x) { x[threadIdx.x] += 1; }
extern "C" __global__ void hog(const float *x, float *y, int n) {
  __shared__ float tile[11000];
  for (int k = threadIdx.x; k < 11000; k += blockDim.x) tile[k] = x[k % n];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += tile[(threadIdx.x + k) % 11000];
  y[INDEX] = sum;
}
"""
LINE = [["--grid", "256", "--block", "256"], 65536]
SQUARE = [["--grid", "8,8", "--block", "32,32"], 256]
# Kernel: its launch, and the finding. Those with a mark in the source have its line.
REASONS = {"strided": (LINE, "P203"), "transpose": (SQUARE, "P203"), "banks": (SQUARE, "P207"), "local": (LINE, "P218"),
           "diverge": (LINE, "P208"), "doubles": (LINE, "P211"), "tiny": ([["--block", "32"], None], "P201"),
           "hog": ([["--grid", "64", "--block", "64"], 65536], "P219")}


def line_of(kernel):
    marked = [number for number, line in enumerate(SOURCE.splitlines(), 1) if line.endswith(f"// {kernel}")]
    return marked[0] if marked else None


class Reasons(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "slow.cu").write_text(SOURCE)
        cls.run_command("compile", "slow.cu", "-o", "slow.ptx", "--arch", "compute_80", "--lineinfo")

    @classmethod
    def run_command(cls, *arguments):
        environment = dict(os.environ, LD_LIBRARY_PATH=":".join(filter(None, [str(LIBRARIES), os.environ.get("LD_LIBRARY_PATH")])))
        done = subprocess.run([COMMAND, "--driver", "cpu", *arguments], cwd=cls.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0:
            raise AssertionError(f"{arguments}: {done.stderr}{done.stdout}")
        return done.stdout

    def profile(self, kernel, *options):
        (shape, n), _ = REASONS[kernel]
        floats = ["--arg", f"buf:{'i32' if kernel == 'local' else 'f32'}:65536"]
        others = [] if n is None else ["--arg", "buf:f32:65536", "--arg", f"i32:{n}"]
        return self.run_command("profile", "slow.ptx", "--kernel", kernel, *shape, *floats, *others, *options)

    def check(self, kernel):
        finding, line = REASONS[kernel][1], line_of(kernel)
        place = f"slow.cu:{line}" if line else ""
        lines = self.profile(kernel).splitlines()
        self.assertRegex(lines[2], f"^{kernel}: [a-z0-9 ]+{f' at {place}' if place else ''} \\({finding}\\)$")
        self.assertTrue(lines[3].startswith("  ") and lines[4].startswith("  "), "figures and a remedy follow")
        page, trace = self.folder / f"{kernel}.html", self.folder / f"{kernel}.trace"
        [row] = csv.DictReader(self.profile(kernel, "--csv", "--html", str(page), "--trace", str(trace)).splitlines())
        self.assertEqual((row["finding"], row["place"]), (finding, place))
        self.assertIn(f'<div class="main"><b>{lines[2]}.</b>', page.read_text())
        marks = [event["name"] for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "i"]
        self.assertEqual(marks[:1], [] if kernel == "tiny" else [f"{finding} {lines[2].rpartition(' (')[0]}"])  # notes have none
        first = json.loads(self.profile(kernel, "--json"))["findings"][0]
        self.assertEqual((first["id"], first["line"]), (finding, line or 0))

    def test_each_has_a_line_or_none(self):
        self.assertEqual([kernel for kernel in REASONS if line_of(kernel) is None], ["tiny", "hog"])
        self.assertEqual(re.findall(r"void (\w+)\(", SOURCE), list(REASONS))

    def test_the_analysis_needs_no_run(self):
        analysis = json.loads(self.run_command("analyze", "slow.cu", "--block", "64", "--grid", "64", "--multiprocessors", "132", "--json"))
        found = {kernel["name"]: {finding["id"]: finding["line"] for finding in kernel["findings"]} for kernel in analysis["kernels"]}
        for kernel, finding in {"transpose": "A105", "banks": "A106", "local": "A102", "doubles": "A103"}.items():
            self.assertEqual(found[kernel].get(finding), line_of(kernel), found)
        self.assertIn("A107", found["hog"])
        self.assertIn("A111", found["tiny"])


for each in REASONS:
    setattr(Reasons, f"test_{each}", lambda self, kernel=each: self.check(kernel))

if __name__ == "__main__":
    libraries = json.loads(subprocess.run([COMMAND, "info", "--json"], capture_output=True, text=True, check=True).stdout)["libraries"]
    if not any(library["name"] == "nvrtc" and library["available"] for library in libraries):
        print("skipped: NVRTC is missing")
        sys.exit(SKIPPED)
    unittest.main()
