# SPDX-License-Identifier: Apache-2.0
"""find_package(cucore) in an installed tree that was moved: cmake.py BUILD PREFIX CMAKE"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, PREFIX, CMAKE = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
del sys.argv[1:4]
HERE = Path(__file__).resolve().parent
MESON = shlex.split(re.search(r"COMMAND = (.*) install --no-rebuild", (BUILD / "build.ninja").read_text())[1])
FIND = "cmake_minimum_required(VERSION 3.13)\nproject(find C)\n"


class Moved(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.root = Path(cls.temporary.name)
        subprocess.run([*MESON, "install", "--no-rebuild", "--quiet", "--destdir", str(cls.root / "destination")], cwd=BUILD,
                       check=True, capture_output=True)
        cls.prefix = cls.root / "moved"
        (cls.root / "destination" / PREFIX.relative_to("/")).rename(cls.prefix)
        [cls.config] = cls.prefix.rglob("cucoreConfig.cmake")
        cls.version = re.search(r'PACKAGE_VERSION "(\d+)\.(\d+)\.(\d+)"', cls.config.with_name("cucoreConfigVersion.cmake").read_text())
        cls.version = [int(part) for part in cls.version.groups()]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def cmake(self, *arguments):
        return subprocess.run([CMAKE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=200, check=False)

    def configure(self, source, folder, *options):
        return self.cmake("-S", source, "-B", self.root / folder, f"-DCMAKE_PREFIX_PATH={self.prefix}", *options)

    def find(self, folder, line, prefix=None):
        """Configures a project of one line, and returns what CMake prints."""
        source = self.root / folder
        source.mkdir()
        (source / "CMakeLists.txt").write_text(f"{FIND}{line}\nmessage(STATUS \"found=${{cucore_FOUND}} \" \"${{cucore_VERSION}}\")\n")
        return self.configure(source, folder + "-build", *([f"-DCMAKE_PREFIX_PATH={prefix}"] if prefix else [])).stdout

    def run_program(self, name, **variables):
        done = subprocess.run([self.root / "programs" / name], env=os.environ | variables, text=True, capture_output=True,
                              timeout=60, check=False)
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_programs_of_each_target(self):
        configured = self.configure(HERE / "cmake", "programs", f"-DSOURCES={HERE}")
        self.assertEqual(configured.returncode, 0, configured.stdout)
        self.assertIn(str(self.config.parent), configured.stdout)
        built = self.cmake("--build", self.root / "programs")
        self.assertEqual(built.returncode, 0, built.stdout)
        self.assertEqual(self.run_program("perf"), "8 blocks, limited by warps\n")
        self.assertIn("no context", self.run_program("arrays", CUCORE_DRIVER="nvidia"))
        for name in ("consumer", "consumer_cpp"):
            self.assertIn("restored", self.run_program(name, CUCORE_DRIVER="nvidia"))

    def test_versions(self):
        major, minor, patch = self.version
        shown = f"found=1 {major}.{minor}.{patch}"
        self.assertIn(shown, self.find("same", f"find_package(cucore {major}.{minor}.{patch} EXACT REQUIRED)"))
        self.assertIn(shown, self.find("range", f"find_package(cucore {major}.{minor}...{major}.{minor + 1} REQUIRED)"))
        for name, wanted in {"patch": f"{major}.{minor}.{patch + 1}", "minor": f"{major}.{minor + 1}", "major": f"{major + 1}.0",
                             "above": f"{major}.{minor + 1}...{major}.{minor + 2}"}.items():
            self.assertIn("found=0", self.find(name, f"find_package(cucore {wanted} QUIET)"), wanted)

    def test_the_upper_end_of_a_range(self):
        version = ".".join(map(str, self.version))
        script = self.root / "range.cmake"
        for end, unsuitable in (("INCLUDE", ""), ("EXCLUDE", "TRUE")):
            values = {"PACKAGE_FIND_VERSION_RANGE": f"{version}...{version}", "PACKAGE_FIND_VERSION_MIN": version,
                      "PACKAGE_FIND_VERSION_MAX": version, "PACKAGE_FIND_VERSION_RANGE_MAX": end}
            script.write_text("".join(f"set({name} {value})\n" for name, value in values.items()) +
                              f'include("{self.config.with_name("cucoreConfigVersion.cmake")}")\n'
                              'message("unsuitable=${PACKAGE_VERSION_UNSUITABLE};compatible=${PACKAGE_VERSION_COMPATIBLE}")\n')
            self.assertEqual(self.cmake("-P", script).stdout, f"unsuitable={unsuitable};compatible=TRUE\n")

    def test_an_unknown_component(self):
        printed = self.find("component", "find_package(cucore REQUIRED COMPONENTS tiles)")
        self.assertIn("component 'tiles' is missing", " ".join(printed.split()))

    def test_a_missing_library(self):
        alone = self.root / "alone" / self.config.parent.relative_to(self.prefix)
        alone.mkdir(parents=True)
        for name in ("cucoreConfig.cmake", "cucoreConfigVersion.cmake"):
            (alone / name).write_bytes(self.config.with_name(name).read_bytes())
        self.assertIn("found=0", self.find("library", "find_package(cucore QUIET)", self.root / "alone"))

    def test_the_files_name_no_folder(self):
        for path in self.config.parent.iterdir():
            for folder in (BUILD, PREFIX / "lib", HERE.parents[1]):
                self.assertNotIn(str(folder), path.read_text())


if __name__ == "__main__":
    unittest.main()
