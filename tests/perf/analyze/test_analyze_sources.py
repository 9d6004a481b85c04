# SPDX-License-Identifier: Apache-2.0
"""cucore analyze with a source: no device is needed, places are those of the source, and sizes that no device has are refused."""
import json
import os
import subprocess
import sys
import unittest
import unittest.mock

from command import COMMAND, SKIPPED, Workshop, findings, has_compiler

SOURCE = """extern "C" __global__ void first(float* x) { x[threadIdx.x] = 1; }
extern "C" __global__ void second(float* x) { x[threadIdx.x] = 2; }
extern "C" __global__ void third(float* x) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[1023 - threadIdx.x];
}
"""


class Sources(unittest.TestCase):
    def setUp(self):
        self.workshop = Workshop()
        self.addCleanup(self.workshop.folder.cleanup)
        (self.workshop.path / "k.cu").write_text(SOURCE)

    def analyze(self, *options, driver="/missing/libcuda.so"):
        done = subprocess.run([COMMAND, "analyze", "k.cu", *options], cwd=self.workshop.path, env=os.environ | {"CUCORE_DRIVER": driver},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def kernels(self, *options, **settings):
        return json.loads(self.analyze(*options, "--json", **settings))["kernels"]

    def test_no_device_is_needed(self):
        for driver in ("/missing/libcuda.so", "cpu"):
            with self.subTest(driver):
                kernels = self.kernels(driver=driver)
                self.assertEqual({(kernel["arch"], kernel["level"]) for kernel in kernels}, {("sm_90", "machine")})

    def test_a_virtual_architecture_has_its_ptx_analysed(self):
        self.assertEqual({(kernel["arch"], kernel["level"]) for kernel in self.kernels("--arch", "compute_80")}, {("compute_80", "ptx")})

    def test_kernels_have_the_order_of_the_source(self):
        kernels = self.kernels()
        self.assertEqual([kernel["name"] for kernel in kernels], ["first", "second", "third"])
        for kernel in kernels:
            for finding in kernel["findings"]:
                self.assertEqual(finding["kernel"], kernel["name"])

    def test_places_have_no_needless_parts(self):
        self.assertIn(", machine of sm_90, k.cu:1\n", self.analyze())  # the folder is the current one
        self.assertEqual(self.kernels()[0]["file"], str(self.workshop.path.resolve() / "k.cu"))

    def test_the_machine_code_is_below_its_source(self):
        tool = self.workshop.path / "nvdisasm"
        tool.write_text("#!/bin/sh\nfor name in first second third; do echo \".text.$name:\"; echo '/*0000*/ EXIT ;'; done\n")
        tool.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.workshop.path}:{os.environ['PATH']}"):
            self.assertIn("\nmachine code of second for sm_90\nk.cu:2\n  0000  EXIT\n", self.analyze("--disassemble"))
            [line] = self.kernels("--disassemble")[1]["disassembly"]
        self.assertEqual((line["address"], line["line"], line["text"]), (0, 2, "EXIT"))
        self.assertNotIn("disassembly", self.kernels()[1])

    def test_shared_memory_that_no_device_has(self):
        for dynamic, all_of_it in ((999999, 999999 + 4096), (4294963100, 4294967196), (4294963200, 4294967295)):
            with self.subTest(dynamic):
                kernels = self.kernels("--shared", str(dynamic), "--block", "256")
                found = [finding for finding in findings({"kernels": kernels[2:]}) if finding["id"] == "A107"]
                self.assertEqual([(finding["severity"], finding["message"]) for finding in found],
                                 [("error", f"a block of 256 threads with {all_of_it} bytes of shared memory does not fit sm_90; its launch fails")])
        self.assertIn("\n3 errors, 0 warnings", self.analyze("--shared", "999999"))


if __name__ == "__main__":
    if not has_compiler():
        print("skipped: NVRTC is missing")
        sys.exit(SKIPPED)
    unittest.main()
