# SPDX-License-Identifier: Apache-2.0
"""Makes Python's parts from the header: docstrings, IntEnums, the keywords of options."""
import re

import fields
import words
from api import FOLDER, camel_of
from header import camel

ERRORS_WITH_OTHER_NAMES = {'NOT_FOUND': 'NotFoundError', 'CUDA': 'CudaError', 'IO': 'IoError'}


# The exceptions of Python that those of the library also are.
BASES = {'INVALID_ARGUMENT': 'ValueError', 'INVALID_HANDLE': 'ValueError', 'BUFFER_TOO_SMALL': 'ValueError', 'NOT_FOUND': 'LookupError',
         'UNSUPPORTED': 'NotImplementedError', 'SHAPE': 'ValueError', 'DTYPE': 'TypeError', 'INDEX': 'IndexError',
         'NUMERIC': 'ArithmeticError', 'OUT_OF_MEMORY': 'MemoryError', 'OUT_OF_DEVICE_MEMORY': 'MemoryError', 'IO': 'OSError',
         'NOT_PERMITTED': 'PermissionError', 'CHECKS': 'AssertionError'}


def exception(status):
    short = status.replace('CUCORE_ERROR_', '')
    return ERRORS_WITH_OTHER_NAMES.get(short) or words.exception_name(status, 'Error')


def text_of(text, places):
    def function(name):
        place = places.find(name)
        owner = places.api.owner(name)
        if place is None and owner and name.endswith('_release'):
            return f'{owner.name}.close()'
        return None if place is None else f'{place}' if place.is_property else f'{place}()'

    def item(enum, i):
        if enum.c_name == 'cucore_status' and i.value:
            return exception(i.name)
        return f'{enum.name}.{i.short}'
    return words.translate(text, places.api.header, function, item, 'None')


def renamed(text, member, function):
    """The input and output bytes of a copy are its parameter data here."""
    if member.owner != 'Buffer' or 'data' not in member.parameters:
        return text
    return re.sub(r'\b(source|destination)\b', 'data', text)


def enum_typemap(enum):
    return '' if enum.name == 'Toggle' else f'%python_enum({enum.c_name}, {enum.name})'


def comment(member, places):
    return []  # features() makes docstrings with signatures


def shown_default(text, header):
    """A default of C as Python has it in a signature."""
    known = {'CUCORE_TOGGLE_DEFAULT': 'None', 'nullptr': 'None', 'false': 'False', 'true': 'True'}
    found = header.item(text)
    return known.get(text) or (str(found[1].value) if found else text)


def docstring(member, places):
    """The signature and the text of a member."""
    name = ('_' if places.is_hidden(member) else '') + member.name
    shown = [n + (f'={shown_default(d, places.api.header)}' if d else '')
             for before, n, d in zip(['', *member.parameters], member.parameters, member.defaults)
             if not words.is_length(before, n) and n != 'outcome']
    own = ['$self'] if member.kind == 'method' else []
    only_position = ['/'] if own + shown and len(member.parameters) <= 1 else []
    function = places.api.header.functions[member.function]
    tr = lambda t: renamed(text_of(t, places), member, function)
    lines = [f'{name}({", ".join(own + shown + only_position)})', '--', '', tr(function.doc.text), '']
    lines += [f':param {n}: {tr(t)}' for n, t in words.parameters(member, places.api) if n != 'outcome']
    lines += [f':return: {tr(words.result(function))}'] if words.result(function) else []
    lines += [f':raises {exception(c)}: {tr(t)}' for c, t in words.failures(function)]
    return '\n'.join(lines).rstrip().replace('\\', r'\\').replace('"', r'\"')


def features(member, places):
    # Names of members that are not for users begin with an underscore.
    is_raw = places.is_hidden(member) and member.kind != 'constructor'
    lines = [f'%rename(_{member.name}) {member.path};'] if is_raw else []
    # Keywords cost a little: only where there is something to name.
    if len(member.parameters) > (0 if member.kind == 'constructor' else 1) and member.kind != 'property':
        lines.append(f'%feature("kwargs") {member.path};')
    if member.kind == 'constructor':
        return lines
    # SWIG's doxygen translation makes no signatures, and does not reach the getters of -builtin classes.
    if member.kind != 'property':
        return lines + [f'%feature("docstring") {member.path} "{docstring(member, places)}";']
    text = text_of(places.api.header.functions[member.function].doc.text, places).replace('"', r'\"').replace('\n', ' ')
    return lines + [f'%feature("docstring") {member.path} "{text}";']


def class_features(lines, places, nullable):
    api = places.api
    helpers = [*api.table.get('classes', 'helpers'), *map(camel_of, api.options_classes())]
    with_keywords = [api.owner(s.name.removesuffix('_options') + '_').name for s in api.options_classes()]
    return [f'%python_handle({c.name})' for c in api.classes] + [f'%rename(_{name}) {name};' for name in helpers] + \
        [f'%python_keywords({name})' for name in with_keywords] + \
        [f'%nullable({owner}, {name})' for owner, name in nullable if not api.is_helper(owner)]


ANNOTATIONS = {'text': 'Optional[str]', 'toggle': 'Optional[bool]', 'number': 'int', 'texts': 'Texts',
               'numbers': 'Iterable[int]', 'blobs': 'Iterable[bytes]', 'flag': 'bool', 'uint32': 'int', 'uint64': 'int',
               'key': 'Optional[Key]', 'keys': 'Union[Key, Iterable[Key]]'}
DEFAULTS = {'text': 'None', 'toggle': 'None', 'number': '0', 'texts': '()', 'numbers': '()', 'blobs': '()',
            'flag': 'False', 'uint32': '0', 'uint64': '0', 'key': 'None', 'keys': '()'}
DEFAULT_OF_CHOICE = {'define_macros': 'Macros', 'directory': 'Path'}


def annotation(field):
    return DEFAULT_OF_CHOICE.get(field.name, ANNOTATIONS[field.kind])


def keywords(struct, default=None):
    """The keywords of an options struct, one a line."""
    return [f'    {f.name}: {annotation(f)} = {default or DEFAULTS[f.kind]},' for f in struct.fields]


HEAD = '''# Generated from cucore.h.
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable, Iterable, Mapping, Optional, Union

if TYPE_CHECKING:
    from ._program import Key

Texts = Union[str, Iterable[str]]
Macros = Union[str, Iterable[str], Mapping[str, object]]
Path = Union[None, str, "os.PathLike[str]"]
'''


def options(places):
    """A function for each options struct: its keywords are the struct's fields."""
    api, out = places.api, ['"""The keywords of options."""', HEAD]
    for struct in api.options_classes():
        name = struct.name.split('_', 1)[1]
        text = text_of(struct.doc.text, places).replace('. ', '.\n\n    ', 1)
        out += ['', f'def {name}(', '    *,', *keywords(struct), ') -> dict[str, tuple[str, object]]:', f'    """{text}', '']
        out += [f'    {f.name}: {text_of(f.doc, places)}' for f in struct.fields]
        out += ['    """', '    return {']
        out += [f'        "{f.name}": ("{f.kind}", {f.name}),' for f in struct.fields] + ['    }', '']
    rows = [f'"{c.name}": ("_{api.made_of_options(c)}", {api.constructor_options(c).name.split("_", 1)[1]}),'
            for c in api.classes if api.made_of_options(c)]
    return '\n'.join([*out, '# What makes an object of keywords alone.',
                      'ALL: dict[str, tuple[str, Callable[..., Mapping[str, tuple[str, object]]]]] = {', *('    ' + row for row in rows), '}', ''])


def init_stub(header):
    """The types of the constructors with keywords."""
    def lines(c_name, *left_out):
        struct = header.structs[c_name]
        return [l.replace('    ', '        ', 1) for l in keywords(struct, '...')
                if not any(l.strip().startswith(name) for name in left_out)]
    return '\n'.join([HEAD, 'from ._enums import SourceType', '', 'class ProgramInit:', '    def __init__(', '        self,',
                      '        source: Union[str, bytes, bytearray, memoryview, "os.PathLike[str]"],', '        type: SourceType = ...,', '        *,',
                      '        headers: Mapping[str, str] = ...,',
                      '        extra_sources: Mapping[str, Union[str, bytes]] = ...,',
                      *lines('cucore_program_options', 'header_', 'extra_source'), '    ) -> None: ...', '',
                      'class LinkerInit:', '    def __init__(', '        self,', '        *,',
                      *lines('cucore_linker_options'), '    ) -> None: ...', '',
                      'class ChecksInit:', '    def __init__(', '        self,', '        *,',
                      *lines('cucore_checks_options'), '    ) -> None: ...', '',
                      'class CacheInit:', '    def __init__(', '        self,', '        directory: Path = ...,', '        *,',
                      *lines('cucore_cache_options', 'directory'), '    ) -> None: ...', ''])


def records(places):
    """A NamedTuple for each struct of numbers that a call fills in."""
    out = ['"""Records of numbers."""', '# Generated from cucore.h.', 'from typing import NamedTuple', '']
    header = places.api.header
    for c_name, name in fields.records(places.api):
        out += ['', f'class {name}(NamedTuple):', f'    """{text_of(header.structs[c_name].doc.text, places)}"""', '']
        for f in header.structs[c_name].fields:
            out.append(f'    {f.name}: int')
            if f.doc:
                out.append(f'    """{text_of(f.doc, places)}"""')
    return '\n'.join(out + [''])


def signature(member, api):
    """A constructor's, as Python has it: the options of a class of its own are keywords."""
    listed = api.table.get('python', 'signatures').get(member.owner)
    if listed:
        return listed
    shown = {'CUCORE_TOGGLE_DEFAULT': 'None', 'nullptr': 'None', 'false': 'False', '': ''}
    return ', '.join('**options' if n == 'options' else n + (f'={shown.get(d, d)}' if d else '')
                     for n, d in zip(member.parameters, member.defaults))


def field_lines(struct, places):
    return ['', text_of(struct.doc.text, places), ''] + [f'{f.name}: {text_of(f.doc, places)}' for f in struct.fields]


def docs(places, members):
    """The docstrings of the classes: what making one does."""
    api = places.api
    out = ['"""The docstrings of the classes that are made by calling them."""', '# Generated from cucore.h.', 'DOCS = {']
    for m in (m for m in members if m.kind == 'constructor' and not api.is_helper(m.owner)):
        function = api.header.functions[m.function]
        tr = lambda t: text_of(t, places)
        lines = [f'{m.owner}({signature(m, api)})', '--', '', tr(function.doc.text), '']
        names = {'data': 'source'}  # as Python has it
        lines += [f':param {names.get(n, n)}: {tr(t)}' for n, t in words.parameters(m, api) if n != 'options']
        lines += [f':raises {exception(c)}: {tr(t)}' for c, t in words.failures(function)]
        struct = api.constructor_options(api.owner(m.function))
        if struct in api.options_classes():
            lines += field_lines(struct, places)
        out.append(f'    "{m.owner}": {chr(10).join(lines)!r},')
    return '\n'.join(out + ['}', ''])


def enums(places):
    names = [e.name for e in places.api.header.enums]
    out = ['"""The enumerations of the library."""', '# Generated from cucore.h.', 'from enum import IntEnum', '']
    for e in places.api.header.enums:
        out += ['', f'class {e.name}(IntEnum):', f'    """{e.doc.text}"""', '']
        for i in e.items:
            out.append(f'    {i.short} = {i.value}')
            if i.doc:
                out.append(f'    """{i.doc}"""')
        out += ['', '    def __str__(self) -> str:', '        return self.name']
        out += ['', '    @classmethod', f'    def _missing_(cls, value: object) -> "{e.name}":',
                '        # Later versions of the library, and drivers, may give numbers that have no name here.',
                '        if not isinstance(value, int):', '            raise ValueError(f"{value!r} is not a {cls.__name__}")',
                '        member = int.__new__(cls, value)', '        member._name_ = f"UNKNOWN_{value}"',
                '        member._value_ = value', '        return member', '']
    out += ['', f'__all__ = {names}', f'ALL = ({", ".join(names)})', '']
    return '\n'.join(out)


def errors(places):
    """The layer's file with a class of each status in the place of its mark."""
    out = []
    items = [i for i in places.api.header.enum('cucore_status').items if i.value]
    for i in items:
        bases = ['Error'] + ([f'builtins.{BASES[i.short]}'] if i.short in BASES else [])
        out += [f'class {exception(i.name)}({", ".join(bases)}):', f'    """{i.short}: {text_of(i.doc, places)}."""', '', '']
    classes = ', '.join(f'{i.value}: {exception(i.name)}' for i in items)
    text = (FOLDER / 'python/cucore/_errors.py').read_text(encoding='utf-8')
    text = text.replace('#: exceptions', '\n'.join([*out, f'_CLASSES: dict[int, type[Error]] = {{{classes}}}']))
    names = re.findall(r'^class (\w+)\(', text, re.M)
    return f'{text}\n\n__all__ = {names}\n'


def handles(places):
    """The module that exports the classes of the handle types."""
    names = [c.name for c in places.api.classes]
    return '\n'.join(['"""The classes of the library\'s objects."""', '# Generated from cucore.h.',
                      f'from ._cucore import {", ".join(names)}', '', f'__all__ = {names}', ''])
