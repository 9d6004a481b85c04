# SPDX-License-Identifier: Apache-2.0
"""The places at which users of a language find a C function. It is in the language's own layer, by the marks there, or
it is the member that SWIG makes of it.

A mark stands before the member: "//: cucore_x", in Python "#: cucore_x". "//: also cucore_x" names a further function
that the member stands for.
"""
import re
from dataclasses import dataclass

from api import FOLDER, is_plain
from header import camel


@dataclass
class Place:
    owner: str  # class, '' for a function of Python
    name: str   # '' for a constructor
    is_property: bool = False

    def __str__(self):
        return f'{self.owner}.{self.name}' if self.owner and self.name else self.owner or self.name


PYTHON_MARK = re.compile(r'\s*#: ((?:[a-z]+_\w+ ?)+)$')
MARK = re.compile(r'\s*//: (?:also )?([a-z]+_\w+)')
PYTHON_ROW = re.compile(r'(?:_cucore\._extend|@member)\((\w+), "(\w+)"(?:, (property|_property))?')


def python_place(line, owner, decorator):
    row = PYTHON_ROW.match(line)
    if row:
        return Place(row[1], row[2], bool(row[3]))
    return Place(owner, re.match(r'def (\w+)', line)[1], decorator == '@property')


def of_python():
    found = {}
    for path in sorted((FOLDER / 'python/cucore').glob('*.py')):
        lines = path.read_text(encoding='utf-8').splitlines()
        owner = ''
        for before, mark, line in zip(['', *lines], lines, lines[1:]):
            if mark[:1].strip():
                owner = (re.match(r'class (\w+)', mark) or ['', ''])[1]
            m = PYTHON_MARK.match(mark)
            for function in m[1].split() if m else ():
                found.setdefault(function, python_place(line.strip(), owner if mark[0] == ' ' else '', before.strip()))
    for m in re.finditer(r'//: (\w+)\s+\{"(\w+)"', (FOLDER / 'python/src/module.cpp').read_text(encoding='utf-8')):
        found[m[1]] = Place('', m[2])
    return found


def braced_place(owner, declaration):
    """The member that a declaration of Java or C# begins."""
    declaration = declaration.partition(';')[0].partition(' = ')[0]
    declaration = re.sub(r'\([^()]*\) (?=\w+ *[({])', '', declaration)  # the tuple that it returns
    name = re.search(r'(\w+)\s*(?:<\w+>)?\s*([({])', declaration) or re.search(r'(\w+)\s*()$', declaration)
    return Place(owner, '' if name[1] == owner else name[1], name[2] != '(')


def of_braces(paths):
    found = {}
    for path in paths:
        owner, waiting = '', []
        for line in path.read_text(encoding='utf-8').splitlines():
            m = re.match(r'(?:\w+ )*(?:class|struct|enum) (\w+)', line)
            owner = m[1] if m and not waiting else owner
            mark = MARK.match(line)
            if mark:
                waiting.append(mark[1])
            elif waiting and not re.match(r'\s*(//|/?\*|\[)', line):
                for function in waiting:
                    found.setdefault(function, braced_place(owner, line.strip()))
                waiting = []
    return found


def in_layer(language):
    """{C function: its place in the language's own layer}."""
    if language == 'python':
        return of_python()
    if language == 'java':
        return of_braces([*sorted((FOLDER / 'java/members').glob('*.java')), *sorted((FOLDER / 'java/src').rglob('*.java'))])
    return of_braces(sorted((FOLDER / 'csharp/src').glob('*.cs')))


def lower(snake):
    name = camel(snake)
    return name[0].lower() + name[1:]


def java_property(name):
    name = 'native_handle' if name == 'native' else name
    return lower(name) if name.split('_')[0] in ('is', 'has') else 'get' + camel(name)


class Places:
    """The places of all functions in one language."""

    def __init__(self, api, language, members):
        self.api, self.language, self.layer = api, language, in_layer(language)
        self.members = {}
        for m in members:
            self.members.setdefault(m.function, m)

    def is_hidden(self, member):
        """Users do not need it, or the layer has a fuller member for it."""
        if self.api.unreachable(member.function):
            return True
        if self.language == 'csharp' and self.is_wait(member.function):
            return True
        if member.kind == 'constructor' and self.is_generated(self.api.owner(member.function)):
            return True
        return member.function in self.layer and member.function not in self.api.table.get('visible', self.language, ())

    def is_wait(self, function):
        """Whether C# has a quick form of a query, or a form of a wait that Mono can end."""
        declared = self.api.function(function)
        return self.api.owner(function) is not None and (self.api.is_query(declared) or self.api.is_synchronize(declared))

    def is_generated(self, owner):
        """Whether a constructor over that of SWIG is generated."""
        return self.language != 'python' and owner is not None and bool(self.api.made_of_options(owner)) or \
            self.language == 'csharp' and self.has_plain_options(owner)

    def has_plain_options(self, owner):
        """Whether C# makes a class of the options that are parameters elsewhere."""
        struct = self.api.constructor_options(owner)
        return struct is not None and is_plain(struct)

    def member_name(self, member):
        if self.language == 'python':
            return member.name
        if self.language == 'java':
            return java_property(member.name) if member.kind == 'property' else lower(member.name)
        prefix = 'Get' if member.function in self.api.table.get('names', 'csharp_getters') else ''
        return prefix + camel(member.name)

    def find(self, function):
        """The place, or None where users need none."""
        listed = self.api.table.get('names', self.language, {}).get(function)
        if self.api.unreachable(function):
            return None
        if listed:
            return Place(*listed.rsplit('.', 1))
        if function in self.layer:
            return self.layer[function]
        if function in self.members:
            m = self.members[function]
            owner = self.api.class_name(m.owner, self.language) if m.owner else ''
            return Place(owner, '' if m.kind == 'constructor' else self.member_name(m), m.kind == 'property')
        error = re.match(r'[a-z]+_error_(\w+)', function)
        if error:
            return self.of_error(self.api.table.get('members', function) or error[1])
        return None

    def of_error(self, name):
        if self.language == 'python':
            return Place('Error', name, True)
        return Place('CucoreException', lower(name) if self.language == 'java' else camel(name), self.language == 'csharp')

    def text(self, function):
        """The place in prose, "Device.count", or None."""
        place, owner = self.find(function), self.api.owner(function)
        if owner and function.endswith('_release'):
            return self.api.class_name(owner.name, self.language) + ('.Dispose' if self.language == 'csharp' else '.close')
        is_new = place and not place.name and self.language != 'python'
        return None if place is None else ('new ' if is_new else '') + str(place)
