"""The fields of options structs as tables for cpp/options.hpp."""

STRUCTS = ['cucore_program_options', 'cucore_linker_options', 'cucore_cache_options']
KINDS = ('text', 'toggle', 'number', 'texts', 'numbers', 'blobs', 'flag', 'uint32', 'uint64', 'key', 'keys')

# Structs of numbers that a call fills in: every language makes a record of each.
RECORDS = {'cucore_cache_statistics_info': 'CacheStatistics'}


def table(struct):
    rows = []
    for f in struct.fields:
        if f.kind not in KINDS:
            raise SystemExit(f'{struct.name}.{f.name}: no kind of field is known for "{f.kind}"')
        count = f'offsetof({struct.name}, {f.count})' if f.count else '0'
        sizes = f'offsetof({struct.name}, {f.sizes})' if f.sizes else '0'
        rows.append(f'        {{"{f.name}", FieldKind::{f.kind.upper()}, offsetof({struct.name}, {f.name}), {count}, {sizes}}},')
    return rows


def record(header, c_name):
    """The fields of a record: behind struct_size, 64 bits each."""
    found = header.structs[c_name].fields
    for f in found:
        if f.kind != 'uint64':
            raise SystemExit(f'{c_name}.{f.name}: a record has nothing but uint64_t')
    return found


def cpp(header):
    out = ['// Generated from cucore.h.', '#pragma once', '', '#include "options.hpp"', '', 'namespace cucore::bind {']
    for name in STRUCTS:
        struct = header.structs[name]
        out += ['', 'template <>', f'struct FieldsOf<{name}> {{', f'  static constexpr const char* NAME = "{name}";',
                '  static const Field* fields() {', '    static constexpr Field all[] = {', *table(struct), '    };',
                '    return all;', '  }', f'  static constexpr size_t count() {{ return {len(struct.fields)}; }}', '};']
    return '\n'.join(out + ['', '}  // namespace cucore::bind', ''])
