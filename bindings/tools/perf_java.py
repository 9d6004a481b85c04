#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes io.cucore.perf from cucore_perf.h: perf_java.py INCLUDE FOLDER NATIVES_CPP STAMP.

- Natives.java and NATIVES_CPP: a native method per function. Pointers cross as numbers
- a class per enumeration, per struct that a call fills, and per struct of options. Each reads or writes the struct in native memory
"""
import re
import sys
from pathlib import Path

import java
import perf_model
from header import camel

HEAD = ['// Generated from cucore_perf.h.', 'package io.cucore.perf;', '']
JNI = {'int': 'jint', 'long': 'jlong', 'double': 'jdouble', 'void': 'void'}


def lower(name):
    first, *rest = name.split('_')
    return first + ''.join(map(str.capitalize, rest))


def words(text, model):
    def member(name):
        return perf_model.member(name, model, 'java') + '()'

    def item(enum, i):
        return java.exception(i.name) if enum.c_name == 'cucore_status' and i.value else f'{enum.name}.{i.short}'
    text = perf_model.spelled(text, model, member, item, 'null')
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def number_type(c_type, model):
    """The type of a number or of an address."""
    if c_type in ('void', 'double'):
        return c_type
    return 'int' if perf_model.size_of(c_type, model) == 4 else 'long'


# == Native methods ==

def natives(model):
    out = [*HEAD, '/** The functions of the library. Pointers and sizes are numbers. */', 'final class Natives {', '  static {',
           '    io.cucore.Cucore.loadPerf();', '  }', '', '  private Natives() {}', '']
    for function in model.functions:
        parameters = ', '.join(f'{number_type(t, model)} {lower(n)}' for n, t in zip(function.parameters, function.types))
        out += [f'  static native {number_type(function.result, model)} {function.name}({parameters});', '']
    own = ['long address(java.nio.Buffer direct)', 'String text(long address)', 'byte[] bytes(long address, long size)',
           'double[] doubles(long address, long count)', 'void refuse(int status, long error)', 'long retained(int kind, Object object)',
           'void released(int kind, long address)', 'Object object(int kind, long address)', 'long work()', 'long amounts()', 'long destroy()']
    for each in own:
        out += [f'  static native {each};', '']
    return '\n'.join([*out[:-1], '}', ''])


def natives_cpp(model):
    out = ['// Generated from cucore_perf.h.', '#include <cucore_perf.h>', '#include <jni.h>', '']
    for function in model.functions:
        types = [number_type(t, model) for t in function.types]
        names = [f'{n}_given' for n in function.parameters]
        declared = ', '.join(['JNIEnv*', 'jclass', *(f'{JNI[t]} {n}' for t, n in zip(types, names))])
        passed = ', '.join(n if c == 'double' else f'reinterpret_cast<{c}>({n})' if is_pointer(c) else f'static_cast<{c}>({n})'
                           for n, c in zip(names, function.types))
        call = f'{function.name}({passed})'
        result = number_type(function.result, model)
        cast = f'reinterpret_cast<jlong>({call})' if is_pointer(function.result) else f'static_cast<{JNI[result]}>({call})'
        body = f'{call};' if result == 'void' else f'return {cast};'
        out += [f'extern "C" JNIEXPORT {JNI[result]} JNICALL Java_io_cucore_perf_Natives_{function.name.replace("_", "_1")}({declared}) {{',
                f'  {body}', '}', '']
    return '\n'.join(out)


def is_pointer(c_type):
    return c_type.endswith('*') or c_type.endswith('_fn')


# == Classes ==

def enum(of, model):
    out = [*HEAD, f'/** {words(of.doc.text, model)} */', f'public enum {of.name} {{']
    for i in of.items:
        out += [f'  /** {words(i.doc, model) or i.short} */', f'  {i.short}({i.value}){"," if i is not of.items[-1] else ";"}']
    return '\n'.join([*out, '', '  private final int value;', '', f'  {of.name}(int value) {{', '    this.value = value;', '  }', '',
                      '  /**', '   * Returns the number in C.', '   *', '   * @return the number', '   */', '  public int getValue() {', '    return value;', '  }', '',
                      '  /**', '   * Returns the constant of a number.', '   *', '   * @param value the number in C',
                      '   * @return the constant; the first one for a number of a later version', '   */',
                      f'  public static {of.name} of(int value) {{', f'    for ({of.name} each : values()) {{', '      if (each.value == value) {', '        return each;',
                      '      }', '    }', '    return values()[0];', '  }', '}', ''])


def field_type(field, model):
    if field.c_type in model.own_enums:
        return model.own_enums[field.c_type]
    one = 'boolean' if field.is_flag else 'String' if field.c_type == 'const char *' else number_type(field.c_type, model)
    return one if field.count == 1 else f'{one}[]'


def read(field, at, model):
    kind = field_type(field, model)
    if field.count > 1:
        return '{' + ', '.join(f'from.getInt({at + 4 * i})' for i in range(field.count)) + '}'
    return {'int': f'from.getInt({at})', 'long': f'from.getLong({at})', 'double': f'from.getDouble({at})', 'boolean': f'from.getInt({at}) != 0',
            'String': f'from.getText({at})'}.get(kind) or f'{kind}.of(from.getInt({at}))'


def record(struct, model):
    fields = [(f, at) for f, at in perf_model.layout(struct, model)[0] if f.is_shown]
    is_base = struct.name in perf_model.TABLE['layer']['bases']
    out = [*HEAD, f'/** {words(struct.doc, model)} */', f'public {"" if is_base else "final "}class {struct.class_name} {{',
           f'  static final int SIZE = {perf_model.layout(struct, model)[1]};', '']
    out += [f'  private final {field_type(f, model)} {lower(f.name)};' for f, _ in fields]
    out += ['', f'  {struct.class_name}(Memory from) {{']
    for f, at in fields:
        value = read(f, at, model)
        out.append(f'    {lower(f.name)} = {f"new {field_type(f, model)} " + value if f.count > 1 else value};')
    out += ['  }', '']
    for f, _ in fields:
        text = words(f.doc, model) or f'the {f.name.replace("_", " ")}'
        clone = '.clone()' if f.count > 1 else ''
        out += ['  /**', f'   * Returns the field {lower(f.name)}.', '   *', f'   * @return {text}', '   */',
                f'  public {field_type(f, model)} {lower(f.name)}() {{', f'    return {lower(f.name)}{clone};', '  }', '']
    shown = ' + ", '.join(f'{lower(f.name)}=" + ' + (f'java.util.Arrays.toString({lower(f.name)})' if f.count > 1 else lower(f.name)) for f, _ in fields)
    return '\n'.join([*out, '  @Override', '  public String toString() {', f'    return "{struct.class_name}[{shown} + "]";', '  }', '}', ''])


def setter_type(field, model):
    kinds = {'cucore_toggle': 'boolean', 'const char *': 'String', 'const char *const *': 'java.util.List<String>', 'const cucore_device *': 'io.cucore.CudaDevice',
             'const cucore_stream *': 'io.cucore.CudaStream', 'const cucore_roof *': 'Roof', 'cucore_work_fn': 'Work'}
    return kinds.get(field.c_type) or field_type(field, model)


def options(struct, model):
    """A class that is filled by name, and writes the struct."""
    placed, size = perf_model.layout(struct, model)
    at_of = {f.name: at for f, at in placed}
    fields = [(f, at) for f, at in placed if f.is_shown and f.name != 'user_data' and not (f.c_type == 'size_t' and f.name.endswith('_count'))]
    out = [*HEAD, f'/** {words(struct.doc, model)} */', f'public final class {struct.class_name} {{']
    out += [f'  private {"Boolean" if f.c_type == "cucore_toggle" else setter_type(f, model)} {lower(f.name)};' for f, _ in fields]
    out += ['', '  /** Begins with the defaults. */', f'  public {struct.class_name}() {{}}', '']
    for f, _ in fields:
        name = lower(f.name)
        out += ['  /**', f'   * Sets the option {name}.', '   *', f'   * @param value {words(f.doc, model) or name}', '   * @return this', '   */',
                f'  public {struct.class_name} {name}({setter_type(f, model)} value) {{', f'    {name} = value;', '    return this;', '  }', '']
    out += ['  Memory write(Frame frame) {', f'    Memory to = frame.memory({size}).putLong(0, {size});']
    for f, at in fields:
        name, kind = lower(f.name), setter_type(f, model)
        count = f.name.removesuffix('s') + '_count'
        line = {'boolean': f'to.putToggle({at}, {name});' if f.c_type == 'cucore_toggle' else f'to.putInt({at}, {name} ? 1 : 0);', 'String': f'to.putLong({at}, frame.text({name}));',
                'java.util.List<String>': f'to.putLong({at}, frame.texts({name})).putLong({at_of.get(count, 0)}, {name} == null ? 0 : {name}.size());',
                'io.cucore.CudaDevice': f'to.putLong({at}, frame.object({name}));', 'io.cucore.CudaStream': f'to.putLong({at}, frame.object({name}));',
                'Roof': f'to.putLong({at}, frame.object({name}));',
                'Work': f'frame.work(to, {at}, {at_of.get("user_data", 0)}, {name});', 'int': f'to.putInt({at}, {name});', 'long': f'to.putLong({at}, {name});',
                'double': f'to.putDouble({at}, {name});'}.get(kind) or f'to.putInt({at}, {name} == null ? 0 : {name}.getValue());'
        out.append(f'    {line}')
    shown = ' + ", '.join(f'{lower(f.name)}=" + {lower(f.name)}' for f, _ in fields)
    getter = [f'  {setter_type(f, model)} {lower(f.name)}() {{\n    return {lower(f.name)};\n  }}\n' for f, _ in fields if f.name == 'stream']
    return '\n'.join([*out, '    return to;', '  }', '', *getter, '  @Override', '  public String toString() {', f'    return "{struct.class_name}[{shown} + "]";', '  }', '}', ''])


def layouts(model):
    """The places of fields that the layer reads and writes by itself."""
    out = [*HEAD, '/** Sizes of structs, and places of their fields. */', 'final class Layouts {', '  private Layouts() {}', '']
    for struct in [*model.structs, *model.reused]:
        if struct.is_result or struct.name.endswith('_options') and struct in model.structs:
            continue
        placed, size = perf_model.layout(struct, model)
        name = struct.name.removeprefix('cucore_').upper()
        out.append(f'  static final int {name} = {size};')
        out += [f'  static final int {name}_{f.name.upper()} = {at};' for f, at in placed]
    return '\n'.join([*out, '}', ''])


def main(include, folder, natives_file, stamp):
    model = perf_model.Model(include)
    package = Path(folder) / 'io/cucore/perf'
    package.mkdir(parents=True, exist_ok=True)
    files = {'Natives': natives(model), 'Layouts': layouts(model), **{e.name: enum(e, model) for e in model.enums},
             **{s.class_name: record(s, model) for s in model.results()},
             **{s.class_name: options(s, model) for s in model.structs if s.name.endswith('_options')}}
    for old in package.glob('*.java'):
        if old.stem not in files:
            old.unlink()
    for name, text in files.items():
        (package / f'{name}.java').write_text(text, encoding='utf-8')
    Path(natives_file).write_text(natives_cpp(model), encoding='utf-8')
    Path(stamp).touch()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
