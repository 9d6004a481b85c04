# SPDX-License-Identifier: Apache-2.0
"""A static library is refused when a build is configured: static.py ROOT BUILD"""
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
del sys.argv[1:3]
MESON = shlex.split(re.search(r"COMMAND = (.*) install --no-rebuild", (BUILD / "build.ninja").read_text())[1])


class Static(unittest.TestCase):
    def test_both_kinds_are_refused(self):
        for kind in ("static", "both"):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([*MESON, "setup", folder, str(ROOT), f"-Ddefault_library={kind}"], text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, timeout=200, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"default_library is {kind}; expected shared", done.stdout)


if __name__ == "__main__":
    unittest.main()
