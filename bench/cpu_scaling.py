#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of the CPU device with many threads and with one thread, while every core of the machine is busy.

    cpu_scaling.py CPU_EXEC_BENCH [--threads N] [--rounds N] [--layers N] [--out FILE] [--least TIMES]

A core is faster while the others are idle: its clock rises, and no other thread shares its units. Such a machine is slower
with N threads than N times one thread, whatever the program does. So a loop without memory accesses occupies each core that
the measured process leaves free. The two numbers of threads take turns, because the speed of a virtual machine varies. The
measured cores are spread over the machine. The result is a table for people, and FILE has all figures as JSON. With --least,
the result is a failure if no kernel is so many times as fast.
"""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# Ends with this process, also after a signal that ends this process at once.
BUSY = """import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1 << 20): pass"""
SKIPPED = 77


def spread(cores, count):
    """Returns `count` of the cores, with equal distances."""
    return [cores[i * len(cores) // count] for i in range(count)]


@contextlib.contextmanager
def busy(cores):
    """Occupies each of the cores with a loop."""
    loops = []
    try:
        for core in cores:
            loops.append(subprocess.Popen([sys.executable, "-c", BUSY], preexec_fn=lambda core=core: os.sched_setaffinity(0, {core})))
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()


def rates(program, cores, layers):
    """Returns the thread instructions per second of each kernel, with one thread for each of the cores."""
    with tempfile.NamedTemporaryFile() as file:
        environment = {**os.environ, "CUCORE_CPU_THREADS": str(len(cores)), "CUCORE_BENCH_LAYERS": str(layers)}
        subprocess.run([program, "--benchmark_min_time=0.1", f"--benchmark_out={file.name}", "--benchmark_out_format=json"],
                       check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, cores))
        runs = json.loads(Path(file.name).read_text())["benchmarks"]
    failed = [run["name"] for run in runs if run.get("error_occurred")]
    if failed:
        raise SystemExit(f"cpu_scaling: wrong results of {', '.join(failed)}")
    return {run["name"].split("/")[0]: run["thread_instructions/s"] for run in runs}


def measure(program, threads, rounds, layers):
    """Returns {kernel: [(rate of one thread, rate of all threads) for each round]}."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < threads:
        print(f"cpu_scaling: {threads} threads need as many cores, but this process may use {len(cores)}", file=sys.stderr)
        raise SystemExit(SKIPPED)
    measured = spread(cores, threads)
    pairs = {}
    for turn in range(rounds):
        one = measured[turn % threads]
        found = {}
        for used in ([one], measured) if turn % 2 else (measured, [one]):
            with busy([core for core in cores if core not in used]):
                found[len(used)] = rates(program, used, layers)
        for kernel in found[1]:
            pairs.setdefault(kernel, []).append((found[1][kernel], found[threads][kernel]))
    return pairs


def table(pairs, threads):
    lines = [f"| kernel | G thread instructions / s, 1 thread | {threads} threads | {threads} threads / 1 thread |", "|---|---|---|---|"]
    for kernel, found in pairs.items():
        times = sorted(many / one for one, many in found)
        ones, manys = (statistics.median(rate / 1e9 for rate in column) for column in zip(*found))
        lines.append(f"| {kernel} | {ones:.2f} | {manys:.2f} | {statistics.median(times):.1f} ({times[0]:.1f}–{times[-1]:.1f}) |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--layers", type=int, default=64)
    parser.add_argument("--out")
    parser.add_argument("--least", type=float, default=0)
    options = parser.parse_args()
    pairs = measure(options.program, options.threads, options.rounds, options.layers)
    if options.out:
        Path(options.out).write_text(json.dumps({"threads": options.threads, "layers": options.layers, "rates": pairs}, indent=1))
    print(f"{os.cpu_count()} cores, {options.rounds} rounds, {options.layers} layers\n\n{table(pairs, options.threads)}")
    best = max(many / one for found in pairs.values() for one, many in found)
    if best < options.least:
        raise SystemExit(f"cpu_scaling: {options.threads} threads are at most {best:.1f} times as fast as one")


if __name__ == "__main__":
    main()
