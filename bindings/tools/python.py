"""What Python gets from the header: docstrings, IntEnums, the keywords of options."""
import re

import fields
import words

ERRORS_WITH_OTHER_NAMES = {'NOT_FOUND': 'NotFoundError', 'CUDA': 'CudaError', 'IO': 'IoError'}


def exception(status):
    short = status.replace('CUCORE_ERROR_', '')
    return ERRORS_WITH_OTHER_NAMES.get(short) or words.exception_name(status, 'Error')


def text_of(text, header, table):
    def function(name):
        if name.startswith('cucore_error_'):
            return 'Error.' + name[len('cucore_error_'):]
        m = table.get(name)
        if not m:
            return None
        path = m.owner if m.kind == 'constructor' else f'{m.owner}.{m.name}' if m.owner else m.name
        return path if m.kind == 'property' else path + '()'

    def item(enum, i):
        if enum.c_name == 'cucore_status' and i.value:
            return exception(i.name)
        return f'{enum.name}.{i.short}'
    return re.sub(r'\s*@par Threads\s+', '; ', words.translate(text, header, function, item, 'None'))


def renamed(text, member, function):
    """The bytes that a copy takes and gives are its parameter data here."""
    if member.owner != 'Buffer' or 'data' not in member.parameters:
        return text
    return re.sub(r'\b(source|destination)\b', 'data', text)


def enum_typemap(enum):
    return '' if enum.name == 'Toggle' else f'%python_enum({enum.c_name}, {enum.name})'


# What cannot happen in Python: there structs and buffers have the right size.
OF_C = ('CUCORE_ERROR_ABI_MISMATCH', 'CUCORE_ERROR_BUFFER_TOO_SMALL')


def comment(member, function, header, table):
    tr = lambda t: renamed(text_of(t, header, table), member, function)
    lines = tr(function.doc.text).split('\n')
    lines += [f'@param {n} {tr(t)}' for n, t in words.parameters(member, function) if n != 'outcome']  # a result
    if words.result(member, function):
        lines.append(f'@return {tr(words.result(member, function))}')
    lines += [f'@throws {exception(c)} {tr(t)}' for c, t in function.doc.retvals if c not in OF_C]
    return ['/**'] + [' * ' + words.doxygen(l) for l in lines] + [' */']


def features(member, function, header, table):
    # What is not for users begins with an underscore.
    lines = [f'%rename(_{member.name}) {member.path};'] if member.raw and member.kind != 'constructor' \
        and member.name not in WRITTEN_BY_HAND else []
    # Keywords cost a little: only where there is something to name.
    if len(member.parameters) > (0 if member.kind == 'constructor' else 1) and member.kind != 'property':
        lines.append(f'%feature("kwargs") {member.path};')
    # SWIG's doxygen translation does not reach the getters of -builtin classes.
    if member.kind != 'property':
        return lines
    text = text_of(function.doc.text, header, table).replace('"', r'\"').replace('\n', ' ')
    return lines + [f'%feature("docstring") {member.path} "{text}";']


WRITTEN_BY_HAND = ('launch', 'launch_packed', 'max_active_clusters')
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
from typing import TYPE_CHECKING, Iterable, Mapping, Optional, Union

if TYPE_CHECKING:
    from ._program import Key

Texts = Union[str, Iterable[str]]
Macros = Union[str, Iterable[str], Mapping[str, object]]
Path = Union[None, str, "os.PathLike[str]"]
'''


def options(header):
    """A function for each options struct: its keywords are the struct's fields."""
    out = ['"""The keywords of options."""', HEAD]
    for c_name in fields.STRUCTS:
        struct = header.structs[c_name]
        name = c_name.replace('cucore_', '')
        text = text_of(struct.doc.text, header, {}).replace('. ', '.\n\n    ', 1)
        out += ['', f'def {name}(', '    *,', *keywords(struct), ') -> dict[str, tuple[str, object]]:', f'    """{text}', '']
        out += [f'    {f.name}: {text_of(f.doc, header, {})}' for f in struct.fields]
        out += ['    """', '    return {']
        out += [f'        "{f.name}": ("{f.kind}", {f.name}),' for f in struct.fields] + ['    }', '']
    return '\n'.join(out)


def init_stub(header):
    """The types of the constructors with keywords."""
    def lines(c_name, *left_out):
        struct = header.structs[c_name]
        return [l.replace('    ', '        ', 1) for l in keywords(struct, '...')
                if not any(l.strip().startswith(name) for name in left_out)]
    return '\n'.join([HEAD, 'from ._enums import SourceType', '', 'class ProgramInit:', '    def __init__(', '        self,',
                      '        source: Union[str, bytes, bytearray, memoryview],', '        type: SourceType = ...,', '        *,',
                      '        headers: Mapping[str, str] = ...,',
                      '        extra_sources: Mapping[str, Union[str, bytes]] = ...,',
                      *lines('cucore_program_options', 'header_', 'extra_source'), '    ) -> None: ...', '',
                      'class LinkerInit:', '    def __init__(', '        self,', '        *,',
                      *lines('cucore_linker_options'), '    ) -> None: ...', '',
                      'class CacheInit:', '    def __init__(', '        self,', '        directory: Path = ...,', '        *,',
                      *lines('cucore_cache_options', 'directory'), '    ) -> None: ...', ''])


def records(header):
    """A NamedTuple for each struct of numbers that a call fills in."""
    out = ['"""Records of numbers."""', '# Generated from cucore.h.', 'from typing import NamedTuple', '']
    for c_name, name in fields.RECORDS.items():
        out += ['', f'class {name}(NamedTuple):', f'    """{text_of(header.structs[c_name].doc.text, header, {})}"""', '']
        for f in fields.record(header, c_name):
            out.append(f'    {f.name}: int')
            if f.doc:
                out.append(f'    """{text_of(f.doc, header, {})}"""')
    return '\n'.join(out + [''])


# Of the classes that are made by calling them. "**options" are the fields of the options struct.
SIGNATURES = {
    'Device': 'ordinal=0', 'Stream': 'device, nonblocking=None, priority=0',
    'Event': 'device, timing=False, blocking_sync=False, interprocess=False', 'Buffer': 'device, length, stream',
    'Program': 'source, type=1, *, headers=None, extra_sources=None, **options', 'Linker': '**options', 'Cache': 'directory=None, **options', 'Queue': 'spin_ns=0, sweep_ns=0',
}
CLASS_COMMENTS = {'Program': 'cucore_program', 'Linker': 'cucore_linker', 'Cache': 'cucore_cache'}


def field_lines(struct, header):
    return ['', text_of(struct.doc.text, header, {}), ''] + [f'{f.name}: {text_of(f.doc, header, {})}' for f in struct.fields]


def docs(header, members):
    """The docstrings of the classes: what making one does."""
    table = {m.function: m for m in members}
    out = ['"""The docstrings of the classes that are made by calling them."""', '# Generated from cucore.h.', 'DOCS = {']
    for m in members:
        if m.kind != 'constructor' or m.owner not in SIGNATURES:
            continue
        function = header.functions[m.function]
        tr = lambda t: text_of(t, header, table)
        lines = [f'{m.owner}({SIGNATURES[m.owner]})', '--', '', tr(function.doc.text), '']
        names = {'data': 'source'}  # as Python has it
        lines += [f':param {names.get(n, n)}: {tr(t)}' for n, t in words.parameters(m, function) if n != 'options']
        lines += [f':raises {exception(c)}: {tr(t)}' for c, t in function.doc.retvals if c not in OF_C]
        if m.owner in CLASS_COMMENTS:
            lines += field_lines(header.structs[CLASS_COMMENTS[m.owner] + '_options'], header)
        out.append(f'    "{m.owner}": {chr(10).join(lines)!r},')
    return '\n'.join(out + ['}', ''])


def enums(header):
    out = ['"""The enumerations of the library."""', '# Generated from cucore.h.', 'from enum import IntEnum', '']
    for e in header.enums:
        out += ['', f'class {e.name}(IntEnum):', f'    """{e.doc.text}"""', '']
        for i in e.items:
            out.append(f'    {i.short} = {i.value}')
            if i.doc:
                out.append(f'    """{i.doc}"""')
        out += ['', '    @classmethod', f'    def _missing_(cls, value: object) -> "{e.name}":',
                '        # Later versions of the library, and drivers, may give numbers that have no name here.',
                '        if not isinstance(value, int):', '            raise ValueError(f"{value!r} is not a {cls.__name__}")',
                '        member = int.__new__(cls, value)', '        member._name_ = f"UNKNOWN_{value}"',
                '        member._value_ = value', '        return member', '']
    return '\n'.join(out)
