# SPDX-License-Identifier: Apache-2.0
"""Puts the .i files and the generated classes together, and documents their members from the header.

A line "//: cucore_stream_create" before a member names its C function, whose comment becomes the
member's. A member without a C function has a comment of its own instead.
"""
import re
from dataclasses import dataclass
from pathlib import Path

MARK = re.compile(r'^(\s*)//: ([a-z]+_\w+)\s*$')


@dataclass
class Member:
    """A member of the bindings and the C function behind it, or ''."""
    owner: str       # class, '' for a function
    name: str
    function: str
    kind: str        # constructor, method, static, property, function
    parameters: list
    defaults: list   # of the parameters, '' for none
    declared: list   # the parameters with their types
    result: str

    @property
    def is_void(self):
        return self.result == 'void'

    @property
    def path(self):
        return f'{self.owner}::{self.name}' if self.owner else self.name


LANGUAGE = re.compile(r'#(if|elif) (!?)defined\(SWIG(PYTHON|JAVA|CSHARP)\)$')


def of_language(lines, language):
    """The lines that are for one language. Conditions about something else stay."""
    # of each #if around: [its lines are taken, some branch was]; None for other conditions
    out, around = [], []
    for line in lines:
        m = LANGUAGE.match(line)
        if m:
            holds = (m[3].lower() == language) != bool(m[2])
            before = m[1] == 'elif' and around.pop()[1]
            around.append([holds and not before, holds or before])
            continue
        if line.startswith('#if'):
            around.append(None)
        if line == '#else' and around[-1]:
            around[-1][0] = not around[-1][1]
            continue
        ends = around.pop() if line == '#endif' else None
        if not ends and all(each is None or each[0] for each in around):
            out.append(line)
    return out


def flatten(path):
    """The lines of a .i file with its own %includes put in; SWIG's libraries stay as they are."""
    lines = []
    for line in Path(path).read_text(encoding='utf-8').splitlines():
        m = re.match(r'\s*%include "([\w/]+\.i)"', line)
        target = path.parent / m[1] if m else None
        if m and not target.exists():
            target = ROOT / m[1]
        if m and target.exists():
            lines += flatten(target)
        else:
            lines.append(line)
    return lines


ROOT = Path(__file__).resolve().parent.parent / 'swig'


def declaration(lines, at):
    """The first words of the declaration at a line: up to its body or its semicolon."""
    text = ' '.join(l.strip() for l in lines[at:at + 6])
    return re.split(r'[{;]', text)[0]


def member_at(lines, at, owner, function):
    text = declaration(lines, at)
    m = re.search(r'(\w+)\s*\((.*)\)', text)
    if not m:
        return Member(owner, re.findall(r'\w+', text)[-1], function, 'property', [], [], [], text.strip())
    declared = [p for p in m[2].split(',') if p.strip() not in ('', 'void')]
    parameters = [re.findall(r'\w+', p.split('=')[0])[-1] for p in declared]
    defaults = [p.partition('=')[2].strip() for p in declared]
    kind = 'function' if not owner else 'constructor' if m[1] == owner else \
        'static' if text.strip().startswith('static') else 'method'
    result = text[:m.start()].strip().removeprefix('static ')
    return Member(owner, m[1], function, kind, parameters, defaults, declared, result)


def walk(lines):
    """Yields the index of each mark and the member behind it."""
    owner = ''
    for i, line in enumerate(lines):
        m = re.match(r'(?:struct|%extend) (\w+) \{', line)
        if m:
            owner = m[1]
        elif line.startswith('}'):
            owner = ''
        mark = MARK.match(line)
        if mark:
            yield i, member_at(lines, i + 1, owner, mark[2])


def members(lines):
    return [m for _, m in walk(lines)]


class Implied:
    """The conclusions from hand-written declarations: results that are new objects, properties that
    cannot fail, and handles that may be null."""

    def __init__(self, lines):
        self.nullable, self.directives = set(), []
        owner, in_properties = '', False
        for before, line in zip(['', *lines], lines):
            m = re.match(r'(?:struct|%extend) (\w+) \{', line)
            owner = m[1] if m else '' if line.startswith('}') else owner
            in_properties = (in_properties or '%immutable;' in line) and '%mutable;' not in line
            self.nullable |= set(re.findall(r'\b([A-Z]\w+) \*(\w+_or_null)\b', line))
            made = re.match(r'\s+(?:static )?[A-Z]\w+ \*(\w+)[(;]', line)
            if owner and made:
                self.directives.append(f'%newobject {owner}::{made[1]};')
            field = re.fullmatch(r'\s+[\w ]+[ *](\w+);', line)
            if owner and in_properties and field and not MARK.match(before):
                self.directives.append(f'%quick({owner}::{field[1]})')


def is_quick(function):
    return function.result != 'void' and 'cucore_error **' not in function.types


def expand(lines, places, language):
    """The interface of one language: each mark replaced by what the language makes of the comment."""
    marks, implied = dict(walk(lines)), Implied(lines)
    out = []
    for i, line in enumerate(lines):
        if i in marks:
            indent = MARK.match(line)[1]
            out += [indent + l for l in language.comment(marks[i], places)]
        else:
            out.append(line)
    implied.directives += [f'%quick({m.name})' for m in marks.values() if not m.owner and is_quick(places.api.function(m.function))]
    features = [l for m in marks.values() for l in language.features(m, places)]
    enums = [language.enum_typemap(e) for e in places.api.header.enums if e.c_name != 'cucore_status']
    return insert_features(out, [l for l in enums if l] + language.class_features(lines, places, sorted(implied.nullable)) + implied.directives + features)


def insert_features(lines, features):
    """Features come before the declarations that they are about: right behind the language's own."""
    at = lines.index('//: features')
    return lines[:at] + features + lines[at + 1:]
