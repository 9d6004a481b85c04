# SPDX-License-Identifier: Apache-2.0
"""cucore bench on the CPU device: text, JSON by the schema, comparison, plot, and failures."""
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCHEMA = json.loads(Path(sys.argv[1]).read_text())
del sys.argv[1:]
COMMAND = os.environ["CUCORE_COMMAND"]
try:
    import jsonschema
except ImportError:
    sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, for another Python of the same version
    try:
        import jsonschema
    except ImportError:
        print("skipped: the package python3-jsonschema is missing")
        sys.exit(77)

PTX = """.version 7.0
.target sm_52
.address_size 64
.visible .entry count(.param .u32 unused) {
  .reg .b32 %r<4>;
  .reg .pred %p;
  mov.u32 %r2, 0;
again:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, ROUNDS;
  @%p bra again;
  ret;
}
"""


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, rounds in (("short.ptx", 1000), ("long.ptx", 20000)):
            (self.folder / name).write_text(PTX.replace("ROUNDS", str(rounds)))

    def run_bench(self, *arguments):
        return subprocess.run([COMMAND, "--driver", "cpu", "bench", *arguments, "--kernel", "count", "--block", "32", "--grid", "4", "--arg", "i32:1"],
                              cwd=self.folder, capture_output=True, text=True, check=False)

    def bench(self, *arguments):
        done = self.run_bench(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_text_has_the_median(self):
        text = self.bench("short.ptx", "--criterion", "count", "--samples", "12", "--bytes", "1e6")
        self.assertRegex(text, r"^count on .*\n  median [\d.]+ [mu]s, 95 % interval ")
        self.assertIn("12 samples", text)
        self.assertRegex(text, r"[\d.]+ .?B/s at the median")

    def test_the_json_is_valid(self):
        done = json.loads(self.bench("short.ptx", "--json", "--criterion", "count"))
        self.assertEqual(list(done), ["measurements"])
        self.assertEqual(len(done["measurements"]), 1)
        measurement = done["measurements"][0]
        validator = jsonschema.Draft202012Validator(SCHEMA)
        validator.check_schema(SCHEMA)
        validator.validate(measurement)
        self.assertEqual(len(measurement["samples"]), 10)
        self.assertEqual(measurement["options"]["criterion"], "count")
        self.assertFalse(measurement["options"]["flush"])
        for change in (lambda m: m.update(schema="cucore.measurement/2"), lambda m: m.pop("seconds"), lambda m: m["samples"].clear(),
                       lambda m: m.update(clock="sundial"), lambda m: m["machine"].update(uuid="x")):
            wrong = copy.deepcopy(measurement)
            change(wrong)
            with self.assertRaises(jsonschema.ValidationError):
                validator.validate(wrong)

    def test_two_files_are_compared(self):
        text = self.bench("long.ptx", "--compare", "short.ptx", "--criterion", "count", "--samples", "20")
        self.assertIn("long.ptx is slower than short.ptx: time ratio ", text)
        done = json.loads(self.bench("short.ptx", "--compare", "long.ptx", "--criterion", "count", "--samples", "20", "--json"))
        self.assertEqual([one["name"] for one in done["measurements"]], ["count of short.ptx", "count of long.ptx"])
        self.assertEqual(done["comparison"]["verdict"], "faster")
        self.assertLess(done["comparison"]["low"], done["comparison"]["high"])

    def test_the_plot_has_a_script(self):
        done = self.run_bench("short.ptx", "--plot", "it's.svg", "--criterion", "count")
        self.assertEqual(done.returncode, 0, done.stderr)
        script = (self.folder / "it's.svg.gp").read_text()
        self.assertIn("set output 'it''s.svg'\n", script)
        self.assertIn("$samples0 << END\n0 ", script)
        if (self.folder / "it's.svg").exists():
            self.assertIn("<svg", (self.folder / "it's.svg").read_text())
        else:
            self.assertIn("it's.svg.gp", done.stderr)

    def test_failures(self):
        done = self.run_bench("short.ptx", "--criterion", "luck")
        self.assertEqual(done.returncode, 2)
        for option, value, expected in (("--noise", "-1", "a number above 0"), ("--max-time", "0", "a number above 0"), ("--max-time", "x", "a number above 0"),
                                        ("--samples", "0", "a number from 1 to 4294967295"), ("--samples", "99999999999", "a number from 1 to 4294967295"),
                                        ("--shared", "-1", "a number from 0 to 4294967295"), ("--bytes", "x", "a number")):
            with self.subTest(option):
                done = self.run_bench("short.ptx", option, value)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"{option} is '{value}'; expected {expected}\n", done.stderr)
        for option, value, expected in (("--device", "-1", "--device -1: ordinal is -1"), ("--bytes", "-5", "--bytes is -5"),
                                        ("--operations", "-5", "--operations is -5")):
            done = self.run_bench("short.ptx", option, value)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"error: {expected}", done.stderr)
        for plot in ("short.ptx", "plot.png"):
            done = self.run_bench("short.ptx", "--plot", plot)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--plot {plot}: the name of a plot must end in .svg", done.stderr)
            self.assertEqual(list(self.folder.glob("*.gp")), [])
        self.assertIn("count", (self.folder / "short.ptx").read_text())


if __name__ == "__main__":
    unittest.main()
