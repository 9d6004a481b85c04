# SPDX-License-Identifier: Apache-2.0
"""The SWIG classes of the handle types: each C function that follows the conventions becomes a member.

A function that does not is written by hand in a .i file, with its mark. For any other function the generator stops.
"""
import re

from api import SCALARS, camel_of, is_plain, is_record

TEXTS = 'const char *const *'
NODES = 'const cucore_node *'
NODES_OUT = 'cucore_node *, size_t, size_t *'  # an array, its capacity, and the count
DEFAULTS = {'toggle': ('cucore_toggle', 'CUCORE_TOGGLE_DEFAULT'), 'flag': ('bool', 'false'), 'number': ('int32_t', '0'), 'uint64': ('uint64_t', '0')}


class Unconventional(Exception):
    """No convention covers a function."""


class Call:
    """A C function taken apart: what goes in, what comes out."""

    def __init__(self, api, function):
        self.api, self.function = api, function
        self.owner = api.owner(function.name)
        self.fails = function.types[-1:] == ['cucore_error **']
        rest = list(zip(function.parameters, function.types))[:-1 if self.fails else None]
        self.is_method = bool(rest) and api.of_type(rest[0][1]) is self.owner
        if self.is_method:
            rest = rest[1:]
        struct = rest[-1][1].removesuffix(' *') if self.fails and rest else ''
        self.info = api.header.structs[rest.pop()[1].removesuffix(' *')] if struct.endswith('_info') else None
        self.fills_nodes = ', '.join(t for _, t in rest[-3:]) == NODES_OUT
        rest = rest[:-3] if self.fills_nodes else rest
        self.outputs = []
        while self.fails and rest and self._is_output(rest[-1][1]):
            self.outputs.insert(0, rest.pop())
        self.inputs = rest

    def _is_output(self, ctype):
        scalar = ctype.endswith(' *') and ctype[:-2] in (*SCALARS, 'cucore_cache_outcome')
        return scalar or (ctype.endswith(' **') and self.api.of_type(ctype[:-1]) is not None)

    def is_boolean(self, name):
        return name.split('_')[0] in ('is', 'has', 'can')

    def parameters(self):
        """(declaration, argument) of each input, and {name in C: name here}."""
        f, table = self.function, self.api.table
        names = dict(table.get('parameters', f.name, {}))
        found, inputs = [], list(self.inputs)
        while inputs:
            name, ctype = inputs.pop(0)
            here = names.setdefault(name, name)
            handle = self.api.of_type(ctype)
            struct = self.api.header.structs.get(ctype.removeprefix('const ').removesuffix(' *'))
            default = table.get('defaults', f.name, {}).get(name)
            if handle and default:
                first = 'held($self)' if self.is_method else found[0][1]  # whose device has the default stream
                found.append((f'Optional{handle.name} *{here} = {default}', f'Order({first}, {here})'))
            elif handle:
                here += '_or_null' if table.get('nullable', f.name) == name else ''
                found.append((f'{handle.name} *{here}', f'held({here})'))
            elif struct and struct.name.endswith('_options'):
                found += self._options(struct, name)
            elif ctype == TEXTS:
                names[name], names[inputs.pop(0)[0]] = 'names', 'name_count'
                found.append(('const char *const *names, size_t name_count', 'names, name_count'))
            elif ctype in ('const void *', 'const char *') and inputs and inputs[0] == ('size', 'size_t'):
                inputs.pop(0)
                names[name] = 'data'
                found.append(('const void *data, size_t size', f'static_cast<{ctype}>(data), size'))
            elif ctype == 'const void *' and inputs and inputs[0] == (f'{name}_size', 'size_t'):
                inputs.pop(0)
                found.append((f'const void *{name}, size_t {name}_size', f'{name}, {name}_size'))
            elif ctype == NODES and inputs and inputs[0] == (f'{name}_count', 'size_t'):
                inputs.pop(0)
                found.append((f'{NODES}{name}, size_t {name}_count', f'{name}, {name}_count'))
            elif ctype == 'const uint8_t[32]':
                found.append((f'const void *{here}, size_t {here}_size', f'cucore::bind::cache_key({here}, {here}_size)'))
            elif ctype == 'void *':
                found.append((f'uint64_t {here}', f'reinterpret_cast<void *>({here})'))
            elif ctype == 'const char *' or ctype in SCALARS or self.api.header.enum(ctype):
                found.append((f'{ctype} {here}'.replace('* ', '*') + (f' = {default}' if default else ''), here))
            else:
                raise Unconventional(f'{f.name}: no convention covers the parameter {name}, "{ctype}"')
        return found, names

    def _options(self, struct, name):
        if not is_plain(struct):
            return [(f'{camel_of(struct)} *{name}', f'{name} ? {name}->get() : nullptr')]
        fields = [(*DEFAULTS.get(f.kind, (f.kind, '0')), f.name) for f in struct.fields]
        return [(f'{t} {n} = {d}', '') for t, d, n in fields[:-1]] + [('{} {} = {}'.format(fields[-1][0], fields[-1][2], fields[-1][1]), f'&{name}')]

    def prologue(self):
        """Fills the options struct whose fields are parameters."""
        for name, ctype in self.inputs:
            struct = self.api.header.structs.get(ctype.removeprefix('const ').removesuffix(' *'))
            if struct and struct.name.endswith('_options') and is_plain(struct):
                return [f'{struct.name} {name} = {struct.name.upper()}_INIT;',
                        *(f'{name}.{f.name} = {f.name};' for f in struct.fields)]
        return []

    def result(self):
        """(type here, body without the arguments) of a call that can fail."""
        f, kinds = self.function, [t for _, t in self.outputs]
        if self.fills_nodes:
            return 'Nodes', 'return nodes_of({});'
        if not kinds:
            return 'void', 'ok({});'
        last = self.outputs[0][0]
        if len(kinds) == 1 and kinds[0].endswith(' **'):
            name = self.api.of_type(kinds[0][:-1]).name
            return f'{name} *', f'return made<{name} *>({{}});'
        if len(kinds) == 1 and kinds[0][:-2] in SCALARS:
            member = self.api.member_name(f)
            if last in self.api.table.get('results', 'booleans') or self.is_boolean(member):
                return 'bool', 'return made<int32_t>({}) != 0;'
            return kinds[0][:-2], f'return made<{kinds[0][:-2]}>({{}});'
        if len(kinds) == 2 and kinds[1] == 'cucore_cache_outcome *':
            name = self.api.of_type(kinds[0][:-1]).name
            return f'{name} *', f'{name} *made = nullptr;\nok({{}}, &made, outcome);\nreturn made;'
        if len(kinds) == 2:
            return 'Pair', 'return pair_of<{}, {}>({{}});'.format(*(k[:-2] for k in kinds))
        raise Unconventional(f'{f.name}: no convention covers its results')

    def property_type(self):
        """(type here, expression) of a call that cannot fail."""
        f = self.function
        name, ctype, read = self.api.member_name(f), f.result, f'{f.name}({{}})'
        listed = self.api.table.get('results', f.name)
        if listed is None and ctype == 'int32_t' and self.api.header.enum('cucore_' + name):
            listed = 'cucore_' + name
        if listed:
            return listed, f'static_cast<{listed}>({read})'
        if ctype == 'void *':
            return 'uint64_t', f'reinterpret_cast<uint64_t>({read})'
        if ctype == 'int32_t' and self.is_boolean(name):
            return 'bool', f'{read} != 0'
        if ctype == 'const char *' or ctype in SCALARS or self.api.header.enum(ctype):
            return ctype, read
        raise Unconventional(f'{f.name}: no convention covers the result "{ctype}"')

    def is_property(self):
        """It cannot fail, or it returns another object; and it has no arguments."""
        gives_parent = self.fails and [n for n, _ in self.outputs] == ['out'] and self.outputs[0][1].endswith(' **')
        return self.is_method and not self.inputs and (not self.fails or gives_parent)


def declared(ctype, name):
    return f'{ctype} {name}'.replace('* ', '*')


INFO_TYPES = {'text': 'const char *', 'number': 'int32_t', 'flag': 'bool', 'size_t': 'int64_t', 'uint64': 'int64_t'}
FIELDS = re.compile(r'(\s*)//: fields (\w+) (.*)$')


def field_member(field, prefix, declarations, struct):
    """A member for a field of a struct. An enumeration that may be 0 is a number, and SIZE_MAX is -1."""
    ctype, value = INFO_TYPES.get(field.kind, field.kind), f'{struct}.{field.name}'
    if '[' in ctype:
        ctype, value = 'Bytes', f'{{{value}, sizeof {value}}}'
    elif field.name.startswith('is_'):
        ctype = 'bool'
    elif field.doc.endswith('else 0'):
        ctype = 'int32_t'
    value = f'static_cast<int64_t>({value})' if ctype == 'int64_t' else value
    return [f'{declared(ctype, prefix + field.name)}({declarations}) {{', f'  return {value};', '}']


def struct_members(call, arguments, declarations):
    """The struct that a call fills: a record as bytes, any other field by field."""
    mark, struct = f'//: {call.function.name}', call.info
    name, read = call.api.member_name(call.function), f'info_of<{struct.name}>({", ".join(arguments)})'
    if is_record(struct):
        first = struct.fields[0].name
        return [mark, f'Bytes {name}({declarations}) {{', f'  static thread_local {struct.name} info;', f'  info = {read};',
                f'  return {{&info.{first}, sizeof info - offsetof({struct.name}, {first})}};', '}']
    return [line for field in struct.fields
            for line in [mark, *field_member(field, name.removesuffix('_at') + '_', declarations, read)]]


def expand_fields(lines, api):
    """Replaces "//: fields STRUCT EXPRESSION" in a list's class by a member for each field of the struct at an index."""
    out = []
    for line in lines:
        m = FIELDS.match(line)
        out += [m[1] + l for field in api.header.structs[m[2]].fields for l in field_member(field, '', 'size_t index', m[3])] if m else [line]
    return out


class Written:
    """A class of SWIG in its written form."""

    def __init__(self, api, owner):
        self.api, self.owner = api, owner
        self.directives, self.members, self.properties, self.getters = [], [], [], []
        for function in owner.functions:
            if function.name not in api.written and not api.unreachable(function.name):
                self.add(function)

    def add(self, function):
        call = Call(self.api, function)
        if call.is_property():
            return self.add_property(call)
        parameters, self.api.renamed[function.name] = call.parameters()
        arguments = [function.name] + (['held($self)'] if call.is_method else []) + [a for _, a in parameters if a]
        declarations = ', '.join(d for d, _ in parameters)
        name = self.api.member_name(function)
        if call.info:
            self.members += struct_members(call, arguments, declarations)
            return
        if not call.fails:
            ctype, read = call.property_type()
            if call.is_method:
                arguments[1] = '$self'
            head, body = declared(ctype, name), f'return {read};'.format(', '.join(arguments[1:]))
        elif self.api.is_synchronize(function):
            query = next((f', {f.name}' for f in self.owner.functions if self.api.is_query(f)), '')
            head, body = 'void synchronize', f'wait_for($self, {function.name}{query});'
        else:
            ctype, form = call.result()
            head, body = declared(ctype, name), form.format(', '.join(arguments))
            if any(t == 'cucore_cache_outcome *' for _, t in call.outputs):
                declarations += ', cucore_cache_outcome *outcome'
        if function is self.owner.constructor:
            head = self.owner.name
        elif not call.is_method:
            head = 'static ' + head
        self.members += [f'//: {function.name}', f'{head}({declarations}) {{', *('  ' + l for l in call.prologue()),
                         *('  ' + l for l in body.split('\n')), '}']

    def add_property(self, call):
        f, name = call.function, self.api.member_name(call.function)
        is_slow = self.owner.name in self.api.table.get('classes', 'slow')
        if call.fails:
            ctype, body = call.result()
            body = body.format(f'{f.name}, held(self)')
        else:
            ctype, read = call.property_type()
            self.api.properties[f.name] = ctype
            body = f'return {read};'.format('held(self)' if is_slow else 'self')
            if not is_slow:
                self.directives.append(f'%quick({self.owner.name}::{name})')
        self.properties += [f'//: {f.name}', declared(ctype, name) + ';']
        self.getters.append(f'static {declared(ctype, f"{self.owner.name}_{name}_get")}({self.owner.name} *self) {{ {body} }}')

    def lines(self):
        properties = ['%immutable;', *self.properties, '%mutable;'] if self.properties else []
        return [*self.directives, f'/** {self.owner.doc} */', f'struct {self.owner.name} {{', '  %extend {',
                *('    ' + l for l in [f'~{self.owner.name}() {{ {self.owner.c}_release($self); }}', *self.members, *properties]),
                '  }', '};', '%{', *self.getters, '%}']


def lines(api):
    """All of them. Also completes the names of parameters and the types of properties in the api."""
    out = [f'%options({camel_of(struct)}, The fields of {struct.name.split("_", 1)[1].replace("_", " ")} by name.)'
           for struct in api.options_classes()]
    return out + [line for owner in api.classes for line in Written(api, owner).lines()]


def cpp(api):
    """The list of the handle types for C++: class, type in C, name in Java."""
    rows = [f'  X({c.name}, {c.c}, {api.class_name(c.name, "java")})' for c in api.classes]
    aliases = [f'using {camel_of(s)} = cucore::bind::Options<{s.name}>;' for s in api.options_classes()]
    return '\n'.join(['// Generated: the handle types.', '#pragma once', '', *(f'#include <{name}>' for name in api.includes),
                      '', '#define CUCORE_HANDLES(X) \\',
                      ' \\\n'.join(rows), '', '// The enumerations, in the order of ALL in _enums.py.', '#define CUCORE_ENUMS(X) \\',
                      ' \\\n'.join(f'  X({e.name})' for e in api.header.enums), '']), '\n'.join(aliases + [''])
