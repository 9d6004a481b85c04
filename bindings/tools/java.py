"""What Java gets from the header: javadoc, enums, the builder of options."""
import re

import fields
import words
from header import camel
from kept import type_of


def lower(snake):
    name = camel(snake)
    return name[0].lower() + name[1:]


CLASSES = {'Device': 'CudaDevice', 'Stream': 'CudaStream', 'Event': 'CudaEvent', 'Buffer': 'CudaBuffer', 'Queue': 'CudaQueue',
           'Future': 'CudaFuture'}


# C functions that users know as a method which is written by hand.
MADE_IN_JAVA = {
    'cucore_queue_wait': 'CudaQueue.waitFor', 'cucore_queue_query': 'CudaQueue.getInfo', 'cucore_future_wait': 'CudaFuture.waitFor',
    'cucore_objectcode_symbol_at': 'ObjectCode.getSymbols', 'cucore_objectcode_symbol_parameter_at': 'Symbol.parameters',
    'cucore_objectcode_symbol_resources': 'ObjectCode.getResources', 'cucore_objectcode_serialize': 'ObjectCode.serialize',
    'cucore_objectcode_deserialize': 'ObjectCode.deserialize', 'cucore_objectcode_create': 'ObjectCode.fromBytes',
    'cucore_objectcode_from_file': 'ObjectCode.fromFile', 'cucore_objectcode_bundle': 'ObjectCode.bundle',
    'cucore_objectcode_data': 'ObjectCode.getBytes', 'cucore_objectcode_metadata_key': 'ObjectCode.getMetadata',
    'cucore_objectcode_metadata_value': 'ObjectCode.getMetadata', 'cucore_objectcode_find_global': 'ObjectCode.findGlobal',
    'cucore_kernel_parameters': 'Kernel.getParameters', 'cucore_objectcode_symbol_parameters': 'Symbol.parameters',
    'cucore_buffer_release': 'CudaBuffer.close', 'cucore_device_reset': 'CudaDevice.reset',
    'cucore_kernel_parameter_at': 'Kernel.getParameters', 'cucore_kernel_launch': 'Kernel.launch',
    'cucore_kernel_launch_packed': 'Kernel.launchPacked', 'cucore_buffer_write': 'CudaBuffer.write',
    'cucore_device_stream_priorities': 'CudaDevice.getStreamPriorities', 'cucore_driver_select': 'Cucore.selectDriver',
    'cucore_buffer_read': 'CudaBuffer.read', 'cucore_version': 'Cucore.version', 'cucore_library_query': 'Cucore.library',
    'cucore_library_symbol': 'Cucore.librarySymbol', 'cucore_log_write': 'Log.write', 'cucore_log_enabled': 'Log.isEnabled',
    'cucore_objectcode_diagnostic_count': 'ObjectCode.getDiagnostics', 'cucore_stream_create': 'new CudaStream',
    'cucore_cache_open': 'new Cache', 'cucore_cache_query': 'Cache.getEntries', 'cucore_program_compile_batch': 'Program.compileBatch',
    'cucore_cache_compile': 'Cache.compile', 'cucore_cache_link': 'Cache.link', 'cucore_cache_add_remote': 'Cache.addRemote',
    'cucore_buffer_create': 'new CudaBuffer', 'cucore_objectcode_diagnostic_at': 'ObjectCode.getDiagnostics',
}


# What the header leaves to the names of parameters; javadoc wants it said.
PARAMETERS = {
    'queue': 'where the completion comes out', 'spin_ns': '0: 50 000; -1: never', 'sweep_ns': '0: 20 000', 'token': 'comes back in the completion',
    'device': 'the device', 'stream': 'in whose order', 'length': 'in bytes', 'address': 'on the device',
    'source': 'where the bytes come from', 'offset': 'in bytes, in this buffer', 'source_offset': 'in bytes, in the source',
    'key': '32 bytes', 'url': 'where it is', 'read_only': 'whether nothing is sent to it', 'connect_timeout_ms': 'milliseconds; 0: 100',
    'timeout_ms': 'of one request, in milliseconds; 0: 1000',
    'name': 'which one', 'peer': 'the other device', 'kind': 'which one', 'timing': 'whether it measures time',
    'blocking_sync': 'whether synchronize() sleeps instead of spinning', 'priority': 'a lower number goes first',
    'interprocess': 'whether it may be shared with other processes; not with timing', 'end': 'the later event',
    'nonblocking': 'whether it does not wait for the legacy default stream; default ON', 'event': 'what to wait for',
    'other': 'what to wait for', 'value': 'its new value', 'code': 'the input', 'block_size': 'threads a block',
    'blocks_per_multiprocessor': 'how many blocks', 'dynamic_shared': 'bytes a block', 'ordinal': 'from 0', 'index': 'from 0',
}
RESULTS = {
    'cucore_future_from_stream': 'the future', 'cucore_future_query': 'true once it is', 'cucore_future_detach': 'true if its completion will never come out',
    'cucore_buffer_create_pinned': 'the buffer', 'cucore_buffer_create_managed': 'the buffer',
    'cucore_buffer_from_native': 'the buffer', 'cucore_device_count': 'the number of devices',
    'cucore_device_attribute': 'its value', 'cucore_device_can_access_peer': 'true if they may',
    'cucore_device_default_stream': 'the stream', 'cucore_event_query': 'true once it is', 'cucore_event_elapsed': 'milliseconds',
    'cucore_stream_query': 'true once it is', 'cucore_kernel_attribute': 'its value', 'cucore_kernel_occupancy': 'the number of blocks',
    'cucore_kernel_available_dynamic_shared': 'bytes a block', 'cucore_objectcode_find_kernel': 'the kernel',
    'cucore_objectcode_image_at': 'the image', 'cucore_linker_link': 'the object code; its log has the warnings',
}


def exception(status):
    return words.exception_name(status, 'Exception')


def text_of(text, header, table):
    def function(name):
        if name.startswith('cucore_error_'):
            return 'CucoreException.' + lower(name[len('cucore_error_'):])
        if name in MADE_IN_JAVA:
            return MADE_IN_JAVA[name]
        m = table.get(name)
        if not m:
            return None
        member = 'get' + camel(m.name) if m.kind == 'property' else lower(m.name)
        return f'{CLASSES.get(m.owner, m.owner)}.{member}' if m.owner else member

    def item(enum, i):
        if enum.c_name == 'cucore_status' and i.value:
            return exception(i.name)
        return f'{enum.name}.{i.short}'
    text = re.sub(r'\s*@par Threads\s+', '; ', words.translate(text, header, function, item, 'null'))
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def enum_typemap(enum):
    return f'%java_enum({enum.c_name}, {enum.name})'


def comment(member, function, header, table):
    tr = lambda t: text_of(t, header, table)
    lines = tr(function.doc.text).split('\n')
    said = dict(words.parameters(member, function))
    for name in member.parameters:
        if name in said or name in PARAMETERS:
            lines.append(f'@param {name} ' + (tr(said[name]) if name in said else PARAMETERS[name]))
    result = words.result(member, function) or RESULTS.get(member.function, 'it' if member.kind == 'property' else '')
    if result and member.kind != 'constructor':
        lines.append(f'@return {tr(result)}')
    lines += [f'@throws {exception(c)} {tr(t)}' for c, t in function.doc.retvals]
    return ['/**'] + [' * ' + words.doxygen(l) for l in lines] + [' */']


KEPT_TYPES = {'int32': 'int', 'uint64': 'long', 'size': 'long', 'text': 'String', 'bool': 'Boolean'}


def kept(member, java_type, doc):
    """A getter over SWIG's own, which is called once."""
    name = {'native': 'nativeHandle'}.get(member.name) or lower(member.name)
    getter, read = 'get' + name[0].upper() + name[1:], f'get{name[0].upper()}{name[1:]}Now()'
    if java_type == 'Boolean':
        getter = getter.replace('getIs', 'is').replace('getHas', 'has')
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
    return [f'%rename({name}Now) {member.path};', f'%javamethodmodifiers {member.path} "/* raw */";',
            f'%extend {member.owner} {{ %proxycode %{{', *('  ' + l if l else '' for l in body), '%} }']


def features(member, function, header, table):
    # Raw members are for the classes of the package, not for users.
    if member.raw:
        return [f'%javamethodmodifiers {member.path} "/* raw */";']
    java_type = type_of(member, KEPT_TYPES)
    if not java_type:
        return []
    text = text_of(function.doc.text, header, table).replace('\n', ' ').strip()
    return kept(member, java_type, ['/** ' + text, ' * @return it, always the same */'])


def exceptions(header, folder):
    """One class a status, and the method that makes the right one."""
    statuses = next(e for e in header.enums if e.c_name == 'cucore_status')
    cases = []
    for i in statuses.items:
        if not i.value:
            continue
        name = exception(i.name)
        doc = text_of(i.doc, header, {})
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


def options(struct, name, header, folder):
    """A builder with a method a field."""
    out = ['package io.cucore;', '', f'/** {text_of(struct.doc.text, header, {})} */',
           f'public final class {name} extends Options {{', f'  private {name}(Builder builder) {{', '    super(builder);', '  }', '',
           '  /** Begins with the defaults.', '   * @return a builder */', '  public static Builder builder() {',
           '    return new Builder();', '  }', '', f'  Native{name} toNative() {{', f'    Native{name} fields = new Native{name}();',
           '    apply(new Target() {']
    for method, args in (('setText', 'String name, String value'), ('setNumber', 'String name, long value'),
                         ('addText', 'String name, String value'), ('addNumber', 'String name, long value'),
                         ('addBytes', 'String name, byte[] value')):
        out += [f'      @Override public void {method}({args}) {{', f'        fields.{method}(name, value);', '      }']
    out += ['      @Override public void addKey(String name, KeyAlgorithm algorithm, byte[] value) {',
            '        fields.addKey(name, algorithm, value);', '      }']
    out += ['    });', '    return fields;', '  }', '', f'  /** Collects {name}. Not for several threads at a time. */',
            '  public static final class Builder extends Options.Builder {', '    Builder() {}', '']
    for f in struct.fields:
        doc = text_of(' '.join(f.doc.split()) or f.name.replace('_', ' '), header, {}).replace('*/', '')
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


def enum(e, header):
    out = ['package io.cucore;', '', f'/** {text_of(e.doc.text, header, {})} */', f'public enum {e.name} {{']
    for i in e.items:
        out.append(f'  /** {text_of(i.doc or i.short, header, {})} */')
        out.append(f'  {i.short}({i.value}),')
    # An enum of the header may have an UNKNOWN of its own, which newer numbers are then read as.
    if any(i.short == 'UNKNOWN' for i in e.items):
        out[-1] = out[-1].removesuffix(',') + ';'
    else:
        out += ['  /** A number that this version of the bindings has no name for. */', '  UNKNOWN(Integer.MIN_VALUE);']
    out += ['', f'  private static final {e.name}[] ALL = values();', '', '  private final int value;', '', f'  {e.name}(int value) {{', '    this.value = value;', '  }', '',
            '  /** The number in the C API.', '   * @return the number */', '  public int value() {', '    return value;', '  }', '',
            f'  static int number({e.name} given, String name) {{', '    return Given.notNull(given, name).value;', '  }', '',
            '  /** The enumerator of a number, UNKNOWN if there is none.', '   * @param value the number in the C API',
            '   * @return the enumerator */', f'  public static {e.name} of(int value) {{',
            f'    for ({e.name} each : ALL) {{', '      if (each.value == value) {', '        return each;', '      }',
            '    }', '    return UNKNOWN;', '  }', '}', '']
    return '\n'.join(out)


OPTIONS = {'cucore_program_options': 'ProgramOptions', 'cucore_linker_options': 'LinkerOptions',
           'cucore_cache_options': 'CacheOptions'}


def record(header, c_name, name, folder):
    """A class over the numbers that a call has filled in."""
    out = ['package io.cucore;', '', 'import java.nio.ByteBuffer;', 'import java.nio.ByteOrder;', '',
           f'/** {text_of(header.structs[c_name].doc.text, header, {})} */', f'public final class {name} {{',
           '  private final ByteBuffer all;', '', f'  {name}(byte[] bytes) {{',
           '    all = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());', '  }', '']
    for i, f in enumerate(fields.record(header, c_name)):
        doc = text_of(f.doc or f.name.replace('_', ' '), header, {}).replace('*/', '')
        out += [f'  /** {doc[0].upper() + doc[1:]}.', '   * @return the number */', f'  public long {lower(f.name)}() {{',
                f'    return all.getLong({8 * i});', '  }', '']
    said = [f'{" " * 8}+ "{", " if i else ""}{lower(f.name)}=" + {lower(f.name)}()' for i, f in enumerate(fields.record(header, c_name))]
    out += ['  @Override public String toString() {', '    return ""', *said[:-1], said[-1] + ';', '  }', '}', '']
    (folder / f'{name}.java').write_text('\n'.join(out), encoding='utf-8')


def write_sources(header, folder):
    for old in folder.glob('*.java'):
        old.unlink()
    exceptions(header, folder)
    for c_name in fields.STRUCTS:
        options(header.structs[c_name], OPTIONS[c_name], header, folder)
    for c_name, name in fields.RECORDS.items():
        record(header, c_name, name, folder)
    for e in header.enums:
        (folder / f'{e.name}.java').write_text(enum(e, header), encoding='utf-8')
