#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the files that the generator reads."""
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
for pattern in ('tools/*.py', '../tools/header_text.py', 'api/*.toml', 'swig/**/*.i', 'java/members/*.java', 'java/src/io/cucore/*.java', 'csharp/src/*.cs',
                'python/cucore/*.py*', 'python/src/module.cpp'):
    print(*(path.resolve() for path in sorted(HERE.glob(pattern))), sep='\n')
