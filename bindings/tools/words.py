# SPDX-License-Identifier: Apache-2.0
"""Converts the header's C words to a language's own: functions, enumerators, statuses."""
import re

from header import camel


def exception_name(status, suffix):
    """CUCORE_ERROR_INVALID_HANDLE -> InvalidHandleError."""
    words = status.removeprefix('CUCORE_').removeprefix('ERROR_')
    return ''.join(w.capitalize() for w in words.split('_')) + suffix


# Sizes of structs and forms of values, which a language passes by itself.
ONLY_OF_C = re.compile(r'The library reads struct_size[^.]*\.\s*|\s\((?:uint64_t|CUCORE_ARGUMENT_OBJECT)\)|\swith CUCORE_ARGUMENT_OBJECT|; NULL if \w+_count is 0')


def record(name, field):
    """A struct that a call fills, and its field, as all languages but C# spell them."""
    return camel(name) + (f'.{field}' if field else '')


def translate(text, header, function_name, item_name, null, field_name=record):
    """Replaces cucore_x() and CUCORE_X by what function_name(x) and item_name(enum, item) give."""
    def function(m):
        return function_name(m[1]) or m[0]

    def item(m):
        found = header.item(m[0])
        if found is None:
            found = header.item('CUCORE_ERROR_' + m[0])
        return item_name(*found) if found else m[0]

    text = re.sub(ONLY_OF_C, '', text)
    text = re.sub(r'\bcucore_(\w+)_info\b(\.\w+)?', lambda m: field_name(m[1], (m[2] or '')[1:]), text)
    text = re.sub(r'\b(cucore_\w+)\(\)', function, text)
    text = re.sub(r'\bCUCORE_[A-Z0-9_]+\b', item, text)
    text = re.sub(r'\bcucore_\w+\b', lambda m: header.enum(m[0]).name if header.enum(m[0]) else m[0], text)
    text = re.sub(r'\bNULL\b', null, text)
    # A C number that means yes or no is a boolean in the languages.
    text = re.sub(r'\bReturns 1 if\b', f'Returns {"True" if null == "None" else "true"} if', text)
    return text


def doxygen(text):
    """As SWIG reads it: an @ inside a word begins no command."""
    return re.sub(r'(?<=\S)@', r'\\@', text)


def parameters(member, api):
    """The parameters of the C function that the member has too, with their texts."""
    function = api.header.functions[member.function]
    names = {**api.table.get('parameters', member.function, {}), **api.renamed.get(member.function, {})}
    own = [name for before, name in zip(['', *member.parameters], member.parameters) if not is_length(before, name)]
    found = []
    for name, text in function.doc.params.items():
        here = name if name in own else names.get(name)
        if here in own and text:
            is_optional = member.defaults[member.parameters.index(here)] == 'nullptr'
            found.append((here, text + ('; by default the legacy default stream' if is_optional else '')))
    return found + [(name, text) for name, text in options(function, api).items() if name in own]


def options(function, api):
    """{field: text} of the options struct of a function that creates an object."""
    struct = api.header.structs.get(function.name.replace('_create', '_options'))
    return {f.name: f.doc for f in struct.fields if f.doc} if struct else {}


def result(function):
    """Returns the comment for the one result. A struct or an array that the caller provides exists
    only in C."""
    text = function.doc.params.get('out', '')
    return '' if 'struct_size' in text else text


# Statuses that cannot occur in the languages, where structs and buffers have the right size.
OF_C = ('CUCORE_ERROR_ABI_MISMATCH', 'CUCORE_ERROR_BUFFER_TOO_SMALL')


def failures(function):
    """(status, text) of each way in which a call fails."""
    return [(status, text) for status, text in function.doc.retvals if status not in OF_C]


def snake(name):
    """As C writes nameExpressions."""
    return re.sub(r'(?<!^)([A-Z])', lambda m: '_' + m[1].lower(), name)


def spaced(name):
    """As prose writes it."""
    return snake(name).replace('_', ' ').strip()


def is_length(before, name):
    """Returns whether a parameter is the length of the former one, with which it is one value in
    the languages."""
    return (before, name) == ('data', 'size') or name in (f'{before}_size', f'{before.removesuffix("s")}_count')
