# SPDX-License-Identifier: Apache-2.0
"""Compiles a file and handles signals meanwhile: compiling.py interrupt|handlers|cache|none FILE"""
import os
import signal
import sys
import tempfile

import cucore


def learn(number, frame):
    print("handled", flush=True)


def main():
    how, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        program = cucore.Program(file.read())
    if how == "handlers":
        signal.signal(signal.SIGTERM, learn)
        signal.signal(signal.SIGINT, learn)
    if how == "none":
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        cache = cucore.Cache(os.path.join(folder, "cache")) if how == "cache" else None
        try:
            print("compiling", flush=True)
            program.compile(cucore.CodeType.PTX, cache=cache)
            print("compiled", flush=True)
        except KeyboardInterrupt:
            print("handled", flush=True)


if __name__ == "__main__":
    main()
