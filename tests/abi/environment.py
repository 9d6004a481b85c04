# SPDX-License-Identifier: Apache-2.0
"""Inputs that a hostile user controls: the environment, and files at the places of output.

Every variable is read by one function, which refuses in set-user-ID programs. The list below lists each other reader with its reason; the page of the documentation
names each variable.
"""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
THE_READER = "src/shared/support/environment.hpp"
READS = re.compile(r"\b(?:secure_)?getenv\w*\s*\(|\benviron\b|GetEnvironmentVariable|System\.getenv")
CALLS = re.compile(r'\benvironment\("(\w+)"\)|\bsetting\(s, "(\w+)"|"(CUCORE_(?:NV\w+|CU\w+|NCCL))"')
SHIPPED = ("src", "bindings", "examples")
SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".inc", ".py", ".java", ".cs", ".i", ".swg"}
OTHERS = {
    # A virtual machine is not a set-user-ID program.
    "bindings/java/src/io/cucore/NativeLoader.java": 2,
    # The command of the package names its libraries to the program that it runs.
    "bindings/python/cucore/_command.py": 1,
    # nvdisasm receives the environment of the program.
    "src/perf/analyze/disassembler.cpp": 1,
    # gnuplot and profiled programs receive the environment of the command.
    "src/programs/cli/plot.cpp": 1,
    "src/programs/cli/profiled_program.cpp": 1,
}


def files():
    for folder in SHIPPED:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in SUFFIXES and path.is_file() and not re.search(r"/(tests?|package|build)/", name):
                yield name, re.sub(r"//[^\n]*", "", path.read_text(errors="replace"))


class Variables(unittest.TestCase):
    def test_one_function_reads_them(self):
        found = {name: len(READS.findall(text)) for name, text in files() if READS.search(text)}
        self.assertGreater(found.pop(THE_READER, 0), 0, "the check sees nothing")
        self.assertEqual(found, OTHERS)

    def test_it_refuses_in_set_user_id_programs(self):
        text = (ROOT / THE_READER).read_text()
        body = re.search(r"inline std::string environment\(.*?\n}", text, re.S).group()
        self.assertIn("has_more_rights_than_its_user()", body)
        self.assertIn("AT_SECURE", text)

    def test_files_that_are_written_are_no_links_and_not_inherited(self):
        wrong, seen = [], 0
        for name, text in files():
            if not name.startswith("src/"):
                continue
            for statement in (one for one in text.split(";") if "O_CREAT" in one):
                seen += 1
                if "O_CLOEXEC" not in statement or not re.search(r"O_NOFOLLOW|O_EXCL", statement):
                    wrong.append(f"{name}: {statement.strip()}")
        self.assertGreater(seen, 3, "the check sees nothing")
        self.assertEqual(wrong, [])

    def test_each_is_in_the_documentation(self):
        page = (ROOT / "docs/environment.md").read_text()
        names = {name for path, text in files() if path.startswith("src/")
                 for match in CALLS.findall(text) for name in match if name}
        self.assertGreater(len(names), 15)
        self.assertEqual([name for name in sorted(names) if f"`{name}`" not in page], [])


if __name__ == "__main__":
    unittest.main()
