# SPDX-License-Identifier: Apache-2.0
"""The tables of cpu_device.sh, in markdown, from the files of its steps.

    cpu_device_tables.py speed|cuda_core FOLDER
"""
import collections
import glob
import json
import os
import re
import sys
import xml.etree.ElementTree as xml

RATE = "thread_instructions/s"


def rates(path):
    """The median of each benchmark, in thread instructions per second."""
    try:
        with open(path) as file:
            rows = json.load(file)["benchmarks"]
    except (OSError, ValueError):
        return {}
    return {row["run_name"].split("/")[0]: row[RATE] for row in rows
            if row.get("aggregate_name") == "median" and RATE in row}


def best(files):
    """The highest rate of each benchmark in any of the files."""
    found = {}
    for path in files:
        for name, rate in rates(path).items():
            found[name] = max(rate, found.get(name, 0))
    return found


def number_of(path):
    return int(re.search(r"-(\d+)\.json$", path).group(1))


def ratio(a, b):
    return f"{a / b:.2f}" if a and b else "-"


def scaling(folder, kind, title):
    files = glob.glob(f"{folder}/{kind}-*.json")
    columns = [(number, best(path for path in files if number_of(path) == number))
               for number in sorted({number_of(path) for path in files})]
    if not columns:
        return
    one = columns[0][1]
    together = [rates(path) for path in glob.glob(f"{folder}/process-*.json")] if kind == "large" else []
    print(f"\n## {title}\n")
    heads = [f"{threads} threads" for threads, _ in columns[1:]]
    if together:
        heads.append(f"{len(together)} processes")
    print(f"| kernel | G/s, {columns[0][0]} thread | " + " | ".join(heads) + " |")
    print("|---|---|" + "---|" * len(heads))
    for name, rate in one.items():
        cells = [ratio(column.get(name), rate) for _, column in columns[1:]]
        if together:
            cells.append(ratio(sum(column.get(name, 0) for column in together), rate))
        print(f"| {name} | {rate / 1e9:.2f} | " + " | ".join(cells) + " |")


def speed(folder):
    print("# Speed of the CPU device\n\nThe columns are multiples of the rate of one thread. "
          "Each rate is the highest of the rounds.")
    scaling(folder, "large", "Grids of 16 layers")
    scaling(folder, "small", "Grids of one layer")
    old, new = (best(glob.glob(f"{folder}/{kind}-[0-9].json")) for kind in ("old", "new"))
    if old:
        print("\n## One thread, and an older build\n\n| kernel | old G/s | new G/s | ratio |\n|---|---|---|---|")
        for name, rate in new.items():
            before = old.get(name, 0)
            print(f"| {name} | {before / 1e9:.2f} | {rate / 1e9:.2f} | {ratio(rate, before)} |")


def outcome_of(case):
    for kind in ("failure", "error", "skipped"):
        found = case.find(kind)
        if found is not None:
            return ("failed" if kind == "error" else kind.replace("failure", "failed")), found
    return "passed", None


def outcomes(folder, where):
    """Of each file of tests: the outcome and message of each test."""
    files = {}
    for path in sorted(glob.glob(f"{folder}/{where}-*.xml")):
        tests = files.setdefault(os.path.basename(path)[len(where) + 1:-4], {})
        try:
            cases = list(xml.parse(path).iter("testcase"))
        except (OSError, xml.ParseError):
            continue
        for case in cases:
            outcome, element = outcome_of(case)
            text = "" if element is None else (element.get("message") or element.text or "")
            tests[f"{case.get('classname')}::{case.get('name')}"] = (outcome, " ".join(text.split())[:300])
    return files


def skips(files):
    """The reasons that the tests state, with the number of tests per file."""
    print("\n| file | skipped | reason |\n|---|---|---|")
    for name, tests in files.items():
        reasons = collections.Counter(text for outcome, text in tests.values() if outcome == "skipped")
        for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
            print(f"| {name} | {count} | {reason.replace('|', '/') or 'none'} |")


def cuda_core(folder):
    print("# cuda.core's tests\n")
    with open(f"{folder}/versions.txt") as file:
        print(file.read())
    everywhere = {where: outcomes(folder, where) for where in ("cpu", "driver")}
    for where, title in (("cpu", "the CPU device"), ("driver", "NVIDIA's driver")):
        if not everywhere[where]:
            continue
        print(f"\n## On {title}\n\n| file | passed | failed | skipped |\n|---|---|---|---|")
        sums = [0, 0, 0]
        for name, tests in everywhere[where].items():
            counts = [sum(o == kind for o, _ in tests.values()) for kind in ("passed", "failed", "skipped")]
            print(f"| {name} | " + " | ".join(map(str, counts)) + " |")
            if name != "others":
                sums = [a + b for a, b in zip(sums, counts)]
        print("| all but others | " + " | ".join(map(str, sums)) + " |")
        skips(everywhere[where])
    for where, other in (("cpu", "driver"), ("driver", "cpu")):
        there = {test: o for tests in everywhere[other].values() for test, (o, _) in tests.items()}
        print(f"\n## Failed: {where}\n")
        for name, tests in everywhere[where].items():
            for test, (outcome, text) in tests.items():
                if outcome == "failed":
                    print(f"- {name}: {test} (elsewhere {there.get(test, 'not run')}): {text}")


if __name__ == "__main__":
    {"speed": speed, "cuda_core": cuda_core}[sys.argv[1]](sys.argv[2])
