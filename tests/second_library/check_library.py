# SPDX-License-Identifier: Apache-2.0
"""The second library exports only its own names, needs libcucore and the system, and stays loaded.
"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

LIBRARY, HEADER, MAP = sys.argv[1:4]
del sys.argv[1:4]
MAY_NEED = re.compile(r"^(libcucore\.so\.\d+|lib(c|m|dl|pthread|gcc_s|stdc\+\+|crypto)\.so(\.|$)|ld-linux|"
                      r"lib(asan|ubsan|tsan|lsan)\.so)")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic(tag):
    return re.findall(rf"\({tag}\)[^\[]*\[([^\]]+)\]", run("readelf", "-dW", LIBRARY))


class Library(unittest.TestCase):
    def test_header_map_and_library_name_the_same_functions(self):
        declared = set(re.findall(r"SECOND_API[^;]*?\b(second_\w+)\s*\(", Path(HEADER).read_text()))
        mapped = set(re.findall(r"\b(second_\w+)\s*;", Path(MAP).read_text()))
        lines = run("nm", "-D", "--defined-only", LIBRARY).splitlines()
        shown = {line.split()[-1].split("@")[0] for line in lines if line.split()[-2] != "A"}
        self.assertGreater(len(declared), 5)
        self.assertEqual(mapped, declared)
        self.assertEqual(shown, declared, "the shared static code is hidden")

    def test_it_has_a_soname_of_its_own(self):
        self.assertEqual(dynamic("SONAME"), ["libsecond.so.0"])

    def test_it_needs_libcucore_and_the_system(self):
        needed = dynamic("NEEDED")
        self.assertIn("libcucore.so.0", needed)
        self.assertEqual([name for name in needed if not MAY_NEED.match(name)], [])

    def test_it_is_never_unloaded(self):
        self.assertIn("NODELETE", run("readelf", "-dW", LIBRARY))


if __name__ == "__main__":
    unittest.main()
