#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes Cucore.Perf from cucore_perf.h: perf_csharp.py INCLUDE SOURCES FOLDER.

- PerfNative.Generated.cs: the structs and functions, for platform calls
- PerfValues.Generated.cs: the enumerations, a class per struct that a call fills, and one per struct of options
- the files of SOURCES
"""
import re
import sys
from pathlib import Path

import csharp
import perf_model
from header import camel
from platform_calls import imported

LIBRARY = 'libcucore-perf.so.0'
HEAD = ['#nullable enable', '// Generated from cucore_perf.h.', 'using System;', 'using System.Collections.Generic;', 'using System.Runtime.InteropServices;', '',
        'namespace Cucore.Perf {']


def words(text, model):
    def item(enum, i):
        return csharp.exception(i.name) if enum.c_name == 'cucore_status' and i.value else f'{enum.name}.{camel(i.short)}'
    text = perf_model.spelled(text, model, lambda name: perf_model.member(name, model, 'csharp'), item, 'null')
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def summary(text, model, indent=''):
    return f'{indent}/// <summary>{words(text, model)}</summary>'


def native_name(struct_name):
    return 'Native' + camel(struct_name.removeprefix('cucore_'))


def field_type(c_type):
    plain = {'int32_t': 'int', 'uint32_t': 'uint', 'uint64_t': 'ulong', 'size_t': 'ulong', 'double': 'double'}
    return plain.get(c_type) or ('IntPtr' if c_type.endswith('*') or c_type.endswith('_fn') else 'int')


def parameter_type(c_type, name, function, model):
    own = {s.name for s in [*model.structs, *model.reused]}
    bare = c_type.replace('const ', '').rstrip(' *')
    if c_type == 'const cucore_argument *':
        return 'NativeArgument[]'
    if bare in own and c_type.endswith(' *'):
        return f'ref {native_name(bare)}'
    if re.search(r'_(retain|release)$', function.name) or c_type in ('cucore_declare_fn', 'cucore_work_fn', 'cucore_destroy_fn') or name == 'user_data':
        return 'IntPtr'
    if c_type.endswith('*const *'):
        return 'IntPtr[]'
    kinds = {'const char *': 'byte[]?', 'char *': '[In, Out] byte[]?', 'void *': '[In, Out] byte[]?', 'const void *': 'byte[]', 'size_t *': 'out ulong', 'double *': 'out double', 'int32_t *': 'out int'}
    if c_type in kinds or not c_type.endswith('*'):
        return kinds.get(c_type) or field_type(c_type)
    return 'out IntPtr' if c_type.endswith('**') else 'IntPtr' if 'options' in c_type else 'SafeHandle'


def local(name):
    first, *rest = name.split('_')
    made = first + ''.join(map(str.capitalize, rest))
    return f'@{made}' if made == 'out' else made


def native(model):
    out = [*HEAD]
    for struct in [*model.structs, *model.reused]:
        out += ['[StructLayout(LayoutKind.Sequential)]', f'internal struct {native_name(struct.name)} {{']
        for f in struct.fields:
            names = [camel(f.name)] if f.count == 1 else [f'{camel(f.name)}{i}' for i in range(f.count)]
            out.append(f'  internal {field_type(f.c_type)} {", ".join(names)};')
        out += ['', f'  internal static {native_name(struct.name)} Make() {{',
                f'    return new {native_name(struct.name)} {{ StructSize = {perf_model.layout(struct, model)[1]} }};' if struct.fields[0].name == 'struct_size'
                else f'    return new {native_name(struct.name)}();', '  }', '}', '']
    out += ['internal static partial class PerfNative {', f'  private const string Library = "{LIBRARY}";']
    for function in model.functions:
        declared = ', '.join(f'{parameter_type(t, n, function, model)} {local(n)}' for n, t in zip(function.parameters, function.types))
        result = 'void' if function.result == 'void' else field_type(function.result)
        out += ['', *imported('  ', f'{result} {function.name}({declared})')]
    for name in ('cucore_stream_retain', 'cucore_kernel_retain'):
        out += ['', '  // Of libcucore, which the library loads.', *imported('  ', f'IntPtr {name}(IntPtr handle)')]
    return '\n'.join([*out, '}', '}', ''])


# == Values ==

def shown_type(field, model):
    if field.c_type in model.own_enums:
        return model.own_enums[field.c_type]
    one = 'bool' if field.is_flag else {'const char *': 'string', 'double': 'double', 'uint64_t': 'long'}.get(field.c_type, 'int')
    return one if field.count == 1 else f'IReadOnlyList<{one}>'


def read(field, model):
    name, kind = f'from.{camel(field.name)}', shown_type(field, model)
    if field.count > 1:
        return 'Array.AsReadOnly(new[] { ' + ', '.join(f'(int)from.{camel(field.name)}{i}' for i in range(field.count)) + ' })'
    return {'bool': f'{name} != 0', 'string': f'PerfCalls.Text({name})', 'double': name}.get(kind) or f'({kind}){name}'


def enum(of, model):
    out = [summary(of.doc.text, model), f'public enum {of.name} {{']
    for i in of.items:
        out += [summary(i.doc or camel(i.short), model, '  '), f'  {camel(i.short)} = {i.value},']
    return [*out, '}', '']


def described(class_name, fields):
    parts = ' + ", '.join(f'{camel(f.name)} = " + ' + (f'string.Join(" ", {camel(f.name)})' if f.count > 1 else camel(f.name)) for f in fields)
    return ['', '  /// <summary>Describes the object.</summary>', f'  public override string ToString() {{ return "{class_name}: {parts}; }}']


def record(struct, model):
    is_base = struct.name in perf_model.TABLE['layer']['bases']
    out = [summary(struct.doc, model), f'public {"" if is_base else "sealed "}class {struct.class_name} {{']
    for f in struct.shown:
        out += [summary(f.doc or f.name, model, '  '), f'  public {shown_type(f, model)} {camel(f.name)} {{ get; }}']
    out += ['', f'  internal {struct.class_name}({native_name(struct.name)} from) {{', *(f'    {camel(f.name)} = {read(f, model)};' for f in struct.shown), '  }',
            *described(struct.class_name, struct.shown), '}', '']
    return out


def option_type(field, model):
    kinds = {'cucore_toggle': 'bool?', 'const char *': 'string?', 'const char *const *': 'IReadOnlyList<string>?', 'const cucore_device *': 'CudaDevice?',
             'const cucore_stream *': 'CudaStream?', 'const cucore_roof *': 'Roof?', 'cucore_work_fn': 'Action<CudaStream>?', 'uint32_t': 'int', 'size_t': 'long'}
    return kinds.get(field.c_type) or shown_type(field, model)


def options(struct, model):
    shown = [f for f in struct.shown if f.name != 'user_data' and not (f.c_type == 'size_t' and f.name.endswith('_count'))]
    out = [summary(struct.doc, model), f'public sealed class {struct.class_name} {{']
    for f in shown:
        out += [summary(f.doc or f.name, model, '  '), f'  public {option_type(f, model)} {camel(f.name)} {{ get; set; }}']
    out += ['', f'  internal {native_name(struct.name)} Write(Frame frame) {{', f'    {native_name(struct.name)} to = {native_name(struct.name)}.Make();']
    for f in shown:
        name, kind = camel(f.name), option_type(f, model)
        count = camel(f.name.removesuffix('s') + '_count')
        made = {'bool?': f'{name} == null ? 0 : {name} == true ? 1 : 2', 'string?': f'frame.Text({name})', 'IReadOnlyList<string>?': f'frame.Texts({name})',
                'CudaDevice?': f'frame.Object(CudaDevice.getCPtr({name}))', 'CudaStream?': f'frame.Object(CudaStream.getCPtr({name}))',
                'Roof?': f'{name} == null ? IntPtr.Zero : frame.Object({name}.Handle)', 'Action<CudaStream>?': f'frame.Work({name})', 'double': name, 'bool': f'{name} ? 1 : 0'}.get(kind)
        if made is None:
            made = f'({field_type(f.c_type)}){name}' if f.c_type in model.own_enums else f'({field_type(f.c_type)})PerfCalls.NotNegative({name}, nameof({name}))'
        out.append(f'    to.{name} = {made};')
        if kind.startswith('IReadOnlyList'):
            out.append(f'    to.{count} = (ulong)({name}?.Count ?? 0);')
    return [*out, '    return to;', '  }', *described(struct.class_name, shown), '}', '']


def values(model):
    out = [*HEAD]
    for each in model.enums:
        out += enum(each, model)
    for struct in model.results():
        out += record(struct, model)
    for struct in model.structs:
        if struct.name.endswith('_options'):
            out += options(struct, model)
    return '\n'.join([*out[:-1], '}', ''])


def main(include, sources, folder):
    model = perf_model.Model(include)
    for name, text in (('PerfNative', native(model)), ('PerfValues', values(model))):
        (Path(folder) / f'{name}.Generated.cs').write_text(text, encoding='utf-8')
    for path in Path(sources).glob('*.cs'):
        (Path(folder) / path.name).write_text(path.read_text(encoding='utf-8'), encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
