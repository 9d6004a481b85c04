# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions that libcucore executes for one operation, and compares them with a table.

    count.py PROGRAM LIBRARY TABLE [--write]

Callgrind counts exactly, whatever else the machine does. The counts belong to one compiler and one level of
optimisation, which meson.build checks. The compiler inlines differently if sources are joined (-Dunity=on), so that
build has its own table. A count more than 3 % above its row is a failure: find the reason.
If the cost is justified, run --write and state the reason in the commit. A count more than 3 % below its row is
also a failure, so that the rows stay true.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MARGIN = 0.03
FEW, MANY = 200, 1200  # repetitions; their difference excludes one-time work
# a lookup in the cache reads all of it
ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "CUCORE_DRIVER", "CUCORE_NVRTC")
# the least of the counts is used: some work, such as the counters of the cache, depends on the time
RUNS = 3


def instructions(program, library, name, count, folder):
    """Returns the instructions of `library` within repeat()."""
    output = Path(folder, f"callgrind.{name}.{count}")
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", "--toggle-collect=repeat",
                    program, name, str(count)], check=True, capture_output=True,
                   env={**{name: os.environ.get(name, "") for name in ENVIRONMENT},
                        "COSTS_FOLDER": str(Path(folder, "cache"))})
    lines = subprocess.run(["callgrind_annotate", "--threshold=100", "--show=Ir", output], check=True,
                           capture_output=True, text=True).stdout
    found = re.findall(r"^\s*([\d,]+) \([^)]*\)\s+.*\[(.*)\]$", lines, re.M)
    return sum(int(number.replace(",", "")) for number, where in found if Path(where).name.startswith(library))


def measure(program, library, name):
    with tempfile.TemporaryDirectory() as folder:
        few, many = (min(instructions(program, library, name, count, folder) for _ in range(RUNS))
                     for count in (FEW, MANY))
    return round((many - few) / (MANY - FEW))


def rows(table):
    lines = [line.split() for line in table.read_text().splitlines() if line and not line.startswith("#")]
    return {name: int(count) for name, count in lines}


def main(program, library, table, *options):
    table = Path(table)
    library = Path(library).name.split(".so")[0] + ".so"
    counts = {name: measure(program, library, name) for name in rows(table)}
    wrong = 0
    for name, expected in rows(table).items():
        change = counts[name] / expected - 1 if expected else 1
        bad = abs(change) > MARGIN and abs(counts[name] - expected) > 2
        wrong += bad
        print(f"{name:24} {counts[name]:7} instructions, {expected} expected{f', {change:+.1%}' if bad else ''}")
    if "--write" in options:
        comments = [line for line in table.read_text().splitlines() if line.startswith("#")]
        table.write_text("\n".join([*comments, *(f"{name:24} {count}" for name, count in counts.items())]) + "\n")
        return 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
