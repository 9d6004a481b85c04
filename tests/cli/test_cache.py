# SPDX-License-Identifier: Apache-2.0
"""The program cache through the command: compile stores, explain finds; nothing is deleted without
a confirmation."""
import json
import os
import re
import unittest
from pathlib import Path

from command import CommandTest, needs_nvrtc, public_header


class Cache(CommandTest):
    def environment(self, changes):
        return super().environment({"CUCORE_CACHE_DIR": str(self.folder / "cache")} | (changes or {}))

    def compile_cached(self, source, *arguments):
        self.succeeds("compile", source, "-o", "out.cuco", "--cache", *arguments)

    def entries(self):
        return json.loads(self.succeeds("cache", "stats", "--json"))["entries"]

    @needs_nvrtc
    def test_explain_looks_for_what_compile_makes(self):
        for arguments in (("--arch", "sm_90"), ("--arch", "compute_80"),
                          ("--arch", "sm_90", "--maxrregcount", "32")):
            with self.subTest(arguments):
                self.compile_cached("saxpy.cu", *arguments)
                self.assertRegex(self.succeeds("cache", "explain", "saxpy.cu", *arguments), "^hit")
        self.assertRegex(self.succeeds("cache", "explain", "saxpy.cu", "--arch", "sm_90",
                                       "--target", "ltoir"), "^miss: nothing of that name")

    @needs_nvrtc
    def test_explain_knows_the_language_of_a_file(self):
        self.compile("saxpy.cu", "saxpy.ptx", "--arch", "compute_80")
        (self.folder / "source").write_bytes(self.read("saxpy.ptx"))
        for file, arguments in (("saxpy.ptx", ()), ("source", ("-x", "ptx"))):
            with self.subTest(file):
                self.compile_cached(file, "--arch", "sm_90", *arguments)
                self.assertRegex(self.succeeds("cache", "explain", file, "--arch", "sm_90",
                                               *arguments), "^hit")

    @needs_nvrtc
    def test_a_miss_names_the_kind_that_was_never_built(self):
        self.compile_cached("saxpy.cu", "--arch", "sm_90")
        text = self.succeeds("cache", "explain", "saxpy.cu", "--arch", "sm_90", "--target", "ptx")
        self.assertRegex(text, "^miss: nothing of that name has been built before as PTX")

    @needs_nvrtc
    def test_nothing_is_removed_unless_a_size_or_clear_asks_for_it(self):
        self.compile_cached("saxpy.cu", "--arch", "sm_90")
        self.fails(2, "cache", "trim", says="--max-size")
        self.fails(2, "cache", "trim", "--max-size", "small", says=["small", "500M"])
        self.assertEqual(self.entries(), 1)
        self.succeeds("cache", "trim", "--max-size", "1G")
        self.assertEqual(self.entries(), 1)
        self.succeeds("cache", "clear")
        self.assertEqual(self.entries(), 0)

    def test_the_counts_have_the_names_of_the_header(self):
        header = public_header()
        body = re.search(r"typedef struct cucore_cache_statistics_info \{(.*?)\n\}", header, re.S)[1]
        fields = re.findall(r"^  uint64_t (\w+);", body, re.M)
        self.assertGreater(len(fields), 30)
        self.succeeds("cache", "clear")  # creates the folder
        shown = json.loads(self.succeeds("cache", "stats", "--json"))
        self.assertEqual(shown.pop("folder"), str(self.folder / "cache"))
        self.assertEqual(list(shown), fields)
        self.assertEqual(self.names_of(self.succeeds("cache", "stats")), ["folder", *fields])

    def test_a_folder_without_a_name_is_not_the_default_one(self):
        self.fails(2, "cache", "clear", "--folder", "", says=["--folder", "empty"])

    @staticmethod
    def names_of(text):
        return [line.split()[0] for line in text.splitlines()]


if __name__ == "__main__":
    unittest.main()
