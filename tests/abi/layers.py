# SPDX-License-Identifier: Apache-2.0
"""Compares the include table of ARCHITECTURE.md with each #include under src and with those of each
library that is built on this one.

A file name in an #include is resolved as the compiler resolves it, so that "error.hpp" of one folder and
of another are distinct.
"""
import functools
import re
import sys
import unittest
from pathlib import Path

from public_header import PublicHeader

SOURCE = Path(sys.argv.pop(1)).resolve()
CUDA = re.compile(r"^(cuda|cu(da|pti)\w*\.h|nvrtc\.h|nvJitLink\.h|nvvm\.h|nv\w+/.*)$")
STANDARD = re.compile(r"^[a-z_0-9]+$")  # <vector>
SYSTEM = re.compile(r"^(sys/\w+|linux/\w+|arpa/\w+|netinet/\w+|assert|cpuid|ctype|cxxabi|dirent|dlfcn|elf|errno|execinfo|"
                    r"fcntl|fenv|immintrin|inttypes|limits|link|math|mqueue|netdb|poll|pthread|pwd|sched|"
                    r"semaphore|signal|spawn|stddef|stdint|stdio|stdlib|string|strings|time|ucontext|"
                    r"unistd|x86intrin)\.h$")


# Callers of the public functions.
BOUNDARIES = ("cucore/capi/", "shared/client/", "array/capi/", "array/run/", "perf/capi/", "perf/measure/", "perf/cupti/", "perf/profile/", "programs/cli/")
SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".inc"}
ROOTS = ("shared", "cucore", "plugins", ".")  # of "folder/file.hpp", under src


@functools.cache
def read_table():
    """Returns {folder: allowed includes of its files}, from the table below the heading "Include
    rules"."""
    page = (SOURCE.parent / "ARCHITECTURE.md").read_text().split("\n## Include rules\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]*) \|$", page, re.M)
    return {folder: set(re.findall(r"`([^`]+)`", allowed)) for folder, allowed in rows}


@functools.cache
def folders():
    """Returns {name in the table: folder}."""
    under_src = {name: SOURCE / name for name in read_table()}
    return {name: path if path.is_dir() else SOURCE.parent / name for name, path in under_src.items()}


def include_name(path, name):
    """Returns the name of an included file in the table."""
    for candidate in (path.parent / name, *(SOURCE / root / name for root in ROOTS), SOURCE.parent / "include" / name):
        resolved = candidate.resolve()
        for layer, folder in folders().items():
            if resolved.is_file() and resolved.is_relative_to(folder):
                return layer
    if CUDA.match(name):
        return "<cuda>"
    if STANDARD.match(name) or SYSTEM.match(name):
        return "std"
    return f"<{name.split('/')[0]}>"


def is_allowed(table, layer, target, name):
    allowed = table.get(layer, set())
    return target == layer or target in allowed or name in allowed


def edges():
    """Yields (file, layer, included layer in the table's terms, the name in the #include)."""
    for layer, folder in folders().items():
        for path in sorted(folder.rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            for name in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text(), re.M):
                yield path.relative_to(SOURCE.parent), layer, include_name(path, name), name


class Layers(unittest.TestCase):
    def test_every_include_goes_where_its_layer_may(self):
        table = read_table()
        wrong = [f"{file}: {layer} must not include {name} ({target})"
                 for file, layer, target, name in edges()
                 if not is_allowed(table, layer, target, name)]
        self.assertEqual(wrong, [])

    def test_only_the_boundary_and_the_command_call_the_public_functions(self):
        functions = PublicHeader(SOURCE.parent / "include" / "cucore.h").functions()
        wrong = []
        for path in sorted(SOURCE.rglob("*pp")):
            if str(path.relative_to(SOURCE)).startswith(BOUNDARIES):
                continue
            text = re.sub(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"', "", path.read_text(), flags=re.S)
            called = set(re.findall(r"\b(cucore_\w+)\s*\(", text)) & set(functions)
            wrong += [f"{path.relative_to(SOURCE)} calls {name}" for name in sorted(called)]
        self.assertEqual(wrong, [])

    def test_every_source_is_in_a_folder_of_the_table(self):
        sources = [path for path in SOURCE.rglob("*") if path.suffix in SUFFIXES]
        lost = [str(path) for path in sources
                if not any(path.is_relative_to(folder) for folder in folders().values())]
        self.assertEqual(lost, [])

    def test_every_folder_of_the_table_has_sources(self):
        self.assertEqual(set(read_table()) - {layer for _, layer, _, _ in edges()}, set())

    def test_the_check_sees_includes_at_all(self):
        self.assertGreater(sum(1 for _ in edges()), 100)


if __name__ == "__main__":
    unittest.main()
