# SPDX-License-Identifier: Apache-2.0
"""Every block of code in the pages is run, or names the reason why it is not: check_blocks.py ROOT

A marker is a comment in the line above a block:

    snippet: FILE NAME      a part of an example, which is a test of its own
    file: NAME              a file that later commands of the page use
    transcript              commands and the text that they print
    transcript needs: TOOL  the same, if the tool is installed
    run by: TEST            the commands that another test reads from the page
    not run: REASON         one of REASONS

A block without a marker is a fragment, which runs within a program of around/.
"""
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

from page import LANGUAGES, blocks, pages

ROOT = Path(sys.argv.pop(1)).resolve()
BLOCKS = [block for page in pages(ROOT) for block in blocks(page)]
# The reasons for which a block may remain without a run, and the number of such blocks.
REASONS = {"needs the .NET SDK": 2, "needs a program of the reader": 4, "needs the environment of a test": 1}


class Blocks(unittest.TestCase):
    def marked(self, marker):
        return [block for block in BLOCKS if block.marker == marker]

    def test_markers_are_known(self):
        for block in BLOCKS:
            self.assertIn(block.marker, ("", "snippet", "file", "transcript", "transcript needs", "run by", "not run"), block.place(ROOT))
            if block.language == "console":
                self.assertIn(block.marker, ("transcript", "transcript needs", "not run"), block.place(ROOT))

    def test_every_block_has_a_language_or_is_output(self):
        for block in BLOCKS:
            self.assertIn(block.language, LANGUAGES | {"", "cuda", "text", "rust", "go", "cmake", "xml"}, block.place(ROOT))

    def test_blocks_that_are_not_run_are_few(self):
        self.assertEqual(Counter(block.value for block in self.marked("not run")), REASONS)

    def test_snippets_are_of_programs_that_run(self):
        courses = "".join((ROOT / path).read_text() for path in
                          ("examples/meson.build", "bindings/python/meson.build", "bindings/java/test/meson.build", "bindings/csharp/meson.build"))
        for block in self.marked("snippet"):
            path = Path(block.value.split()[0])
            if path.parts[0] == "examples":
                self.assertTrue(re.search(rf"\b{path.stem}\b", courses), block.place(ROOT))

    def test_other_tests_read_the_block_that_they_run(self):
        for block in self.marked("run by"):
            test = ROOT / block.value
            self.assertTrue(test.exists(), block.place(ROOT))
            self.assertIn(block.page.name, test.read_text(encoding="utf-8"), block.place(ROOT))

    def test_shell_blocks_call_what_exists(self):
        commands = set(re.findall(r"^\./run (\w+)", (ROOT / "run").read_text(), re.M))
        in_ci = set(re.findall(r"\./run (\w+)", (ROOT / ".github/workflows/ci.yml").read_text() + (ROOT / ".ci/run").read_text()))
        for block in BLOCKS:
            if block.language not in ("sh", "console"):
                continue
            for name in re.findall(r"\./run (\w+)", block.text):
                self.assertIn(name, commands, block.place(ROOT))
                self.assertIn(name, in_ci | {"demo", "bench"}, block.place(ROOT))


if __name__ == "__main__":
    unittest.main()
