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
        for words in (["setup"], ["demo"], ["test"]):
            code, shown = self.run_on_terminal("n", *words)
            self.assertIn("Missing Debian packages: gcc g++", shown)
            self.assertIn("./run setup --yes", shown)
            self.assertEqual((code, self.installed()), (1, ""), words)

    def test_yes_installs(self):
        self.run_on_terminal("", "setup")
        self.assertIn("sudo apt-get update", self.installed())

    def test_the_option_asks_nothing(self):
        _, shown = self.run_on_terminal("n", "setup", "--yes")
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
                            (["tests"], "'tests' is not a command of ./run"),
                            (["test", "a", "b"], "'test' takes 'all' or one name")):
            code, shown = self.run_without_terminal(*words)
            self.assertEqual(code, 1)
            self.assertIn(text, shown)
        self.assertEqual(self.installed(), "")

    def test_the_help_lists_every_command(self):
        text = (ROOT / "run").read_text()
        commands = text.split("case $command in\n", 1)[1].split(") \"$command\"")[0].replace("|", " ").split() + ["test"]
        _, shown = self.run_without_terminal("help")
        self.assertLessEqual({f"./run {name} " for name in commands}, {line[:len(name) + 7] for name in commands
                                                                        for line in shown.splitlines()})


if __name__ == "__main__":
    unittest.main()
