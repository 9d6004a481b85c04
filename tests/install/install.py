"""Installs the built tree into an empty folder and uses it as a stranger would."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, PREFIX = Path(sys.argv[1]), Path(sys.argv[2])
del sys.argv[1:3]
HERE = Path(__file__).parent
STRICT = ["-std=c89", "-pedantic-errors", "-Wall", "-Wextra", "-Werror"]
NO_DRIVER = {"CUCORE_DRIVER": "nvidia"}


def meson_install(destination):
    """With the very meson that configured the tree, which need not be the first in PATH."""
    command = re.search(r"COMMAND = (.*) install --no-rebuild",
                        (BUILD / "build.ninja").read_text()).group(1)
    subprocess.run([*shlex.split(command), "install", "--no-rebuild", "--quiet", "--destdir",
                    destination], cwd=BUILD, check=True, capture_output=True)


class Tree:
    """A place to find cucore.pc, the flags that it gives and the folder of the library."""

    def __init__(self, pkgconfig_path, sysroot, library_folder):
        self.environment = dict(os.environ, PKG_CONFIG_PATH=str(pkgconfig_path), **NO_DRIVER)
        self.environment.pop("PKG_CONFIG_LIBDIR", None)
        if sysroot:
            self.environment["PKG_CONFIG_SYSROOT_DIR"] = str(sysroot)
        self.environment["LD_LIBRARY_PATH"] = f"{library_folder}:" + os.environ.get(
            "LD_LIBRARY_PATH", "")

    def flags(self, *options):
        return shlex.split(subprocess.run(["pkg-config", *options, "cucore"], check=True, text=True,
                                          env=self.environment, capture_output=True).stdout)

    def build_and_run(self, source, flags, arguments=()):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            compiled = subprocess.run(["cc", *flags[:-1], HERE / source, "-o", program, *flags[-1]],
                                      capture_output=True, text=True)
            if compiled.returncode:
                raise AssertionError(compiled.stderr)
            return subprocess.run([program, *arguments], env=self.environment, timeout=60,
                                  capture_output=True, text=True)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        meson_install(cls.root)
        cls.prefix = cls.root / PREFIX.relative_to("/")
        pc = next(cls.prefix.rglob("cucore.pc"))
        cls.library = next(cls.prefix.rglob("libcucore.so"))
        cls.tree = Tree(pc.parent, cls.root, cls.library.parent)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, result):
        if result.returncode == 77:
            self.skipTest(result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_a_c89_program_compiles_and_runs_with_no_driver(self):
        flags = [*STRICT, *self.tree.flags("--cflags"), self.tree.flags("--libs")]
        self.assertIn("restored", self.check(self.tree.build_and_run("consumer.c", flags)))

    def test_a_program_without_the_header_opens_it_by_its_soname(self):
        result = self.tree.build_and_run("dlopen.c", ["-std=c99", "-Wall", "-Werror", ["-ldl"]],
                                         ["libcucore.so.0"])
        self.assertIn("refused", self.check(result))

    def test_pkg_config_tells_version_and_nothing_of_what_is_inside(self):
        self.assertEqual(self.tree.flags("--modversion"), [self.version()])
        libraries = [flag for flag in self.tree.flags("--libs") if flag.startswith("-l")]
        self.assertEqual(libraries, ["-lcucore"])

    def version(self):
        text = (self.prefix / "include" / "cucore.h").read_text()
        return ".".join(re.search(rf"CUCORE_VERSION_{part} (\d+)", text).group(1)
                        for part in ("MAJOR", "MINOR", "PATCH"))

    def test_the_header_alone_is_public(self):
        headers = [path.name for path in self.prefix.rglob("*.h*")]
        self.assertEqual(headers, ["cucore.h"])

    def test_no_installed_text_names_the_build_folder(self):
        for path in self.prefix.rglob("*.pc"):
            self.assertNotIn(str(BUILD), path.read_text())

    def test_the_installed_command_runs(self):
        command = self.prefix / "bin" / "cucore"
        result = subprocess.run([command, "--version"], env=self.tree.environment,
                                capture_output=True, text=True)
        self.assertEqual(self.check(result).strip(), f"cucore {self.version()}")


class Uninstalled(Installed):
    """The same through cucore-uninstalled.pc, from the build tree as it is."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.library = next(BUILD.glob("**/libcucore.so"))
        cls.tree = Tree(BUILD / "meson-uninstalled", None, cls.library.parent)


if __name__ == "__main__":
    unittest.main()
