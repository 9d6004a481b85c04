#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures libcucore together with calls of the driver alone and with the libraries of Python that are installed.

    overheads.py LIBRARY [--out FOLDER] [--rounds N] [--seconds N]

All columns of a row take turns in this process. A figure is the median, and its interval encloses the median with a
confidence of 95 % whatever the distribution is. LIBRARY is built from calls.c. The result is overheads.json,
overheads.md and, if matplotlib is installed, overheads.svg. --seconds ends the run between rows.
"""
import argparse
import compileall
import datetime
import importlib.util
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import columns
import report
from measure import alternate, reason_of, summary
from peers import PEERS

# row, title, batch, divisor of the rounds, target in C and in Python: microseconds above the bare call, or in all
ROWS = [
    ("launch", "launch, 3 arguments, NumPy scalars", 100, 1, "bare + 0.05", "bare + 0.30"),
    ("launch_python", "the same, Python scalars", 100, 1, "", "bare + 0.30"),
    ("launch_whole", "kernel[grid, block, stream](...) whole", 100, 1, "", "bare + 0.35"),
    ("launch_prepared", "prepared launch, run again", 100, 1, "bare + 0.05", "bare + 0.30"),
    ("launch_synchronize", "launch and synchronize", 20, 1, "bare + 0.1", "bare + 0.4"),
    ("event_create", "event create and drop", 200, 1, "0.25", "0.40"),
    ("event_record", "event record", 100, 1, "bare + 0.02", "bare + 0.06"),
    ("event_query", "event query (recorded, done)", 200, 1, "bare + 0.02", "bare + 0.06"),
    ("allocate", "stream-ordered allocate and free, 1 MiB", 50, 1, "", ""),
    ("allocate_pool", "the same, from a pool that keeps what is freed", 50, 1, "0.60", "0.80"),
    ("pickle", "object code pickled and read", 20, 1, "", "9"),
    ("bytes", "object code to bytes and back", 20, 1, "6", "9"),
    ("bytes_new", "object code read that nothing holds", 20, 1, "", ""),
    ("load", "bytes to kernel, then dropped", 5, 2, "bare + 3", ""),
    ("compile_new", "compile, new source", 1, 20, "bare + 1 %", "bare + 1 %"),
    ("compile_again", "compile, same source again, no cache", 1, 20, "10000", "10000"),
    ("hit_same", "cache hit, same program", 50, 1, "0.3", "0.8"),
    ("hit_new", "cache hit, new program object", 20, 1, "2", "4"),
]
IMPORT = ("import", "import, above an empty program", "", "25000")


def open_columns(world):
    """Returns the columns and the reasons of those that are missing."""
    opened = {"bare": columns.bare(world), "cucore C": columns.c(world), "cucore Python": columns.python(world)}
    missing = {}
    for title, (column, module) in PEERS.items():
        try:
            opened[title] = column(world)
        except Exception as error:  # a missing peer is a note of the table
            missing[title] = reason_of(error)
    return opened, missing


def is_installed(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


def time_imports(modules, runs, seconds, took):
    """Measures imports in turns, each above an empty program in the same turn. A module that has used `seconds` leaves
    the turns after its first figure, so that slow ones do not take the samples of the others."""
    samples, cells, used = {title: [] for title in modules}, {}, dict.fromkeys(modules, 0.0)
    for turn in range(-1, runs):
        empty = took("pass")
        for title, module in modules.items():
            if title in cells or (samples[title] and used[title] > seconds):
                continue
            try:
                time_ns = took(f"import {module}")
            except subprocess.CalledProcessError as error:
                cells[title] = {"failure": error.stderr.decode(errors="replace").strip().splitlines()[-1][:200]}
                continue
            used[title] += time_ns / 1e9
            if turn >= 0:  # the first one warms up
                samples[title].append(time_ns - empty)
    return {title: cells.get(title) or summary(samples[title]) for title in modules}


def measure_imports(runs, seconds):
    # As an installer does for the other libraries.
    compileall.compile_dir(Path(importlib.util.find_spec("cucore").origin).parent, quiet=2)
    modules = {"cucore Python": "cucore"}
    modules.update({title: module for title, (_, module) in PEERS.items() if is_installed(module)})

    def took(code):
        began = time.perf_counter_ns()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        return time.perf_counter_ns() - began
    return time_imports(modules, runs, seconds / len(modules), took)


def machine(world):
    return {"device": world.name, "is_gpu": world.is_gpu, "python": platform.python_version(),
            "machine": platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg()[0],
            "image_bytes": len(world.image), "stored_bytes": len(world.stored), "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--out", default=".")
    parser.add_argument("--rounds", type=int, default=201)
    parser.add_argument("--seconds", type=float, default=90)
    options = parser.parse_args()
    world = columns.World(str(Path(options.library).resolve()))
    opened, missing = open_columns(world)
    if world.compile_failure:
        missing["compiles"] = world.compile_failure
    began, rows = time.monotonic(), []
    for row, title, batch, divisor, in_c, in_python in ROWS:
        ways = {name: column[row] for name, column in opened.items() if row in column}
        if not ways:
            continue
        if time.monotonic() - began > options.seconds:
            missing[title] = "not measured: the time of the run was over"
            continue
        cells = alternate(ways, batch, max(6, options.rounds // divisor))
        rows.append({"row": row, "title": title, "cells": cells, "target": {"C": in_c, "Python": in_python}})
    row, title, in_c, in_python = IMPORT
    rows.append({"row": row, "title": title, "cells": measure_imports(9, 2 * options.seconds / 3), "target": {"C": in_c, "Python": in_python}})
    result = {"name": "overheads", "unit": "ns", "machine": machine(world), "missing": missing, "rows": rows}
    report.write(result, Path(options.out))


if __name__ == "__main__":
    main()
