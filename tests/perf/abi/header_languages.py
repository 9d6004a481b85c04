# SPDX-License-Identifier: Apache-2.0
"""The header compiles in the oldest and the newest C and C++, without warnings, and alone."""
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HEADER = Path(sys.argv.pop(1))
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-pedantic-errors", "-Werror", "-Wundef", "-fsyntax-only"]
STANDARDS = [("c", "c89"), ("c", "c2x"), ("c++", "c++98"), ("c++", "c++2b")]


class HeaderLanguages(unittest.TestCase):
    def test_it_compiles_alone_and_twice(self):
        compilers = [name for name in ("cc", "gcc", "clang") if shutil.which(name)]
        self.assertNotEqual(compilers, [])
        for compiler in compilers:
            for language, standard in STANDARDS:
                flags = ["-Wno-long-long"] if standard == "c++98" else []
                done = subprocess.run([compiler, *STRICT, *flags, f"-std={standard}", f"-I{HEADER.parent}", "-x", language, "-"],
                                      input=f"#include <{HEADER.name}>\n" * 2 + "int use;\n", capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, f"{compiler} {standard}: {done.stderr}")


if __name__ == "__main__":
    unittest.main()
