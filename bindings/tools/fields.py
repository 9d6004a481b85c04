# SPDX-License-Identifier: Apache-2.0
"""The fields of options structs as tables for cpp/options.hpp."""
import classes
from api import is_record
from header import camel

KINDS = ('text', 'toggle', 'number', 'texts', 'numbers', 'blobs', 'flag', 'uint32', 'uint64', 'key', 'keys')


def records(api):
    """(struct, class) of each record."""
    named = api.table.get('classes', 'names')
    return [(name, named.get(name) or camel(name.split('_', 1)[1].removesuffix('_info'))) for name, struct in api.header.structs.items() if is_record(struct)]


def table(struct):
    rows = []
    for f in struct.fields:
        if f.kind not in KINDS:
            raise SystemExit(f'{struct.name}.{f.name}: no kind of field is known for "{f.kind}"')
        count = f'offsetof({struct.name}, {f.count})' if f.count else '0'
        sizes = f'offsetof({struct.name}, {f.sizes})' if f.sizes else '0'
        rows.append(f'        {{"{f.name}", FieldKind::{f.kind.upper()}, offsetof({struct.name}, {f.name}), {count}, {sizes}}},')
    return rows


def cpp(api):
    handles, aliases = classes.cpp(api)
    out = ['// Generated from cucore.h.', '#pragma once', '', '#include "options.hpp"', '', 'namespace cucore::bind {']
    for struct in api.options_classes():
        name = struct.name
        out += ['', 'template <>', f'struct FieldsOf<{name}> {{', f'  static constexpr const char* NAME = "{name}";',
                '  static const Field* fields() {', '    static constexpr Field all[] = {', *table(struct), '    };',
                '    return all;', '  }', f'  static constexpr size_t count() {{ return {len(struct.fields)}; }}', '};']
    return handles, '\n'.join(out + ['', '}  // namespace cucore::bind', '', aliases])
