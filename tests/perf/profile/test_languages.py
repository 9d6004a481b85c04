# SPDX-License-Identifier: Apache-2.0
"""CUCORE_PROFILE profiles the unchanged example 02_launch of a language on the CPU device.

    test_languages.py LIBRARY_FOLDER SCHEMAS PROGRAM ARGUMENTS...
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARIES, SCHEMAS = (Path(path).resolve() for path in sys.argv[1:3])
PROGRAM = sys.argv[3:]
del sys.argv[1:]
ELEMENTS, BLOCK, SECTOR = 1000, 256, 32


def check_schema(value, name):
    try:
        import jsonschema
    except ImportError:
        return
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / name).read_text())).validate(value)


class Languages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        files = [Path(folder.name) / f"profile{ending}" for ending in (".json", ".html", ".trace")]
        environment = dict(os.environ, CUCORE_PROFILE=":".join(map(str, files)))
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, [str(LIBRARIES), environment.get("LD_LIBRARY_PATH")]))
        done = subprocess.run(PROGRAM, env=environment, capture_output=True, text=True, timeout=120, check=False)
        if "NVRTC" in done.stderr and done.returncode != 0:
            raise unittest.SkipTest("NVRTC is not installed")
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"0 of {ELEMENTS} values are wrong" in done.stdout, done.stdout
        report, cls.page, trace = (file.read_text(encoding="utf-8") for file in files)
        cls.report, cls.trace = json.loads(report), json.loads(trace)

    def test_the_report_has_the_kernel_and_its_counts(self):
        check_schema(self.report, "cucore.report-1.json")
        self.assertEqual(self.report["source"], "emulated")
        [kernel] = self.report["kernels"]
        self.assertEqual((kernel["name"], kernel["calls"]), ("scale", 1))
        self.assertEqual(kernel["geometry"]["grid"], [4, 1, 1])
        self.assertEqual(kernel["geometry"]["block"], [BLOCK, 1, 1])
        counters = kernel["counters"]
        # Each of the 1000 elements is read, multiplied and written once. The last warp has 8 of them.
        self.assertEqual(counters["cpu.global_load_requests"], 32)
        self.assertEqual(counters["cpu.global_load_sectors"], 4 * ELEMENTS / SECTOR)
        self.assertEqual(counters["cpu.global_store_sectors"], 4 * ELEMENTS / SECTOR)
        self.assertEqual(kernel["bytes"]["requested"], 2 * 4 * ELEMENTS)
        self.assertEqual(kernel["operations"]["f32"], ELEMENTS)

    def test_the_report_has_the_copies(self):
        rows = {row["kind"]: row for row in self.report["operations"]}
        for kind in ("write", "read"):
            self.assertEqual((rows[kind]["calls"], rows[kind]["bytes"]), (1, 4 * ELEMENTS), kind)

    def test_the_page_and_the_trace_have_it_too(self):
        self.assertIn("<code>scale</code>", self.page)
        check_schema(self.trace, "chrome.trace-1.json")
        names = {event["name"] for event in self.trace["traceEvents"]}
        self.assertLessEqual({"write", "read"}, names)


if __name__ == "__main__":
    unittest.main()
