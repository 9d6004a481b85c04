# SPDX-License-Identifier: Apache-2.0
"""Reads the public header: its functions, enums and options structs, each with its comment.

Only the header contains descriptions. The tools in this folder copy the descriptions, the enums and the
names of option fields to each language.
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'tools'))
import header_text  # noqa: E402


@dataclass
class Doc:
    """A comment of the header, split into parts."""
    text: str = ''                               # paragraphs, parted by an empty line
    params: dict = field(default_factory=dict)   # name -> text
    retvals: list = field(default_factory=list)  # (CUCORE_ERROR_X, text)
    since: str = ''


@dataclass
class Function:
    name: str
    doc: Doc
    parameters: list  # names
    types: list       # of the parameters, "const cucore_device *"; an array has its size, "const uint8_t[32]"
    result: str       # "void", "cucore_status", "const char *"


@dataclass
class Item:
    name: str   # CUCORE_CODE_TYPE_PTX
    short: str  # PTX
    value: int
    doc: str


@dataclass
class Enum:
    c_name: str
    name: str  # CodeType
    doc: Doc
    items: list


@dataclass
class Field:
    name: str
    kind: str   # text, toggle, number, texts ... as in KINDS, or the C type
    count: str  # of a list: the field that holds its length
    doc: str
    sizes: str = ''  # of a list of bytes: the field that holds their sizes


@dataclass
class Struct:
    name: str
    doc: Doc
    fields: list
    names: list  # of all fields, with those that only C has


@dataclass
class Header:
    functions: dict
    enums: list
    structs: dict
    handles: list
    handle_docs: dict

    def enum(self, c_name):
        return next((e for e in self.enums if e.c_name == c_name), None)

    def item(self, name):
        """(enum, item) of an enumerator's C name, or None."""
        return next(((e, i) for e in self.enums for i in e.items if i.name == name), None)


def camel(snake):
    return ''.join(part.capitalize() for part in snake.split('_'))


def clean(comment):
    """The words of a comment without its stars, paragraph by paragraph."""
    lines = [re.sub(r'^\s*\*? ?', '', line) for line in comment.splitlines()]
    return '\n'.join(line.strip() for line in lines).strip()


def result(text):
    """Converts the comment of an output to that of a result, which a language returns."""
    return text.removeprefix('receives ').removesuffix('; its struct_size must be set')


def parse_doc(comment):
    doc = Doc()
    parts = re.split(r'(?:^|\s)@(param|retval|since)\s+', clean(comment))
    paragraphs = re.split(r'\n\s*\n', parts[0])
    doc.text = '\n\n'.join(' '.join(p.split()) for p in paragraphs if p.strip())
    for tag, body in zip(parts[1::2], parts[2::2]):
        words = ' '.join(body.split())
        if tag == 'since':
            doc.since = words
            continue
        name, _, text = words.partition(' ')
        if tag == 'param':
            doc.params[name] = result(text.strip()) if name == 'out' else text.strip()
        else:
            doc.retvals.append((name, text.strip()))
    return doc


def parse_type_doc(comment):
    """Of an enum or a struct, whose comment is one line in every language."""
    doc = parse_doc(comment)
    doc.text = ' '.join(doc.text.split())
    return doc


def enum_prefix(names):
    """Returns the common prefix of all enumerators, up to an underscore."""
    first = names[0]
    length = min(next((i for i, (a, b) in enumerate(zip(first, n)) if a != b), min(len(first), len(n)))
                 for n in names)
    return first[:first.rfind('_', 0, length) + 1]


def parse_enum(doc, body, c_name):
    items = []
    for m in re.finditer(r'(CUCORE_\w+)\s*=\s*(\w+),?\s*(?:/\*\*<(.*?)\*/)?', body, re.S):
        if not m[1].endswith('_FORCE_INT32'):
            items.append(Item(m[1], '', int(m[2], 0), ' '.join(clean(m[3] or '').split())))
    prefix = enum_prefix([i.name for i in items])
    for item in items:
        item.short = re.sub('^ERROR_', '', item.name[len('CUCORE_'):]) if c_name == 'cucore_status' \
            else item.name[len(prefix):]
    name = camel(re.sub(r'^cucore_|_name$', '', c_name))
    return Enum(c_name, name, parse_type_doc(doc), items)


KINDS = {'const char *': 'text', 'cucore_toggle': 'toggle', 'int32_t': 'number',
         'const char *const *': 'texts', 'const int32_t *': 'numbers', 'const void *const *': 'blobs',
         'uint32_t': 'uint32', 'uint64_t': 'uint64', 'const cucore_key *': 'key'}


def parse_struct(doc, body, name):
    raw = []
    for m in re.finditer(r'^\s*([a-z][\w \*]*?[\s\*])(\w+)(\[\d+\])?;[ \t]*(?:/\*\*<(.*?)\*/)?',
                         body, re.S | re.M):
        ctype = re.sub(r'\s+', ' ', m[1]).strip().replace('char*', 'char *')
        raw.append((m[2], ctype + (m[3] or ''), ' '.join(clean(m[4] or '').split())))
    counts = [f for f, ctype, _ in raw if ctype == 'size_t' and f.endswith('_count')]
    fields, pending = [], []
    for f, ctype, text in raw:
        if f in counts and pending:
            for earlier in pending:
                earlier.count = f
                if earlier.kind == 'key':
                    earlier.kind = 'keys'
            pending = []
            continue
        if f == 'struct_size' or (f.startswith('reserved') and ctype != 'uint64_t'):
            continue
        if ctype == 'const size_t *':
            pending[-1].sizes = f
            continue
        item = Field(f, KINDS.get(ctype, ctype), '', text)
        if item.kind == 'number' and text.startswith('1: '):
            item.kind, item.doc = 'flag', text[len('1: '):]  # a yes or no
        if item.kind in ('texts', 'numbers', 'blobs') or (item.kind == 'key' and f.endswith('s')):
            pending.append(item)
        fields.append(item)
    return Struct(name, parse_type_doc(doc), fields, [f for f, _, _ in raw])


# Types of tables of functions that threads of the library call, which no language has.
NOT_IN_BINDINGS = ('cucore_cache_answer',)


def read(path):
    return read_all([path])


def read_all(paths):
    """libcucore's header, and those of libraries that are built on it."""
    return parse('\n'.join(header_text.read(path) for path in paths))


def parse(text):
    """The declarations of a header's text."""
    comment = r'/\*\*(?!<)((?:(?!\*/).)*)\*/\s*'
    functions, enums, structs = {}, [], {}
    for m in re.finditer(comment + r'[A-Z_]+_API\s+([^;]*?)([a-z]+_\w+)\(([^;]*?)\);', text, re.S):
        parsed = [parameter(p) for p in split_parameters(m[4]) if p.strip() != 'void']
        functions[m[3]] = Function(m[3], parse_doc(m[1]), [n for n, _ in parsed], [t for _, t in parsed], spaced(m[2]))
    for m in re.finditer(comment + r'typedef enum \w+ \{(.*?)\} (\w+);', text, re.S):
        if m[3] not in NOT_IN_BINDINGS:
            enums.append(parse_enum(m[1], m[2], m[3]))
    for m in re.finditer(comment + r'typedef struct \w+ \{(.*?)\} (\w+);', text, re.S):
        structs[m[3]] = parse_struct(m[1], m[2], m[3])
    return Header(functions, enums, structs, *read_handles(text))


def read_handles(text):
    """The handle types, and the comment behind or before each."""
    handles = {}
    for m in re.finditer(r'(?:/\*\*(?!<)([^/]*)\*/\s*)?typedef struct ([a-z]+_\w+) +\2;[ \t]*(?:/\*\*<(.*?)\*/)?', text):
        handles[m[2]] = ' '.join(clean(m[3] or m[1] or '').split()).rstrip('.')
    return list(handles), handles


def split_parameters(text):
    """Parameters, also where one is a function pointer."""
    return re.sub(r'\(\*(\w+)\)\([^)]*\)', r' \1', text).split(',')


def spaced(ctype):
    """A C type in one spelling: "const char *"."""
    return re.sub(r'\s*\*', ' *', ' '.join(ctype.split())).replace('* *', '**').strip()


def parameter(text):
    """Returns (name, type) of a declaration."""
    ctype, name, size = re.fullmatch(r'\s*(.*?)(\w+)\s*((?:\[\w*\])?)\s*', text, re.S).groups()
    return name, spaced(ctype) + size


def exported(map_file):
    """The names in the version script: the public functions."""
    return sorted(set(re.findall(r'\b(cucore_\w+);', Path(map_file).read_text(encoding='utf-8'))))
