#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a JVM with -Xcheck:jni; fails if it fails, or if it reports an error of native code."""
import re
import subprocess
import sys

FAULT = re.compile(r'WARNING in native method|FATAL ERROR in native method|WARNING: JNI|^Warning: ', re.M)
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
print(done.stdout)
faults = [line for line in done.stdout.splitlines() if FAULT.search(line)]
for line in faults:
    print('found by the JVM:', line)
sys.exit(done.returncode or (1 if faults else 0))
