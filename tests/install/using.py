# SPDX-License-Identifier: Apache-2.0
"""Runs the section "Using it" of README.md: using.py ROOT BUILD PREFIX

The build tree takes the place of the release build, which is only configured, and a folder that of the prefix.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, BUILD, PREFIX = (Path(path) for path in sys.argv[1:4])
del sys.argv[1:4]
SECTION = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Using it\n")[1].split("\n## ")[0]
CONFIGURE, USE = re.findall(r"```sh\n(.*?)```", SECTION, re.S)
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S))
MESON = shlex.split(re.search(r"COMMAND = (.*) install --no-rebuild", (BUILD / "build.ninja").read_text())[1])


def run(command, folder, environment=None, **options):
    done = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=200, **options)
    if "cannot load NVRTC" in done.stdout:
        raise unittest.SkipTest(done.stdout)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stdout}")
    return done.stdout


class Release(unittest.TestCase):
    def test_the_build_folder_is_not_that_of_the_demo(self):
        folders = set(re.findall(r"(?:setup|-C) (\S+)", CONFIGURE))
        self.assertEqual(folders, {"build-release"})
        demo = (ROOT / "run").read_text()
        self.assertNotIn("build=build-release", demo)

    def test_the_command_configures_a_release_build(self):
        words = shlex.split(CONFIGURE.splitlines()[0])
        self.assertEqual(words[:3], ["meson", "setup", "build-release"])
        with tempfile.TemporaryDirectory() as folder:
            run([*MESON, "setup", folder, str(ROOT), *words[3:]], ROOT)
            options = json.loads(run([*MESON, "introspect", folder, "--buildoptions"], ROOT))
        values = {option["name"]: option["value"] for option in options}
        self.assertEqual((values["buildtype"], values["tests"], values["bench"]), ("release", False, False))


class Installed(unittest.TestCase):
    """The installed files in another folder than the prefix, as after a move."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        root = Path(cls.temporary.name)
        run([*MESON, "install", "--no-rebuild", "--quiet", "--destdir", str(root / "destination")], BUILD)
        cls.prefix = root / "moved"
        (root / "destination" / PREFIX.relative_to("/")).rename(cls.prefix)
        cls.folder = root / "programs"
        cls.folder.mkdir()
        for name, text in FILES.items():
            (cls.folder / name).write_text(text)
        pc = next(cls.prefix.rglob("cucore.pc"))
        pc.write_text(pc.read_text().replace(f"prefix={PREFIX}", f"prefix={cls.prefix}"))
        cls.library = next(cls.prefix.rglob("libcucore.so")).parent
        base = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "PYTHONPATH", "CUCORE_CPU", "CUCORE_WORKER")}
        packages = next(cls.prefix.rglob("cucore/__init__.py"), None)
        cls.packages = packages and packages.parent.parent
        cls.environment = base | {"CUCORE_DRIVER": "cpu", "PATH": f"{cls.prefix}/bin:{os.environ['PATH']}",
                                  "PKG_CONFIG_PATH": str(pc.parent), "PYTHONDONTWRITEBYTECODE": "1"}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def line(self, start):
        """The one line of the block that begins so."""
        [found] = [line for line in USE.splitlines() if line.startswith(start)]
        return found

    def test_each_line_has_a_test(self):
        self.assertEqual([line.split()[0] for line in USE.splitlines()], ["cucore", "cc", "c++", "python3"])

    def test_the_command_finds_its_library(self):
        self.assertIn("CPU reference device", run(self.line("cucore"), self.folder, self.environment, shell=True))

    def test_a_c_program(self):
        # LD_LIBRARY_PATH takes the place of ldconfig.
        environment = self.environment | {"LD_LIBRARY_PATH": str(self.library)}
        self.assertIn("compiled", run(self.line("cc"), self.folder, environment, shell=True))

    def test_a_cpp_program(self):
        environment = self.environment | {"LD_LIBRARY_PATH": str(self.library)}
        self.assertIn("6 6", run(self.line("c++"), self.folder, environment, shell=True))

    def test_python_finds_its_library(self):
        if not self.packages:
            self.skipTest("built without Python")
        printed = run(self.line("python3"), self.folder, self.environment | {"PYTHONPATH": str(self.packages)}, shell=True)
        self.assertIn("CPU reference device", printed)

    def test_python_searches_the_folder_of_the_default_prefix(self):
        if not self.packages or PREFIX != Path("/usr/local"):
            self.skipTest("built without Python, or for another prefix")
        path = run(["python3", "-c", "import sys; print(*sys.path, sep='\\n')"], self.folder, self.environment).splitlines()
        if not any(folder.startswith("/usr/local/lib") for folder in path):
            self.skipTest("this Python has no folder below /usr/local")
        self.assertIn(str(PREFIX / self.packages.relative_to(self.prefix)), path)


if __name__ == "__main__":
    unittest.main()
