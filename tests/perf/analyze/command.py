# SPDX-License-Identifier: Apache-2.0
"""Compiles sources with the command cucore, and analyses what results."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

COMMAND = os.environ["CUCORE_COMMAND"]
SKIPPED = 77


def run(*arguments, check=True):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}{done.stdout}")
    return done


def has_compiler():
    libraries = json.loads(run("info", "--json").stdout)["libraries"]
    return any(each["name"] == "nvrtc" and each["available"] for each in libraries)


class Workshop:
    """A folder with sources and what the compiler makes of them."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def compile(self, source, arch, *options, suffix=".cubin", name="k.cu"):
        """Returns the file, and the log of the compile."""
        path = self.path / name
        path.write_text(source)
        out = path.with_name(f"{path.stem}.{arch}{suffix}")
        done = json.loads(run("compile", path, "-o", out, "--arch", arch, "--lineinfo", *options, "--json").stdout)
        return out, done["log"]

    def analyze(self, *arguments):
        return json.loads(run("analyze", *arguments, "--json").stdout)


def findings(analysis):
    return [finding for kernel in analysis["kernels"] for finding in kernel["findings"]]
