# SPDX-License-Identifier: Apache-2.0
"""The types of Python's native module: the file written by hand, and in its classes each member of SWIG that it does not have."""
import re

import words
from api import FOLDER

TYPES = {'bool': 'bool', 'float': 'float', 'double': 'float', 'char': 'str', 'void': 'None', 'Bytes': 'bytes',
         'Pair': 'tuple[int, int]', 'cucore_toggle': 'Optional[bool]'}


def annotation(declaration, api, is_parameter=False):
    """The type of a parameter or a result of SWIG, as Python has it."""
    ctype = re.sub(r'\b(const|static)\b', '', declaration).strip()
    first = re.match(r'\w+', ctype)[0]
    enum = api.header.enum(first)
    if is_parameter and first == 'void':
        return '_Bytes'
    if first in TYPES:
        return 'Sequence[str]' if ctype.count('*') == 2 else TYPES[first]
    if first == 'Builder':
        return 'Callable[[], ObjectCode]'
    if enum or '*' not in ctype:
        return enum.name if enum else 'int'
    name = '_Stream' if is_parameter and first == 'Stream' else api.class_name(first, 'python')
    return f'Optional[{name}]' if ctype.endswith('_or_null') else name


def parameters(member, api):
    out = []
    for before, name, declared, default in zip(['', *member.parameters], member.parameters, member.declared, member.defaults):
        if not words.is_length(before, name) and name != 'outcome':
            out.append(f'{name}: {annotation(declared.partition("=")[0], api, True)}' + (' = ...' if default else ''))
    # Only members with several parameters have keywords.
    return out + ['/'] if len(member.parameters) == 1 and member.kind != 'constructor' else out


def lines(member, places):
    """[decorator, definition] of a member."""
    name = '__init__' if member.kind == 'constructor' else ('_' if places.is_hidden(member) else '') + member.name
    result = 'None' if member.kind == 'constructor' else annotation(member.result, places.api)
    if 'outcome' in member.parameters:
        result = f'tuple[{result}, CacheOutcome]'
    decorator = {'property': ['    @property'], 'static': ['    @staticmethod']}.get(member.kind, [])
    own = [] if member.kind == 'static' else ['self']
    return name, [*decorator, f'    def {name}({", ".join(own + parameters(member, places.api))}) -> {result}: ...']


def missing(owner, text, members, places):
    """The members that the class has not in the file written by hand."""
    body = (re.search(rf'^class {owner}\(.*?:\n((?:    .*\n|\n(?=    ))*)', text, re.M) or ['', ''])[1]
    known = set(re.findall(r'def (\w+)\(', body)) | ({'__init__'} if re.search(rf'^class {owner}\({owner}Init', text, re.M) else set())
    return [line for m in members if m.owner == owner for name, found in [lines(m, places)] if name not in known for line in found]


def stub(places, members):
    text = (FOLDER / 'python/cucore/_cucore.pyi').read_text(encoding='utf-8')
    for owner in places.api.classes:
        found = '\n'.join(missing(owner.name, text, members, places))
        head = re.search(rf'^class {owner.name}\(.*:\n', text, re.M)
        if not head:
            text += f'\nclass {owner.name}(_Object):\n{found}\n'
        elif found:
            text = text[:head.end()] + found + '\n' + text[head.end():]
    return text
