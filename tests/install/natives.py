# SPDX-License-Identifier: Apache-2.0
"""The native files of two platforms in the jar and in the NuGet package: natives.py BUILD JAR PACKAGE

The files of this build take the place of those of a cross build.
"""
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/packages"), str(ROOT / "bindings/tools")]
import contents  # noqa: E402
import elf  # noqa: E402
import java_build  # noqa: E402
import natives  # noqa: E402
import run_path  # noqa: E402

BUILD, JAR, PACKAGE = map(Path, sys.argv[1:4])
del sys.argv[1:4]
# A library whose header names AArch64.
OF_ANOTHER = (BUILD / "src/plugins/remote/cucore-remote-directory.so").read_bytes()
OF_ANOTHER = OF_ANOTHER[:18] + (183).to_bytes(2, "little") + OF_ANOTHER[20:]


def names(archive, folder):
    """The names of files below a folder of an archive."""
    with zipfile.ZipFile(archive) as files:
        return {name.split("/")[-1] for name in files.namelist() if name.startswith(folder)} - {"index"}


class Natives(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def test_the_collected_files_are_those_of_the_packages(self):
        place = self.folder / f"linux-{elf.read(BUILD / 'src/cucore/libcucore.so.0').machine.replace('_', '-')}"
        natives.collect(BUILD, place, "strip")
        self.assertEqual({path.name for path in place.iterdir()}, names(JAR, "native/") | names(PACKAGE, "runtimes/"))
        for path in place.iterdir():
            self.assertEqual(run_path.of(path), "$ORIGIN", path.name)

    def test_each_file_searches_its_own_folder_alone(self):
        file = self.folder / "file"
        for archive in (JAR, PACKAGE):
            with zipfile.ZipFile(archive) as files:
                found = {name: data for name, data in ((name, files.read(name)) for name in files.namelist()) if data[:4] == b"\x7fELF"}
            self.assertTrue(found)
            for name, data in found.items():
                file.write_bytes(data)
                self.assertIn(run_path.of(file), ("$ORIGIN", None), f"{name} of {archive.name}")

    def test_a_file_of_another_machine_fails(self):
        with self.assertRaisesRegex(SystemExit, "expected the machine of linux-riscv64"):
            natives.collect(BUILD, self.folder / "linux-riscv64", "strip")

    def platform(self, *files):
        place = self.folder / "natives/linux-aarch64"
        place.mkdir(parents=True)
        for name in files:
            (place / name).write_bytes(OF_ANOTHER)
        return place.parent

    def test_the_jar_has_the_files_of_each_platform(self):
        natives_folder = self.platform("libone.so", "libtwo.so", "libcucorecs.so")
        java_build.add_natives(self.folder / "classes", natives_folder, {"libone.so", "libtwo.so"})
        place = self.folder / "classes/native/linux-aarch64"
        self.assertEqual({path.name for path in place.iterdir()}, {"index", "libone.so", "libtwo.so"})
        self.assertIn(f" {len(OF_ANOTHER)} libone.so\n", (place / "index").read_text(encoding="utf-8"))

    def test_the_jar_fails_if_a_platform_lacks_a_file(self):
        with self.assertRaisesRegex(SystemExit, "linux-aarch64 lacks libtwo.so"):
            java_build.add_natives(self.folder / "classes", self.platform("libone.so"), {"libone.so", "libtwo.so"})

    def pack(self, natives_folder):
        (self.folder / "worker").write_text("worker", encoding="utf-8")
        (self.folder / "README.md").write_text("text", encoding="utf-8")
        out = self.folder / "out.nupkg"
        done = subprocess.run([sys.executable, "-B", ROOT / "bindings/csharp/package/package.py", "1.2.3", out, self.folder / "out.snupkg", "strip",
                               natives_folder, f"{self.folder / 'worker'}=runtimes/linux-x64/native/", f"{self.folder / 'README.md'}=README.md"],
                              capture_output=True, text=True, check=False)
        return out, done.stderr

    def test_the_nuget_package_has_the_names_of_dotnet(self):
        out, _ = self.pack(self.platform("worker", "libcucorejni.so"))
        self.assertEqual(names(out, "runtimes/linux-arm64/native/"), {"worker"})
        self.assertIn("| AArch64 |", contents.row(out))

    def test_the_symbols_have_the_endings_that_nuget_takes(self):
        out, _ = self.pack("")
        with zipfile.ZipFile(out.with_suffix(".snupkg")) as symbols:
            self.assertEqual(set(symbols.namelist()), {"Cucore.nuspec", "_rels/.rels", "[Content_Types].xml"})
            self.assertNotIn(b"<readme>", symbols.read("Cucore.nuspec"))
        with zipfile.ZipFile(out) as package:
            self.assertIn(b"<readme>README.md</readme>", package.read("Cucore.nuspec"))

    def test_the_nuget_package_fails_if_the_platforms_differ(self):
        _, printed = self.pack(self.platform("worker", "libmore.so"))
        self.assertIn("libmore.so is a file of one platform alone; linux-arm64 differs", printed)

    def test_an_unknown_machine_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "the machine of the file is 8; expected one of"):
            elf.machine(b"\x7fELF" + bytes(14) + b"\x08\x00")


if __name__ == "__main__":
    unittest.main()
