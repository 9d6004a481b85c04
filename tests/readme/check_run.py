# SPDX-License-Identifier: Apache-2.0
"""The prompts and installations of ./run: check_run.py ROOT"""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
COMMANDS = {
    "dpkg-query": "exit 1",
    "id": "echo 1000",
    "sudo": 'echo "sudo $*" >> "$RUN_LOG"; exit 1',
    "apt-get": 'echo "apt-get $*" >> "$RUN_LOG"; exit 1',
}


class Run(unittest.TestCase):
    """A copy of ./run on a machine that has no package, where nothing can be installed."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        text = (ROOT / "run").read_text()
        line = 'PATH="/usr/bin:/bin:$PATH"'
        self.assertIn(line, text)
        script = self.folder / "run"
        script.write_text(text.replace(line, f'PATH="{self.folder}/bin:/usr/bin:/bin"'))
        script.chmod(0o755)
        (self.folder / "bin").mkdir()
        for name, body in COMMANDS.items():
            path = self.folder / "bin" / name
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        self.log = self.folder / "log"
        self.environment = {k: v for k, v in os.environ.items() if k != "CI"} | {"RUN_LOG": str(self.log)}

    def run_on_terminal(self, answer, *words):
        """Returns (exit code, text on the terminal) for one typed line."""
        master, slave = pty.openpty()
        child = subprocess.Popen(["./run", *words], cwd=self.folder, env=self.environment, stdin=slave, stdout=slave,
                                 stderr=slave, start_new_session=True)
        os.close(slave)
        shown = b""
        end = time.monotonic() + 60
        typed = False
        while time.monotonic() < end:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    got = os.read(master, 4096)
                except OSError:
                    break
                if not got:
                    break
                shown += got
            if not typed and b"[Y/n]" in shown:
                os.write(master, answer.encode() + b"\n")
                typed = True
        os.close(master)
        return child.wait(timeout=60), shown.decode()

    def run_without_terminal(self, *words, **environment):
        done = subprocess.run(["./run", *words], cwd=self.folder, env=self.environment | environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def installed(self):
        return self.log.read_text() if self.log.exists() else ""

    def test_a_person_is_asked_and_may_refuse(self):
        for words in (["setup"], ["demo"], ["wheel"], ["java"], ["csharp"], ["test"]):
            code, shown = self.run_on_terminal("n", *words)
            self.assertIn("Missing Debian packages: gcc g++", shown)
            self.assertIn("./run setup --yes", shown)
            self.assertEqual((code, self.installed()), (1, ""), words)

    def test_yes_installs(self):
        self.run_on_terminal("", "setup")
        self.assertIn("sudo apt-get update", self.installed())

    def test_the_option_asks_nothing(self):
        for command in ("setup", "demo", "wheel", "java", "csharp"):
            self.log.unlink(missing_ok=True)
            _, shown = self.run_on_terminal("n", command, "--yes")
            self.assertNotIn("[Y/n]", shown)
            self.assertIn("sudo apt-get update", self.installed())

    def test_automation_is_not_asked(self):
        for environment in ({}, {"CI": "true"}):
            self.log.unlink(missing_ok=True)
            _, shown = self.run_without_terminal("test", **environment)
            self.assertNotIn("[Y/n]", shown)
            self.assertIn("sudo apt-get update", self.installed())

    def test_wrong_words(self):
        for words, text in ((["setup", "--no"], "'--no' is not an option of setup"),
                            (["tests"], "'tests' is not a command of ./run; './run help' lists the commands"),
                            (["demo", "all"], "'all' is not an option of demo; expected --yes"),
                            (["format", "--chek"], "'--chek' is not an option of format; expected --check"),
                            (["sanitize", "all"], "'all' is not an option of sanitize; expected interface"),
                            (["clean", "dist"], "'dist' is not an option of clean"),
                            (["test", "a", "b"], "test has 2 words; expected 'all', or one name")):
            code, shown = self.run_without_terminal(*words)
            self.assertEqual(code, 1)
            self.assertIn(text, shown)
        self.assertEqual(self.installed(), "")

    def test_a_language_installs_no_tools_of_the_tests(self):
        for name, tool in (("java", "default-jdk-headless"), ("csharp", "mono-mcs")):
            self.log.unlink(missing_ok=True)
            _, shown = self.run_on_terminal("n", name)
            missing = next(line for line in shown.splitlines() if line.startswith("Missing Debian packages"))
            self.assertIn(tool, missing.split())
            self.assertFalse({"clang-tidy", "valgrind", "libgtest-dev"} & set(missing.split()))

    def test_the_tutorials_begin_with_a_command_for_a_new_clone(self):
        for name, command in (("c", "demo"), ("cpp", "demo"), ("python", "wheel"), ("java", "java"), ("csharp", "csharp")):
            page = (ROOT / f"docs/tutorials/{name}.md").read_text()
            self.assertEqual(page.split("```sh\n", 1)[1].split("\n")[0], f"./run {command}", name)
            self.assertNotRegex(page, "meson |ninja ", "a new clone has no build folder")

    def test_the_help_fits_a_terminal(self):
        _, shown = self.run_without_terminal("help")
        self.assertLessEqual(max(map(len, shown.splitlines())), 80)

    def test_the_help_lists_every_command(self):
        text = (ROOT / "run").read_text()
        commands = text.split("case $command in\n", 1)[1].split(") \"$command\"")[0].replace("|", " ").split() + ["test", "packages"]
        _, shown = self.run_without_terminal("help")
        self.assertIn("java", commands)
        self.assertLessEqual({f"./run {name} " for name in commands}, {line[:len(name) + 7] for name in commands
                                                                        for line in shown.splitlines()})


if __name__ == "__main__":
    unittest.main()
