# SPDX-License-Identifier: Apache-2.0
"""`cucore info` prints the version of the array library and the number of its cached kernels."""
import json
import os
import subprocess
import tempfile
import unittest

FOLDER = tempfile.TemporaryDirectory()
os.environ["CUCORE_CACHE_DIR"] = FOLDER.name

import numpy as np  # noqa: E402
from arrays import Context  # noqa: E402

COMMAND = os.environ["CUCORE_COMMAND"]
LIBRARY = os.environ["CUCORE_ARRAY_LIBRARY"]


def run_info(*arguments, library_folder):
    environment = dict(os.environ, LD_LIBRARY_PATH=library_folder)
    return subprocess.run([COMMAND, "info", *arguments], env=environment, capture_output=True, text=True, timeout=120, check=True).stdout


def described(library_folder=os.path.dirname(LIBRARY)):
    libraries = json.loads(run_info("--json", library_folder=library_folder))["libraries"]
    return next(library for library in libraries if library["name"] == "array")


class Info(unittest.TestCase):
    def test_version_and_path(self):
        library = described()
        self.assertTrue(library["available"])
        self.assertEqual(os.path.realpath(library["path"]), os.path.realpath(LIBRARY))
        self.assertRegex(library["version"], r"^\d+\.\d+\.\d+$")

    def test_kernels_in_the_cache_are_counted(self):
        before = described()["cached_kernels"]
        context = Context()
        x = context.array(np.arange(5.0))
        (x + x).numpy()
        (x * x).reduce("sum").numpy()
        self.assertEqual(described()["cached_kernels"], before + 2)
        self.assertIn(f"{before + 2} kernels in the program cache", run_info(library_folder=os.path.dirname(LIBRARY)))

    def test_a_missing_library_has_a_reason(self):
        library = described(library_folder="")
        self.assertFalse(library["available"])
        self.assertIn("libcucore-array.so.0", library["reason"])


if __name__ == "__main__":
    unittest.main()
