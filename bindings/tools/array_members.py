#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the public members of io.cucore.array that need no line by hand: array_members.py HEADER SOURCES FOLDER STAMP.

A function of C that no file in SOURCES calls becomes a method of NdArray and a function of Nd, with its comment. One that
no convention covers stops the generator.
"""
import re
import sys
from pathlib import Path

import array_model
from array_natives import flat, java_class, result_of
from array_operations import ENUMS, HEAD, camel, method

CLASS_OF_ENUM = {c_name: name for name, c_name, *_ in ENUMS}
# Each kind of parameter has a type in Java; the native method takes the same.
SIMPLE = {'array': 'NdArray', 'context': 'Context', 'generator': 'Generator', 'scalar': 'Scalar', 'operand': 'Operand', 'operands': 'Operand[]',
          'arrays': 'NdArray[]', 'items': 'Slice[]', 'longs': 'long[]', 'ints': 'int[]', 'text': 'String', 'size': 'long', 'flags': 'int',
          'bits': 'long', 'long': 'long', 'int': 'int', 'double': 'double', 'boolean': 'boolean', 'address': 'long'}
# Each result of a native method has a public type and an expression over the call.
RESULTS = {'void': ('void', '{}'), 'long[]': ('long[]', '{}'), 'long': ('long', '{}'), 'int': ('int', '{}'), 'String': ('String', '{}'),
           'boolean': ('boolean', '{}'), 'byte[]': ('byte[]', '{}')}
OBJECTS = {'array *': ('NdArray', 'new NdArray({})'), 'array_context *': ('Context', 'Context.of({})')}


def truth(parameter, text):
    """The comment of a number that is a boolean in Java."""
    return re.sub(r'\b1: ', 'true: ', re.sub(r'\b0: ', 'false: ', text)) if parameter.kind == 'boolean' else text


class Member:
    """A function as a member. receiver: 'array', 'context' or '', for what precedes the parameters of Java."""

    def __init__(self, function, model):
        self.function, self.model = function, model
        first = function.parameters[0].kind if function.parameters else ''
        self.receiver = first if first in ('array', 'context') else ''
        self.given = [each for each in flat(function)][1 if self.receiver else 0:]

    def refuse(self, what):
        raise SystemExit(f'{self.function.c_name}: no convention for {what}; write a member by hand in bindings/java/array '
                         f'that calls Natives.{camel(self.function.name)}()')

    def name(self):
        is_property = not self.function.fails and self.receiver and not self.given and not self.function.name.startswith(('is_', 'has_'))
        return camel(('get_' if is_property else '') + self.function.name)

    def declared(self):
        """(type, name) of each parameter; a list at the end takes any number of elements."""
        pairs = [(self.type_of(each), camel(each.name)) for each in self.given]
        if pairs and pairs[-1][0].endswith('[]'):
            pairs[-1] = (pairs[-1][0].removesuffix('[]') + '...', pairs[-1][1])
        return pairs

    def type_of(self, parameter):
        if any(each.kind == 'options' for each in self.function.parameters):
            self.refuse('options')
        if parameter.kind == 'toggle':
            return 'Toggle'
        if parameter.kind == 'core':
            return java_class(parameter.c_type)
        if parameter.kind == 'enum' and parameter.enum in CLASS_OF_ENUM:
            return CLASS_OF_ENUM[parameter.enum]
        return SIMPLE.get(parameter.kind) or self.refuse(f'the parameter {parameter.name}')

    def passed(self, receiver):
        first = {'array': [receiver], 'context': ['Context.current()'], '': []}[self.receiver]
        return first + [f'Calls.notNull({camel(each.name)}, "{camel(each.name)}").getValue()' if each.kind in ('enum', 'toggle') else camel(each.name)
                        for each in self.given]

    def result(self):
        """(type, expression over the call)."""
        outputs, native = self.function.outputs, result_of(self.function)[0]
        kinds = {each.kind for each in outputs} or {(self.function.result or 'nothing').split()[0]}
        if kinds == {'arrays'}:
            return 'NdArray[]', 'Calls.arrays({})'
        if kinds == {'object'} and len(outputs) == 1:
            return OBJECTS.get(array_model.short(outputs[0].c_type)) or self.refuse('the result')
        if kinds == {'scalar'}:
            return 'Scalar', 'Scalar.of({})'
        enum = (outputs[0].c_type if outputs else self.function.result.removeprefix('enum ')).removeprefix(array_model.PREFIX) if kinds == {'enum'} else ''
        if enum:
            return (CLASS_OF_ENUM[enum], CLASS_OF_ENUM[enum] + '.of({})') if enum in CLASS_OF_ENUM else self.refuse('the result')
        if kinds == {'core'} and len(outputs) == 1:
            return native, '{}'
        return RESULTS[native] if native in RESULTS and len(outputs) < 2 and 'record' not in kinds else self.refuse('the result')

    def comment(self):
        """(text, parameters, result)."""
        doc = self.function.doc
        text = self.words(doc.text).rstrip('.').replace('Returns 1 if', 'Returns true if')
        parameters = [(camel(each.name), truth(each, self.words(each.doc)) or 'the number') for each in self.given]
        outputs = [each.doc for each in self.function.outputs if each.doc]
        said = self.words(outputs[0]) if outputs else text[0].lower() + text[1:].partition('. ')[0]
        return text, parameters, '' if self.result()[0] == 'void' else said.removeprefix('returns ')

    def words(self, text):
        """A text of the header with the names of Java."""
        text = re.sub(r'\bcucore_array_(\w+)\(\)', lambda m: camel(m[1]) + '()', text)
        for enum in self.model.header.enums:
            name = CLASS_OF_ENUM.get(enum.c_name.removeprefix(array_model.PREFIX))
            for item in enum.items:
                text = text.replace(item.name, f'{name}.{item.short}') if name else text
        return re.sub(r'\bNULL\b', 'null', text)

    def method(self, static):
        """A member of NdArray, or of Nd if static."""
        text, parameters, result = self.comment()
        java_type, expression = self.result()
        given = self.declared()
        own = self.function.parameters[0] if self.receiver == 'array' else None
        if static and own:
            given.insert(0, ('NdArray', camel(own.name)))
            parameters.insert(0, (camel(own.name), self.words(own.doc) or 'the array'))
        call = f'Natives.{camel(self.function.name)}({", ".join(self.passed(camel(own.name) if static and own else "self()"))})'
        body = ('' if java_type == 'void' else 'return ') + expression.format(call) + ';'
        signature = f'{java_type} {self.name()}({", ".join(" ".join(pair) for pair in given)})'
        return method(text, signature, body, parameters, result, static=static)


def members(model, written):
    """Of the functions that no file calls."""
    called = set(re.findall(r'\bNatives\.(\w+)\(', written))
    return [Member(each, model) for each in model.functions if camel(each.name) not in called]


def of_class(name, said, extends, all_members, static):
    used = '\n'.join(each.method(static) for each in all_members)
    imports = ''.join(f'import io.cucore.{each};\n' for each in sorted({'Toggle', *(java_class(p.c_type) for m in all_members for p in [*m.given, *m.function.outputs]
                                                                                    if p.kind == 'core')}) if re.search(rf'\b{each}\b', used))
    head = HEAD.replace('table of operations', 'header') + (f'\n{imports}' if imports else '')
    own = '' if static else '  abstract NdArray self();\n\n'
    base = f'  {name}() {{}}\n\n' if static else f'  {name}() {{\n    super(ARRAY, 0, 0, 0);\n  }}\n\n'
    return f'{head}\n/** {said} */\nabstract class {name}{extends} {{\n{base}{own}{used}}}\n'


def main(header, sources, folder, stamp):
    model = array_model.Model(Path(header).read_text(encoding='utf-8'))
    written = '\n'.join(path.read_text(encoding='utf-8') for path in sorted(Path(sources).rglob('*.java')))
    made = members(model, written)
    Path(folder).mkdir(parents=True, exist_ok=True)
    of_arrays = [each for each in made if each.receiver == 'array']
    functions = [each for each in made if each.receiver != 'array' or each.function.fails]
    for name, said, extends, group, static in (('ArrayFunctions', 'The functions of an array as methods.', ' extends Operand', of_arrays, False),
                                               ('NdFunctions', 'The functions of the library.', '', functions, True)):
        Path(folder, name + '.java').write_text(of_class(name, said, extends, group, static), encoding='utf-8')
    Path(stamp).touch()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
