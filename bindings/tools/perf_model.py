# SPDX-License-Identifier: Apache-2.0
"""The declarations of cucore_perf.h as the languages call them: structs with all their fields, enumerations and functions.

api/perf.toml has their names in the languages, where the conventions below do not determine them.
"""
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import header as headers
from header import camel

TABLE = tomllib.loads((Path(__file__).resolve().parent.parent / 'api/perf.toml').read_text(encoding='utf-8'))
CLASSES, MEMBERS = TABLE['classes'], TABLE['members']


@dataclass
class Field:
    name: str
    c_type: str  # without an array's size
    count: int   # of an array; else 1
    doc: str

    @property
    def is_shown(self):
        """Users do not see sizes and reserved fields."""
        return self.name != 'struct_size' and not re.match(r'reserved(_\d+)?$', self.name)

    @property
    def is_flag(self):
        return self.c_type == 'int32_t' and self.doc.startswith('1: ')


@dataclass
class Struct:
    name: str
    doc: str
    fields: list

    @property
    def is_result(self):
        return self.name in CLASSES

    @property
    def class_name(self):
        return CLASSES.get(self.name) or camel(self.name.removeprefix('cucore_'))

    @property
    def shown(self):
        return [f for f in self.fields if f.is_shown]


FIELD = re.compile(r'^\s*([a-z][\w \*]*?[\s\*])(\w+)(?:\[(\d+)\])?;[ \t]*(?:/\*\*<(.*?)\*/)?', re.S | re.M)
POINTER = re.compile(r'\*\s*$')


def struct_of(text, name):
    found = re.search(r'/\*\*(?!<)((?:(?!\*/).)*)\*/\s*typedef struct ' + name + r' \{(.*?)\} ' + name + ';', text, re.S)
    fields = []
    for m in FIELD.finditer(found[2]):
        c_type = re.sub(r'\s+', ' ', m[1]).strip()
        fields.append(Field(m[2], c_type, int(m[3] or 1), ' '.join(headers.clean(m[4] or '').split())))
    return Struct(name, headers.parse_type_doc(found[1]).text, fields)


class Model:
    def __init__(self, include):
        include = Path(include)
        own = (include / 'cucore_perf.h').read_text(encoding='utf-8')
        core = '\n'.join(p.read_text(encoding='utf-8') for p in sorted((include / 'cucore').glob('*.h')))
        self.header = headers.parse(own)
        self.core = headers.parse(core)
        self.enums = self.header.enums
        self.structs = [struct_of(own, name) for name in self.header.structs]
        self.reused = [struct_of(core, name) for name in TABLE['reused']['structs']]
        self.functions = [*self.header.functions.values(), *(self.core.functions[n] for n in TABLE['reused']['functions'])]
        self.enum_names = {e.c_name for e in [*self.header.enums, *self.core.enums]}
        self.own_enums = {e.c_name: e.name for e in self.header.enums}

    def results(self):
        return [s for s in self.structs if s.is_result]


def layout(struct, model):
    """(field, offset) of each, and the size: of the 64-bit ABI."""
    at, most, found = 0, 1, []
    for each in struct.fields:
        size = size_of(each.c_type, model)
        at = (at + size - 1) // size * size
        found.append((each, at))
        at += size * each.count
        most = max(most, size)
    return found, (at + most - 1) // most * most


def size_of(c_type, model):
    if POINTER.search(c_type) or c_type in ('size_t', 'uint64_t', 'int64_t', 'double') or c_type.endswith('_fn'):
        return 8
    if c_type in ('int32_t', 'uint32_t') or c_type in model.enum_names or c_type == 'cucore_status':
        return 4
    raise SystemExit(f'no convention for a field of the type {c_type}; add one to perf_model.py')


# Lifetimes of memory, which the languages copy.
ONLY_OF_C = re.compile(r'\s*(?:The \w+ owns the strings?|Each string is copied|The (?:name|string) is copied)\.|; the measurement owns it|\. Copied\b')


def spelled(text, model, member, item, null):
    """A comment or message of the header in the words of a language."""
    def function(m):
        return member(m[1]) if m[1] in MEMBERS or m[1] in model.header.functions else m[0]

    def enumerator(m):
        found = model.header.item(m[0]) or model.core.item(m[0])
        return item(*found) if found else m[0]

    text = re.sub(ONLY_OF_C, '', text)
    text = re.sub(r'\b(cucore_\w+)\(\)', function, text)
    text = re.sub(r'\bCUCORE_[A-Z0-9_]+\b', enumerator, text)
    text = re.sub(r'\bcucore_(\w+)\b', lambda m: model.own_enums.get(m[0]) or CLASSES.get(m[0]) or m[0], text)
    return re.sub(r'\bNULL\b', null, text)


def member(name, model, language):
    """A function as users of a language write it: "Profiler.begin" of cucore_profiler_begin."""
    listed = MEMBERS.get(name)
    if listed is None:
        owner = next(h for h in model.header.handles if name.startswith(h + '_'))
        listed = f'{camel(owner.removeprefix("cucore_"))}.{name.removeprefix(owner + "_")}'.replace('.release', '.close')
    if language == 'python':
        return listed
    owner, _, own = re.sub('^perf', 'Perf', listed).partition('.')
    if language == 'csharp':
        return owner + ('.' + camel(own).replace('Close', 'Dispose') if own else '')
    return owner + ('.' + own.split('_')[0] + camel('_'.join(own.split('_')[1:])) if own else '')


def is_property(name, language):
    found = r'\.(rows|findings|kernels|source|times)$' if language == 'python' else r'\.(Rows|Findings|Kernels|Source|Times)$' if language == 'csharp' else r'^$'
    return re.search(found, name) is not None or '.' not in name


def spellings(language):
    """Text in a message of libcucore-perf -> its form for users of a language."""
    model = Model(Path(__file__).resolve().parents[2] / 'include')
    table = {}
    for name in model.header.functions:
        if not name.endswith('_retain'):
            found = member(name, model, language)
            table[name] = found if is_property(found, language) else found + '()'
    for handle in model.header.handles:
        table[handle] = camel(handle.removeprefix('cucore_'))
    for struct in model.structs:
        table[struct.name] = struct.class_name
        owner = '' if language == 'python' and not struct.is_result else struct.class_name + '.'
        for field in struct.fields:
            own = field.name if language == 'python' else camel(field.name) if language == 'csharp' else field.name.split('_')[0] + camel('_'.join(field.name.split('_')[1:]))
            table[f'{struct.name}.{field.name}'] = owner + own
    for enum in model.enums:
        table[enum.c_name] = enum.name
        for item in enum.items:
            table[item.name] = f'{enum.name}.{camel(item.short) if language == "csharp" else item.short}'
    return table
