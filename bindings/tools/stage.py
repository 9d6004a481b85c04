#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a package in the build tree that can be imported: stage.py FOLDER STAMP FILE..."""
import os
import sys
from pathlib import Path

folder, stamp = Path(sys.argv[1]), Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
wanted = {Path(f).name: Path(f).resolve() for f in sys.argv[3:]}
for old in folder.iterdir():
    if old.is_symlink():
        old.unlink()
for name, target in wanted.items():
    os.symlink(target, folder / name)
stamp.touch()
