#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the marked tests under NUnit: try_nunit.py MONO PROGRAM

Each test named Bad must fail with its reason, and each other one must pass.
"""
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

REASONS = {"CheckedBad": "out-of-bounds", "LeaksBad": "leak: cuEventCreate", "BothBad": "out-of-bounds",
           "SurviveBad": "OutOfDeviceMemoryException", "SurviveWithoutAFaultBad": "no fault was injected",
           "StaticBad": "out-of-bounds"}
TESTS = 12

mono, program = sys.argv[1], str(Path(sys.argv[2]).resolve())
with tempfile.TemporaryDirectory() as folder:
    ran = subprocess.run([mono, program, program, "-nologo", "-noshadow", "-domain:None", f"-xml:{folder}/result.xml"],
                         cwd=folder, capture_output=True, text=True, timeout=200)
    print(ran.stdout, ran.stderr)
    cases = list(xml.parse(Path(folder, "result.xml")).iter("test-case"))
wrong = [] if len(cases) == TESTS else [f"{len(cases)} tests ran; expected {TESTS}"]
for case in cases:
    name = case.get("name").rsplit(".", 1)[-1]
    text = "".join(case.itertext())
    if (case.get("result") == "Success") == (name in REASONS) or REASONS.get(name, "") not in text:
        wrong.append(f"{name}: {case.get('result')}: {text}")
print("\n".join(wrong) or "as expected")
sys.exit(len(wrong) != 0)
