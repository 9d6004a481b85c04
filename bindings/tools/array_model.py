# SPDX-License-Identifier: Apache-2.0
"""The functions of cucore_array.h by their conventions: what each parameter is, and what a call returns.

A function that no convention covers stops the generator with the parameter that is unclear.
"""
import re
from dataclasses import dataclass, field

import header as headers

PREFIX = 'cucore_array_'
# Types of C without "cucore_", and the kind of the parameter or of the result.
LISTS = {'const int64_t *': 'longs', 'const int32_t *': 'ints', 'const array_dtype *': 'enums', 'const array_operand *': 'operands',
         'const array_index *': 'items', 'const array *const *': 'arrays', 'array *const *': 'arrays'}
SINGLE = {'const array_operand *': 'operand', 'const array_scalar *': 'scalar', 'const char *': 'text', 'double': 'double', 'int64_t': 'long',
          'size_t': 'size', 'uint64_t': 'bits', 'uint32_t': 'flags', 'toggle': 'toggle'}
RESULTS = {'size_t': 'long', 'int64_t': 'long', 'uint32_t': 'long', 'const char *': 'text', 'const int64_t *': 'longs', 'void': 'nothing'}
OUTPUTS = {'array_scalar *': 'scalar', 'void **': 'address', 'size_t *': 'long', 'int32_t *': 'int', 'array_dtype *': 'enum'}
MAY_BE_NULL = re.compile(r'\bNULL(?::| if| for)')


@dataclass
class Parameter:
    """One or more neighbours of C that are one parameter of a language."""
    kind: str
    name: str                # in C
    c_type: str = ''
    nullable: bool = False
    doc: str = ''
    count: str = ''          # the parameter or field of C for the size of a list or of memory
    count_follows: bool = False  # the next parameter is a list with the same count,
    shared: str = ''             # which names this one
    length: str = ''         # of a list without a count: its size in C++
    enum: str = ''           # the end of the enumeration's name
    fields: list = field(default_factory=list)  # of options


@dataclass
class Output:
    kind: str
    name: str
    c_type: str
    doc: str = ''
    fields: list = field(default_factory=list)  # of a struct: (name, 'number' or 'text')


@dataclass
class Function:
    c_name: str
    doc: headers.Doc
    order: list       # parameters and outputs in the order of C
    fails: bool       # it has an error
    result: str = ''  # of a function that cannot fail: its kind

    @property
    def name(self):
        return self.c_name.removeprefix(PREFIX)

    @property
    def parameters(self):
        return [each for each in self.order if isinstance(each, Parameter)]

    @property
    def outputs(self):
        return [each for each in self.order if isinstance(each, Output)]


def short(c_type):
    return c_type.replace('cucore_', '')


def bare(c_type):
    return c_type.removeprefix('const ').removesuffix(' *')


def axes_of(of, before, doc):
    """The numbers of a list without a count, in C++: one or two per axis of the shape, or of the array, before it."""
    of_shape = next((f'{each.name}.size()' for each in before if each.kind == 'longs'), '')
    of_array = next((f'cucore_array_ndim({each.name})' for each in before if each.kind == 'array'), '')
    if not of_shape and not of_array:
        raise SystemExit(f'{of.name}: a list without a count follows no shape and no array')
    return ('2 * ' if doc.startswith('two numbers per axis') else '') + (of_shape or of_array)


class Model:
    def __init__(self, header_text):
        self.header = headers.parse(header_text)
        # each type of object is a kind: array, context, generator
        self.objects = {each: each.removeprefix(PREFIX).removeprefix('cucore_') for each in self.header.handles}
        self.enums = {each.c_name for each in self.header.enums}
        self.functions = [self.function(each) for each in self.header.functions.values() if not re.search('_(retain|release)$', each.name)]

    def function(self, of):
        names, types = list(of.parameters), list(of.types)
        fails = bool(types) and types[-1] == 'cucore_error **'
        if fails:
            names.pop(), types.pop()
        order = []
        while names:
            order.append(self.next(of, names, types, order))
        result = '' if fails else self.result(of)
        return Function(of.name, of.doc, order, fails, result)

    def result(self, of):
        if of.result in self.enums:
            return 'enum ' + bare(of.result).removeprefix(PREFIX)
        if of.result == 'int32_t':
            return 'boolean' if of.doc.text.startswith('Returns 1 if') else 'int'
        if of.result in RESULTS:
            return RESULTS[of.result]
        raise SystemExit(f'{of.name}: no convention for the result {of.result}')

    def next(self, of, names, types, before):
        """Takes the next parameter, or the neighbours that are one."""
        name, c_type = names.pop(0), types.pop(0)
        doc = of.doc.params.get(name, '')
        follows = lambda *expected: types[:len(expected)] == list(expected)
        base = dict(name=name, c_type=c_type, doc=doc, nullable=bool(MAY_BE_NULL.search(doc)))
        if c_type in ('char *', 'void *') and follows('size_t', 'size_t *'):
            del names[:2], types[:2]
            return Output('text' if c_type == 'char *' else 'bytes', name, c_type, doc)
        if c_type in ('const void *', 'void *') and (follows('size_t') or c_type.startswith('const')):
            count = names.pop(0) if follows('size_t') and types.pop(0) else ''
            return Parameter('source' if c_type.startswith('const') else 'target', count=count, **base)
        if c_type == 'void *':
            return Parameter('address', **base)
        return self.list(of, base, names, types, before) or self.single(of, base) or self.output(of, base, names, types) or self.refuse(of, base)

    def refuse(self, of, base):
        raise SystemExit(f'{of.name}: no convention for the parameter {base["c_type"]} {base["name"]}; add one to array_model.py')

    def list(self, of, base, names, types, before):
        kind = LISTS.get(short(base['c_type']))
        if base['c_type'] == 'const uint64_t[4]':
            return Parameter('longs', length='4', **base)
        if kind is None:
            return None
        if types[:1] == ['size_t']:
            types.pop(0)
            count, previous = names.pop(0), before[-1] if before else None
            shared = previous.name if isinstance(previous, Parameter) and previous.count_follows else ''
            return Parameter(kind, count=count, shared=shared, **base)
        if types[:1] and short(types[0]) in LISTS and types[1:2] == ['size_t']:
            return Parameter(kind, count_follows=True, **base)
        if short(base['c_type']) in SINGLE:
            return None
        return Parameter(kind, length=axes_of(of, before, base['doc']), **base)

    def single(self, of, base):
        c_type, doc = base['c_type'], base['doc']
        if c_type == 'int32_t':
            return Parameter('boolean' if doc.startswith('1: ') else 'int', **base)
        if c_type in self.enums:
            return Parameter('enum', enum=c_type.removeprefix(PREFIX), **base)
        if short(c_type) in SINGLE:
            return Parameter(SINGLE[short(c_type)], **base)
        if c_type.endswith('_options *'):
            return Parameter('options', fields=self.options(bare(c_type)), **base)
        if c_type.endswith(' *') and bare(c_type) in self.objects:
            return Parameter(self.objects[bare(c_type)], **base)
        is_core = re.fullmatch(r'(?:const )?cucore_(?!array)\w+ \*', c_type)
        return Parameter('core', **base) if is_core else None

    def options(self, name):
        """The fields of a struct of options, each as a parameter."""
        struct, found = self.header.structs[name], []
        declared = {f.name for f in struct.fields}
        for each in struct.fields:
            c_type = {'number': 'int32_t', 'flag': 'int32_t', 'uint32': 'uint32_t', 'uint64': 'uint64_t', 'numbers': 'const int32_t *'}.get(each.kind, each.kind)
            base = dict(name=each.name, c_type=c_type, doc=each.doc, nullable=c_type.endswith('*'))
            if each.name.endswith('_given') and each.name.removesuffix('_given') in declared and found[-1].kind in ('ints', 'longs'):
                continue  # null is a list that is not given
            if each.kind == 'flag':
                found.append(Parameter('boolean', **base))
            elif each.kind == 'numbers':
                given = f'{each.name}_given' if f'{each.name}_given' in declared else ''
                found.append(Parameter('ints', count=each.count, shared=given, **base))
            else:
                one = self.single(None, base)
                found.append(one or self.refuse(self.header.functions[next(iter(self.header.functions))], base))
        return found

    def output(self, of, base, names, types):
        c_type, name, doc = base['c_type'], base['name'], headers.result(base['doc'])
        pointed = c_type.removesuffix(' **')
        if c_type == 'cucore_array **' and types[:1] == ['size_t']:
            types.pop(0)
            return Output('arrays', name, names.pop(0), doc)
        if c_type.endswith(' **') and pointed in self.objects:
            return Output('object', name, pointed + ' *', doc)
        if re.fullmatch(r'cucore_(?!array)\w+ \*\*', c_type):
            return Output('core', name, pointed + ' *', doc)
        if c_type == 'uint64_t[4]':
            return Output('longs', name, c_type, doc)
        if short(c_type) in OUTPUTS:
            return Output(OUTPUTS[short(c_type)], name, c_type.removesuffix('*').strip(), doc)
        if c_type.endswith('_info *'):
            struct = self.header.structs[bare(c_type)]
            return Output('record', name, struct.name, doc, [(f.name, 'text' if f.kind == 'text' else 'number') for f in struct.fields])
        return None
