#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a program that uses the library: compile.py MCS OUT LIBRARY SOURCE..."""
import subprocess
import sys

mcs, out, library, *sources = sys.argv[1:]
sys.exit(subprocess.run([mcs, '-nologo', '-unsafe', '-warnaserror', '-langversion:latest', f'-r:{library}', f'-out:{out}',
                         *sources]).returncode)
