#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""javadoc of all public classes reports nothing, including missing comments: javadoc.py JAVADOC
SOURCE..."""
import subprocess
import sys
import tempfile
from pathlib import Path


def sources(paths):
    for path in map(Path, paths):
        yield from sorted(path.rglob('*.java')) if path.is_dir() else [path]


with tempfile.TemporaryDirectory() as folder:
    command = [sys.argv[1], '-quiet', '-Xdoclint:all', '-Werror', '-Xmaxwarns', '1000', '-public', '--release', '11',
               '-encoding', 'UTF-8', '-d', folder, *map(str, sources(sys.argv[2:]))]
    sys.exit(subprocess.run(command).returncode)
