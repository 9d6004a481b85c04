# SPDX-License-Identifier: Apache-2.0
"""cucore run --check: reports of the CPU device, suppressions, and the exit code."""
import json
import re
import unittest

from command import CommandTest, device_of, needs_nvrtc

HAS_CPU = device_of("cpu")
RACE = """extern "C" __global__ void turn(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = s[63 - threadIdx.x];
}
"""
FIXED = RACE.replace("  out[", "  __syncthreads(); out[")
ARGUMENTS = ["--block", "64", "--arg", "buf:i32:64:iota", "--arg", "buf:i32:64"]


@unittest.skipUnless(HAS_CPU, "no CPU device")
@needs_nvrtc
class Check(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("turn.cu", RACE)
        self.write("fixed.cu", FIXED)

    def checked(self, *options, source="turn.cu", env=None):
        return self.run_command("run", source, *ARGUMENTS, *options, env=env)

    def test_a_report_is_exit_code_4(self):
        result = self.checked("--check=race")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn(b"shared-race: kernel 'turn'", result.stderr)
        accesses = rb"read .* at turn.cu:4 .*; .* wrote it at turn.cu:3|wrote .* at turn.cu:3 .*; .* read it at turn.cu:4"
        self.assertRegex(result.stderr, accesses)

    def test_correct_kernels_have_none(self):
        result = self.checked("--check", source="fixed.cu")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_graph_is_checked(self):
        self.assertEqual(self.checked("--check=race", "--graph", "2").returncode, 4)
        self.assertEqual(self.checked("--check=race", "--graph", "2", source="fixed.cu").returncode, 0)

    def test_checks_are_off_by_default(self):
        self.assertEqual(self.checked("--driver", "cpu").returncode, 0)

    def test_files_of_reports(self):
        self.checked("--check=race", "--check-json", "reports.json")
        for report in json.loads(self.read("reports.json"))["reports"]:
            self.assertEqual(report["kind"], "shared-race")
            self.assertEqual({report["line"], report["other_line"]}, {3, 4})
        self.assertEqual(report["block"], [0, 0, 0])

    def test_json(self):
        result = self.checked("--check=race", "--json")
        failure = json.loads(result.stdout)
        self.assertEqual(failure["exit_code"], 4)
        self.assertEqual(failure["status"], "CUCORE_ERROR_CHECKS")
        self.assertEqual(failure["reports"][0]["kernel"], "turn")
        self.assertEqual(failure["reports"][0]["kind"], "shared-race")

    def test_suppressions(self):
        for text, code in (("shared-race turn turn.cu:4", 0), ("shared-race", 0), ("* t* *:3", 0),
                           ("# none\n\nglobal-race", 4), ("shared-race other", 4),
                           ("shared-race turn turn.cu:5", 4)):
            self.write("known", text)
            result = self.checked("--check=race", "--suppress", "known")
            self.assertEqual(result.returncode, code, (text, result.stderr))

    def test_wrong_options(self):
        result = self.checked("--check=races")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"--check is 'races'; expected all or", result.stderr)
        result = self.checked("--schedule", "randomly")
        self.assertEqual(result.returncode, 2)
        self.write("known", "a b c d")
        result = self.checked("--check", "--suppress", "known")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"known:1", result.stderr)

    def test_out_of_bounds_does_not_end_the_run(self):
        self.write("past.cu", 'extern "C" __global__ void k(int* out) { out[threadIdx.x] = 1; }')
        result = self.run_command("run", "past.cu", "--block", "64", "--arg", "buf:i32:32",
                                  "--check=memory")
        self.assertEqual(result.returncode, 4)
        self.assertIn(b"32 times", result.stderr)

    def test_a_launch_beyond_the_budget_of_memory(self):
        few = {"CUCORE_CPU_LAUNCH_MEMORY": "4K"}
        budget = rb"kernel 'turn' needs \d+ bytes .*a launch has 4096 bytes, .*CUCORE_CPU_LAUNCH_MEMORY sets"
        result = self.checked("--driver", "cpu", env=few)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, budget)
        result = self.checked("--check", env=few)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertRegex(result.stderr, b"fault: " + budget)

    def test_budgets(self):
        self.write("k.cu", """extern "C" __global__ void k() {
  printf("a line of text\\n");
}
""")
        for option, value, part in (("--launch-instructions", "1", b"budget of 1 warp instructions"),
                                    ("--launch-memory", "1K", b"a launch has 1024 bytes"),
                                    ("--launch-output", "4", b"a launch has 4; --launch-output sets")):
            for checks, code in (((), 1), (("--check",), 4)):
                result = self.run_command("run", "k.cu", "--block", "1", option, value, *checks)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn(part, result.stderr)
                self.assertIn(option.encode() + b" sets", result.stderr)
            result = self.run_command("run", "k.cu", "--block", "1", option, "100M" if "mem" in option else "100000")
            self.assertEqual(result.returncode, 0, result.stderr)
            for zero in ("0", "0K") if option != "--launch-instructions" else ("0",):
                result = self.run_command("run", "k.cu", "--block", "1", option, zero)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(b"%s is 0; expected at least 1" % option.encode(), result.stderr)
        for option, value in (("--launch-memory", "much"), ("--launch-output", "99999999999999999999"), ("--launch-instructions", "-1"),
                              ("--launch-instructions", "18446744073709551616")):
            result = self.run_command("run", "k.cu", "--block", "1", option, value)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(f"{option} is '{value}'; expected a number".encode(), result.stderr)

    def test_budgets_of_all_64_bits(self):
        self.write("k.ptx", """.version 7.0
.target sm_52
.address_size 64
.visible .entry k() { ret; }
""")
        for budget in (2**63 - 1, 2**63, 2**64 - 1):
            result = self.run_command("run", "k.ptx", "--block", "64", "--launch-instructions", str(budget))
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_options_of_checks_need_checks(self):
        self.write("known", "shared-race")
        for option, file in (("--suppress", "known"), ("--check-json", "reports.json")):
            for others in ((), ("--driver", "cpu"), ("--schedule", "sequential")):
                result = self.checked(option, file, *others)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(option.encode(), result.stderr)
                self.assertIn(b"; add --check", result.stderr)
        self.assertFalse((self.folder / "reports.json").exists())

    def test_a_random_schedule_prints_its_seed(self):
        result = self.checked("--check=race", "--schedule", "random")
        seed = re.search(rb"^schedule: (random:\d+)$", result.stderr, re.M).group(1)
        self.assertIn(b"; schedule " + seed, result.stderr)
        told = json.loads(self.checked("--schedule", "random", "--json", source="fixed.cu").stdout)
        self.assertRegex(told["schedule"], r"^random:\d+$")
        told = json.loads(self.checked("--check", "--schedule", "random", "--json").stdout)
        self.assertEqual(told["schedule"], told["reports"][0]["schedule"])

    def test_seeds_are_named(self):
        result = self.checked("--check=race", "--schedule", "random:3")
        self.assertIn(b"schedule random:3", result.stderr)


if __name__ == "__main__":
    unittest.main()
