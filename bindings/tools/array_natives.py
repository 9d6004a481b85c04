#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the native methods of io.cucore.array, a method per function of the header: array_natives.py HEADER NATIVES_JAVA NATIVES_CPP.

array_model.py contains the conventions. bindings/java/array/native/call.hpp reads the objects of Java.
"""
import sys
import tomllib
from pathlib import Path

import array_model
import header as headers
from array_operations import camel

# Each kind of parameter has a type in Java, a type in JNI, and C++ that reads it. {g} is its name in JNI.
READ = {
    'array': ('NdArray', 'jobject', 'call.array({g}, "{j}")'),
    'context': ('Context', 'jobject', 'call.context({g})'),
    'generator': ('Generator', 'jobject', 'call.generator({g})'),
    'scalar': ('Scalar', 'jobject', 'call.number({g}, "{j}")'),
    'operand': ('Operand', 'jobject', 'call.operand({g}, "{j}")'),
    'operands': ('Operand[]', 'jobjectArray', 'call.operands({g}, "{j}")'),
    'arrays': ('NdArray[]', 'jobjectArray', 'call.arrays({g}, "{j}")'),
    'items': ('Slice[]', 'jobjectArray', 'call.items({g}, "{j}")'),
    'longs': ('long[]', 'jlongArray', 'call.longs({g}, "{j}")'),
    'ints': ('int[]', 'jintArray', 'call.ints<{e}>({g}, "{j}")'),
    'text': ('String', 'jstring', 'call.text({g}, "{j}")'),
    'size': ('long', 'jlong', 'call.count({g}, "{j}")'),
    'flags': ('int', 'jint', 'static_cast<uint32_t>({g})'),
    'bits': ('long', 'jlong', 'static_cast<uint64_t>({g})'),
    'long': ('long', 'jlong', 'int64_t{{{g}}}'),
    'int': ('int', 'jint', 'int32_t{{{g}}}'),
    'double': ('double', 'jdouble', '{g}'),
    'boolean': ('boolean', 'jboolean', 'int32_t{{{g}}}'),
    'toggle': ('int', 'jint', 'static_cast<cucore_toggle>({g})'),
    'enum': ('int', 'jint', 'static_cast<cucore_array_{e}>({g})'),
    'address': ('long', 'jlong', 'reinterpret_cast<void*>({g})'),
    'core': ('{e}', 'jobject', 'call.core<{c}>({g}, "{j}")'),
}
READ['enums'] = READ['ints']
LISTS = ('operands', 'arrays', 'items', 'longs', 'ints', 'enums')
MEMORY = ('source', 'target')
BY_ADDRESS = ('scalar', 'operand')  # read into a local, whose address C takes
# Each kind of result has a type in Java and a type in JNI.
GIVEN = {'nothing': ('void', 'void'), 'object': ('long', 'jlong'), 'arrays': ('long[]', 'jlongArray'), 'longs': ('long[]', 'jlongArray'),
         'scalar': ('long[]', 'jlongArray'), 'long': ('long', 'jlong'), 'int': ('int', 'jint'), 'enum': ('int', 'jint'), 'text': ('String', 'jstring'),
         'boolean': ('boolean', 'jboolean'), 'bytes': ('byte[]', 'jbyteArray'), 'address': ('long', 'jlong'), 'record': ('Object[]', 'jobjectArray')}
SEVERAL = ('Object[]', 'jobjectArray')
CLASSES = tomllib.loads((Path(__file__).resolve().parent.parent / 'api/cucore.toml').read_text(encoding='utf-8'))['classes']


def java_class(c_type):
    """The class of io.cucore of a handle type."""
    handle = array_model.bare(c_type)
    name = CLASSES['names'].get(handle) or headers.camel(handle.removeprefix('cucore_'))
    return ('Cuda' if name in CLASSES['cuda'] else '') + name


def flat(function):
    """The parameters of a native method: options are their fields, and an output that is a list has its count."""
    for each in function.order:
        if isinstance(each, array_model.Output):
            if each.kind == 'arrays':
                yield array_model.Parameter('size', each.c_type)
        elif each.kind == 'options':
            yield from each.fields
        else:
            yield each


def declared(parameter):
    """(type, name) in Java of the one or three parameters of a native method."""
    name = camel(parameter.name)
    if parameter.kind in MEMORY:
        return [('Object', name), ('long', name + 'Offset'), ('long', name + 'Size')]
    return [(READ[parameter.kind][0].format(e=java_class(parameter.c_type)), name)]


def native_types(parameter):
    given = 'given_' + parameter.name
    if parameter.kind in MEMORY:
        return [('jobject', given), ('jlong', given + '_offset'), ('jlong', given + '_size')]
    return [(READ[parameter.kind][1], given)]


def is_of_numbers(output):
    return all(kind == 'number' for _, kind in output.fields)


def result_of(function):
    """(type in Java, type in JNI)."""
    if not function.fails:
        return GIVEN[function.result.split()[0]]
    outputs = function.outputs
    if len(outputs) > 1:
        return GIVEN['arrays'] if all(each.kind == 'object' for each in outputs) else SEVERAL
    if not outputs:
        return GIVEN['nothing']
    if outputs[0].kind == 'record' and is_of_numbers(outputs[0]):
        return GIVEN['longs']
    return (java_class(outputs[0].c_type), 'jobject') if outputs[0].kind == 'core' else GIVEN[outputs[0].kind]


def reading(parameter):
    """C++ that reads one parameter into a local of its name."""
    name, given, java = parameter.name, 'given_' + parameter.name, camel(parameter.name)
    if parameter.kind in MEMORY:
        kind = 'HostSource' if parameter.kind == 'source' else 'HostTarget'
        return [f'{kind} {name}(env, {given}, {given}_offset, {given}_size);']
    element = 'cucore_array_dtype' if parameter.kind == 'enums' else 'int32_t' if parameter.kind == 'ints' else parameter.enum
    read = READ[parameter.kind][2].format(g=given, j=java, e=element, c=array_model.bare(parameter.c_type))
    if not parameter.nullable:
        lines = [f'const auto {name} = {read};']
    elif parameter.kind in LISTS or parameter.kind in BY_ADDRESS:
        lines = [f'const auto {name} = {given} ? {read} : decltype({read})();']
    else:
        lines = [f'const auto {name} = {given} ? {read} : nullptr;']
    return lines + checks(parameter, java)


def checks(parameter, java):
    """C++ that refuses lists whose sizes C cannot see."""
    name = parameter.name
    given = f'if (given_{name}) ' if parameter.nullable else ''
    if parameter.length:
        return [f'{given}call.check_length({name}.size(), {parameter.length}, "{java}");']
    if parameter.shared:
        both = f'if (given_{name} && given_{parameter.shared}) ' if parameter.nullable else ''
        return [f'{both}call.check_equal({name}.size(), "{java}", {parameter.shared}.size(), "{camel(parameter.shared)}");']
    return []


def options(parameter):
    lines = [line for each in parameter.fields for line in reading(each if each.kind not in LISTS else plain(each))]
    name = array_model.bare(parameter.c_type)
    lines += [f'{name} {parameter.name}{{}};', f'{parameter.name}.struct_size = sizeof {parameter.name};']
    for each in parameter.fields:
        is_list = each.kind in LISTS
        lines.append(f'{parameter.name}.{each.name} = {each.name}{".data()" if is_list else ""};')
        if is_list:
            lines.append(f'{parameter.name}.{each.count} = {each.name}.size();')
            if each.shared:
                lines.append(f'{parameter.name}.{each.shared} = given_{each.name} != nullptr;')
    return lines


def plain(parameter):
    """A list of a struct without `shared`, which is the field for whether it is given."""
    return array_model.Parameter(**{**vars(parameter), 'shared': ''})


def passed(parameter):
    """The arguments of C for one parameter."""
    name = parameter.name
    if parameter.kind in MEMORY:
        return [f'{name}.data()', *([f'{name}.size()'] if parameter.count else [])]
    if parameter.kind in LISTS:
        count = f'std::max({parameter.shared}.size(), {name}.size())' if parameter.shared else f'{name}.size()'
        data = f'reinterpret_cast<const uint64_t*>({name}.data())' if parameter.c_type.startswith('const uint64_t') else f'{name}.data()'
        return [data, *([count] if parameter.count else [])]
    if parameter.kind == 'text':
        return [f'{name}.c_str()']
    if parameter.kind == 'options':
        return ['&' + name]
    if parameter.kind in BY_ADDRESS:
        return [f'given_{name} ? &{name} : nullptr' if parameter.nullable else '&' + name]
    return [name]


def prepared(output):
    """C++ that declares an output; texts and bytes are made by sized()."""
    if output.kind == 'arrays':
        return [f'std::vector<cucore_array*> {output.name}(call.count(given_{output.c_type}, "{camel(output.c_type)}"));']
    if output.kind == 'record':
        return [f'{output.c_type} {output.name}{{}};', f'{output.name}.struct_size = sizeof {output.name};']
    if output.kind == 'longs':
        return [f'uint64_t {output.name}[4] = {{}};']
    return [f'{output.c_type} {output.name}{{}};']


def taken(output):
    """The arguments of C for an output."""
    if output.kind == 'arrays':
        return [f'call.room({output.name})', f'{output.name}.size()']
    return [output.name if output.kind == 'longs' else '&' + output.name]


def given(output):
    """C++ that converts an output to Java."""
    if output.kind == 'record' and is_of_numbers(output):
        return f'call.give_numbers({{{", ".join(f"{output.name}.{name}" for name, _ in output.fields)}}})'
    if output.kind == 'record':
        return f'call.give_record({{{", ".join(f"call.{kind}_value({output.name}.{name})" for name, kind in output.fields)}}})'
    if output.kind in ('long', 'int', 'enum'):
        return f'static_cast<{GIVEN[output.kind][1]}>({output.name})'
    if output.kind == 'address':
        return f'reinterpret_cast<jlong>({output.name})'
    return f'call.give({output.name}, 4)' if output.kind == 'longs' else f'call.give({output.name})'


def boxed(output):
    return f'call.number_value({output.name})' if output.kind in ('long', 'int', 'enum') else given(output)


def calling(function):
    """The lines of the body."""
    arguments = [text for each in function.order for text in (passed(each) if isinstance(each, array_model.Parameter) else
                                                               [] if each.kind in ('text', 'bytes') else taken(each))]
    outputs = function.outputs
    if not function.fails:
        return [returned_value(function, f'{function.c_name}({", ".join(arguments)})')]
    if outputs and outputs[0].kind in ('text', 'bytes'):
        return [f'return call.give_{outputs[0].kind}(sized({", ".join([function.c_name, *arguments])}));']
    lines = [line for each in outputs for line in prepared(each)]
    lines.append(f'ok({", ".join([function.c_name, *arguments])});')
    lines += [f'{each.name}.finish();' for each in function.parameters if each.kind == 'target']
    if len(outputs) == 1:
        return [*lines, f'return {given(outputs[0])};']
    if outputs and result_of(function) != SEVERAL:
        return [*lines, f'return call.give(std::vector<cucore_array*>{{{", ".join(each.name for each in outputs)}}});']
    return [*lines, *([f'return call.give_record({{{", ".join(boxed(each) for each in outputs)}}});'] if outputs else [])]


def returned_value(function, call):
    kind = function.result.split()[0]
    if kind == 'text':
        return f'return call.give_text({call});'
    if kind == 'longs':
        return f'return call.give({call}, cucore_array_ndim({function.parameters[0].name}));'
    return f'{call};' if kind == 'nothing' else f'return static_cast<{GIVEN[kind][1]}>({call});'


def in_cpp(function):
    parameters = ['JNIEnv* env', 'jclass', *(' '.join(pair) for each in flat(function) for pair in native_types(each))]
    body = [line for each in function.parameters for line in (options(each) if each.kind == 'options' else reading(each))] + calling(function)
    call = 'Call& call' if any('call.' in line for line in body) else 'Call&'
    return '\n'.join([f'ARRAY_NATIVE({result_of(function)[1]}, {camel(function.name)})', f'({", ".join(parameters)}) {{',
                      f'  return calling(env, [&]({call}) -> {result_of(function)[1]} {{', *('    ' + line for line in body), '  });', '}', ''])


def in_java(function):
    parameters = ', '.join(' '.join(pair) for each in flat(function) for pair in declared(each))
    return f'  static native {result_of(function)[0]} {camel(function.name)}({parameters});\n'


JAVA = '''// SPDX-License-Identifier: Apache-2.0
// Made from cucore_array.h.
package io.cucore.array;

{imports}
/** The native methods, one per function of C. They take Java objects, which stay reachable meanwhile, and return leases. */
final class Natives {{
  static {{
    Cucore.loadArrays();
  }}

  private Natives() {{}}

  static native void close(long lease);

  /** Throws the exception of a status. */
  static native void refuse(int status, String message);

{methods}}}
'''
CPP = '''// SPDX-License-Identifier: Apache-2.0
// Made from cucore_array.h.
#include <algorithm>

#include "call.hpp"
#include "host.hpp"

using namespace cucore::java::arrays;

{functions}'''


def main(header, java, cpp):
    functions = array_model.Model(Path(header).read_text(encoding='utf-8')).functions
    cores = {java_class(each.c_type) for function in functions for each in [*flat(function), *function.outputs] if each.kind == 'core'}
    imports = ''.join(f'import io.cucore.{name};\n' for name in sorted({'Cucore', *cores}))
    Path(java).parent.mkdir(parents=True, exist_ok=True)
    Path(java).write_text(JAVA.format(imports=imports, methods='\n'.join(map(in_java, functions))), encoding='utf-8')
    Path(cpp).write_text(CPP.format(functions='\n'.join(map(in_cpp, functions))), encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
