# SPDX-License-Identifier: Apache-2.0
"""CUCORE_PROFILE profiles a program that has no profiler.

    test_environment.py PROGRAM LIBRARY_FOLDER SCHEMA
"""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM, LIBRARIES, SCHEMA = (str(Path(path).resolve()) for path in sys.argv[1:4])
del sys.argv[1:]


def run(profile=None, *arguments, **how):
    environment = dict(os.environ)
    environment.pop("CUCORE_PROFILE", None)
    environment["LD_LIBRARY_PATH"] = f"{LIBRARIES}:{environment.get('LD_LIBRARY_PATH', '')}"
    if profile is not None:
        environment["CUCORE_PROFILE"] = str(profile)
    return subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=120, **how)


class Environment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def profile(self, name, *arguments):
        file = self.folder / name
        done = run(file, *arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return file.read_text(encoding="utf-8")

    def test_json_has_the_kernel(self):
        report = json.loads(self.profile("report.json", "--log"))
        self.assertEqual(report["schema"], "cucore.report/1")
        self.assertEqual(report["source"], "emulated")
        kernels = {row["name"]: row["calls"] for row in report["kernels"]}
        self.assertEqual(kernels, {"observed_kernel": 3})
        kinds = {row["kind"] for row in report["operations"]}
        self.assertTrue({"load", "synchronize"} <= kinds, kinds)

    def test_report_fits_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is not installed")
        report = json.loads(self.profile("report.json"))
        jsonschema.validate(report, json.loads(Path(SCHEMA).read_text(encoding="utf-8")))

    def test_html_and_trace(self):
        self.assertIn("observed_kernel", self.profile("report.html"))
        self.assertIn("traceEvents", json.loads(self.profile("report.trace")))

    def test_several_files(self):
        names = ["a:b.json", "c.html", "d.trace", "e.csv", "f.text"]  # a colon may be a part of a name
        done = run(":".join(str(self.folder / name) for name in names))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual({path.name for path in self.folder.iterdir()}, set(names))
        self.assertEqual(json.loads((self.folder / "a:b.json").read_text())["schema"], "cucore.report/1")
        for name in names:
            self.assertIn("observed_kernel" if name != "d.trace" else "synchronize", (self.folder / name).read_text(encoding="utf-8"))

    def test_an_earlier_file_is_replaced(self):
        (self.folder / "report.json").write_text("x" * 1000000)
        json.loads(self.profile("report.json"))

    def test_a_name_can_have_the_id_of_the_process(self):
        for _ in range(2):
            done = run(self.folder / "a.%p.b.%p.json")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        names = [path.name for path in self.folder.iterdir()]
        self.assertEqual(len(names), 2, names)
        for name in names:
            self.assertRegex(name, r"^a\.(\d+)\.b\.\1\.json$")

    def test_a_full_disk_leaves_the_earlier_file(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        (self.folder / "old.html").write_text("old")
        done = run(f"{self.folder}/old.html:{self.folder}/new.html:{self.folder}/small.text", preexec_fn=limit)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        for name in ("old.html", "new.html"):
            self.assertIn(f"a file of CUCORE_PROFILE is missing: cannot write {self.folder}/{name}: File too large", done.stderr)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"old.html", "small.text"})
        self.assertEqual((self.folder / "old.html").read_text(), "old")
        self.assertIn("observed_kernel", (self.folder / "small.text").read_text())

    def test_the_mode_of_an_earlier_file_stays(self):
        file = self.folder / "report.json"
        file.write_text("old")
        file.chmod(0o600)
        self.profile("report.json")
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)

    def test_a_pipe_is_written_to(self):
        pipe = self.folder / "report.json"
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
        done = run(pipe)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(reader.communicate(timeout=60)[0])["schema"], "cucore.report/1")

    def test_work_without_an_end_does_not_keep_the_process(self):
        start = time.monotonic()
        done = run(self.folder / "report.json", "--endless")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertLess(time.monotonic() - start, 60)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual({row["name"]: row["calls"] for row in report["kernels"]}, {"observed_kernel": 3, "endless_kernel": 1})
        self.assertIn("work", [part["what"] for part in report["missing"]])

    def test_other_endings_have_no_effect(self):
        for names in (f"{self.folder}/report.txt", f"{self.folder}/report.json:{self.folder}/report.txt", ".json"):
            done = run(names, "--log")
            self.assertEqual(done.returncode, 0)
            self.assertIn("expected a file that ends in .html, .json or .trace", done.stdout)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_file_that_cannot_be_written_does_not_cost_the_others(self):
        done = run(f"{self.folder}/none/a.html:{self.folder}/b.json")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, f"libcucore: a file of CUCORE_PROFILE is missing: cannot write {self.folder}/none/a.html: No such file or directory\n")
        self.assertEqual(json.loads((self.folder / "b.json").read_text())["schema"], "cucore.report/1")

    def test_a_failure_goes_to_stderr_if_no_log_takes_it(self):
        done = run(f"{self.folder}/report.foo")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("libcucore: CUCORE_PROFILE has no effect: CUCORE_PROFILE is", done.stderr)
        self.assertEqual(run(f"{self.folder}/report.foo", "--log").stderr, "")

    def test_links_are_refused(self):
        target = self.folder / "target"
        target.write_text("mine")
        (self.folder / "report.json").symlink_to(target)
        done = run(self.folder / "report.json", "--log")
        self.assertEqual(done.returncode, 0)
        self.assertIn("cannot write", done.stdout)
        self.assertEqual(target.read_text(), "mine")

    def test_a_missing_library_is_logged(self):
        done = subprocess.run([PROGRAM, "--log"], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, CUCORE_PROFILE=str(self.folder / "report.json"), LD_LIBRARY_PATH=""))
        self.assertEqual(done.returncode, 0)
        self.assertIn("CUCORE_PROFILE has no effect: tried", done.stdout)

    def test_without_the_variable_nothing_happens(self):
        done = run(None, "--log")
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
