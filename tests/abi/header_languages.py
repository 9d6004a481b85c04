"""The header compiles in every C and C++ since 1989, with no warning, also when included twice."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

INCLUDE = Path(sys.argv.pop(1))
C_STANDARDS = ["c89", "c99", "c11", "c17", "c2x"]
CXX_STANDARDS = ["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-pedantic-errors", "-Werror", "-Wundef",
          "-fsyntax-only"]
C_STRICT = STRICT + ["-Wstrict-prototypes", "-Wc++-compat"]
# stdint.h is newer than C++98; <cstdint> is not asked for, and long long is the system's affair.
CXX98 = ["-Wno-long-long"]
SOURCE = """#include <cucore.h>
#include <cucore.h>
static cucore_program_options program = CUCORE_PROGRAM_OPTIONS_INIT;
static cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
static cucore_library_info library = CUCORE_LIBRARY_INFO_INIT;
static cucore_symbol_info symbol = CUCORE_SYMBOL_INFO_INIT;
int use(void);
int use(void) {
  cucore_argument argument;
  CUCORE_ARGUMENT_SET(argument, launch);
  return program.flag_count == 0 && argument.size != 0 && library.available && symbol.size == 0;
}
"""


class HeaderLanguages(unittest.TestCase):
    pass


def add_test(compiler, standard, suffix, flags):
    def test(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / ("use" + suffix)
            source.write_text(SOURCE)
            result = subprocess.run([compiler, f"-std={standard}", *flags, f"-I{INCLUDE}", source],
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr, "")
    setattr(HeaderLanguages, f"test_{compiler}_{standard}".replace("+", "p"), test)


for c, cxx in [("gcc", "g++"), ("clang", "clang++")]:
    if shutil.which(c):
        for std in C_STANDARDS:
            add_test(c, std, ".c", C_STRICT)
    if shutil.which(cxx):
        for std in CXX_STANDARDS:
            add_test(cxx, std, ".cpp", STRICT + (CXX98 if std == "c++98" else []))

if __name__ == "__main__":
    unittest.main()
