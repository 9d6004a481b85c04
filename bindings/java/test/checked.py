#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a JVM with -Xcheck:jni; fails if it fails, or if it reports an error of native code. The last lines name each
failed test of JUnit, its line and its message, for readers who see the end of a log alone."""
import re
import subprocess
import sys

FAULT = re.compile(r'WARNING in native method|FATAL ERROR in native method|WARNING: JNI|^Warning: ', re.M)
# The report of JUnit: the test, '=>' and its exception, frames; the test's own frame has its class and its method.
FAILED = re.compile(r'^  JUnit Jupiter:(\w+):(\w+)\(.*\n.*\n    => (.*(?:\n(?!       [\w.$/]+\().*)*)((?:\n       .*)*)', re.M)


def failures(output):
    for test, method, message, frames in FAILED.findall(output):
        line = re.search(rf'\({test}\.java:(\d+)\)', frames)
        yield f'{test}.java:{line[1] if line else "?"} {method}: {message[:2000]}'


done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
print(done.stdout)
faults = [line for line in done.stdout.splitlines() if FAULT.search(line)]
for line in faults:
    print('found by the JVM:', line)
for line in failures(done.stdout):
    print('failed:', line)
sys.exit(done.returncode or (1 if faults else 0))
