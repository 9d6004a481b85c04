# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions that libcucore executes for one operation, and compares them with a table.

    count.py PROGRAM LIBRARY TABLE [--write | --planted]
    count.py PYTHON LIBRARY TABLE SCRIPT [--write | --planted]

Callgrind counts exactly, whatever else the machine does. The counts belong to one compiler and one level of
optimisation, which meson.build checks. The compiler inlines differently if sources are not joined (-Dunity=off), so
the tests need -Dunity=on, as ./run has it. A count more than 3 % above its row is a failure: find the reason.
If the cost is justified, run --write and state the reason in the commit. A count more than 3 % below its row is
also a failure, so that the rows stay true. With --planted the program does more than the operation. The result is a
success only if the row of the largest count is too large, in which that is the smallest part.

A program executes one operation, and callgrind collects within its function repeat(), whose calls have parts of their
own in the output. A script of Python executes all operations, because its start takes most of the time. It calls
cucore_device_count() before and after the repetitions of each, where callgrind writes what it has counted.
"""
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

MARGIN = 0.03
FEW, MANY = 200, 1200  # repetitions; their difference excludes one-time work
# a lookup in the cache reads all of it
ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "CUCORE_DRIVER", "CUCORE_NVRTC")
# Some work, such as the counters of the cache, depends on the time. So the least of the counts is used, and a count
# that differs from its row is repeated.
RUNS = 3
PLANTED = 20  # small calls added to each operation
# The rows that also count a function of another library. A load once cleared 128 KiB for the log of the driver. A
# hit once measured all variables of the environment, and compared many of them with prefixes.
ALSO = {"load": "memset", "hit_cache": "strlen", "hit_cache_in_cuda_image": "strncmp"}


def environment(command, folder, is_planted):
    kept = {name: os.environ.get(name, "") for name in ENVIRONMENT}
    kept["COSTS_FOLDER"] = str(Path(folder, "cache"))
    if is_planted:
        kept["COSTS_PLANTED"] = str(PLANTED)
    if len(command) > 1:
        kept.update(PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=os.environ.get("PYTHONPATH", ""))
    return kept


def callgrind(arguments, environment):
    subprocess.run(["valgrind", "--tool=callgrind", *arguments], check=True, capture_output=True, env=environment)


def measure_script(command, library, names, is_planted):
    """Returns {name: instructions of the extension per operation}."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "callgrind")
        callgrind([f"--callgrind-out-file={output}", "--dump-before=cucore_device_count", *command, str(MANY - FEW), *names],
                  environment(command, folder, is_planted))
        parts = [own_counts(Path(f"{output}.{number}")) for number in range(2, 2 * len(names) + 1, 2)]
        if Path(f"{output}.{2 * len(names) + 1}").exists():
            raise RuntimeError("the script calls cucore_device_count() elsewhere too")
    return {name: round(sum(count for (place, _), count in part.items() if Path(place).name.startswith(library)) / (MANY - FEW))
            for name, part in zip(names, parts)}


def instructions(command, library, name, folder, is_planted):
    """Returns the instructions of `library` for FEW and for MANY repetitions."""
    output = Path(folder, "callgrind")
    callgrind([f"--callgrind-out-file={output}", "--toggle-collect=repeat", "--dump-after=repeat",
               *command, name, str(FEW), str(MANY)], environment(command, folder, is_planted))
    also = ALSO.get(name, "no function")
    return [sum(count for (place, function), count in own_counts(Path(f"{output}.{part}")).items()
                if Path(place).name.startswith(library) or also in function) for part in (1, 2)]


def own_counts(output):
    """Returns the instructions of each (object, function), without those of the functions that it calls. The output is
    read here, because callgrind_annotate may add what a function of a header costs to another object that has it too."""
    names, counts = {}, Counter()
    place = function = ""
    is_of_callee = False

    def name_of(kind, text):
        number, _, name = text.partition(" ")  # "(3) name" at first, "(3)" later
        return names.setdefault((kind, number), name)

    for line in output.read_text().splitlines():
        key, _, text = line.partition("=")
        if key == "ob":
            place = name_of("object", text)
        elif key == "fn":
            function = name_of("function", text)
        elif key in ("cob", "cfn"):
            name_of({"cob": "object", "cfn": "function"}[key], text)
        elif key == "calls":
            is_of_callee = True  # the next line has the instructions of the callee
        elif line[:1] in "+-*0123456789" and line:
            if not is_of_callee:
                counts[place, function] += int(line.split()[1])
            is_of_callee = False
    return counts


def measure(command, library, name, is_planted, expected):
    """Returns the instructions per operation. Without an expected count, all runs are made."""
    runs = 1 if is_planted else RUNS
    few = many = sys.maxsize
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            few, many = map(min, (few, many), instructions(command, library, name, folder, is_planted))
            count = round((many - few) / (MANY - FEW))
            if expected is not None and not differs(count, expected):
                break
    return count


def rows(table):
    lines = [line.split() for line in table.read_text().splitlines() if line and not line.startswith("#")]
    return {name: int(count) for name, count in lines}


def row_to_plant(counts):
    """Returns the row of the largest count. The same work is the smallest part of it."""
    name = max(counts, key=counts.get)
    return {name: counts[name]}


def differs(count, expected):
    """A count of less than a hundred may differ by two, which is more than the margin."""
    return abs(count - expected) > max(2, MARGIN * expected)


def write(table, counts):
    comments = [line for line in table.read_text().splitlines() if line.startswith("#")]
    table.write_text("\n".join([*comments, *(f"{name:24} {count}" for name, count in counts.items())]) + "\n")


def main(program, library, table, *rest):
    table = Path(table)
    command = [program, *(word for word in rest if not word.startswith("--"))]
    is_planted = "--planted" in rest
    library = Path(library).name.split(".")[0] + "."
    expected = row_to_plant(rows(table)) if is_planted else rows(table)
    if len(command) > 1:
        counts = measure_script(command, library, list(expected), is_planted)
    else:
        counts = {name: measure(command, library, name, is_planted, None if "--write" in rest else count)
                  for name, count in expected.items()}
    for name, count in counts.items():
        change = f", {count / expected[name] - 1:+.1%}" if differs(count, expected[name]) else ""
        print(f"{name:24} {count:7} instructions, {expected[name]} expected{change}")
    if "--write" in rest:
        write(table, counts)
        return 0
    wrong = [name for name in counts if differs(counts[name], expected[name])]
    if not is_planted:
        return 1 if wrong else 0
    missed = [name for name in counts if name not in wrong or counts[name] < expected[name]]
    print(f"the planted slowdown was {'missed in ' + ', '.join(missed) if missed else 'found'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
