#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arrays go from NumPy through each language and back: arrays.py python=COMMAND java=COMMAND...

Each command is a program of its language, with words separated by blanks:

  COMMAND arrays IN OUT      reads a .npz file, and writes its arrays to another one
  COMMAND compressed IN OUT  the same, to a compressed file

NumPy makes the first file, stored and compressed. It reads what each language makes of it, and what all of them make in turn.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def arrays():
    numbers = np.random.default_rng(7).integers(0, 100, (3, 5))
    every = {f"of_{name.replace('?', 'bool')}": numbers.astype(name) for name in TYPES}
    return {**every, "übrige": np.array(2.5), "empty": np.zeros((0, 4), "f4"), "columns": np.asfortranarray(numbers.astype("f8")),
            "large": np.arange(200000, dtype="f4"), "swapped": numbers.astype(">f4")}


def check(file, expected, who):
    with np.load(file) as read:
        assert sorted(read.files) == sorted(expected), f"{who}: {read.files}"
        for name, array in expected.items():
            found = read[name]
            assert found.dtype == array.dtype.newbyteorder("=") and found.shape == array.shape and (found == array).all(), f"{who}: {name} is {found}"


def run(command, *arguments):
    done = subprocess.run([*command.split(" "), *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit(f"{command} {arguments[0]}: {done.stdout}{done.stderr}")


def main():
    commands = dict(argument.split("=", 1) for argument in sys.argv[1:])
    expected = arrays()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        np.savez(folder / "stored.npz", **expected)
        np.savez_compressed(folder / "compressed.npz", **expected)
        at = folder / "stored.npz"
        for language, command in commands.items():
            for task, source in (("arrays", "compressed"), ("compressed", "stored")):
                run(command, task, folder / f"{source}.npz", folder / f"{language}-{task}.npz")
                check(folder / f"{language}-{task}.npz", expected, f"{language}, {task}")
            run(command, "arrays", at, folder / f"after-{language}.npz")
            at = folder / f"after-{language}.npz"
        check(at, expected, "all in turn")
    print(f"{len(expected)} arrays through {', '.join(commands)}")


main()
