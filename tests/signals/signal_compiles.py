#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends a signal to programs that compile, one process each: signal_compiles.py SIGNAL EXPECTED COMMAND...

The last argument of each program is the path of a source whose compile takes a second. The program
prints "compiling" before it compiles, "handled" when it handles the signal and "compiled" at the end.
EXPECTED is its action after the signal, "compiled", "handled" or "killed", with its exit:

    compiled     prints "handled" and "compiled" and exits with 0
    handled:N    prints "handled", soon, but not "compiled", and exits with N
    killed       is ended by the signal
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

ROUNDS = 200 if os.environ.get("CUCORE_TEST_LONG") == "1" else 4
LATEST = 0.3  # part of the compile's time after which the signal is sent
SOON = 0.6  # part of the compile's time within which a program must end that does not finish it


def source(functions):
    """Returns a source that keeps the front end busy."""
    lines = [f"__device__ float f{i}(float x) {{ float y = {i}.5f * x; return y * x + f{i - 1}(y - {i}); }}"
             for i in range(1, functions)]
    return "\n".join(["__device__ float f0(float x) { return x; }", *lines,
                      'extern "C" __global__ void k(float* x) { *x = f1(*x); }', ""])


class Program:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.lines = []
        while self.lines[-1:] != ["compiling"]:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"ended before it compiled: {self.lines}, {self.process.wait()}")
            self.lines.append(line.strip())

    def finish(self):
        self.lines += [line.strip() for line in self.process.communicate(timeout=120)[0].splitlines()]
        return self.process.returncode


def seconds_of_a_compile(command):
    program = Program(command)
    begin = time.monotonic()
    code = program.finish()
    assert code == 0, f"without a signal: {code}, {program.lines}"
    return time.monotonic() - begin


def check(number, expected, program, code, share):
    what, _, exit_code = expected.partition(":")
    report = f"{signal.Signals(number).name}: exit {code} after {share:.2f} compiles, printed {program.lines}"
    if what == "killed":
        assert code == -number, report
        return
    assert "handled" in program.lines and code == int(exit_code or 0), report
    assert ("compiled" in program.lines) == (what == "compiled"), report
    assert what == "compiled" or share < SOON, report


def run_round(number, expected, command, compile_seconds):
    """Returns False if the program ended before the signal."""
    program = Program(command)
    time.sleep(random.uniform(0, LATEST * compile_seconds))
    sent = time.monotonic()
    program.process.send_signal(number)
    code = program.finish()
    if code == 0 and "handled" not in program.lines:
        return False
    check(number, expected, program, code, (time.monotonic() - sent) / compile_seconds)
    return True


def main():
    name, expected, *command = sys.argv[1:]
    number = getattr(signal, name)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "slow.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source(4000))
        command.append(path)
        seconds = seconds_of_a_compile(command)
        in_time = sum(run_round(number, expected, command, seconds) for _ in range(ROUNDS))
    assert in_time > ROUNDS / 2, f"{ROUNDS - in_time} of {ROUNDS} signals were lost, or came too late"
    print(f"{in_time} times {name} within {LATEST * seconds:.2f} s of the start of a compile, as expected: {expected}")


if __name__ == "__main__":
    main()
