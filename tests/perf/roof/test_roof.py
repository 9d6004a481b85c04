# SPDX-License-Identifier: Apache-2.0
"""cucore roof on the CPU device: text, JSON by the schema, the kept file, and its use by cucore bench."""
import copy
import json
import os
import re
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
  .reg .b32 %r<2>;
  .reg .pred %p;
  mov.u32 %r1, 0;
again:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 20000;
  @%p bra again;
  ret;
}
"""


def valid(roof):
    jsonschema.Draft202012Validator(SCHEMA).validate(roof)


class Roof(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_command(self, *arguments, status=0):
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder))
        done = subprocess.run([COMMAND, "--driver", "cpu", *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.failure = done.stderr
        return done.stdout

    def kept(self):
        return list((self.folder / "cucore" / "roof").glob("*.json"))

    def test_the_text_has_every_rate(self):
        lines = self.run_command("roof").splitlines()
        self.assertRegex(lines[0], r"^.+ \(sm_\d+\), driver [\d.]+, measured \d{4}-\d\d-\d\dT")
        self.assertEqual(len(lines), 19)
        for line in lines[1:]:
            self.assertRegex(line, r"^  \S.* (\d+\.?\d* [TGMkmun]?(B/s|op/s|s)|-)$")
        self.assertRegex(lines[1], r"^  device memory, copy +[\d.]+ [MGT]B/s$")

    def test_the_json_is_valid_and_kept(self):
        text = self.run_command("roof", "--json")
        valid(json.loads(text))
        [file] = self.kept()
        self.assertEqual(json.loads(file.read_text()), json.loads(text))
        self.assertEqual(json.loads(self.run_command("roof", "--json")), json.loads(text))
        refreshed = json.loads(self.run_command("roof", "--json", "--refresh", "--max-time", "100"))
        self.assertNotEqual(refreshed["values"], json.loads(text)["values"])
        valid(refreshed)

    def test_another_directory_and_none(self):
        self.run_command("roof", "--directory", str(self.folder / "other"))
        self.assertEqual(len(list((self.folder / "other").glob("*.json"))), 1)
        self.run_command("roof", "--directory", "")
        self.assertEqual(self.kept(), [])

    def test_bench_compares_with_the_kept_roof(self):
        (self.folder / "count.ptx").write_text(PTX)
        bench = ["bench", "count.ptx", "--kernel", "count", "--block", "32", "--arg", "i32:1", "--bytes", "1000",
                 "--criterion", "count", "--grid", "4"]
        self.assertNotIn("roof", self.run_command(*bench))
        self.run_command("roof")
        self.assertRegex(self.run_command(*bench), r"B/s \([\d.]+ % of the roof\) at the median")
        [measurement] = json.loads(self.run_command(*bench, "--json"))["measurements"]
        copy_rate = json.loads(self.kept()[0].read_text())["values"]["copy"]
        median = measurement["seconds"]["median"]
        self.assertAlmostEqual(measurement["percent"]["memory"], 1000 / median / copy_rate * 100, delta=1e-6)
        self.assertIsNone(measurement["percent"]["compute"])

    def test_a_device_that_does_not_exist(self):
        for device in ("77", "-1"):
            self.run_command("roof", "--device", device, status=1)
            self.assertIn(f"--device {device}: ordinal is {device}", self.failure)
        self.run_command("roof", "--max-time", "x", status=2)

    def test_the_schema_refuses_other_objects(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        roof = json.loads(self.run_command("roof", "--json"))
        changes = [lambda r: r.pop("machine"), lambda r: r["values"].pop("copy"), lambda r: r.update(schema="cucore.roof/2"),
                   lambda r: r["values"].update(copy=-1), lambda r: r.update(more=1), lambda r: r["machine"].update(threads=-1),
                   lambda r: r["values"].update(f32="fast")]
        for change in changes:
            wrong = copy.deepcopy(roof)
            change(wrong)
            with self.assertRaises(jsonschema.ValidationError):
                valid(wrong)

    def test_the_schema_has_the_rates_of_the_header(self):
        header = (Path(__file__).resolve().parents[3] / "include" / "cucore_perf.h").read_text()
        names = set(re.findall(r"CUCORE_ROOF_KIND_(\w+)", header)) - {"NONE", "FORCE_INT32"}
        self.assertEqual({name.lower() for name in names}, set(SCHEMA["properties"]["values"]["properties"]))


if __name__ == "__main__":
    unittest.main()
