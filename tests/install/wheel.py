# SPDX-License-Identifier: Apache-2.0
"""The repair and the check of wheels, with the files of a build folder: wheel.py BUILD

A wheel of these files takes the place of the one that meson-python makes.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/packages"))
import archive  # noqa: E402
import elf  # noqa: E402
import wheel  # noqa: E402

BUILD = Path(sys.argv.pop(1))
ABI = f"cp{sys.version_info[0]}{sys.version_info[1]}"
INFO = "cucore-0.0.1.dist-info"
METADATA = b"Metadata-Version: 2.1\nName: cucore\nVersion: 0.0.1\n"
LIBRARIES = {"src/cucore/libcucore.so.0": "libcucore.so.0", "src/array/libcucore-array.so.0": "libcucore-array.so.0",
             "src/perf/libcucore-perf.so.0": "libcucore-perf.so.0", "src/cpu/driver/libcucore-cpu.so": "libcucore-cpu.so",
             "src/programs/worker/cucore-worker": "cucore-worker", "src/programs/cli/cucore": "bin/cucore"}


def write(path, more=()):
    """Writes a wheel as meson-python does: with the tag of Linux, and without what the system has."""
    files = {}
    for file in sorted((BUILD / "bindings/python/package").rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            files[file.relative_to(BUILD / "bindings/python/package").as_posix()] = (file.read_bytes(), 0o644)
    for source, name in LIBRARIES.items():
        files[f"{wheel.LIBRARIES}/{name}"] = ((BUILD / source).read_bytes(), 0o755)
    tag = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {ABI}-{ABI}-linux_{os.uname().machine}"
    files |= {f"{INFO}/METADATA": (METADATA, 0o644), f"{INFO}/WHEEL": (tag.encode(), 0o644), f"{INFO}/RECORD": (b"", 0o644),
              f"{INFO}/entry_points.txt": (b"[console_scripts]\ncucore = cucore._command:main\n", 0o644)} | dict(more)
    archive.write_zip(path, files)


class Repaired(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.raw = cls.folder / f"cucore-0.0.1-{ABI}-{ABI}-linux_{os.uname().machine}.whl"
        write(cls.raw)
        cls.wheel = wheel.repair(cls.raw, cls.folder / "one")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_the_wheel_has_no_faults(self):
        self.assertEqual(list(wheel.faults(self.wheel)), [])

    def test_the_tag_is_not_newer_than_this_system(self):
        glibc = int(os.confstr("CS_GNU_LIBC_VERSION").split(".")[1])
        self.assertRegex(self.wheel.name, rf"^cucore-0\.0\.1-{ABI}-{ABI}-manylinux_2_\d+_{os.uname().machine}\.whl$")
        self.assertLessEqual(int(self.wheel.name.split("manylinux_2_")[1].split("_")[0]), glibc)

    def test_zstd_lz4_and_libcrypto_are_inside(self):
        names = {name.split("/")[1].split("-")[0] for name in archive.read(self.wheel) if name.startswith(wheel.LIBRARIES)}
        self.assertLessEqual({"libzstd", "liblz4", "libcrypto"}, names)

    def test_equal_inputs_have_equal_bytes(self):
        again = wheel.repair(self.raw, self.folder / "two")
        self.assertEqual(again.read_bytes(), self.wheel.read_bytes())

    def test_a_change_is_a_fault(self):
        files = archive.read(self.wheel)
        data, mode = files["cucore/__init__.py"]
        changed = self.folder / "changed" / self.wheel.name
        changed.parent.mkdir()
        archive.write_zip(changed, files | {"cucore/__init__.py": (data + b"\n", mode), "cucore/more.py": (b"", mode)})
        self.assertEqual(list(wheel.faults(changed)), ["cucore/more.py is in one of RECORD and the archive alone",
                                                       "cucore/__init__.py differs from its row in RECORD"])

    def test_an_unrepaired_wheel_has_faults(self):
        found = "\n".join(wheel.faults(self.raw))
        for text in ("libcrypto.so.3 is neither in the wheel nor on each system", "the tag is linux_", "THIRD_PARTY.md is missing"):
            self.assertIn(text, found)

    def test_a_library_that_this_machine_lacks_fails(self):
        if not shutil.which("cc"):
            self.skipTest("no compiler")
        subprocess.run(["cc", "-shared", "-o", self.folder / "libabsent.so", "-xc", "/dev/null"], check=True)
        subprocess.run(["cc", "-shared", "-o", self.folder / "user.so", "-xc", "/dev/null", "-Wl,--no-as-needed", f"-L{self.folder}", "-labsent"], check=True)
        raw = self.folder / "raw" / self.raw.name
        raw.parent.mkdir()
        write(raw, {"cucore/user.so": ((self.folder / "user.so").read_bytes(), 0o755)})
        with self.assertRaisesRegex(FileNotFoundError, "libabsent.so is not a library of this machine"):
            wheel.repair(raw, self.folder / "three")

    def test_an_empty_environment_runs_it(self):
        environment = self.folder / "environment"
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([environment / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", self.wheel], check=True)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("CUCORE_", "PYTHON", "LD_")) or k == "CUCORE_NVRTC"}
        kept["CUCORE_DRIVER"] = "cpu"

        def run(*command):
            done = subprocess.run([environment / "bin" / command[0], *command[1:]], cwd=self.folder, env=kept, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            return done.stdout

        program = "import cucore, cucore.array as ca; print(cucore.__file__, float((ca.ones(8) * 2).sum()))"
        printed = run("python", "-c", program)
        self.assertIn(str(environment), printed)
        self.assertIn(" 16.0", printed)
        self.assertIn("emulated on the CPU", run("cucore", "info"))
        # Each library comes from the wheel.
        maps = run("python", "-c", "import cucore, hashlib; cucore.Device(); print(open('/proc/self/maps').read())")
        for name in ("libzstd", "liblz4"):
            self.assertRegex(maps, rf"{environment}.*/{name}-")
            self.assertNotRegex(maps, rf"/usr/lib.*/{name}\.")


class Tags(unittest.TestCase):
    def test_a_new_standard_library_requires_a_newer_glibc(self):
        old, new = elf.Needs([], {"GLIBC": (2, 17), "GLIBCXX": (3, 4, 19)}), elf.Needs([], {"GLIBC": (2, 17), "GLIBCXX": (3, 4, 30)})
        self.assertEqual([elf.oldest_glibc([old]), elf.oldest_glibc([new]), elf.oldest_glibc([old, new])], [17, 35, 35])
        self.assertEqual(elf.oldest_glibc([elf.Needs([], {"GLIBC": (2, 36)})]), 36)
        with self.assertRaisesRegex(ValueError, "add a row"):
            elf.oldest_glibc([elf.Needs([], {"GLIBCXX": (3, 4, 99)})])

    def test_the_versions_of_a_program(self):
        needs = elf.read(BUILD / "src/cucore/libcucore.so.0")
        self.assertIn("libc.so.6", needs.libraries)
        self.assertGreaterEqual(needs.versions["GLIBC"], (2, 17))
        self.assertNotIn("libcucore.so.0", needs.libraries)


if __name__ == "__main__":
    unittest.main()
