# SPDX-License-Identifier: Apache-2.0
"""Runs the command in an empty folder, as a user at a shell does."""
import fcntl
import functools
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import header_text  # noqa: E402

COMMAND = Path(sys.argv.pop(1)).resolve()

SAXPY = """extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""
TEMPLATE = """__constant__ int table[4];
template <typename T> __global__ void fill(T* out, T value) { out[threadIdx.x] = value; }
"""


def public_header():
    return header_text.read(os.environ["CUCORE_HEADER"])


class CommandTest(unittest.TestCase):
    maxDiff = None
    command = COMMAND

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("saxpy.cu", SAXPY)
        self.write("fill.cu", TEMPLATE)

    def write(self, name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (self.folder / name).write_bytes(data)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def environment(self, changes):
        environment = dict(os.environ, TERM="xterm")
        environment.pop("NO_COLOR", None)
        environment.update(changes or {})
        return environment

    def run_command(self, *arguments, env=None, **how):
        how = {"stdin": subprocess.DEVNULL} | how if "input" not in how else how
        return subprocess.run([COMMAND, *arguments], cwd=self.folder, env=self.environment(env),
                              capture_output="stdout" not in how, timeout=120, **how)

    def screen(self, *arguments, columns, env=None):
        """Returns all text that a terminal of this width shows, without its colours."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        text = b""
        try:
            process = subprocess.Popen([COMMAND, *arguments], cwd=self.folder, env=self.environment(env),
                                       stdin=subprocess.DEVNULL, stdout=follower, stderr=follower)
            os.close(follower)
            while part := self.read_terminal(leader):
                text += part
            process.wait(timeout=60)
        finally:
            os.close(leader)
        return re.sub(r"\x1b\[[0-9;]*[mK]", "", text.decode()).replace("\r\n", "\n")

    @staticmethod
    def read_terminal(leader):
        try:
            return os.read(leader, 65536)
        except OSError:  # the other end is closed
            return b""

    def run_in_terminal(self, *arguments, env=None):
        """Returns stderr as shown on a terminal."""
        leader, follower = pty.openpty()
        try:
            subprocess.run([COMMAND, *arguments], cwd=self.folder, env=self.environment(env),
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=follower,
                           timeout=120, check=False)
            return os.read(leader, 65536).decode()
        finally:
            os.close(leader)
            os.close(follower)

    def succeeds(self, *arguments, **how):
        """Returns the standard output of a run that must succeed."""
        result = self.run_command(*arguments, **how)
        self.assertEqual(result.returncode, 0, result.stderr.decode(errors="replace"))
        return result.stdout.decode()

    def fails(self, code, *arguments, says, **how):
        """The run has this exit code, and the first line on stderr contains these texts."""
        result = self.run_command(*arguments, **how)
        text = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, code, text)
        first = text.splitlines()[0]
        self.assertTrue(first.startswith("cucore: error: "), text)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, first)
        return text

    def fails_in_json(self, code, *arguments, status):
        """Returns the failure as a script reads it: one object, and nothing on stderr."""
        result = self.run_command(*arguments, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stderr, b"")
        failure = json.loads(result.stdout)
        self.assertEqual((failure["status"], failure["exit_code"]), (status, code), failure)
        return failure

    def compile(self, source, output, *arguments):
        self.succeeds("compile", source, "-o", output, *arguments)
        return self.read(output)


@functools.cache
def library_is_there(name):
    result = subprocess.run([COMMAND, "info", "--json"], capture_output=True, timeout=60,
                            check=True)
    return any(library["available"] for library in json.loads(result.stdout)["libraries"]
               if library["name"] == name)


def device_of(driver):
    """Returns whether a launch with this driver can work."""
    result = subprocess.run([COMMAND, "--driver", driver, "info", "--json"], capture_output=True,
                            timeout=60, check=False)
    return b'"ordinal": 0' in result.stdout


needs_nvrtc = unittest.skipUnless(library_is_there("nvrtc"), "NVRTC is not installed")
