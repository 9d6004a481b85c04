# SPDX-License-Identifier: Apache-2.0
"""cucore analyze --launch: the model of a launch as text and JSON, and its options."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

SCHEMA = json.loads(Path(sys.argv.pop(1)).read_text())

from command import Workshop, has_compiler, run  # noqa: E402

KERNELS = Path(__file__).resolve().parents[2] / "data" / "kernels"
SAXPY = KERNELS / "ptx" / "01_saxpy.90.ptx"
HISTOGRAM = KERNELS / "ptx" / "09_hist_shared.90.ptx"
STRUCTS = KERNELS / "ptx" / "24_struct_param.90.ptx"  # two kernels
ARGUMENTS = ["--arg", "f32:2.0", "--arg", "buf", "--arg", "buf:f32:64", "--arg", "i32:1048576"]
LAUNCH = ["--launch", "grid=8192,block=128"]
# Strided loads, a branch that parts the threads, and an array in local memory.
SLOW = """.version 7.0
.target sm_80
.address_size 64
.visible .entry slow(.param .u64 x) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  .local .align 4 .b8 array[16];
  ld.param.u64 %d1, [x];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 32;
  add.u64 %d2, %d1, %d2;
  ld.global.u32 %r2, [%d2];
  st.local.u32 [array], %r2;
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p, %r3, 0;
  @%p bra end;
  add.u32 %r2, %r2, 1;
  add.u32 %r2, %r2, 1;
  add.u32 %r2, %r2, 1;
end:
  ret;
}
"""


def model(*arguments):
    analysis = json.loads(run("analyze", *arguments, "--json").stdout)
    try:
        import jsonschema
        jsonschema.Draft202012Validator(SCHEMA).validate(analysis)
    except ImportError:
        pass
    models = [kernel["model"] for kernel in analysis["kernels"] if kernel["model"]]
    assert len(models) == 1, analysis
    return models[0]


class Model(unittest.TestCase):
    def test_saxpy_in_json(self):
        made = model(SAXPY, *LAUNCH, *ARGUMENTS)
        self.assertEqual((made["quality"], made["blocks"], made["blocks_run"]), ("scaled", 8192, 64))
        read = made["bytes"]
        self.assertEqual((read["requested_read"], read["requested_written"]), (8 << 20, 4 << 20))
        self.assertEqual((read["source"], read["read"], read["written"]), ("compulsory", 8 << 20, 4 << 20))
        self.assertEqual((read["requested"], read["sector"], read["compulsory"]), (12 << 20,) * 3)
        self.assertEqual(made["operations"]["f32"], 2 << 20)
        self.assertAlmostEqual(made["intensity"], 1 / 6)
        self.assertEqual((made["bound"], made["device"]), ("memory", "H100 SXM"))
        self.assertAlmostEqual(made["least_seconds"], (12 << 20) / 3350e9)

    def test_saxpy_as_text(self):
        text = run("analyze", SAXPY, *LAUNCH, *ARGUMENTS).stdout
        self.assertIn("\nmodel of a launch of saxpy: 8192 blocks, of which 64 run\n", text)
        self.assertIn("\n  memory: 8.0 MiB read, 4.0 MiB written\n", text)
        self.assertIn("\n  intensity: 0.167 operations per byte\n", text)
        self.assertIn("\n  least time: 3.76 us on H100 SXM by its datasheet, bound by memory\n", text)

    def test_reasons_as_text(self):
        with tempfile.TemporaryDirectory() as folder:
            slow = Path(folder) / "slow.ptx"
            slow.write_text(SLOW)
            text = run("analyze", slow, "--launch", "grid=4,block=64", "--arg", "buf").stdout
        self.assertIn("\n  requested: 1.0 KiB read, 0 bytes written; in sectors 8.0 KiB and 0 bytes, 8.0 times as much\n", text)
        self.assertIn("\n  local memory: 1.0 KiB in sectors\n", text)
        self.assertRegex(text, r"\n  divergence: \d+ % of the threads of its warps wait\n")
        good = run("analyze", SAXPY, *LAUNCH, *ARGUMENTS).stdout
        for word in ("times as much", "local memory", "divergence"):
            self.assertNotIn(word, good)

    def test_the_least_time_is_at_the_rates_of_a_roof(self):
        with tempfile.TemporaryDirectory() as folder:
            roof = Path(folder) / "roof.json"
            roof.write_text(json.dumps({"schema": "cucore.roof/1", "machine": {"device": "my device", "arch": "sm_80"}, "values": {"copy": 1e12}}))
            made = model(SAXPY, *LAUNCH, *ARGUMENTS, "--roof", roof)
            self.assertEqual((made["device"], made["is_measured"], made["bound"]), ("my device", True, "memory"))
            self.assertAlmostEqual(made["least_seconds"], (12 << 20) / 1e12)
            text = run("analyze", SAXPY, *LAUNCH, *ARGUMENTS, "--roof", roof).stdout
            self.assertIn("on my device by its measured roof, bound by memory\n", text)
            for rate in (0, 1e-320):  # the time is not a number
                roof.write_text(json.dumps({"schema": "cucore.roof/1", "machine": {"device": "my device", "arch": "sm_80"}, "values": {"copy": rate, "f32": rate}}))
                self.assertIsNone(model(SAXPY, *LAUNCH, *ARGUMENTS, "--roof", roof)["least_seconds"])
                self.assertNotIn("least time", run("analyze", SAXPY, *LAUNCH, *ARGUMENTS, "--roof", roof).stdout)
            roof.write_text("{}")
            done = run("analyze", SAXPY, *LAUNCH, *ARGUMENTS, "--roof", roof, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("roof.json", done.stderr)
        self.assertFalse(model(SAXPY, *LAUNCH, *ARGUMENTS)["is_measured"])

    def test_the_first_architecture_has_the_datasheet(self):
        self.assertEqual(model(SAXPY, *LAUNCH, *ARGUMENTS, "--arch", "sm_80", "--arch", "sm_90")["device"], "A100 SXM 80GB")

    def test_a_dependent_access_has_its_line(self):
        arguments = [HISTOGRAM, "--launch", "grid=2,block=64", "--arg", "buf", "--arg", "buf", "--arg", "i32:512"]
        made = model(*arguments)
        self.assertEqual((made["quality"], made["ptx_line"]), ("lower_bound", 55))
        self.assertEqual(made["reason"], "an address depends on a loaded value")
        self.assertIn("  lower bound: PTX line 55: an address depends on a loaded value\n", run("analyze", *arguments).stdout)

    def test_all_blocks_run(self):
        made = model(SAXPY, *LAUNCH, *ARGUMENTS, "--full")
        self.assertEqual((made["quality"], made["blocks_run"], made["bytes"]["source"]), ("exact", 8192, "cache"))
        self.assertIn(", through the L2 cache\n", run("analyze", SAXPY, *LAUNCH, *ARGUMENTS, "--full").stdout)

    def test_without_a_launch_there_is_no_model(self):
        self.assertIsNone(json.loads(run("analyze", SAXPY, "--json").stdout)["kernels"][0]["model"])

    def test_a_kernel_is_chosen_by_its_name_or_a_part(self):
        launch = ["--launch", "grid=1,block=32", "--arg", "buf", "--arg", "i32:1"]
        done = run("analyze", STRUCTS, *launch, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("choose one with --kernel: k, k2", done.stderr)
        done = run("analyze", STRUCTS, *launch, "--kernel", "k2", check=False)
        self.assertIn("arguments[0] has 8 bytes; expected 104", done.stderr)
        done = run("analyze", STRUCTS, *launch, "--kernel", "x", check=False)
        self.assertIn("none has the name 'x'", done.stderr)
        self.assertEqual(model(SAXPY, *LAUNCH, *ARGUMENTS, "--kernel", "axp")["blocks"], 8192)

    def test_the_launch_also_reaches_the_findings(self):
        done = json.loads(run("analyze", SAXPY, "--launch", "grid=8192,block=100", *ARGUMENTS, "--json").stdout)
        self.assertIn("A110", [finding["id"] for finding in done["kernels"][0]["findings"]])

    def test_the_launch_reaches_only_its_kernel(self):
        workshop = Workshop()
        self.addCleanup(workshop.folder.cleanup)
        path = workshop.path / "two.ptx"
        entry = ".visible .entry {}() {{ ret; }}\n"
        path.write_text(".version 8.0\n.target sm_80\n.address_size 64\n" + entry.format("one") + entry.format("two"))
        done = json.loads(run("analyze", path, "--launch", "grid=8,block=100", "--kernel", "two", "--json").stdout)
        self.assertEqual({kernel["name"]: [finding["id"] for finding in kernel["findings"] if finding["id"] == "A110"] for kernel in done["kernels"]},
                         {"one": [], "two": ["A110"]})

    @unittest.skipUnless(has_compiler(), "NVRTC is missing")
    def test_a_large_grid_is_not_below_one_wave(self):
        workshop = Workshop()
        self.addCleanup(workshop.folder.cleanup)
        image, _ = workshop.compile('extern "C" __global__ void k(int* x) { x[threadIdx.x] = 1; }\n', "sm_90")
        def ids(grid):
            done = json.loads(run("analyze", image, "--launch", f"grid={grid},block=32", "--arg", "buf", "--multiprocessors", "132", "--json").stdout)
            return [finding["id"] for finding in done["kernels"][0]["findings"]]
        self.assertEqual(ids("1431655766,3"), [], "3 * 1431655766 is 2 beyond 32 bits")
        self.assertEqual(ids("2"), ["A111"])

    def test_wrong_launches_are_usage_errors(self):
        for launch, message in (("grid=1", "no block"), ("block=1", "no grid"), ("4,4", "no '='"), ("grid=1,block=1,size=4", "'size' is not a part of a launch"),
                                ("grid=0,block=1", "--launch grid"), ("grid=4,block=32,grid=7", "grid is given twice"), ("grid=1,1,1,1,block=1", "at most three numbers")):
            with self.subTest(launch):
                done = run("analyze", SAXPY, "--launch", launch, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)
        for options in (["--arg", "i32:1"], ["--kernel", "k"], ["--full"]):
            done = run("analyze", SAXPY, *options, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("add --launch grid=", done.stderr)

    def test_shared_memory(self):
        kernel = KERNELS / "ptx" / "27_dynshared.90.ptx"
        arguments = ["--arg", "buf", "--arg", "buf", "--arg", "i32:32"]
        self.assertGreater(model(kernel, "--launch", "grid=1,block=32,shared=512", *arguments)["shared_wavefronts"], 0)
        done = run("analyze", kernel, "--launch", "grid=1,block=32", *arguments, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 bytes of shared memory", done.stderr)

    def test_clusters(self):
        kernel = KERNELS / "ptx" / "53_cluster.90.ptx"
        self.assertEqual(model(kernel, "--launch", "grid=8,block=32,cluster=4", "--arg", "buf")["blocks_run"], 8)
        done = run("analyze", kernel, "--launch", "grid=8,block=32,cluster=16", "--arg", "buf", check=False)
        self.assertEqual(done.returncode, 1, done.stdout)

    @unittest.skipUnless(has_compiler(), "NVRTC is missing")
    def test_machine_code_has_source_lines(self):
        workshop = Workshop()
        self.addCleanup(workshop.folder.cleanup)
        source = 'extern "C" __global__ void gather(const int* at, float* x) {\n  int i = threadIdx.x;\n  x[i] =\n      x[at[i]];\n}\n'
        image, _ = workshop.compile(source, "sm_90")
        made = model(image, "--launch", "grid=1,block=32", "--arg", "buf", "--arg", "buf")
        self.assertEqual((made["quality"], made["line"]), ("lower_bound", 4))
        self.assertTrue(made["file"].endswith("k.cu"), made["file"])


class Trips(unittest.TestCase):
    def test_constant_trip_counts(self):
        ptx = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{ .reg .pred %p; .reg .b32 %r;
mov.u32 %r, 0;
again:
add.u32 %r, %r, 1;
setp.ne.u32 %p, %r, 12;
@%p bra again;
ret; }
"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "k.ptx"
            path.write_text(ptx)
            kernel = json.loads(run("analyze", path, "--json").stdout)["kernels"][0]
        self.assertEqual([loop["trips"] for loop in kernel["loops"]], [12])


if __name__ == "__main__":
    unittest.main()
