#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C name in a message of the library has another name in each language: messages.py HEADER
SRC"""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'tools'))
import generate  # noqa: E402
import spellings  # noqa: E402

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NAME = re.compile(r'(?<![\w/.-])cucore_[a-z0-9_]+(?:\.[a-z0-9_]+)?')
# Entry points that others write in C; they have the same name in every language.
OF_C = ('cucore_remote_open',)
NOT_FOR_BINDINGS = ('cli/', 'cpu/', 'worker/')  # their messages reach no binding directly


def names(folder):
    """Name of C in a literal -> the files that have it."""
    found = {}
    for path in sorted(p for kind in ('cpp', 'hpp', 'inc') for p in folder.rglob('*.' + kind)):
        if str(path.relative_to(folder)).startswith(NOT_FOR_BINDINGS):
            continue
        text = re.sub(r'^\s*#include.*$|^\s*//.*$', '', path.read_text(encoding='utf-8'), flags=re.M)
        for literal in LITERAL.findall(text):
            for name in NAME.findall(literal):
                found.setdefault(name, []).append(path.name)
    return found


def main():
    found = names(Path(sys.argv[2]))
    failed = [] if len(found) > 50 else [f'only {len(found)} names were found: the pattern is wrong']
    for language, module in generate.LANGUAGES.items():
        places = generate.read(sys.argv[1], language)[2]
        table = spellings.all_of(places, module)
        for name, files in found.items():
            here = table.get(name)
            if name not in OF_C and (not here or 'cucore' in here.lower().replace('cucorelibrary.', '').replace('cucoreexception', '').replace('cucore.', '')):
                failed.append(f'{language}: {name} in {files[0]} is {here or "not in the table"}')
        failed += [f'{language}: {c} is empty' for c, here in table.items() if not here]
    rows, header = places.api.table.rows, places.api.header
    fields = {f'{s.name}.{f}' for s in header.structs.values() for f in s.names}
    failed += [f'the table has {name}, the header does not' for name in rows['structs'] if name not in header.structs]
    failed += [f'the table has {name}, the header does not' for name in rows['fields'] if name not in fields]
    print(*failed, sep='\n')
    print(f'{len(found)} names in messages' if not failed else f'{len(failed)} failures')
    return 1 if failed else 0


sys.exit(main())
