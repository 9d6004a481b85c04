# SPDX-License-Identifier: Apache-2.0
"""cucore analyze: reports of files and sources, options, and exit codes."""
import json
import unittest
from pathlib import Path

from command import SAXPY, CommandTest

IMAGES = Path(__file__).resolve().parents[1] / "compat" / "images"
CONTENDED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{ .reg .b64 %l<2>; .reg .b32 %r<2>;
ld.param.u64 %l0, [p];
atom.global.add.u32 %r0, [%l0], 1;
ret; }
"""
DOUBLE = """extern "C" __global__ void twice(float* x) {
  x[threadIdx.x] *= 1.1;
}
"""


class Analyze(CommandTest):
    def setUp(self):
        super().setUp()
        for name in ("saxpy_sm90.cubin", "saxpy.ptx", "saxpy_zstd.fatbin", "saxpy.ltoir", "host_object.bin"):
            self.write(name, (IMAGES / name).read_bytes())
        self.write("contended.ptx", CONTENDED)

    def json(self, *arguments):
        return json.loads(self.succeeds("analyze", *arguments, "--json"))

    def ids(self, *arguments):
        return [finding["id"] for kernel in self.json(*arguments)["kernels"] for finding in kernel["findings"]]

    def test_a_report_names_kernels_resources_and_findings(self):
        text = self.succeeds("analyze", "saxpy_sm90.cubin")
        self.assertIn("kernel saxpy, machine of sm_90\n", text)
        self.assertRegex(text, r"  \d+ registers, 0 bytes shared, \d+ bytes of parameters")
        self.assertRegex(text, r"blocks of \d+ on sm_90: \d+ at a time, 100 % of the warps, limited by warps")
        self.assertTrue(text.endswith("0 warnings, 0 notes in 1 kernel\n"), text)
        text = self.succeeds("analyze", "contended.ptx")
        self.assertIn("PTX line 7: warning A112 contended atomic: all threads of a block do atom on one address\n", text)

    def test_several_files_are_one_object(self):
        shown = self.json("saxpy_sm90.cubin", "saxpy.ptx", "saxpy_zstd.fatbin")
        self.assertEqual(shown["schema"], "cucore.analysis/1")
        images = [kernel["image"] for kernel in shown["kernels"]]
        self.assertEqual(sorted(set(images)), ["saxpy.ptx", "saxpy_sm90.cubin", "saxpy_zstd.fatbin"])
        text = self.succeeds("analyze", "saxpy_sm90.cubin", "saxpy.ptx")
        self.assertIn("saxpy.ptx\n", text)

    def test_a_container_is_analysed(self):
        self.succeeds("bundle", "saxpy_sm90.cubin", "saxpy.ptx", "-o", "both.cuco", "-q")
        self.assertEqual([kernel["level"] for kernel in self.json("both.cuco")["kernels"]], ["machine", "ptx"])

    def test_fail_on_sets_the_exit_code(self):
        self.succeeds("analyze", "contended.ptx", "--fail-on", "error")
        self.fails(1, "analyze", "contended.ptx", "--fail-on", "warning", says="1 finding of the severity warning or above")
        self.fails(1, "analyze", "contended.ptx", "--fail-on", "note", says="2 findings of the severity note or above")
        self.succeeds("analyze", "contended.ptx", "--fail-on", "warning", "--allow", "A112")
        result = self.run_command("analyze", "contended.ptx", "--fail-on", "warning", "--json")
        shown = json.loads(result.stdout)
        self.assertEqual((result.returncode, shown["exit_code"], shown["status"]), (1, 1, "CUCORE_ERROR_CHECKS"))
        self.assertEqual(shown["kernels"][0]["findings"][0]["id"], "A112")

    def test_allowed_findings_are_not_listed(self):
        self.assertEqual(self.ids("contended.ptx"), ["A112", "A116"])
        self.assertEqual(self.ids("contended.ptx", "--allow", "A112", "--allow", "A116"), [])
        self.fails(1, "analyze", "contended.ptx", "--allow", "A200", says="expected A101 to A118")
        self.write("allowed.ptx", CONTENDED.replace("], 1;", "], 1;  // cucore: allow(A112)"))
        self.assertEqual(self.ids("allowed.ptx"), ["A116"])
        self.write("other.ptx", CONTENDED.replace("], 1;", "], 1;  // cucore: allow(A1122, A11)"))
        self.assertEqual(self.ids("other.ptx"), ["A112", "A116"])

    def test_options_take_one_value(self):
        for options in (("--arch", "sm_80"), ("--allow", "A116"), ("-I", "."), ("-D", "X")):
            self.fails(1, "analyze", "saxpy.ptx", *options, "contended.ptx", "--fail-on", "warning", says="1 finding of the severity warning")

    def test_a_comment_in_the_source_allows_a_finding(self):
        self.write("double.cu", DOUBLE)
        command = ("double.cu", "--arch", "sm_90")
        if self.run_command("analyze", *command).returncode != 0:
            self.skipTest("NVRTC is missing")
        shown = [finding for kernel in self.json(*command)["kernels"] for finding in kernel["findings"]]
        self.assertEqual([(finding["id"], finding["line"]) for finding in shown], [("A103", 2)])
        self.assertTrue(shown[0]["file"].endswith("double.cu"))
        self.write("double.cu", DOUBLE.replace("1.1;", "1.1;  // cucore: allow(A103)"))
        self.assertEqual(self.ids(*command), [])
        self.assertEqual(self.ids(*command, "--no-sources"), ["A103"])

    def test_the_architectures_of_the_occupancy(self):
        rows = self.json("saxpy_sm90.cubin", "--arch", "sm_75", "--arch", "sm_120", "--block", "128")["kernels"][0]["occupancy"]
        self.assertEqual([(row["arch"], row["block"]) for row in rows], [("sm_75", 128), ("sm_120", 128)])
        self.fails(1, "analyze", "saxpy_sm90.cubin", "--arch", "sm_60", says="expected one of sm_70")
        self.fails(1, "analyze", "saxpy_sm90.cubin", "--block", "2000", says="block is 2000; expected 1 to 1024")

    def test_a_source_is_compiled(self):
        self.write("saxpy.cu", SAXPY)
        result = self.run_command("analyze", "saxpy.cu", "--arch", "sm_80", "--json")
        if result.returncode != 0:
            self.skipTest("NVRTC is missing")
        kernel = json.loads(result.stdout)["kernels"][0]
        self.assertEqual((kernel["arch"], kernel["level"], kernel["line"]), ("sm_80", "machine", 1))
        self.assertIn("ptx", kernel)

    def test_wrong_calls(self):
        self.fails(2, "analyze", says="")
        self.fails(2, "analyze", "saxpy.ptx", "--fail-on", "disaster", says="disaster")
        self.fails(1, "analyze", "nowhere", says=["nowhere", "No such file"])
        self.fails(1, "analyze", "saxpy.ltoir", says="")
        self.fails(1, "analyze", "host_object.bin", says="")


if __name__ == "__main__":
    unittest.main()
