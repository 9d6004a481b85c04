#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends a signal to programs that compile, one process each: signal_compiles.py SIGNAL EXPECTED [--early] COMMAND...

The last argument of each program is the path of a source whose compile takes a second. The program
prints "compiling" before it compiles, "handled" when it handles the signal and "compiled" at the end.
EXPECTED is its action after the signal, "compiled", "handled" or "killed", with its exit:

    compiled     prints "handled" and "compiled" and exits with 0
    handled:N    prints "handled" but not "compiled", does not finish the compile, and exits with N
    killed       is ended by the signal

With --early, every second signal comes while the program opens the compiler. That is for programs that
exit in the thread that opens it: an exit in another thread must not meet an opening.

Shares of a compile are shares of its processor time: other work on the machine does not change them.
"""
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROUNDS = 200 if os.environ.get("CUCORE_TEST_LONG") == "1" else 4
ATTEMPTS = 4 * ROUNDS  # a signal that comes after the end of a compile shows nothing
LATEST = 0.3  # of the time of a compile: when the signal is sent
EARLY = 0.03  # of the time of a compile: the compiler is opened in it
MOST = 0.8  # of the processor time of a compile: what a program that does not finish it may use


def source(functions):
    """A source that keeps the front end busy."""
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
        self.used_before = self.processor_seconds()  # the start of a virtual machine does not count

    def processor_seconds(self):
        """Used so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def finish(self):
        """The exit code, and the seconds of processor time since the start of the compile."""
        before = processor_seconds_of_ended()
        self.lines += [line.strip() for line in self.process.communicate(timeout=120)[0].splitlines()]
        return self.process.returncode, processor_seconds_of_ended() - before - self.used_before


def processor_seconds_of_ended():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cost_of_a_compile(command):
    """Seconds on the clock from the start of the compile, and seconds of processor time."""
    program = Program(command)
    begin = time.monotonic()
    code, used = program.finish()
    assert code == 0, f"without a signal: {code}, {program.lines}"
    return time.monotonic() - begin, used


def check(number, expected, program, code, share):
    what, _, exit_code = expected.partition(":")
    report = f"{signal.Signals(number).name}: exit {code} after {share:.2f} of the work, printed {program.lines}"
    if what == "killed":
        assert code == -number, report
        return
    assert "handled" in program.lines and code == int(exit_code or 0), report
    assert ("compiled" in program.lines) == (what == "compiled"), report
    assert what == "compiled" or share < MOST, report


def run_round(number, expected, command, latest, whole):
    """False if the program had ended before the signal came."""
    program = Program(command)
    time.sleep(random.uniform(0, latest))
    program.process.send_signal(number)
    code, used = program.finish()
    if code == 0 and "handled" not in program.lines:
        return False
    check(number, expected, program, code, used / whole)
    return True


def main():
    name, expected, *command = sys.argv[1:]
    is_early = command[0] == "--early"
    command = command[is_early:]
    number = getattr(signal, name)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "slow.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source(4000))
        command.append(path)
        seconds, whole = cost_of_a_compile(command)
        latest, in_time = LATEST * seconds, 0
        for attempt in range(ATTEMPTS):
            if run_round(number, expected, command, EARLY * seconds if is_early and attempt % 2 else latest, whole):
                in_time += 1
            else:
                latest *= 0.7  # the machine is faster now than when the compile was measured
            if in_time == ROUNDS:
                break
    assert in_time == ROUNDS, f"{ATTEMPTS - in_time} of {ATTEMPTS} signals were lost, or came too late"
    print(f"{in_time} times {name} within {LATEST * seconds:.2f} s of the start of a compile, as expected: {expected}")


if __name__ == "__main__":
    main()
