#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the names that messages have in Java instead of C's, for the native library of io.cucore.perf: perf_spellings.py CUCORE_H OUT."""
import sys
from pathlib import Path

import generate
import spellings


def main(header, out):
    lines = spellings.cpp(spellings.all_of(generate.read(header, 'java')[2], generate.LANGUAGES['java']))
    Path(out).write_text('\n'.join(['#include "spelling.hpp"', *(line for line in lines if line not in ('%{', '%}')), '']), encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
