# SPDX-License-Identifier: Apache-2.0
"""Makes Java's parts from the header: javadoc, enums, the builder of options."""
import re

import fields
import sources
import values
import words
from api import FOLDER, camel_of
from header import camel
from places import java_property, lower


def exception(status):
    return words.exception_name(status, 'Exception')


def text_of(text, places):
    def item(enum, i):
        if enum.c_name == 'cucore_status' and i.value:
            return exception(i.name)
        return f'{enum.name}.{i.short}'
    text = words.translate(text, places.api.header, places.text, item, 'null')
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def enum_typemap(enum):
    return f'%java_enum({enum.c_name}, {enum.name})'


def documentation(function, parameters, places, given=(), has_result=True):
    """The lines of a javadoc comment. parameters are those of the member, given its own tags, which go first."""
    tr = lambda t: text_of(t, places)
    renamed = {here: c for c, here in places.api.renamed.get(function.name, {}).items()}
    texts = {**words.options(function, places.api), **function.doc.params}
    lines = tr(function.doc.text).split('\n')
    for name in parameters:
        own = next((g for g in given if g.startswith(f'@param {name} ')), None)
        text = function.doc.params.get(renamed.get(name, name)) or texts.get(words.snake(name))
        lines.append(own or f'@param {name} {tr(text) if text else "the " + words.spaced(name)}')
    own = [g for g in given if g.startswith(('@return ', '@param <', '@throws '))]
    result = words.result(function)
    if has_result and not any(g.startswith('@return') for g in own):
        own.append(f'@return {tr(result) if result else "the result"}')
    return lines + own + [f'@throws {exception(c)} {tr(t)}' for c, t in words.failures(function)]


def comment(member, places):
    has_result = member.kind != 'constructor' and not member.is_void
    parameters = [b for a, b in zip(['', *member.parameters], member.parameters) if not words.is_length(a, b)]
    lines = documentation(places.api.header.functions[member.function], parameters, places, has_result=has_result)
    return ['/**'] + [' * ' + words.doxygen(l) for l in lines] + [' */']


def expand_member(function, given, declaration, places):
    """The comment in the place of a mark in a .java file."""
    m = re.search(r'(\w+)\((.*)\)', declaration.partition('{')[0], re.S)
    parameters = re.findall(r'(\w+)\s*(?:,|$)', m[2])
    before = declaration[:m.start()].split()
    has_result = bool(before) and before[-1] not in ('public', 'void')
    lines = documentation(function, parameters, places, given, has_result)
    return ['/** ' + lines[0], *(' * ' + l for l in lines[1:])], ' */'


KEPT_TYPES = {'int32_t': 'int', 'uint64_t': 'long', 'int64_t': 'long', 'size_t': 'long', 'const char *': 'String', 'bool': 'Boolean'}


def kept(member, java_type, doc):
    """A getter over SWIG's own, which is called once."""
    name = {'native': 'nativeHandle'}.get(member.name) or lower(member.name)
    getter, read = java_property(member.name), f'get{camel(member.name)}Now()'
    simple = {'Boolean': 'boolean'}.get(java_type, java_type)
    if java_type in ('int', 'long'):
        # 0 may be what is there only later: a handle of code that is not loaded.
        body = [f'private transient volatile long {name} = Long.MIN_VALUE;', '', *doc, f'public {simple} {getter}() {{',
                f'  long known = {name};', '  if (known == Long.MIN_VALUE) {', f'    known = {read};',
                f'    {name} = known == 0 ? Long.MIN_VALUE : known;', '  }', '  open();',
                f'  return {"(int) " if java_type == "int" else ""}known;', '}']
    else:
        body = [f'private transient volatile {java_type} {name};', '', *doc, f'public {simple} {getter}() {{',
                f'  {java_type} known = {name};', '  if (known == null) {', f'    known = {read};', f'    {name} = known;',
                '  }', '  open();', '  return known;', '}']
    return [*raw(member), f'%extend {member.owner} {{ %proxycode %{{', *('  ' + l if l else '' for l in body), '%} }']


def raw(member):
    """A member for the package alone."""
    rename = [] if member.kind == 'constructor' else [f'%rename({lower(member.name)}Now) {member.path};']
    return [*rename, f'%javamethodmodifiers {member.path} "/* raw */";']


def features(member, places):
    if places.is_hidden(member):
        return raw(member)
    ctype = places.api.constant_properties().get(member.function)
    if not ctype:  # SWIG renames functions alone
        if member.name == 'native':
            return [f'%rename(nativeHandle) {member.path};']
        return [f'%rename({lower(member.name)}) {member.path};'] if member.kind == 'property' and '_' in member.name else []
    enum = places.api.header.enum(ctype)
    text = text_of(places.api.header.functions[member.function].doc.text, places).replace('\n', ' ').strip()
    return kept(member, enum.name if enum else KEPT_TYPES[ctype], ['/** ' + text, ' * @return it, always the same */'])


def class_features(lines, places, nullable):
    """The names of the classes, and what each has from its .java file."""
    api = places.api
    out = [f'%rename({api.class_name(c.name, "java")}) {c.name};' for c in api.classes]
    for name in [*api.table.get('classes', 'helpers'), *map(camel_of, api.options_classes())]:
        out += [f'%rename({api.class_name(name, "java")}) {name};', f'%typemap(javaclassmodifiers) {name} "final class"']
    nullable = nullable + [(camel_of(s), 'options') for s in api.options_classes()]
    out += [f'%nullable({owner}, {name})' for owner, name in nullable]
    out += [f'%typemap(javainterfaces) {camel_of(s)} "AutoCloseable, Options.Target"' for s in api.options_classes()]
    return out + [l for c in api.classes for l in own_members(c, places)]


def own_members(owner, places):
    name = places.api.class_name(owner.name, 'java')
    path = FOLDER / f'java/members/{name}.java'
    body = values.expand(sources.body(path), name) if path.exists() else []
    if not any('String toString()' in line for line in body):
        body += ['  @Override public String toString() {', f'    return "{name}" + (isClosed() ? " (closed)" : "");', '  }']
    options = places.api.made_of_options(owner)
    if options:
        body += constructor(name, options, owner.constructor.name)
    return [f'%extend {owner.name} {{ %proxycode %{{', *sources.expand(body, places, expand_member), '%} }']


def constructor(name, options, function):
    return ['', f'  //: {function}', f'  public {name}({options} options) {{', '    this(create(options), true);', '  }', '',
            f'  private static long create({options} options) {{',
            f'    try (Native{options} fields = options == null ? null : options.toNative()) {{',
            f'      return CucoreNativeJNI.new_{name}(Native{options}.getCPtr(fields), fields);', '    }', '  }']


def exceptions(places, folder):
    """One class per status, and the method that creates the right one."""
    statuses = places.api.header.enum('cucore_status')
    cases = []
    for i in statuses.items:
        if not i.value:
            continue
        name = exception(i.name)
        doc = text_of(i.doc, places)
        (folder / f'{name}.java').write_text('\n'.join([
            'package io.cucore;', '', f'/** {i.short}: {doc}. */', f'public final class {name} extends CucoreException {{',
            '  private static final long serialVersionUID = 1L;', '', f'  {name}(Failure failure) {{', '    super(failure);',
            '  }', '}', '']), encoding='utf-8')
        cases += [f'      case {i.value}:', f'        return new {name}(failure);']
    (folder / 'Exceptions.java').write_text('\n'.join([
        'package io.cucore;', '', '/** Chooses the exception of a status. */', 'final class Exceptions {',
        '  private Exceptions() {}', '', '  static CucoreException of(Failure failure) {', '    switch (failure.status) {',
        *cases, '      default:', '        return new CucoreException(failure);', '    }', '  }', '}', '']), encoding='utf-8')


SETTERS = {
    'text': ('String value', 'set'), 'toggle': ('boolean value', 'set'), 'number': ('int value', 'set'),
    'texts': ('String... values', 'add'), 'numbers': ('int... values', 'add'),
    'flag': ('boolean value', 'setFlag'), 'uint32': ('long value', 'set'), 'uint64': ('long value', 'set'),
    'key': ('SigningKey value', 'set'), 'keys': ('SigningKey... values', 'add'),
}


def options(struct, places, folder):
    """A builder with a method per field."""
    name = camel_of(struct)
    out = ['package io.cucore;', '', f'/** {text_of(struct.doc.text, places)} */',
           f'public final class {name} extends Options {{', f'  private {name}(Builder builder) {{', '    super(builder);', '  }', '',
           '  /** Begins with the defaults.', '   * @return a builder */', '  public static Builder builder() {',
           '    return new Builder();', '  }', '', f'  Native{name} toNative() {{', f'    Native{name} fields = new Native{name}();',
           '    apply(fields);', '    return fields;', '  }', '', f'  /** Collects {name}. Not for several threads at a time. */',
            '  public static final class Builder extends Options.Builder {', '    Builder() {}', '']
    for f in struct.fields:
        doc = text_of(' '.join(f.doc.split()) or f.name.replace('_', ' '), places).replace('*/', '')
        if f.kind in SETTERS:
            parameter, verb = SETTERS[f.kind]
            word = parameter.split()[-1]
            tail = {'texts': '; calls add up', 'numbers': '; calls add up', 'keys': '; calls add up'}.get(f.kind, '')
            if f.kind == 'toggle' and struct.name != 'cucore_cache_options':
                tail = '; default: the compiler\'s own'
            out += [f'    /** Sets {lower(f.name)}: {doc}', f'     * @param {word} the value{"s" if verb == "add" else ""}{tail}',
                    '     * @return this */', f'    public Builder {lower(f.name)}({parameter}) {{',
                    f'      {verb}("{f.name}", {word});', '      return this;', '    }', '']
        elif f.kind == 'blobs':
            out += [f'    /** Adds to {lower(f.name)}: {doc}', '     * @param value the bytes, copied', '     * @return this */',
                    f'    public Builder {lower(f.name)}(byte[] value) {{', f'      add("{f.name}", value);',
                    '      return this;', '    }', '']
    out += ['    /** What has been set so far.', '     * @return the options, which never change */', f'    public {name} build() {{',
            f'      return new {name}(this);', '    }', '  }', '}', '']
    (folder / f'{name}.java').write_text('\n'.join(out), encoding='utf-8')


def enum(e, places):
    out = ['package io.cucore;', '', f'/** {text_of(e.doc.text, places)} */', f'public enum {e.name} {{']
    for i in e.items:
        out.append(f'  /** {text_of(i.doc or i.short, places)} */')
        out.append(f'  {i.short}({i.value}),')
    # An enum of the header may have an UNKNOWN of its own, as which newer numbers are then read.
    if any(i.short == 'UNKNOWN' for i in e.items):
        out[-1] = out[-1].removesuffix(',') + ';'
    else:
        out += ['  /** A number that this version of the bindings has no name for. */', '  UNKNOWN(Integer.MIN_VALUE);']
    out += ['', f'  private static final {e.name}[] ALL = values();', '', '  private final int value;', '', f'  {e.name}(int value) {{', '    this.value = value;', '  }', '',
            '  /** The number in the C API.', '   * @return the number */', '  public int value() {', '    return value;', '  }', '',
            f'  static int number({e.name} given, String name) {{', '    return Given.notNull(given, name).value;', '  }', '',
            '  /** Returns the enumerator of a number, or UNKNOWN.', '   * @param value the number in the C API',
            '   * @return the enumerator */', f'  public static {e.name} of(int value) {{',
            f'    for ({e.name} each : ALL) {{', '      if (each.value == value) {', '        return each;', '      }',
            '    }', '    return UNKNOWN;', '  }', '}', '']
    return '\n'.join(out)


def record(places, c_name, name, folder):
    """A class over the numbers that a call has filled in."""
    header = places.api.header
    out = ['package io.cucore;', '', 'import java.nio.ByteBuffer;', 'import java.nio.ByteOrder;', '',
           f'/** {text_of(header.structs[c_name].doc.text, places)} */', f'public final class {name} {{',
           '  private final ByteBuffer all;', '', f'  {name}(byte[] bytes) {{',
           '    all = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());', '  }', '']
    for i, f in enumerate(header.structs[c_name].fields):
        doc = text_of(f.doc or f.name.replace('_', ' '), places).replace('*/', '')
        out += [f'  /** {doc[0].upper() + doc[1:]}.', '   * @return the number */', f'  public long {lower(f.name)}() {{',
                f'    return all.getLong({8 * i});', '  }', '']
    said = [f'{" " * 8}+ "{", " if i else ""}{lower(f.name)}=" + {lower(f.name)}()' for i, f in enumerate(header.structs[c_name].fields)]
    out += ['  @Override public String toString() {', '    return ""', *said[:-1], said[-1] + ';', '  }', '}', '']
    (folder / f'{name}.java').write_text('\n'.join(values.getters(out)), encoding='utf-8')


def write_sources(places, folder):
    for old in folder.glob('*.java'):
        old.unlink()
    exceptions(places, folder)
    for struct in places.api.options_classes():
        options(struct, places, folder)
    for c_name, name in fields.records(places.api):
        record(places, c_name, name, folder)
    for e in places.api.header.enums:
        text = '\n'.join(values.getters(enum(e, places).split('\n')))
        (folder / f'{e.name}.java').write_text(text, encoding='utf-8')
    for path in sorted((FOLDER / 'java/src/io/cucore').glob('*.java')):
        lines = values.expand(path.read_text(encoding='utf-8').splitlines(), path.stem)
        lines = values.getters(sources.expand(lines, places, expand_member))
        (folder / path.name).write_text('\n'.join(lines) + '\n', encoding='utf-8')
