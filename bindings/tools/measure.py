#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how much of the bindings is written by hand.

  measure.py ROOT            prints the figures
  measure.py ROOT --check    also fails if one is above its limit

The figures:
- lines: non-blank lines under bindings/ per public function, without tests (test/, try_*) and licence lines
- facts: entries of hand-kept tables that name an element of the API (rows of api/*.toml, entries of
  literals in tools/*.py, directives of .i files, lists of handle types in C++)
- types: files under bindings/, without tests, that name the handle type of the library in
  tests/second_library, and the files that add it to the languages
"""
import ast
import re
import sys
import tomllib
from pathlib import Path

import array_natives
import header

# Facts elsewhere are slots of Python's types, typemaps of single classes, and kinds of fields.
LIMITS = {'lines': 94.8, 'facts': 220, 'elsewhere': 35, 'types': 8}
TEXT = {'.py', '.pyi', '.i', '.hpp', '.cpp', '.java', '.cs', '.toml', '.build', '.md', '.in', '.txt', '.csproj', '.props',
        '.targets', '.ini', '.sh'}
NOT_COUNTED = {'test', 'exchange', 'coverage', '__pycache__'}
DIRECTIVE = re.compile(r'^\s*%(rename|ignore|quick|newobject|for_package|python_\w+|csmethodmodifiers|javamethodmodifiers|'
                       r'noexception|feature|typemap)\b(.*)')
OF_MEMBER = re.compile(r'\b[A-Z]\w+::\w+')
LISTED = re.compile(r'^\s*(CUCORE_COUNTED\(\w|case Type::(?!Class|COUNT)|typedef cucore_\w+ [A-Z]\w+;|constexpr const char\* CLASS_NAME<cucore|'
                    r'return cucore_\w+_release\()')


def files(root):
    for path in sorted((root / 'bindings').rglob('*')):
        if path.is_file() and path.suffix in TEXT and not NOT_COUNTED & set(path.relative_to(root).parts) and \
                not path.name.startswith('try_'):
            yield path


def lines(root):
    return sum(1 for path in files(root) for line in path.read_text(encoding='utf-8').splitlines() if line.strip() and 'SPDX' not in line)


class Names:
    """The names of the API: an entry that has one is a fact about it."""

    def __init__(self, root):
        read = header.read(root / 'include/cucore.h')
        self.words = set(read.functions) | set(read.structs) | set(read.handles)
        self.words |= {p for f in read.functions.values() for p in f.parameters}
        self.words |= {f for s in read.structs.values() for f in s.names}
        self.classes = {header.camel(h.replace('cucore_', '')) for h in read.handles} | {'ObjectCode'}
        self.classes |= {header.camel(s.replace('cucore_', '')) for s in read.structs} | {'Keys', 'Images', 'Batch', 'CacheEntries'}
        self.words |= self.classes
        self.words -= {*header.KINDS.values(), *array_natives.READ, *array_natives.GIVEN, *array_natives.MEMORY} | {'name', 'names', 'type', 'size', 'key', 'keys', 'number', 'flag'}

    def has_class(self, text):
        """Whether a directive names a class of the API, or a member of one."""
        return bool(OF_MEMBER.search(text) and '::NAME' not in text) or any(w in self.classes for w in re.findall(r'\w+', text.replace('EnumClass', '')))

    def has(self, text):
        parts = re.split(r'::|\.', text)
        return text.startswith('cucore_') or '::' in text or parts[0] in self.words


def leaves(node, names, inside=False):
    """How many values a literal has under keys that name an element of the API."""
    if isinstance(node, ast.Dict):
        return sum(leaves(v, names, inside or (isinstance(k, ast.Constant) and isinstance(k.value, str) and names.has(k.value)))
                   for k, v in zip(node.keys, node.values))
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return sum(leaves(e, names, inside) for e in node.elts)
    return int(inside or (isinstance(node, ast.Constant) and isinstance(node.value, str) and names.has(node.value)))


def tables_of_tools(root, names):
    count = 0
    for path in (root / 'bindings/tools').glob('*.py'):
        for node in ast.parse(path.read_text(encoding='utf-8')).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Dict, ast.Tuple, ast.List, ast.Set)):
                count += leaves(node.value, names)
    return count


def directives(root, names):
    """Directives of SWIG that name a class, or a member of one."""
    count = 0
    for path in (root / 'bindings/swig').rglob('*.i'):
        for line in path.read_text(encoding='utf-8').splitlines():
            found = DIRECTIVE.match(line)
            count += bool(found and names.has_class(found[2]))
    return count


def lists_of_types(root):
    return sum(bool(LISTED.match(line)) for path in files(root) if path.suffix in ('.hpp', '.cpp', '.i')
               for line in path.read_text(encoding='utf-8').splitlines())


def rows_of_table(value):
    if isinstance(value, dict):
        return sum(rows_of_table(v) for v in value.values())
    return sum(rows_of_table(v) for v in value) if isinstance(value, list) else 1


def facts(root):
    """(in the table, elsewhere)."""
    names = Names(root)
    table = sum(rows_of_table(tomllib.loads(p.read_text(encoding='utf-8'))) for p in (root / 'bindings/api').glob('*.toml'))
    return table, tables_of_tools(root, names) + directives(root, names) + lists_of_types(root)


def of_second_type(root):
    """The files that a new handle type touches: those of the second library are the example."""
    named = [p for p in files(root) if re.search(r'second_counter|\bCounter\b', p.read_text(encoding='utf-8')) and p.name != Path(__file__).name]
    folder = root / 'tests/second_library'
    own = [p for p in (folder / 'bindings').glob('*') if re.search(r'second_counter|\bCounter\b', p.read_text(encoding='utf-8'))] \
        if (folder / 'bindings').exists() else []
    return [p.relative_to(root) for p in [*named, *own, folder / 'second.h']]


def main(root, check=False):
    functions = sum(len(header.exported(root / 'src' / name)) for name in ('cucore/cucore.map', 'array/cucore_array.map', 'perf/cucore_perf.map'))
    table, elsewhere = facts(root)
    touched = of_second_type(root)
    figures = {'lines': lines(root) / functions, 'facts': table + elsewhere, 'elsewhere': elsewhere, 'types': len(touched)}
    print(f'{lines(root)} lines for {functions} functions: {figures["lines"]:.1f} per function')
    print(f'{figures["facts"]} facts: {table} in the table, {elsewhere} elsewhere')
    print(f'{len(touched)} files for a handle type:', *touched)
    failed = [f'{name} is {figures[name]:.1f}; expected at most {limit}' for name, limit in LIMITS.items() if figures[name] > limit]
    if check:
        print(*failed, sep='\n')
    return 1 if check and failed else 0


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1]), '--check' in sys.argv))
