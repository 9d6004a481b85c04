# SPDX-License-Identifier: Apache-2.0
"""The spelling of the C API for users of a language: the names that messages contain instead of
C's."""
import re

import perf_model
from api import camel_of, is_plain
from header import camel
from places import lower

NULL = {'python': 'None', 'java': 'null', 'csharp': 'null'}


def functions(places):
    """C function -> the name for users, with "()" unless it is a property."""
    for name in places.api.header.functions:
        place = places.find(name)
        if place and not places.api.unreachable(name):
            is_property = place.is_property and places.language != 'java'
            yield name, places.text(name) + ('' if is_property else '()')


def struct_form(struct, places):
    """The users' name of a C options struct. {} is a field: in Python most are keywords of a call.
    """
    api, language = places.api, places.language
    listed = api.table.get('structs', struct.name, {}).get(language)
    if listed:
        return listed
    if not struct.name.endswith('_options'):
        return camel(struct.name.split('_', 1)[1]) + '.{}'
    if language == 'python' or (language == 'java' and is_plain(struct)):
        calls = [f.name for f in api.header.functions.values() if f'const {struct.name} *' in f.types and places.find(f.name)]
        if not calls:
            return camel_of(struct) + '.{}'
        call = calls[0]
        return f'{places.find(call)}' + ('({}=...)' if language == 'python' else '({})')
    owner = api.owner(struct.name)
    short = camel_of(struct) if owner is None else owner.name + camel(struct.name[len(owner.c) + 1:])
    return short + '.{}'


def structs(places):
    """C struct, and each field of one that users fill in -> what they write."""
    api = places.api
    for name, struct in api.header.structs.items():
        if name.endswith('_info'):
            yield name, camel(re.sub(r'_info$', '', name.split('_', 1)[1]))
            continue
        form = struct_form(struct, places)
        yield name, re.split(r'[.(]\{', form)[0]
        for field in struct.names:
            own = api.table.get('fields', f'{name}.{field}', {}).get(places.language)
            yield f'{name}.{field}', form.format(own or spelled(field, places.language))


def spelled(field, language):
    return field if language == 'python' else camel(field) if language == 'csharp' else lower(field)


def enumerators(places, module):
    for enum in places.api.header.enums:
        yield enum.c_name, enum.name
        for item in enum.items:
            if enum.c_name == 'cucore_status' and item.value:
                yield item.name, module.exception(item.name)
            else:
                yield item.name, f'{enum.name}.{camel(item.short) if places.language == "csharp" else item.short}'


def handles(places):
    for owner in places.api.classes:
        yield owner.c, places.api.class_name(owner.name, places.language)
    yield 'cucore_error', 'Error' if places.language == 'python' else 'CucoreException'


def all_of(places, module):
    """Text in a message -> its form for users of the language."""
    table = {'NULL': NULL[places.language], **perf_model.spellings(places.language)}
    for part in (handles(places), functions(places), structs(places), enumerators(places, module)):
        table.update(part)
    return table


def cpp(table):
    """The table for cpp/spelling.hpp, as SWIG copies it into the wrapper."""
    rows = [f'    {{"{c}", "{here}"}},' for c, here in sorted(table.items())]
    return ['%{', 'const cucore::bind::Spelling cucore::bind::SPELLINGS[] = {', *rows, '};',
            f'const size_t cucore::bind::SPELLING_COUNT = {len(rows)};', '%}']
