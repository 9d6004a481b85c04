#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cucore.perf from cucore_perf.h: perf_python.py INCLUDE SOURCES FOLDER.

- _native.py: the structs and functions for ctypes
- _enums.py: the enumerations
- _records.py: a NamedTuple for each struct that a call fills, and its conversion
- the files of SOURCES; "# keywords: STRUCT", also behind "**options", "# given: STRUCT" and "- options: STRUCT" become the options of the struct as
  keyword parameters, as arguments, and as lines of the docstring
"""
import re
import sys
from pathlib import Path

import perf_model
import python
from header import camel

PLAIN = {'int32_t': 'c_int32', 'uint32_t': 'c_uint32', 'uint64_t': 'c_uint64', 'size_t': 'c_size_t', 'double': 'c_double'}


def member(name, model):
    """A function as users of Python write it."""
    found = perf_model.member(name, model, 'python')
    return found if perf_model.is_property(found, 'python') else f'{found}()'


def words(text, model):
    def item(enum, i):
        return python.exception(i.name) if enum.c_name == 'cucore_status' and i.value else f'{enum.name}.{i.short}'
    return perf_model.spelled(text, model, lambda name: member(name, model), item, 'None').replace('\\', r'\\')


def comment(text, model):
    said = words(text, model)
    return '"""' + (said[:-1] + '\\"' if said.endswith('"') else said) + '"""'


def native_type(c_type, model):
    if c_type == 'const char *':
        return 'c_char_p'
    if c_type in PLAIN:
        return PLAIN[c_type]
    if c_type in model.enum_names:
        return 'c_int32'
    return 'c_void_p'  # objects, memory, functions


def native(model):
    out = ['"""The structs and functions of libcucore-perf for ctypes."""', '# Generated from cucore_perf.h.',
           'from ctypes import Structure, c_char_p, c_double, c_int32, c_size_t, c_uint32, c_uint64, c_void_p', 'from typing import Any', '']
    for struct in [*model.structs, *model.reused]:
        out += ['', f'class {camel(struct.name.removeprefix("cucore_"))}(Structure):', '    _fields_ = [']
        for each in struct.fields:
            kind = native_type(each.c_type, model)
            out.append(f'        ("{each.name}", {kind if each.count == 1 else f"{kind} * {each.count}"}),')
        out += ['    ]', '']
    out += ['', '# The result and the parameters.', 'FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {']
    for function in model.functions:
        types = ', '.join(native_type(t, model) for t in function.types)
        result = 'None' if function.result == 'void' else native_type(function.result, model)
        out.append(f'    "{function.name}": ({result}, [{types}]),')
    out += ['}', '', '# (struct, field): the enumeration.', 'ENUMS = {']
    out += [f'    ("{camel(s.name.removeprefix("cucore_"))}", "{f.name}"): "{model.own_enums[f.c_type]}",'
            for s in model.structs for f in s.fields if f.c_type in model.own_enums]
    return '\n'.join([*out, '}', ''])


def enums(model):
    out = ['"""The enumerations of libcucore-perf."""', '# Generated from cucore_perf.h.', 'from enum import IntEnum', '']
    for enum in model.enums:
        out += ['', f'class {enum.name}(IntEnum):', '    ' + comment(enum.doc.text, model), '']
        for i in enum.items:
            out += [f'    {i.short} = {i.value}', *(['    ' + comment(i.doc, model)] if i.doc else [])]
        out += ['', '    def __str__(self) -> str:', '        return self.name', '', '    @classmethod', f'    def _missing_(cls, value: object) -> "{enum.name}":',
                '        # Later versions of the library may return numbers that have no name here.',
                '        if not isinstance(value, int):', '            raise ValueError(f"{value!r} is not a {cls.__name__}")',
                '        member = int.__new__(cls, value)', '        member._name_ = f"UNKNOWN_{value}"', '        member._value_ = value',
                '        return member', '']
    names = ', '.join(f'"{e.name}"' for e in model.enums)
    return '\n'.join([*out, '', f'__all__ = [{names}]', ''])


def value_type(field, model):
    if field.c_type in model.own_enums:
        return model.own_enums[field.c_type]
    one = 'bool' if field.is_flag else {'const char *': 'str', 'double': 'float'}.get(field.c_type, 'int')
    return one if field.count == 1 else f'tuple[{", ".join([one] * field.count)}]'


def read(field, model):
    native = f'native.{field.name}'
    if field.count > 1:
        return '(' + ', '.join(f'{native}[{i}]' for i in range(field.count)) + ')'
    kind = value_type(field, model)
    if kind == 'str':
        return f'({native} or b"").decode(errors="replace")'
    return native if kind in ('int', 'float') else f'{kind}({native})'


def records(model):
    out = ['"""The results of libcucore-perf as tuples with names."""', '# Generated from cucore_perf.h.', 'from typing import Any, NamedTuple', '',
           f'from ._enums import {", ".join(sorted({value_type(f, model) for s in model.results() for f in s.shown} & set(model.own_enums.values())))}', '']
    for struct in model.results():
        out += ['', f'class {struct.class_name}(NamedTuple):', '    ' + comment(struct.doc, model), '']
        for f in struct.shown:
            ignored = '  # type: ignore[assignment]' if f.name == 'count' else ''  # a tuple has a method of this name
            out += [f'    {f.name}: {value_type(f, model)}{ignored}', *(['    ' + comment(f.doc, model)] if f.doc else [])]
        values = ', '.join(read(f, model) for f in struct.shown)
        out += ['', '', f'def to_{struct.name.removeprefix("cucore_")}(native: Any) -> {struct.class_name}:', f'    return {struct.class_name}({values})', '']
    names = ', '.join(f'"{s.class_name}"' for s in model.results())
    return '\n'.join([*out, '', f'__all__ = [{names}]', ''])


# == Options ==

def option_fields(struct):
    """The fields that are keywords. A list has its count."""
    return [f for f in struct.shown if f.name not in perf_model.TABLE['layer']['fields'] and not (f.c_type == 'size_t' and f.name.endswith('_count'))]


def keyword(field, model):
    c_type = field.c_type
    if c_type in model.own_enums:
        enum = model.own_enums[c_type]
        first = next(e for e in model.enums if e.c_name == c_type).items[0].short
        return f'{field.name}: Union[{enum}, str] = {enum}.{first}'
    kinds = {'cucore_toggle': 'Optional[bool] = None', 'const char *': 'Optional[str] = None', 'const char *const *': 'Iterable[str] = ()',
             'double': 'float = 0.0', 'const cucore_device *': 'Union[cucore.Device, int, None] = None',
             'const cucore_roof *': 'Optional[Roof] = None'}
    if c_type in kinds or c_type in PLAIN:
        return f'{field.name}: {kinds.get(c_type, "int = 0")}'
    raise SystemExit(f'{field.name}: no keyword for the type {c_type}; add one to perf_python.py')


def layer(text, model):
    """A file of the layer with the options in the places of its marks."""
    structs = {s.name: s for s in model.structs}

    def expand(m):
        fields = option_fields(structs[m[3]])
        if m[2].startswith('**'):
            return m[1] + '*, ' + ' '.join(keyword(f, model) + ',' for f in fields)
        if m[2] == '# keywords':
            return m[1] + ' '.join(keyword(f, model) + ',' for f in fields)
        if m[2] == '# given':
            return m[1] + ' '.join(f'{f.name}={f.name},' for f in fields)
        return '\n'.join(f'{m[1]}- {f.name}: {words(f.doc, model)}' for f in fields if f.doc)
    return re.sub(r'^( *)(\*\*options: Any,  # keywords|# keywords|# given|- options): (\w+)$', expand, text, flags=re.M)


def main(include, sources, folder):
    model = perf_model.Model(include)
    write = lambda name, text: (Path(folder) / name).write_text(text, encoding='utf-8')
    write('_native.py', native(model))
    write('_enums.py', enums(model))
    write('_records.py', records(model))
    for path in sorted(Path(sources).glob('*.py')):
        write(path.name, layer(path.read_text(encoding='utf-8'), model))
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
