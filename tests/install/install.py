# SPDX-License-Identifier: Apache-2.0
"""Installs the built tree into an empty folder and uses it as an outside program would."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import header_text  # noqa: E402

BUILD, PREFIX = Path(sys.argv[1]), Path(sys.argv[2])
del sys.argv[1:3]
HERE = Path(__file__).parent
STRICT = ["-std=c89", "-pedantic-errors", "-Wall", "-Wextra", "-Werror"]
STRICT_CPP = ["-std=c++17", "-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
NO_DRIVER = {"CUCORE_DRIVER": "nvidia"}


def meson_install(destination):
    """Uses the meson that configured the tree, which need not be the first in PATH."""
    command = re.search(r"COMMAND = (.*) install --no-rebuild",
                        (BUILD / "build.ninja").read_text()).group(1)
    subprocess.run([*shlex.split(command), "install", "--no-rebuild", "--quiet", "--destdir",
                    destination], cwd=BUILD, check=True, capture_output=True)


class Tree:
    """A folder with cucore.pc, its flags, and the folder of the library."""

    def __init__(self, pkgconfig_path, sysroot, library_folder):
        self.environment = dict(os.environ, PKG_CONFIG_PATH=str(pkgconfig_path), **NO_DRIVER)
        self.environment.pop("PKG_CONFIG_LIBDIR", None)
        if sysroot:
            self.environment["PKG_CONFIG_SYSROOT_DIR"] = str(sysroot)
        self.environment["LD_LIBRARY_PATH"] = f"{library_folder}:" + os.environ.get(
            "LD_LIBRARY_PATH", "")

    def flags(self, *options, package="cucore"):
        return shlex.split(subprocess.run(["pkg-config", *options, package], check=True, text=True,
                                          env=self.environment, capture_output=True).stdout)

    def build_and_run(self, source, flags, libraries, arguments=(), **variables):
        compiler = "c++" if source.endswith(".cpp") else "cc"
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            compiled = subprocess.run([compiler, *flags, HERE / source, "-o", program, *libraries],
                                      capture_output=True, text=True, check=False)
            if compiled.returncode:
                raise AssertionError(compiled.stderr)
            return subprocess.run([program, *arguments], env=self.environment | variables, timeout=60,
                                  capture_output=True, text=True, check=False)


class Trees(unittest.TestCase):
    """Both trees: the installed one, and the build tree through cucore-uninstalled.pc."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        meson_install(root)
        cls.prefix = root / PREFIX.relative_to("/")
        library = next(cls.prefix.rglob("libcucore.so"))
        cls.installed = Tree(next(cls.prefix.rglob("cucore.pc")).parent, root, library.parent)
        cls.uninstalled = Tree(BUILD / "pkgconfig", None,
                               next(BUILD.glob("**/libcucore.so")).parent)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, result):
        if result.returncode == 77:
            self.skipTest(result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def require_cpu_device(self):
        if not list(self.prefix.rglob("libcucore-cpu.so*")):
            self.skipTest("built without the CPU device")

    def version(self):
        text = (self.prefix / "include" / "cucore" / "version.h").read_text()
        return ".".join(re.search(rf"CUCORE_VERSION_{part} (\d+)", text).group(1)
                        for part in ("MAJOR", "MINOR", "PATCH"))


class UsingIt(Trees):
    def consume(self, tree):
        result = tree.build_and_run("consumer.c", [*STRICT, *tree.flags("--cflags")],
                                    tree.flags("--libs"))
        self.assertIn("restored", self.check(result))

    def test_a_c89_program_compiles_and_runs_with_no_driver(self):
        self.consume(self.installed)

    def test_a_cpp17_program_compiles_and_runs_with_no_driver(self):
        for tree in (self.installed, self.uninstalled):
            result = tree.build_and_run("consumer.cpp", [*STRICT_CPP, *tree.flags("--cflags")], tree.flags("--libs"))
            self.assertIn("restored", self.check(result))

    def test_a_build_tree_serves_as_it_is(self):
        self.consume(self.uninstalled)

    def test_a_program_without_the_header_opens_it_by_its_soname(self):
        soname = "libcucore.so." + self.version().split(".", maxsplit=1)[0]
        result = self.installed.build_and_run("dlopen.c", ["-std=c99", "-Wall", "-Werror"],
                                              ["-ldl"], [soname])
        self.assertIn("refused", self.check(result))

    def test_arrays_in_c(self):
        flags = self.installed.flags("--cflags", package="cucore-array")
        libraries = self.installed.flags("--libs", package="cucore-array")
        result = self.installed.build_and_run("arrays.c", [*STRICT, *flags], libraries)
        self.assertIn("no context", self.check(result))
        self.require_cpu_device()
        result = self.installed.build_and_run("arrays.c", [*STRICT, *flags], libraries, CUCORE_DRIVER="cpu")
        self.assertEqual(self.check(result), "sum 5\n")

    def test_perf_in_c_without_a_driver(self):
        flags = self.installed.flags("--cflags", package="cucore-perf")
        libraries = self.installed.flags("--libs", package="cucore-perf")
        result = self.installed.build_and_run("perf.c", [*STRICT, *flags], libraries)
        self.assertEqual(self.check(result), "8 blocks, limited by warps\n")

    def test_arrays_without_the_header(self):
        self.require_cpu_device()
        soname = "libcucore-array.so." + self.version().split(".", maxsplit=1)[0]
        result = self.installed.build_and_run("array_dlopen.c", ["-std=c99", "-Wall", "-Werror"], ["-ldl"], [soname], CUCORE_DRIVER="cpu")
        self.assertEqual(self.check(result), "sum 7\n")

    def test_the_installed_command_runs(self):
        result = subprocess.run([self.prefix / "bin" / "cucore", "--version"], text=True,
                                env=self.installed.environment, capture_output=True, check=False)
        self.assertEqual(self.check(result).strip(), f"cucore {self.version()}")

    def test_the_installed_library_finds_the_installed_cpu_device(self):
        self.require_cpu_device()
        result = subprocess.run([self.prefix / "bin" / "cucore", "--driver", "cpu", "info"],
                                text=True, env=self.installed.environment, capture_output=True,
                                check=False)
        self.assertIn("emulated on the CPU", self.check(result))
        self.assertIn(str(self.prefix), result.stdout)


class WhatIsThere(Trees):
    def test_the_folder_for_other_programs_is_complete(self):
        self.require_cpu_device()
        driver = next(self.prefix.rglob("cucpu/compat/libcuda.so.1"))
        self.assertEqual(driver.resolve().name, "libcucore-cpu.so.0")
        names = {path.name for path in driver.parent.iterdir()}
        self.assertEqual(names, {"libcuda.so.1", "libnvrtc.so.12", "libnvrtc.so.13", "libnvJitLink.so.13"})

    def test_pkg_config_tells_version_and_nothing_of_what_is_inside(self):
        for tree in (self.installed, self.uninstalled):
            self.assertEqual(tree.flags("--modversion"), [self.version()])
            libraries = [flag for flag in tree.flags("--libs") if flag.startswith("-l")]
            self.assertEqual(libraries, ["-lcucore"])
            for option in ("--print-requires", "--print-requires-private"):
                self.assertEqual(tree.flags(option), [], "users would also need these")

    def test_the_headers_alone_are_public(self):
        installed, source = self.prefix / "include", HERE.resolve().parents[1] / "include"
        headers = [path.relative_to(installed) for path in installed.rglob("*") if path.is_file()]
        wanted = [path.relative_to(source) for path in header_text.files(source / "cucore.h")]
        self.assertGreater(len(wanted), 10)
        wanted += [path.relative_to(source) for path in source.rglob("*.hpp")]
        wanted += [Path("cucore_array.h"), Path("cucore_array_names.h"), Path("cucore_perf.h")]
        self.assertEqual(sorted(headers), sorted(wanted))

    def test_no_installed_text_names_the_build_folder(self):
        for path in self.prefix.rglob("*.pc"):
            self.assertNotIn(str(BUILD), path.read_text())


if __name__ == "__main__":
    unittest.main()
