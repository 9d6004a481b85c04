#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs scenarios over the assembly for .NET Standard: try_standard.py MONO ASSEMBLY MEMORY SCENARIOS CLASS..."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def main(mono, assembly, memory, scenarios, *classes):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, as_name in ((assembly, 'Cucore.dll'), (memory, 'System.Memory.dll'), (scenarios, 'Scenarios.exe')):
            shutil.copy(file, folder / as_name)
        environment = {k: v for k, v in os.environ.items() if k != 'MONO_PATH'}
        for each in classes:
            subprocess.run([mono, folder / 'Scenarios.exe', each], check=True, env=environment)


main(*sys.argv[1:])
