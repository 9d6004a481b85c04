#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up the test cases inside the tests of a Meson build: 'N passed, N failed, N skipped'.

    count_tests.py LOG...    logs of meson test, in JSON

A program of GoogleTest, unittest, pytest or JUnit counts as many cases as it reports, any other
program as one. A program that fails without reporting a failed case counts one failure.
"""
import json
import re
import sys
from collections import Counter

FAILED = {"FAIL", "TIMEOUT", "ERROR", "INTERRUPT", "UNEXPECTEDPASS"}


def googletest(text):
    return Counter(passed=len(re.findall(r"\[       OK \] .+\(\d+ ms\)", text)),
                   failed=len(re.findall(r"\[  FAILED  \] .+\(\d+ ms\)", text)),
                   skipped=len(re.findall(r"\[  SKIPPED \] .+\(\d+ ms\)", text)))


def unittest(text):
    counts = Counter()
    summaries = re.findall(r"^Ran (\d+) tests? in .*?\n+(OK|FAILED)(?: \((.*?)\))?$", text,
                           re.M | re.S)
    for total, _, details in summaries:
        parts = {key.strip(): int(value) for key, value in re.findall(r"([a-z ]+)=(\d+)", details)}
        bad = parts.get("failures", 0) + parts.get("errors", 0)
        counts.update(failed=bad, skipped=parts.get("skipped", 0),
                      passed=int(total) - bad - parts.get("skipped", 0))
    return counts


def pytest(text):
    counts = Counter()
    for line in re.findall(r"^=*\s*((?:\d+ \w+(?:, )?)+ in [\d.]+s.*?)$", text, re.M):
        found = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", line)}
        counts.update(passed=found.get("passed", 0), skipped=found.get("skipped", 0),
                      failed=found.get("failed", 0) + found.get("error", 0) +
                      found.get("errors", 0))
    return counts


def junit(text):
    def number(word):
        return sum(int(n) for n in re.findall(rf"\[\s*(\d+) tests {word}\s*\]", text))
    return Counter(passed=number("successful"), failed=number("failed"),
                   skipped=number("skipped") + number("aborted"))


def count(test):
    text = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
    counts = Counter()
    for parse in (googletest, unittest, pytest, junit):
        counts.update(parse(text))
    if test["result"] in FAILED and counts["failed"] == 0:
        counts["failed"] += 1
    elif sum(counts.values()) == 0:
        counts["skipped" if test["result"] == "SKIP" else "passed"] += 1
    return counts


def main():
    total = Counter()
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as log:
            total.update(sum((count(json.loads(line)) for line in log), Counter()))
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
