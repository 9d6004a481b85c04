# SPDX-License-Identifier: Apache-2.0
"""The built library: the names that it exports, its dependencies, and that loading it does no work.
"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

from public_header import PublicHeader

LIBRARY, HEADER, MAP, SANITIZER = sys.argv[1:5]
del sys.argv[1:5]
# The system's libraries, and libraries of the distribution that it has only as shared ones. CUDA's
# libraries are not in the list, because they are opened at run time.
NAME = Path(LIBRARY).name.split(".")[0]
MAY_NEED = re.compile(r"^(lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+|fmt|zstd|lz4|crypto)\.so(\.|$)|"
                      r"ld-linux|lib(asan|ubsan|tsan|lsan)\.so)")
LIBCUCORE = re.compile(r"^libcucore\.so\.\d+$")  # of the libraries that are built on it


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic(tag):
    return re.findall(rf"\({tag}\)[^\[]*\[([^\]]+)\]", run("readelf", "-dW", LIBRARY))


def exported():
    lines = run("nm", "-D", "--defined-only", LIBRARY).splitlines()
    return [line.split()[-1] for line in lines if line.split()[-2] != "A"]


class Symbols(unittest.TestCase):
    maxDiff = None

    def test_header_map_and_library_name_the_same_functions(self):
        header = sorted(PublicHeader(HEADER).functions())
        mapped = sorted(re.findall(r"\b(cucore_\w+)\s*;", Path(MAP).read_text()))
        self.assertEqual(mapped, header)
        self.assertEqual(sorted(name.split("@")[0] for name in exported()), header)

    def test_every_symbol_has_the_version_of_its_node(self):
        text = re.sub(r"/\*.*?\*/", "", Path(MAP).read_text(), flags=re.S)
        nodes = re.findall(r"(CUCORE_(?:[A-Z]+_)?[\d.]+)\s*\{(.*?)\}", text, re.S)
        expected = {f"{name}@@{node}" for node, body in nodes
                    for name in re.findall(r"\b(cucore_\w+)\s*;", body)}
        self.assertEqual(set(exported()), expected)

    def test_no_name_of_the_cpp_library_leaks(self):
        self.assertEqual([name for name in exported() if name.startswith("_Z")], [])


class Linking(unittest.TestCase):
    def test_the_soname_has_the_major_version(self):
        version = PublicHeader(Path(HEADER).with_name("cucore.h")).text
        major = re.search(r"CUCORE_VERSION_MAJOR (\d+)", version).group(1)
        self.assertEqual(dynamic("SONAME"), [f"{NAME}.so.{major}"])

    def test_only_the_system_is_needed_and_no_cuda_library(self):
        needed = dynamic("NEEDED")
        others = [name for name in needed if not MAY_NEED.match(name)]
        self.assertEqual([name for name in others if NAME == "libcucore" or not LIBCUCORE.match(name)], [])
        self.assertEqual(len(others), int(NAME != "libcucore"))

    def test_there_is_no_path_to_the_machine_that_built_it(self):
        for path in dynamic("RPATH") + dynamic("RUNPATH"):
            self.assertTrue(path.startswith("$ORIGIN"), path)

    def test_it_is_never_unloaded(self):
        self.assertIn("NODELETE", run("readelf", "-dW", LIBRARY))

    def test_the_stack_is_not_executable(self):
        stack = re.search(r"GNU_STACK.*", run("readelf", "-lW", LIBRARY)).group(0)
        self.assertNotIn("RWE", stack)


@unittest.skipIf(SANITIZER != "none", "a sanitizer brings constructors of its own")
class LoadingDoesNoWork(unittest.TestCase):
    def test_no_object_is_constructed_or_destroyed(self):
        text = run("nm", "-C", LIBRARY)
        self.assertEqual(re.findall(r".*(?:_GLOBAL__sub_[ID]|__static_init|global constructors).*",
                                    text), [])

    def test_the_arrays_of_initialisers_hold_the_compilers_own_alone(self):
        sections = run("readelf", "-SW", LIBRARY)
        for name in (".init_array", ".fini_array"):
            found = re.search(rf"{re.escape(name)}\s+\w+\s+\w+\s+\w+\s+(\w+)", sections)
            size = int(found.group(1), 16) if found else 0
            self.assertLessEqual(size, 8, f"{name}: more than the compiler's own entry")


if __name__ == "__main__":
    unittest.main()
