# SPDX-License-Identifier: Apache-2.0
"""The API as the bindings have it: the header, the table api/*.toml, and the conventions between them."""
import fnmatch
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import header as headers
from header import camel

FOLDER = Path(__file__).resolve().parent.parent
SCALARS = {'int32_t', 'int64_t', 'uint32_t', 'uint64_t', 'size_t', 'float', 'double', 'cucore_node'}


@dataclass
class Class:
    """A handle type."""
    c: str     # cucore_objectcode
    name: str  # ObjectCode
    doc: str
    functions: list = field(default_factory=list)  # in the header's order, without retain and release

    @property
    def constructor(self):
        return next((f for f in self.functions if f.name in (self.c + '_create', self.c + '_open')), None)


class Table:
    """The rows of all tables, those of libraries that are built on libcucore behind libcucore's own."""

    def __init__(self, paths):
        self.rows = {}
        for path in paths:
            for name, section in tomllib.loads(Path(path).read_text(encoding='utf-8')).items():
                for key, value in section.items():
                    known = self.rows.setdefault(name, {})
                    known[key] = known[key] + value if isinstance(value, list) and key in known else value

    def get(self, section, key, default=None):
        return self.rows.get(section, {}).get(key, default)


class Api:
    def __init__(self, header_paths, written, table_paths=(), language=''):
        self.language = language
        self.includes = [Path(p).name for p in header_paths]
        self.header = headers.read_all(header_paths)
        self.table = Table([FOLDER / 'api/cucore.toml', *table_paths])
        for struct in self.header.structs.values():
            struct.fields = [f for f in struct.fields if f'{struct.name}.{f.name}' not in self.table.rows['of_c']]
        # functions that are members of a .i file, or that have arguments of a launch: the layers convert those
        self.written = written | {f.name for f in self.header.functions.values() if 'const cucore_argument *' in f.types}
        self.renamed = {}       # C function -> {name of a parameter in C: its name here}
        self.properties = {}    # C function that cannot fail -> its type here
        self.classes = [self._class(h) for h in self.header.handles
                        if not h.endswith('_error') and not self.unreachable(h + '_create')]
        for function in self.header.functions.values():
            owner = self.owner(function.name)
            if owner and not re.search('_(retain|release)$', function.name):
                owner.functions.append(function)

    def _class(self, c):
        name = self.table.get('classes', 'names').get(c) or camel(c.split('_', 1)[1])
        doc = self.header.handle_docs[c]
        return Class(c, name, doc[0].upper() + doc[1:] + '.')

    def owner(self, function):
        """The class with the longest name before the function's own: that of x_axle_cap_turn is x_axle_cap."""
        return max((c for c in self.classes if function.startswith(c.c + '_')), key=lambda c: len(c.c), default=None)

    def of_type(self, ctype):
        """The class of a pointer to a handle, or None."""
        c = ctype.removeprefix('const ').removesuffix(' *')
        return next((k for k in self.classes if k.c == c), None) if ctype.endswith(' *') else None

    def member_name(self, function):
        return self.table.get('members', function.name) or function.name[len(self.owner(function.name).c) + 1:]

    def class_name(self, name, language):
        """A class of the .i files as users of a language write it; a helper as its layer does."""
        if self.is_helper(name):
            return ('_' if language == 'python' else 'Native') + name
        listed = self.table.get('classes', 'cuda') + (self.table.get('classes', 'cuda_csharp') if language == 'csharp' else [])
        return 'Cuda' + name if language != 'python' and name in listed else name

    def is_helper(self, name):
        return name in self.table.get('classes', 'helpers') or name in [camel_of(s) for s in self.options_classes()]

    def function(self, name):
        if name not in self.header.functions:
            raise SystemExit(f'the header has no {name}')
        return self.header.functions[name]

    def is_query(self, function):
        """It reports whether work is complete."""
        return function.name.endswith('_query') and function.types[1:] == ['int32_t *', 'cucore_error **']

    def is_synchronize(self, function):
        """It waits for work without a time limit."""
        return function.name.endswith('_synchronize') and function.types[1:] == ['cucore_error **']

    def unreachable(self, function):
        patterns = [*self.table.rows['unreachable'], *self.table.rows.get(f'unreachable_{self.language}', ())]
        return any(fnmatch.fnmatch(function, pattern) for pattern in patterns)

    def constructor_options(self, owner):
        """The options struct that makes an object, or None."""
        of = owner and owner.constructor
        found = [t for t in of.types if t.endswith('_options *')] if of and of.name not in self.written else []
        return self.header.structs[found[0].removeprefix('const ').removesuffix(' *')] if found else None

    def made_of_options(self, owner):
        """The options class of a type whose constructor takes nothing else, or ''."""
        struct = self.constructor_options(owner)
        if struct is None or is_plain(struct) or len(owner.constructor.parameters) != 3:
            return ''
        return camel_of(struct)

    def options_classes(self):
        """The structs that cross field by field: those with a field that is not a number."""
        return [s for s in filter(None, map(self.constructor_options, self.classes)) if not is_plain(s)]

    def constant_properties(self):
        """{C function: its type here} of the properties that Java and C# store."""
        changing = self.table.get('properties', 'changing')
        return {f: t for f, t in self.properties.items() if not any(fnmatch.fnmatch(f, each) for each in changing)}


def is_plain(struct):
    """Whether every field can be a parameter of its own."""
    return all(f.kind in ('toggle', 'number', 'flag', 'uint64') or f.kind in SCALARS for f in struct.fields)


def is_record(struct):
    """Whether a call fills it with several numbers alone: every language makes a record of them."""
    return struct.name.endswith('_info') and len(struct.fields) > 1 and all(f.kind in ('uint64', 'int64_t') for f in struct.fields)


def camel_of(struct):
    return camel(struct.name.split('_', 1)[1])
