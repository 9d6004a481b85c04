# SPDX-License-Identifier: Apache-2.0
"""The table of packages in docs/packages.md describes what was built: contents.py ROOT PACKAGE...

The packages are those of this build, so that sizes and machines are not compared. ./run packages --check compares them.
"""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT, *PACKAGES = map(Path, sys.argv[1:])
del sys.argv[1:]
sys.path.insert(0, str(ROOT / "tools/packages"))
import parts  # noqa: E402

TOOL, PAGE = ROOT / "tools/packages/contents.py", ROOT / "docs/packages.md"
EMPTY = "<!-- packages -->\n<!-- end of packages -->\n<!-- debian packages -->\n<!-- end of debian packages -->\n"


def run(*words):
    done = subprocess.run([sys.executable, "-B", TOOL, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


class Contents(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.page = self.folder / "page.md"
        self.page.write_text(EMPTY, encoding="utf-8")

    def change(self, old, new):
        text = self.page.read_text(encoding="utf-8")
        self.assertIn(old, text)
        self.page.write_text(text.replace(old, new), encoding="utf-8")

    def archive(self, name, *sizes):
        path = self.folder / name
        with zipfile.ZipFile(path, "w") as archive:
            for number, size in enumerate(sizes):
                archive.writestr(f"file{number}", bytes(size))
        return path

    def test_the_page_has_what_the_packages_contain(self):
        code, printed = run("--check-parts", PAGE, *PACKAGES)
        self.assertEqual(code, 0, printed)

    def test_the_packages_name_the_works_of_others(self):
        for package in PACKAGES:
            kind, name = ("jar", "META-INF/sbom/cucore.cdx.json") if package.suffix == ".jar" else ("nuget", "sbom/cucore.cdx.json")
            with zipfile.ZipFile(package) as archive:
                found = json.loads(archive.read(name))
            self.assertEqual(found, json.loads(parts.cyclonedx(kind)))
            self.assertIn("zstd", [each["name"] for each in found["components"]])

    def test_another_library_is_a_difference(self):
        self.page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
        self.change("`libcucore-cpu.so`", "`libcucore-gpu.so`")
        code, printed = run("--check-parts", self.page, *PACKAGES)
        self.assertIn("cucore.jar has the machine code `", printed)
        self.assertNotEqual(code, 0)
        self.change("`libzstd.so.1`", "`libz.so.1`")
        self.assertIn("cucore.jar has the libraries `", run("--check-parts", self.page, *PACKAGES)[1])

    def test_sizes_and_rows_are_compared(self):
        one, two = self.archive("one.jar", 1000000), self.archive("two.jar", 200000)
        self.assertEqual(run("--update", self.page, one, two)[0], 0)
        self.assertEqual(run("--check", self.page, one, two)[0], 0)
        self.assertIn("two.jar has a row, but was not given", run("--check", self.page, one)[1])
        three = self.archive("three.jar", 10)
        self.assertIn("three.jar has no row", run("--check", self.page, one, two, three)[1])
        self.archive("one.jar", 1050000)
        self.assertEqual(run("--check", self.page, one, two)[0], 0)
        for sizes in ((1500000,), (500000, 500000)):
            self.archive("one.jar", *sizes)
            code, printed = run("--check", self.page, one, two)
            self.assertIn("one.jar has 1.0 MB, 1.0 MB unpacked and 1 files; expected", printed)
            self.assertNotEqual(code, 0)

    @unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not installed")
    def test_packages_of_debian(self):
        def package(depends):
            control = self.folder / "deb/DEBIAN/control"
            control.parent.mkdir(parents=True, exist_ok=True)
            control.write_text("Package: one\nVersion: 1\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: text\n"
                               f"Depends: libc6 (>= 2.34), {depends}\n", encoding="utf-8")
            path = self.folder / "one_1_all.deb"
            subprocess.run(["dpkg-deb", "--root-owner-group", "--build", self.folder / "deb", path], check=True, stdout=subprocess.DEVNULL)
            return path
        self.assertEqual(run("--update", self.page, package("libtwo (>= 1), libtwo (<< 2)"))[0], 0)
        self.change("| `one` |  |", "| `one` | written by hand |")
        self.assertEqual(run("--update", self.page, package("libtwo"))[0], 0)
        self.assertIn("| `one` | written by hand | `libtwo` | 0.00 MB |", self.page.read_text(encoding="utf-8"))
        self.assertEqual(run("--check", self.page, package("libtwo"))[0], 0)
        code, printed = run("--check", self.page, package("libtwo, libthree"))
        self.assertIn("one has `libtwo` and 0.00 MB; expected `libthree`, `libtwo` and 0.00 MB", printed)
        self.assertNotEqual(code, 0)


if __name__ == "__main__":
    unittest.main()
