# SPDX-License-Identifier: Apache-2.0
"""The program cache through the command: compile stores, explain finds; nothing is deleted without
a confirmation."""
import json
import os
import re
import shutil
import unittest
from pathlib import Path

from command import SAXPY, CommandTest, needs_nvrtc, public_header


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

    def put(self, name, text):
        self.write(name, SAXPY.replace("saxpy", text))
        self.compile_cached(name, "--arch", "sm_90")

    @needs_nvrtc
    def test_the_list_has_short_keys_and_fits_100_columns(self):
        long_name = "a_very_long_name_of_a_source_file_that_does_not_fit_into_the_line.cu"
        for name in ("saxpy.cu", long_name):
            self.put(name, name.removesuffix(".cu"))
        *lines, last = self.succeeds("cache", "list").splitlines()
        self.assertEqual(last, "2 entries")
        for line in lines:
            self.assertLessEqual(len(line), 100)
            self.assertRegex(line, r"^[0-9a-f]{12}  ")
        self.assertTrue(any(line.endswith("fit_into_the_line.cu") and "..." in line for line in lines), lines)
        whole = self.succeeds("cache", "list", "-v")
        self.assertIn(long_name, whole)
        keys = {entry["key"] for entry in json.loads(self.succeeds("cache", "list", "--json"))["entries"]}
        self.assertEqual(keys, {line.split()[0] for line in whole.splitlines()[:-1]})
        self.assertEqual({key[:12] for key in keys}, {line.split()[0] for line in lines})

    @needs_nvrtc
    def test_remove_accepts_the_key_of_the_list(self):
        for name in ("one", "two"):
            self.put(f"{name}.cu", name)
        first, second = (line.split()[0] for line in self.succeeds("cache", "list").splitlines()[:2])
        self.assertEqual(self.succeeds("cache", "remove", first.upper()), "1 entry removed\n")
        self.assertEqual(self.succeeds("cache", "list").splitlines()[-1], "1 entry")
        self.fails(1, "cache", "remove", first, says=[first, "cache list"])
        removed = json.loads(self.succeeds("cache", "remove", second, "--json"))
        self.assertEqual((removed["removed"], removed["keys"][0][:12]), (1, second))
        self.assertEqual(self.entries(), 0)

    @needs_nvrtc
    def test_remove_refuses_an_ambiguous_key_and_names_the_candidates(self):
        self.put("one.cu", "one")
        key = json.loads(self.succeeds("cache", "list", "--json"))["entries"][0]["key"]
        [file] = [path for path in (self.folder / "cache").rglob("*")
                  if path.is_file() and key[4:] in path.name.replace("/", "")]
        twin = key[:-1] + ("0" if key[-1] != "0" else "1")
        file.with_name(file.name.replace(key[-8:], twin[-8:])).write_bytes(file.read_bytes())
        listed = self.succeeds("cache", "list").splitlines()
        self.assertEqual({line.split()[0] for line in listed[:-1]}, {key, twin})
        self.fails(1, "cache", "remove", key[:12], says=[f"{key[:12]} is ambiguous; 2 keys", key[:16], twin[:16]])
        self.assertEqual(self.succeeds("cache", "list").splitlines()[-1], "2 entries")

    def test_remove_refuses_what_is_not_a_key(self):
        for key in ("abc", "saxpy.cu", "0" * 65):
            self.fails(2, "cache", "remove", key, says=["is not a key", "4 to 64 hexadecimal digits"])
        self.fails(2, "cache", "remove", says="key")

    @needs_nvrtc
    def test_verbose_compiles_print_the_reason_of_a_miss(self):
        self.write("n.h", "#define N 1\n")
        self.write("n.cu", '#include "n.h"\nextern "C" __global__ void f(int* p) { *p = N; }\n')
        arguments = ("compile", "n.cu", "-o", "n.cuco", "--arch", "sm_90", "-I.", "--cache", "-v")
        reasons = []
        for text in ("#define N 1\n", "#define N 1\n", "#define N 2\n"):
            self.write("n.h", text)
            lines = self.run_command(*arguments).stderr.decode().splitlines()
            reasons.append([line for line in lines if "the cache has no result" in line])
        self.assertRegex(reasons[0][0], "of ./n.cu: nothing of that name has been built before as CUBIN$")
        self.assertEqual(reasons[1], [])
        self.assertRegex(reasons[2][0], "of ./n.cu: .*/n.h has changed$")

    @needs_nvrtc
    def test_a_batch_ends_with_a_summary(self):
        self.write("second.cu", SAXPY.replace("saxpy", "second"))
        arguments = ("compile", "saxpy.cu", "second.cu", "-o", "out", "--arch", "sm_90")
        self.assertRegex(self.succeeds(*arguments), r"\n2 programs: 2 built, \d+\.\d s\n$")
        self.assertRegex(self.succeeds(*arguments, "--cache"), r"\n2 programs: 2 built, 0 from the cache, \d+\.\d s\n$")
        self.assertRegex(self.succeeds(*arguments, "--cache"), r"\n2 programs: 0 built, 2 from the cache, \d+\.\d s\n$")
        self.write("second.cu", "not C++")
        result = self.run_command(*arguments, "--cache")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout.decode(), r"\n2 programs: 0 built, 1 from the cache, 1 failed, \d+\.\d s\n$")
        self.write("second.cu", SAXPY)
        self.assertEqual(self.succeeds(*arguments, "-q"), "")

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

    def test_before_its_first_use_it_is_empty(self):
        self.assertEqual(self.succeeds("cache", "list"), "0 entries\n")
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        result = self.run_command("cache", "stats")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertRegex(result.stdout.decode(), r"\nentries +0 ")

    def test_a_folder_that_does_not_exist_is_not_made(self):
        for command in (["stats"], ["list"], ["verify"], ["clear"], ["trim", "--max-size", "1G"]):
            self.fails(1, "cache", *command, "--folder", "typo", says="--folder is typo, which is not a folder")
        self.assertFalse((self.folder / "typo").exists())

    def test_a_folder_without_a_name_is_not_the_default_one(self):
        self.fails(2, "cache", "clear", "--folder", "", says=["--folder", "empty"])

    @staticmethod
    def names_of(text):
        return [line.split()[0] for line in text.splitlines()]


if __name__ == "__main__":
    unittest.main()
