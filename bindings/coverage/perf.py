#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every function of libcucore-perf is called by the layer of each language: perf.py MAP FOLDER...

FOLDER contains the hand-written files of one language. Each function of the map that none of them calls must be in UNREACHABLE.
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'tools'))
import header as headers  # noqa: E402

# Function: why no language has it.
UNREACHABLE = {
    'cucore_analysis_retain': 'the languages count references',
    'cucore_measurement_retain': 'the languages count references',
    'cucore_profiler_retain': 'the languages count references',
    'cucore_report_retain': 'the languages count references',
    'cucore_roof_retain': 'the languages count references',
}


def called(folder):
    """The functions that code of the folder names; comments and texts do not count."""
    found = set()
    for path in (p for ending in ('py', 'java', 'cs') for p in Path(folder).rglob(f'*.{ending}')):
        text = re.sub(r'"""(?:.|\n)*?"""|/\*(?:.|\n)*?\*/|"(?:[^"\\\n]|\\.)*"', '', path.read_text(encoding='utf-8'))
        text = re.sub(r'#.*$|//.*$', '', text, flags=re.M)
        found.update(re.findall(r'\bcucore_\w+', text))
    return found


def main(map_file, *folders):
    exported = headers.exported(map_file)
    failed = [f'the table has {name}, the library does not' for name in UNREACHABLE if name not in exported]
    for folder in folders:
        here = called(folder)
        failed += [f'{folder}: {name} is not called' for name in exported if name not in here and name not in UNREACHABLE]
        failed += [f'{folder}: {name} is called, and the table says that it is not' for name in here if name in UNREACHABLE]
        if len(here) < 20:
            failed.append(f'{folder}: only {len(here)} functions were found: the pattern is wrong')
    print(*failed, sep='\n')
    print(f'{len(exported)} functions in {len(folders)} languages')
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))
