# SPDX-License-Identifier: Apache-2.0
"""The public headers compile in every C and C++ since 1989, without warnings, together and alone.
"""
import re
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
# stdint.h is newer than C++98; the header does not include <cstdint>, and long long comes from the
# system.
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


TOPICS = sorted(path.relative_to(INCLUDE) for path in INCLUDE.glob("cucore/*.h"))


class HeaderLanguages(unittest.TestCase):
    def test_cucore_h_includes_every_topic_once(self):
        included = re.findall(r'^#include "(.*)"$', (INCLUDE / "cucore.h").read_text(), re.M)
        self.assertGreater(len(included), 10)
        self.assertEqual(sorted(included), [topic.as_posix() for topic in TOPICS])

    def test_the_table_of_contents_lists_every_topic_in_order(self):
        text = (INCLUDE / "cucore.h").read_text()
        self.assertEqual(re.findall(r"^ \* - (cucore/\w+\.h) ", text, re.M), re.findall(r'^#include "(.*)"$', text, re.M))

    def test_a_topic_includes_only_topics_and_the_two_standard_headers(self):
        for topic in TOPICS:
            for name in re.findall(r"^#\s*include\s*(.*)", (INCLUDE / topic).read_text(), re.M):
                if name not in ("<stddef.h>", "<stdint.h>"):
                    self.assertTrue((INCLUDE / topic).with_name(name.strip('"')).is_file(), f"{topic}: {name}")


def add_test(compiler, standard, suffix, flags):
    def test(self):
        alone = {topic.stem: f"#include <{topic.as_posix()}>\n" * 2 + "int use;\n" for topic in TOPICS}
        with tempfile.TemporaryDirectory() as folder:
            sources = []
            for name, text in {"all": SOURCE, **alone}.items():
                sources.append(Path(folder) / (name + suffix))
                sources[-1].write_text(text)
            result = subprocess.run([compiler, f"-std={standard}", *flags, f"-I{INCLUDE}", *sources],
                                    capture_output=True, text=True, check=False)
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
