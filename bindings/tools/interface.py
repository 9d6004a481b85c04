"""Puts the .i files together and documents their members from the header.

A line "//: cucore_stream_create" before a member says which C function it is; the function's comment
becomes the member's. "//: cucore_x raw" is a member that is not for users: the language's own layer
calls it. "pair" is a member that gives two numbers: in Python a tuple, in the others raw. A member
may have a comment of its own instead.
"""
import re
from dataclasses import dataclass
from pathlib import Path

MARK = re.compile(r'^(\s*)//: (cucore_\w+)( raw| pair)?\s*$')


@dataclass
class Member:
    """A member of the bindings and the C function behind it ('' where there is none)."""
    owner: str       # class, '' for a function
    name: str
    function: str
    tag: str         # '', raw or pair
    kind: str        # constructor, method, static, property, function
    parameters: list

    @property
    def raw(self):
        return self.tag != ''

    @property
    def path(self):
        return f'{self.owner}::{self.name}' if self.owner else self.name


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


def member_at(lines, at, owner, function, tag):
    text = declaration(lines, at)
    m = re.search(r'(\w+)\s*\((.*)\)', text)
    if not m:
        return Member(owner, re.findall(r'\w+', text)[-1], function, tag, 'property', [])
    parameters = [re.findall(r'\w+', p.split('=')[0])[-1] for p in m[2].split(',') if p.strip() not in ('', 'void')]
    kind = 'function' if not owner else 'constructor' if m[1] == owner else \
        'static' if text.strip().startswith('static') else 'method'
    return Member(owner, m[1], function, tag, kind, parameters)


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
            yield i, member_at(lines, i + 1, owner, mark[2], (mark[3] or '').strip())


def members(lines):
    return [m for _, m in walk(lines)]


def expand(lines, header, language):
    """The interface of one language: each mark replaced by what the language makes of the comment."""
    marks = dict(walk(lines))
    table = references(marks.values())
    out = []
    for i, line in enumerate(lines):
        if i in marks:
            member = marks[i]
            function = header.functions.get(member.function)
            if function is None:
                raise SystemExit(f'{member.path}: the header has no {member.function}')
            indent = MARK.match(line)[1]
            out += [indent + l for l in language.comment(member, function, header, table)]
        else:
            out.append(line)
    features = [l for m in marks.values()
                for l in language.features(m, header.functions[m.function], header, table)]
    enums = [language.enum_typemap(e) for e in header.enums if e.c_name != 'cucore_status']
    classes = language.class_features(lines) if hasattr(language, 'class_features') else []
    return insert_features(out, [l for l in enums if l] + classes + features)


def insert_features(lines, features):
    """Features come before the declarations that they are about: right behind the language's own."""
    at = next(i for i, l in enumerate(lines) if 'Section "Version"' in l)
    return lines[:at] + features + lines[at:]


def references(all_members):
    """C function -> the member that users know it by."""
    table = {}
    for m in all_members:
        if m.function not in table or table[m.function].raw:
            table[m.function] = m
    return table
