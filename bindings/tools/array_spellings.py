#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the names that messages of arrays have in Java instead of C's: array_spellings.py CUCORE_H ARRAY_H SOURCES OUT.

Messages of arrays can also contain those of libcucore, whose names are in the table as well.
"""
import sys
from pathlib import Path

import array_model
import generate
import spellings
from array_members import CLASS_OF_ENUM
from array_operations import camel
from header import camel as pascal

OPERATIONS = {'cucore_array_op': 'Operation'}  # of the generated header


def structs(model, sources):
    """A field is that of a class of Java if there is one, else the name of a parameter."""
    for name, struct in model.header.structs.items():
        java = pascal(name.removeprefix(array_model.PREFIX).removesuffix('_info'))
        yield name, java
        owner = java + '.' if list(Path(sources).rglob(java + '.java')) else ''
        yield from ((f'{name}.{field}', owner + camel(field)) for field in struct.names)


def enumerators(model):
    for enum in model.header.enums:
        short = enum.c_name.removeprefix(array_model.PREFIX)
        java = CLASS_OF_ENUM.get(short) or pascal(short)
        yield enum.c_name, java
        yield from ((item.name, f'{java}.{item.short}') for item in enum.items)


def member(name, model):
    """A function of a type besides the array is a member of its class."""
    owner = next((kind for kind in model.objects.values() if name.startswith(kind + '_')), '')
    return (pascal(owner) + '.' + camel(name.removeprefix(owner + '_')) if owner else camel(name)) + '()'


def all_of(model, sources):
    """Text in a message -> its form in Java, of the header of arrays alone."""
    table = {handle: 'NdArray' if kind == 'array' else pascal(kind) for handle, kind in model.objects.items()}
    table.update((each.c_name, member(each.name, model)) for each in model.functions)
    return {**table, **OPERATIONS, **dict(structs(model, sources)), **dict(enumerators(model))}


def main(core_header, array_header, sources, out):
    model = array_model.Model(Path(array_header).read_text(encoding='utf-8'))
    core = spellings.all_of(generate.read(core_header, 'java')[2], generate.LANGUAGES['java'])
    lines = spellings.cpp({**core, **all_of(model, sources)})
    Path(out).write_text('\n'.join(['#include "spelling.hpp"', *(line for line in lines if line not in ('%{', '%}')), '']), encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
