# SPDX-License-Identifier: Apache-2.0
"""Makes C#'s parts from the header: XML comments, enums, exceptions, options classes."""
import itertools
import re

import csharp_values
import fields
import sources
import words
from api import FOLDER, camel_of
from header import camel

KEPT_TYPES = {'int32_t': 'int', 'uint64_t': 'ulong', 'int64_t': 'long', 'size_t': 'long', 'const char *': 'string', 'bool': 'bool'}


def exception(status):
    return words.exception_name(status, 'Exception')


def text_of(text, places):
    def item(enum, i):
        if enum.c_name == 'cucore_status' and i.value:
            return exception(i.name)
        return f'{enum.name}.{camel(i.short)}'
    return escape(words.translate(text, places.api.header, places.text, item, 'null', lambda *names: '.'.join(filter(None, map(camel, names)))))


def escape(text):
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def enum_typemap(enum):
    return f'%csharp_enum({enum.c_name}, {enum.name})'


def comment(member, places):
    return []  # SWIG 4.1 makes no C# comments of these: features() does


def documentation(function, parameters, places, has_result=True):
    """The XML comment of a member: the function's words, and those parameters that the member has."""
    tr = lambda t: text_of(t, places)
    summary, *remarks = function.doc.text.split('\n\n')
    lines = [f'/// <summary>{tr(summary)}</summary>']
    lines += [f'/// <param name="{n}">{tr(t)}</param>' for n, t in parameters]
    if has_result and words.result(function):
        lines.append(f'/// <returns>{tr(words.result(function))}</returns>')
    lines += [f'/// <exception cref="{exception(c)}">{tr(t)}</exception>' for c, t in words.failures(function)]
    if remarks:
        lines.append('/// <remarks>' + tr(' '.join(remarks)) + '</remarks>')
    return lines


def is_kept(member, places):
    return member.function in places.api.constant_properties() and not places.is_hidden(member)


def kept(member, places):
    """The property over SWIG's own, which is called once."""
    ctype, name = places.api.properties[member.function], camel(member.name)
    enum = places.api.header.enum(ctype)
    ctype = enum.name if enum else KEPT_TYPES[ctype]
    field = name[0].lower() + name[1:]
    if ctype == 'string':
        lines, read = [f'private string? {field};'], f'return {field} ?? ({field} = {name}Now);'
    elif name == 'Native':  # 0 may be what is there only later: the handle of code that is not loaded
        lines, read = [f'private ulong {field};'], f'return {field} != 0 ? {field} : {field} = {name}Now;'
    else:
        lines = [f'private {ctype} {field};', f'private volatile bool has{name};']
        read = f'if (!has{name}) {{ {field} = {name}Now; has{name} = true; }} return {field};'
    return ['  ' + l for l in [*lines, f'//: {member.function}',
                               f'public {ctype} {name} {{ get {{ CheckAlive(); {read} }} }}']]


def generated_members(places, members, texts):
    """Of each class the properties that never change, and a ToString() where csharp/src has none."""
    out = ['// Generated from cucore.h: properties that never change.', 'namespace Cucore {']
    for owner in places.api.classes:
        name = places.api.class_name(owner.name, 'csharp')
        out.append(f'public partial class {name} {{')
        for member in members:
            if member.owner == owner.name and is_kept(member, places):
                out += kept(member, places)
        out += csharp_values.members(places.api, owner)
        if not any(has_text(text, name) for text in texts):
            out += ['  /// <summary>The name of the class.</summary>',
                    f'  public override string ToString() {{ return "{name}" + (IsDisposed ? ", disposed" : ""); }}']
        out.append('}')
    return out + ['}']


def has_text(text, name):
    """Returns whether a source has a ToString() for the class."""
    for part in re.split(r'^(?=(?:\w+ )+(?:class|struct) )', text, flags=re.M):
        if re.match(rf'(?:\w+ )+class {name}\b', part) and 'override string ToString()' in part:
            return True
    return False


def features(member, places):
    hidden, name = places.is_hidden(member), places.member_name(member)
    lines = []
    if is_kept(member, places):
        lines, hidden = [f'%rename({name}Now) {member.path};'], True
    elif hidden and member.kind != 'constructor':
        lines = [f'%rename(Raw{camel(member.name)}) {member.path};']
    elif name != camel(member.name):
        lines = [f'%rename({name}) {member.path};']
    parameters = words.parameters(member, places.api)
    has_result = member.kind != 'constructor' and not member.is_void
    comments = documentation(places.api.header.functions[member.function], parameters, places, has_result)
    quoted = ''.join(l.replace('\\', '\\\\').replace('"', '\\"') + '\\n  ' for l in comments)
    return lines + [f'%csmethodmodifiers {member.path} "{quoted}{"internal" if hidden else "public"}";']


def class_features(lines, places, nullable):
    """The comment before a class becomes the class's; a helper is internal."""
    api, out = places.api, [f'%nullable({owner}, {name})' for owner, name in nullable]
    out += [f'%typemap(csinterfaces) {camel_of(s)} "System.IDisposable, IFields"' for s in api.options_classes()]
    for previous, line in zip(lines, lines[1:]):
        m = re.match(r'struct (\w+) \{|%options\((\w+),', line)
        m = m and [m[0], m[1] or m[2]]
        words_of = re.match(r'/\*\* (.*) \*/', '/** Options. */' if line.startswith('%options(') else previous)
        if not m or not words_of:
            continue
        access = 'internal' if api.is_helper(m[1]) else 'public'
        serial = '[System.Serializable]\\n' if m[1] == 'ObjectCode' else ''
        out.append(f'%typemap(csclassmodifiers) {m[1]} "/// <summary>{escape(words_of[1])}</summary>\\n{serial}{access} sealed partial class"')
        out.append(f'%rename({api.class_name(m[1], "csharp")}) {m[1]};')
    return out


def expand_member(function, tags, declaration, places):
    """The comment in the place of a mark. A parameter with a comment of its own below the mark keeps that."""
    comments = ''.join(itertools.takewhile(lambda line: re.match(r'\s*(///|\[)', line), declaration.splitlines(True)))
    own = set(re.findall(r'<param name="(\w+)">', comments))
    code = re.sub(r'^\s*(///|\[).*$', '', declaration, flags=re.M).partition('{')[0]
    declared = re.search(r'\w(?:<\w+>)?\(((?:[^()]|\([^()]*\))*)\)', re.sub(r'\([^()]*\) (?=\w+ *[({])', '', code))
    names = re.findall(r'(\w+)(?: = [\w.]+)?\s*(?:,|$)', declared[1]) if declared else []
    in_c = {here: c for c, here in places.api.table.get('parameters', function.name, {}).items()}
    found = [(n, function.doc.params.get(in_c.get(n, words.snake(n)))) for n in names if n not in own]
    has_result = '<returns>' not in comments and not re.match(r'\s*(public|internal) (\w+\(|(static )?void )', code.lstrip('\n'))
    return documentation(function, [(n, t) for n, t in found if t], places, has_result), ''


def enums(places):
    out = ['// Generated from cucore.h.', 'namespace Cucore {']
    for e in places.api.header.enums:
        out += [f'/// <summary>{text_of(e.doc.text, places)}</summary>', f'public enum {e.name} {{']
        for i in e.items:
            out.append(f'  /// <summary>{text_of(i.doc or camel(i.short), places)}</summary>')
            out.append(f'  {camel(i.short)} = {i.value},')
        out.append('}')
    return out + ['}']


def exceptions(places):
    items = [i for i in places.api.header.enum('cucore_status').items if i.value]
    out = ['// Generated from cucore.h.', 'using System;', 'using System.Runtime.Serialization;', '', 'namespace Cucore {']
    for i in items:
        name = exception(i.name)
        out += [f'/// <summary>{text_of(i.doc, places)}</summary>', '[Serializable]',
                f'public sealed class {name} : CucoreException {{',
                f'  internal {name}(Failure failure) : base(failure) {{}}',
                f'  private {name}(SerializationInfo info, StreamingContext context) : base(info, context) {{}}', '}']
    out += ['public partial class CucoreException {', '  internal static CucoreException Of(Failure failure) {',
            '    switch (failure.Status) {']
    out += [f'      case Status.{camel(i.short)}: return new {exception(i.name)}(failure);' for i in items]
    return out + ['      default: return new CucoreException(failure);', '    }', '  }', '}', '}']


TYPES = {'text': 'string?', 'toggle': 'bool?', 'number': 'int', 'texts': 'IList<string>', 'numbers': 'IList<int>',
         'flag': 'bool', 'uint32': 'long', 'uint64': 'long', 'key': 'Key?', 'keys': 'IList<Key>'}
LISTS = {'texts': 'new List<string>()', 'numbers': 'new List<int>()', 'keys': 'new List<Key>()'}
SETTERS = {'text': 'native.SetText', 'toggle': 'Fields.Set', 'number': 'native.SetNumber', 'texts': 'Fields.Add', 'numbers': 'Fields.Add',
           'flag': 'Fields.Set', 'uint32': 'native.SetNumber', 'uint64': 'native.SetNumber', 'key': 'Fields.Add', 'keys': 'Fields.Add'}


def named_pairs(struct):
    """Returns lists of names and of their values with a common length, as `{names field: (property, values field)}`."""
    pairs = {}
    for f in struct.fields:
        if f.kind == 'texts' and f.name.endswith('_names'):
            values = next(v for v in struct.fields if v.count == f.count and v is not f)
            pairs[f.name] = (camel(f.name[:-len('_names')]) + 's', values)
    return pairs


def property_lines(doc, ctype, name, initial):
    tail = f' = {initial};' if initial else ''
    return [f'  /// <summary>{doc}</summary>', f'  public {ctype} {name} {{ get; set; }}{tail}']


def options(struct, places):
    name = camel_of(struct)
    pairs = named_pairs(struct)
    values = {v.name for _, v in pairs.values()}
    out = [f'/// <summary>{text_of(struct.doc.text, places)} A null is the default.</summary>',
           f'public sealed class {name} {{']
    fill, properties = [], []
    for f in struct.fields:
        doc = text_of(f.doc or f.name.replace('_', ' ').capitalize(), places).replace(' ...', '')
        if f.name in pairs:
            prop, value = pairs[f.name]
            ctype = 'string' if value.kind == 'texts' else 'byte[]'
            out += property_lines(doc + ', by name.', f'NamedList<{ctype}>', prop, f'new NamedList<{ctype}>()')
            properties.append(prop)
            fill.append(f'    Fields.Add(native, "{f.name}", "{value.name}", {prop});')
        elif f.name not in values and f.kind in TYPES:
            out += property_lines(doc, TYPES[f.kind], camel(f.name), LISTS.get(f.kind, ''))
            properties.append(camel(f.name))
            receiver = '' if SETTERS[f.kind].startswith('native') else 'native, '
            fill.append(f'    {SETTERS[f.kind]}({receiver}"{f.name}", {camel(f.name)});')
    out += ['', f'  internal Native{name} ToNative() {{', f'    Native{name} native = new Native{name}();']
    return out + fill + ['    return native;', '  }', '', *csharp_values.described(name, properties), '}']


PLAIN = {'toggle': 'bool?', 'flag': 'bool', 'number': 'int', 'uint64': 'ulong'}


def plain_options(owner, places):
    """A class of the numbers that make an object, and the constructor that takes it."""
    api = places.api
    struct, function, name = api.constructor_options(owner), owner.constructor, api.class_name(owner.name, 'csharp')
    named = {f.name: api.table.get('fields', f'{struct.name}.{f.name}', {}).get('csharp') or camel(f.name) for f in struct.fields}
    options = camel_of(struct)
    out = [f'/// <summary>{text_of(struct.doc.text, places)}</summary>', f'public sealed class {options} {{',
           f'  internal static readonly {options} Defaults = new {options}();', '']
    for f in struct.fields:
        ctype = PLAIN.get(f.kind) or {'int64_t': 'long'}.get(f.kind) or 'long'
        out += [f'  /// <summary>{sentence(f, places)}</summary>', f'  public {ctype} {named[f.name]} {{ get; set; }}']
    out += ['', *csharp_values.described(options, [named[f.name] for f in struct.fields]), '}']
    others = [(api.class_name(api.of_type(t).name, 'csharp'), n) for n, t in zip(function.parameters, function.types) if t.startswith('const ') and api.of_type(t)]
    declared, passed = ''.join(f'{t} {n}, ' for t, n in others), ''.join(f'{n}, ' for _, n in others)
    values = ', '.join(f'Fields.ToToggle(options.{named[f.name]})' if f.kind == 'toggle' else f'options.{named[f.name]}' for f in struct.fields)
    return out + [f'public partial class {name} {{', f'  //: {function.name}',
                  f'  public {name}({declared}{options}? options = null) : this({passed}options ?? {options}.Defaults, true) {{}}', '',
                  f'  private {name}({declared}{options} options, bool given) : this({passed}{values}) {{}}', '}']


def constructor(owner, places):
    """Makes an object of options that cross by name."""
    options, name = places.api.made_of_options(owner), places.api.class_name(owner.name, 'csharp')
    return [f'public partial class {name} {{', f'  //: {owner.constructor.name}',
            f'  public {name}({options}? options = null) : this(Make(options), true) {{}}', '',
            f'  private static System.IntPtr Make({options}? options) {{', f'    using (Native{options}? native = options?.ToNative()) {{',
            f'      System.IntPtr made = CucoreNativePINVOKE.new_{name}(Native{options}.getCPtr(native));',
            '      CucoreNativePINVOKE.Check();', '      return made;', '    }', '  }', '}']


def sentence(field, places):
    """A field's comment, or its name, as a sentence."""
    text = text_of(field.doc or field.name.replace('_', ' '), places).replace(' ...', '')
    return text[0].upper() + text[1:]


def record(places, c_name, name):
    """A class over the numbers that a call has filled in."""
    struct = places.api.header.structs[c_name]
    out = [f'/// <summary>{text_of(struct.doc.text, places)}</summary>', f'public sealed class {name} {{',
           '  private readonly byte[] all;', '', f'  internal {name}(byte[] all) {{ this.all = all; }}', '']
    for i, f in enumerate(struct.fields):
        out += [f'  /// <summary>{sentence(f, places)}</summary>',
                f'  public long {camel(f.name)} {{ get {{ return System.BitConverter.ToInt64(all, {8 * i}); }} }}']
    said = ', '.join(f'{camel(f.name)}={{{camel(f.name)}}}' for f in struct.fields)
    return out + ['', '  /// <summary>All of it: "name=number, ...".</summary>',
                  f'  public override string ToString() {{ return $"{said}"; }}', '}']


def write_sources(places, members, folder, names):
    write = lambda name, lines: (folder / name).write_text('\n'.join(['#nullable enable', *lines]) + '\n', encoding='utf-8')
    expand = lambda lines: sources.expand(lines, places, expand_member)
    texts = {name: '\n'.join(csharp_values.expand((FOLDER / 'csharp/src' / name).read_text(encoding='utf-8').splitlines())) for name in names}
    write('Enums.Generated.cs', enums(places))
    write('Exceptions.Generated.cs', exceptions(places))
    plain = [c for c in places.api.classes if places.has_plain_options(c)]
    write('Options.Generated.cs', expand(['// Generated from cucore.h.', 'using System.Collections.Generic;', '', 'namespace Cucore {',
                                   *(line for struct in places.api.options_classes() for line in options(struct, places)),
                                   *(line for c in plain for line in plain_options(c, places)),
                                   *(line for c in places.api.classes if places.api.made_of_options(c) for line in constructor(c, places)),
                                   *(line for c_name, name in fields.records(places.api) for line in record(places, c_name, name)), '}']))
    write('Kept.Generated.cs', expand(generated_members(places, members, texts.values())))
    for name, text in texts.items():
        write(name, expand(text.splitlines()))
