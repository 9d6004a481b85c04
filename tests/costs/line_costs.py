# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of observers and of counts while they are off, by their lines.

    line_costs.py observers PROGRAM
    line_costs.py counts PROGRAM

Callgrind names the line of each instruction. A line is one of observers, or of counts, if its text or its file is. A
launch may have 6 instructions of observers. The executor of the CPU device may have 1 % of counts. With counts it
may execute four times as many instructions as without. The same lines must be found at work when they are on, so that
the names below stay true.
"""
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

from count import ENVIRONMENT

SOURCES = Path(__file__).resolve().parents[2] / "src"
FEW, MANY = 100, 600  # repetitions; their difference excludes one-time work
MOST_OF_OBSERVERS = 6  # instructions of an operation
MOST_OF_COUNTS = 0.01  # of the instructions of the executor
MOST_GROWTH = 4.0      # of the instructions, by counts
OBSERVERS = re.compile(r"is_observed\(|_observed\(")
COUNTS = re.compile(r"\bcounts\b|\bcounts_\b|constexpr \(Counted\)|\bcounted_|BlockCounts|LaunchCounts|CountedLaunch|note_step|take_back")
OPERATIONS = ("launch", "prepared_launch", "allocate", "synchronize")


@cache
def text_of(file):
    """Returns the lines of a file of src, whose path may be that of another folder with the same sources."""
    path = SOURCES / file.rpartition("/src/")[2]
    return path.read_text().splitlines() if path.is_file() else []


def instructions(command, options):
    """Returns the instructions of each (object, file, line)."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "callgrind")
        kept = {name: os.environ.get(name, "") for name in (*ENVIRONMENT, "CUCORE_CPU_THREADS")}
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", "--compress-pos=no",
                        "--compress-strings=no", *options, *command], check=True, capture_output=True,
                       env=dict(kept, COSTS_FOLDER=folder))
        lines = output.read_text().splitlines()
    counts = Counter()
    place = file = ""
    is_of_callee = False
    for line in lines:
        key, _, text = line.partition("=")
        if key == "ob":
            place = Path(text).name
        elif key in ("fl", "fi", "fe"):
            file = text
        elif key == "calls":
            is_of_callee = True  # the next line has the instructions of the callee
        elif line[:1].isdigit():
            if not is_of_callee:
                number, count = line.split()[:2]
                counts[place, file, int(number)] += int(count)
            is_of_callee = False
    return counts


def one_repetition(program, name, library, options=()):
    """Returns {(file, line): instructions of the library} of one repetition."""
    few, many = (instructions([program, name, str(count)], options) for count in (FEW, MANY))
    return {(file, line): (count - few[place, file, line]) / (MANY - FEW)
            for (place, file, line), count in many.items() if place.startswith(library)}


def part_of(costs, pattern, folders):
    """Returns the instructions of the lines whose text the pattern matches, and of the files of the folders."""
    total = 0.0
    for (file, line), count in costs.items():
        lines = text_of(file)
        is_named = 0 < line <= len(lines) and pattern.search(lines[line - 1])
        if is_named or any(folder in file for folder in folders):
            total += count
    return total


def check_observers(program):
    costs = {name: part_of(one_repetition(program, name, "libcucore.so", ["--toggle-collect=repeat"]), OBSERVERS, ["core/observe/"])
             for name in (*OPERATIONS, "launch_observed")}
    for name, count in costs.items():
        print(f"{name:24} {count:7.1f} instructions of observers")
    wrong = [name for name in OPERATIONS if costs[name] > MOST_OF_OBSERVERS]
    if costs["launch"] <= 0 or costs["launch_observed"] < 10 * MOST_OF_OBSERVERS:
        wrong.append("the lines of observers are not found")
    return wrong


def check_counts(program):
    costs = {name: one_repetition(program, name, "libcucore-cpu") for name in ("plain", "counted")}
    totals = {name: sum(lines.values()) for name, lines in costs.items()}
    parts = {name: part_of(lines, COUNTS, ["cpu/counts/", "exec/counted_run"]) / totals[name] for name, lines in costs.items()}
    for name, total in totals.items():
        print(f"{name:24} {total:9.0f} instructions, {parts[name]:.2%} of counts")
    wrong = []
    if parts["plain"] > MOST_OF_COUNTS:
        wrong.append("the executor counts without a request")
    if parts["counted"] < 10 * MOST_OF_COUNTS:
        wrong.append("the lines of counts are not found")
    if totals["counted"] > MOST_GROWTH * totals["plain"]:
        wrong.append(f"counts cost {totals['counted'] / totals['plain']:.1f} times the instructions")
    return wrong


def main(what, program):
    wrong = {"observers": check_observers, "counts": check_counts}[what](program)
    for each in wrong:
        print(f"too many instructions: {each}" if each in OPERATIONS else each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
