"""Holds the table of layers (layers.txt) against the #includes of every file under src, and of each
library that is built on this one.

What a file includes is looked up where the compiler finds it, so that "error.hpp" in src/core and
"../support/error.hpp" are told apart.
"""
import functools
import re
import sys
import unittest
from pathlib import Path

from public_header import PublicHeader

SOURCE = Path(sys.argv.pop(1)).resolve()
CUDA = re.compile(r"^(cuda|cuda\w*\.h|nvrtc\.h|nvJitLink\.h|nvvm\.h|nv\w+/.*)$")
STANDARD = re.compile(r"^[a-z_0-9]+$")  # <vector>
SYSTEM = re.compile(r"^(sys/\w+|linux/\w+|arpa/\w+|netinet/\w+|assert|cpuid|ctype|cxxabi|dirent|dlfcn|elf|errno|execinfo|"
                    r"fcntl|fenv|immintrin|inttypes|limits|link|math|mqueue|netdb|poll|pthread|pwd|sched|"
                    r"semaphore|signal|spawn|stddef|stdint|stdio|stdlib|string|strings|time|ucontext|"
                    r"unistd|x86intrin)\.h$")


# Libraries that are built on this one: cucore.h and the shared static code, nothing else of src.
LIBRARIES = {"tests/second_library": {"std", "<cucore.h>", "support"}}


@functools.cache
def read_table():
    lines = Path(__file__).with_name("layers.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {row[0]: set(row[1:]) for row in rows} | LIBRARIES


@functools.cache
def folders():
    """{what the table calls a folder: the folder}"""
    found = {path.name: path for path in SOURCE.iterdir() if path.is_dir()}
    found.update({name: SOURCE.parent / name for name in LIBRARIES})
    return found


def include_name(path, name):
    """What the table calls an included file."""
    for candidate in (path.parent / name, SOURCE / name, SOURCE.parent / "include" / name):
        resolved = candidate.resolve()
        for layer, folder in folders().items():
            if resolved.is_file() and resolved.is_relative_to(folder):
                return layer
    if (SOURCE / name.split("/")[0]).is_dir():
        return name.split("/")[0]
    if CUDA.match(name):
        return "<cuda>"
    if STANDARD.match(name) or SYSTEM.match(name):
        return "std"
    return f"<{name.split('/')[0]}>"


def is_allowed(table, layer, target, name):
    allowed = table.get(layer, set())
    return target == layer or target in allowed or name.removeprefix("../") in allowed


def edges():
    """(file, layer, what it includes as the table calls it, the name in the #include)."""
    for layer, folder in folders().items():
        for path in sorted(folder.rglob("*")):
            if path.suffix not in {".c", ".cpp", ".h", ".hpp", ".inc"}:
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
            layer = path.relative_to(SOURCE).parts[0]
            if layer in {"capi", "cli"}:
                continue
            text = re.sub(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"', "", path.read_text(), flags=re.S)
            called = set(re.findall(r"\b(cucore_\w+)\s*\(", text)) & set(functions)
            wrong += [f"{path.relative_to(SOURCE)} calls {name}" for name in sorted(called)]
        self.assertEqual(wrong, [])

    def test_every_folder_is_in_the_table(self):
        self.assertEqual(set(folders()) - set(read_table()), set())

    def test_every_folder_of_the_table_is_seen(self):
        self.assertEqual(set(read_table()) - {layer for _, layer, _, _ in edges()}, set())

    def test_the_check_sees_includes_at_all(self):
        self.assertGreater(sum(1 for _ in edges()), 100)


if __name__ == "__main__":
    unittest.main()
