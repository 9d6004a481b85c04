#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C name in a message of the library has another name in each language, and of arrays in Java: messages.py HEADER SRC
ARRAY_HEADER ARRAY_SOURCES"""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'tools'))
import array_model  # noqa: E402
import array_spellings  # noqa: E402
import generate  # noqa: E402
import spellings  # noqa: E402
import words  # noqa: E402

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NAME = re.compile(r'(?<![\w/.-])cucore_[a-z0-9_]+(?:\.[a-z0-9_]+)?')
# Entry points that others write in C; they have the same name in every language.
OF_C = ('cucore_remote_open', 'cucore_perf_start_from_environment')
# Kernels of libcucore-perf, and the beginning of their names.
KERNELS = ('cucore_perf_clock', 'cucore_roof_', 'cucore_roof_shared', 'cucore_roof_l2', 'cucore_roof_empty')
OF_C_ALONE = ('error',)  # no parameter of a language
# The messages of programs and of the CPU device reach no binding directly; those of arrays have a table of their own.
NOT_FOR_BINDINGS = ('programs/', 'cpu/', 'array/')


def names(folder, left_out=NOT_FOR_BINDINGS):
    """Name of C in a literal -> the files that have it."""
    found = {}
    for path in sorted(p for kind in ('cpp', 'hpp', 'inc') for p in folder.rglob('*.' + kind)):
        if str(path.relative_to(folder)).startswith(left_out):
            continue
        text = re.sub(r'^\s*#include.*$|^\s*//.*$', '', path.read_text(encoding='utf-8'), flags=re.M)
        for literal in LITERAL.findall(text):
            for name in NAME.findall(literal):
                found.setdefault(name, []).append(path.name)
    return found


def bare_fields(folder, header):
    """Texts with a field of an options struct without the struct, whose name no language has."""
    known = {f for s in header.structs.values() if s.name.endswith('_options') for f in s.names if '_' in f}
    for path in sorted(p for kind in ('cpp', 'hpp') for p in folder.rglob('*.' + kind)):
        if str(path.relative_to(folder)).startswith(NOT_FOR_BINDINGS):
            continue
        text = re.sub(r'^\s*#include.*$|^\s*//.*$', '', path.read_text(encoding='utf-8'), flags=re.M)
        for literal in filter(lambda each: ' ' in each, LITERAL.findall(text)):
            yield from (f'{path.name}: {word} in "{literal}" has no struct' for word in re.findall(r'(?<![\w.])[a-z]+(?:_[a-z0-9]+)+\b', literal) if word in known)


# The C name itself is the subject of a text.
C_NAME = re.compile(r'\b(?:cucore_\w+|CUCORE_(?!STATUS_UNKNOWN)(?:ARGUMENT|STATUS|ERROR|MEMORY|CODE)_\w+|struct_size|u?int\d+_t|size_t|NULL)\b')


def comments(places, module):
    """C function: C name, of each text in the comments of a language that contains one."""
    for name, function in places.api.header.functions.items():
        if places.find(name) is None:
            continue
        texts = [function.doc.text, *(t for n, t in function.doc.params.items() if n not in OF_C_ALONE), *(t for _, t in words.failures(function))]
        for text in texts:
            for found in C_NAME.findall(module.text_of(text, places)):
                yield f'{name}: {found}'


def of_arrays(folder, header_path, sources):
    """Names in messages of arrays without a name in Java."""
    model = array_model.Model(Path(header_path).read_text(encoding='utf-8'))
    table = array_spellings.all_of(model, sources)
    found = names(folder, ())
    if len(found) < 15:
        yield f'only {len(found)} names were found in {folder}: the pattern is wrong'
    # a text can also end in a part of a name, to which a field is added
    parts = {name.rpartition('.')[0] for name in table}
    for name, files in found.items():
        here = table.get(name, '' if name not in parts else 'a field')
        if not here or 'cucore' in here.lower():
            yield f'java: {name} in {files[0]} is {here or "not in the table"}'


def main():
    source = Path(sys.argv[2])
    found = names(source)
    failed = [] if len(found) > 50 else [f'only {len(found)} names were found: the pattern is wrong']
    for language, module in generate.LANGUAGES.items():
        places = generate.read(sys.argv[1], language)[2]
        table = spellings.all_of(places, module)
        for name, files in found.items():
            here = table.get(name)
            if name not in OF_C + KERNELS and (not here or 'cucore' in here.lower().replace('cucorelibrary.', '').replace('cucoreexception', '').replace('cucore.', '')):
                failed.append(f'{language}: {name} in {files[0]} is {here or "not in the table"}')
        failed += [f'{language}: the comment of {each} has no name of the language' for each in comments(places, module)]
        failed += [f'{language}: {c} is empty' for c, here in table.items() if not here]
    rows, header = places.api.table.rows, places.api.header
    fields = {f'{s.name}.{f}' for s in header.structs.values() for f in s.names}
    failed += bare_fields(Path(sys.argv[2]), header)
    failed += [f'the table has {name}, the header does not' for name in rows['structs'] if name not in header.structs]
    failed += [f'the table has {name}, the header does not' for name in rows['fields'] if name not in fields]
    failed += of_arrays(source / 'array', *sys.argv[3:])
    print(*failed, sep='\n')
    print(f'{len(found)} names in messages' if not failed else f'{len(failed)} failures')
    return 1 if failed else 0


sys.exit(main())
