# SPDX-License-Identifier: Apache-2.0
"""The types of Python's native module: the hand-written file, with the missing members of SWIG and of Python's layer added
to its classes."""
import ast
import re

import interface
import words
from api import FOLDER, camel_of

TYPES = {'bool': 'bool', 'float': 'float', 'double': 'float', 'char': 'str', 'void': 'None', 'Bytes': 'bytes',
         'Pair': 'tuple[int, int]', 'ParameterInfos': 'tuple[tuple[int, int, int], ...]', 'Nodes': 'tuple[int, ...]', 'NodeInfo': 'tuple[Any, ...]', 'cucore_toggle': 'Optional[bool]'}
# Parameters of the layer. The native module accepts the buffer protocol, and a path of bytes.
WIDER = {'bytes': '_Bytes', 'Union[Bytes, str]': 'Union[str, _Bytes]', 'Bytes': '_Bytes', "Union[str, 'os.PathLike[str]']": '_Path'}


def annotation(declaration, api, is_parameter=False, is_raw=False):
    """The type of a parameter or a result of SWIG, as Python has it. The raw form of a member takes None for a text."""
    ctype = re.sub(r'\b(const|static)\b', '', declaration).strip()
    first = re.match(r'\w+', ctype)[0]
    enum = api.header.enum(first)
    if is_parameter and first == 'void':
        return '_Bytes'
    if is_parameter and re.search(r'\*(\w+_)?path$', ctype):  # as the typemaps have them
        return '_Path'
    if first == 'cucore_node' and is_parameter:
        return 'After' if '*' in ctype else 'SupportsIndex'
    if first in TYPES:
        text = 'Sequence[str]' if ctype.count('*') == 2 else TYPES[first]
        return f'Optional[{text}]' if is_parameter and is_raw and text == 'str' else text
    if first == 'Builder':
        return 'Callable[[], ObjectCode]'
    if enum or not re.search('[*&]', ctype):
        return enum.name if enum else 'int'
    if first == 'OptionalStream':
        return 'Optional[_Stream]'
    name = '_Stream' if is_parameter and first == 'Stream' else api.class_name(first, 'python')
    return f'Optional[{name}]' if ctype.endswith('_or_null') else name


def parameters(member, api, is_raw):
    out = []
    for before, name, declared, default in zip(['', *member.parameters], member.parameters, member.declared, member.defaults):
        if not words.is_length(before, name) and name != 'outcome':
            out.append(f'{name}: {annotation(declared.partition("=")[0], api, True, is_raw)}' + (' = ...' if default else ''))
    # Only members with several parameters have keywords.
    return out + ['/'] if out and len(member.parameters) == 1 and member.kind != 'constructor' else out


def lines(member, places):
    """(name, the definition) of a member."""
    is_raw = places.is_hidden(member)
    name = '__init__' if member.kind == 'constructor' else ('_' if is_raw else '') + member.name
    result = 'None' if member.kind == 'constructor' else annotation(member.result, places.api)
    if 'outcome' in member.parameters:
        result = f'tuple[{result}, CacheOutcome]'
    decorator = {'property': ['@property'], 'static': ['@staticmethod']}.get(member.kind, [])
    own = [] if member.kind in ('static', 'function') else ['self']
    return name, [*decorator, f'def {name}({", ".join(own + parameters(member, places.api, is_raw))}) -> {result}: ...']


def of_function(name, decorator, function):
    arguments = function.args
    for each in [*arguments.args, *arguments.kwonlyargs]:
        text = each.annotation and ast.unparse(each.annotation)
        each.annotation = None if each.arg == 'self' else ast.Name(WIDER.get(text, text))
    arguments.defaults = [ast.Constant(...) for _ in arguments.defaults]
    arguments.kw_defaults = [each and ast.Constant(...) for each in arguments.kw_defaults]
    kind = 'async def' if isinstance(function, ast.AsyncFunctionDef) else 'def'
    return [*decorator, f'{kind} {name}({ast.unparse(arguments)}) -> {ast.unparse(function.returns)}: ...']


def added(tree):
    """(class, name, its kind, function) of each function that @member adds."""
    for function in tree.body:
        for decorator in getattr(function, 'decorator_list', []):
            if isinstance(decorator, ast.Call) and getattr(decorator.func, 'id', '') == 'member':
                owner, name, *kind = decorator.args
                yield owner.id, name.value, [f'@{k.id}' for k in kind], function


def of_layer():
    """(class, name, definition) of each member that Python's layer adds by a function."""
    for path in sorted((FOLDER / 'python/cucore').glob('*.py')):
        for owner, name, kind, function in added(ast.parse(path.read_text(encoding='utf-8'))):
            if name not in dir(object) and not re.match('_[a-z]', name):
                yield owner, name, of_function(name, kind, function)


def helper_members(all_lines, owner):
    """The members of a class of the .i files, with and without marks."""
    begin = next(i for i, line in enumerate(all_lines) if line == f'struct {owner} {{')
    function = ''
    for i in range(begin + 2, next(i for i in range(begin, len(all_lines)) if all_lines[i] == '};')):
        line = all_lines[i]
        function = (interface.MARK.match(line) or [0, 0, function])[2]
        if re.match(r'    [A-Za-z][\w:<> ]*[ *&]?\w+[(;]', line):
            yield interface.member_at(all_lines, i, owner, function)
            function = ''


def in_class(text, owner, found):
    """The text with definitions put into a class, which is created if it is missing."""
    indented = ''.join(f'    {line}\n' for line in found)
    head = re.search(rf'^class {owner}\b.*:\n', text, re.M)
    if head:
        return text[:head.end()] + indented + text[head.end():]
    return f'{text}\nclass {owner}({init_of(text, owner)}_Object):\n{indented}'


def init_of(text, owner):
    """The base that has the constructor of a class whose options are keywords."""
    return f'{owner}Init, ' if re.search(rf'\b{owner}Init\b', text) else ''


def known(text, owner):
    body = (re.search(rf'^class {owner}\(.*?:\n((?:    .*\n|\n(?=    ))*)', text, re.M) or ['', ''])[1]
    return set(re.findall(r'def (\w+)\(', body)) | ({'__init__'} if init_of(text, owner) else set())


def helpers(places, all_lines):
    """The classes that only Python's layer uses."""
    out = ''
    options = [camel_of(s) for s in places.api.options_classes()]
    for name, struct in [*((h, h) for h in places.api.table.get('classes', 'helpers')), (options[0], 'CLASS')]:
        out += f'\nclass {places.api.class_name(name, "python")}:\n'
        out += ''.join(f'    {line}\n' for m in helper_members(all_lines, struct) for line in lines(m, places)[1]
                       if m.kind != 'constructor' or m.parameters)
    return out + ''.join(f'\nclass _{name}(_{options[0]}): ...\n' for name in options[1:])


def stub(places, members, all_lines):
    text = (FOLDER / 'python/cucore/_cucore.pyi').read_text(encoding='utf-8')
    layer = list(of_layer())
    for owner in (c.name for c in places.api.classes):
        mine = known(text, owner)
        found = {name: made for of, name, made in layer if of == owner}
        found = {**dict(lines(m, places) for m in members if m.owner == owner), **found}
        text = in_class(text, owner, [line for name, made in found.items() if name not in mine for line in made])
    functions = [line for m in members if m.kind == 'function' for line in lines(m, places)[1]]
    return text + helpers(places, all_lines) + '\n' + '\n'.join(functions) + '\n'
