#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends SIGINT to a program while it opens the compiler: signal_opening.py COMMAND...

The program compiles the file that its last argument names. It prints "handled" when it handles the
signal, and exits with 0. Its compiler is the fake one that prints "opening", opens slowly after the
end of the standard input, and aborts if the process exits meanwhile.
"""
import os
import signal
import subprocess
import sys
import tempfile

SOURCE = 'extern "C" __global__ void k() {}\n'


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "empty.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        with subprocess.Popen([*sys.argv[1:], path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as process:
            lines = []
            for line in process.stdout:
                lines.append(line.strip())
                if lines[-1] == "opening":
                    process.send_signal(signal.SIGINT)
                    process.stdin.close()
    print(*lines, sep="\n")
    assert lines == ["compiling", "opening", "handled"], lines
    assert process.returncode == 0, f"exit {process.returncode}"


if __name__ == "__main__":
    main()
