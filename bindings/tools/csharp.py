"""What C# gets from the header: XML comments, enums, exceptions, options classes."""
import re
from pathlib import Path

import fields
import words
from header import camel
from kept import KEPT, type_of

CLASSES = {'Device': 'CudaDevice', 'Stream': 'CudaStream', 'Event': 'CudaEvent', 'Buffer': 'CudaBuffer', 'Queue': 'CudaQueue',
           'Future': 'CudaFuture', 'Program': 'CudaProgram',
           'ProgramOptions': 'NativeProgramOptions', 'LinkerOptions': 'NativeLinkerOptions',
           'CacheOptions': 'NativeCacheOptions', 'CacheEntries': 'NativeCacheEntries', 'Batch': 'NativeBatch', 'Compiling': 'NativeCompiling',
           'LogReceiver': 'NativeLogReceiver', 'Keys': 'NativeKeys', 'Images': 'NativeImages'}

# Members that the sources in csharp/src have another, fuller member for, and their names behind it.
RAW = {'Queue::Queue': '', 'Queue::wait': 'RawWait', 'Queue::query': 'RawQuery', 'Stream::Stream': '', 'Event::Event': '', 'Program::Program': '', 'Linker::Linker': '', 'LogReceiver::LogReceiver': '',
       'Device::count': 'RawCount', 'Device::attribute': 'GetAttribute', 'Device::default_stream': 'RawDefaultStream',
       'Device::compute_capability': 'RawComputeCapability', 'Device::memory': 'RawMemory', 'Device::uuid': 'RawUuid',
       'Device::stream_priorities': 'RawStreamPriorities', 
       'Buffer::pinned': 'RawPinned', 'Buffer::managed': 'RawManaged', 'Buffer::copy_from': 'RawCopyFrom',
       'Buffer::fill': 'RawFill', 'Program::compile': '', 'ObjectCode::data': 'RawData',
       'ObjectCode::kernel': 'RawKernel', 'ObjectCode::image': 'GetImage', 'ObjectCode::find_global': 'RawFindGlobal',
       'ObjectCode::serialize': 'RawSerialize', 'ObjectCode::deserialize': 'RawDeserialize',
       'ObjectCode::create': 'RawCreate', 'ObjectCode::from_file': 'RawFromFile', 'Images::bundle': 'RawBundle',
       'ObjectCode::diagnostic_count': 'RawDiagnosticCount', 'ObjectCode::metadata_count': 'RawMetadataCount',
       'ObjectCode::symbol_count': 'RawSymbolCount', 'Kernel::attribute': 'GetAttribute',
       'Kernel::parameter': 'RawParameter', 'Kernel::parameter_count': 'RawParameterCount', 'Kernel::occupancy': 'RawOccupancy',
       'Kernel::max_potential_block_size': 'RawMaxPotentialBlockSize', 'Kernel::max_active_clusters': 'RawMaxActiveClusters',
       'Kernel::available_dynamic_shared': 'RawAvailableDynamicShared', 'Kernel::launch': 'RawLaunch', 'Kernel::launch_packed': 'RawLaunchPacked', 'Stream::from_native': 'FromNative', 'Stream::query': 'RawQuery', 'Event::query': 'RawQuery', 'Future::query': 'RawQuery',
       'ObjectCode::is_loaded': 'RawIsLoaded',
       'Cache::Cache': '', 'Cache::compile': '', 'Cache::link': 'RawLink', 'Cache::find': 'RawFind', 'Cache::get': 'RawGet', 'Cache::put': 'RawPut',
       'Cache::get_or_build': 'RawGetOrBuild', 'Cache::statistics': 'RawStatistics', 'Cache::statistics_of_all': 'RawStatisticsOfAll',
       'Cache::entries': 'RawEntries', 'Cache::verify': 'RawVerify', 'Cache::trim': 'RawTrim', 'Cache::explain_miss': 'RawExplainMiss',
       'Cache::add_remote': 'RawAddRemote', 'Batch::run': 'RawRun',
       'library_set_path': 'RawSetPath', 'library_symbol': 'RawSymbol', 'log_write': 'RawLogWrite', 'log_enabled': 'RawLogEnabled',
       'driver_select': 'RawSelectDriver'}
PUBLIC = {'GetAttribute', 'GetImage', 'FromNative'}  # only the name is another

KEPT_TYPES = {'int32': 'int', 'uint64': 'ulong', 'size': 'long', 'text': 'string', 'bool': 'bool'}

# Where users find what no member of their own stands for.
ELSEWHERE = {'cucore_log_set_callback': 'CucoreLog.Subscribe', 'cucore_library_query': 'CucoreLibrary.Query',
             'cucore_library_symbol': 'CucoreLibrary.GetSymbol', 'cucore_log_write': 'CucoreLog.Write', 'cucore_log_enabled': 'CucoreLog.IsEnabled',
             'cucore_library_set_path': 'CucoreLibrary.SetPath', 'cucore_driver_select': 'CucoreLibrary.SelectDriver',
             'cucore_version': 'CucoreLibrary.VersionNumber', 'cucore_version_string': 'CucoreLibrary.VersionText'}


def exception(status):
    return words.exception_name(status, 'Exception')


def member_name(member):
    raw = RAW.get(member.path, '')
    return raw if raw in PUBLIC else camel(member.name)


def text_of(text, header, table):
    def function(name):
        if name in ELSEWHERE:
            return ELSEWHERE[name]
        if name.startswith('cucore_error_'):
            return 'CucoreException.' + camel(name[len('cucore_error_'):])
        m = table.get(name)
        return f'{CLASSES.get(m.owner, m.owner)}.{member_name(m)}' if m and m.owner else camel(m.name) if m else None

    def item(enum, i):
        if enum.c_name == 'cucore_status' and i.value:
            return exception(i.name)
        return f'{enum.name}.{camel(i.short)}'
    return escape(words.translate(text, header, function, item, 'null'))


def escape(text):
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def enum_typemap(enum):
    return f'%csharp_enum({enum.c_name}, {enum.name})'


def comment(member, function, header, table):
    return []  # SWIG 4.1 makes no C# comments of these: features() does


def documentation(function, parameters, header, table):
    """The XML comment of a member: the function's words, and those parameters that the member has."""
    tr = lambda t: text_of(t, header, table)
    summary, *remarks = function.doc.text.split('\n\n')
    lines = [f'/// <summary>{tr(summary)}</summary>']
    lines += [f'/// <param name="{n}">{tr(t)}</param>' for n, t in parameters]
    if function.doc.params.get('out'):
        lines.append(f'/// <returns>{tr(function.doc.params["out"])}</returns>')
    lines += [f'/// <exception cref="{exception(c)}">{tr(t)}</exception>' for c, t in function.doc.retvals]
    if remarks:
        lines.append('/// <remarks>' + tr(' '.join(remarks)) + '</remarks>')
    return lines


def is_kept(member):
    # What has a raw name is behind a property of C#'s own.
    return type_of(member, KEPT_TYPES) is not None and member.path not in RAW


def kept(member):
    """The property over SWIG's own, which is called once."""
    ctype, name = type_of(member, KEPT_TYPES), camel(member.name)
    field = name[0].lower() + name[1:]
    if ctype == 'string':
        lines, read = [f'private string {field};'], f'return {field} ?? ({field} = {name}Now);'
    elif name == 'Native':  # 0 may be what is there only later: the handle of code that is not loaded
        lines, read = [f'private ulong {field};'], f'return {field} != 0 ? {field} : {field} = {name}Now;'
    else:
        lines = [f'private {ctype} {field};', f'private volatile bool has{name};']
        read = f'if (!has{name}) {{ {field} = {name}Now; has{name} = true; }} return {field};'
    return ['  ' + l for l in [*lines, f'//: {member.function}',
                               f'public {ctype} {name} {{ get {{ CheckAlive(); {read} }} }}']]


def kept_classes(table):
    """All of them: "//: cucore_x" stands for the comment still."""
    out = ['// Generated from cucore.h: properties that never change.', 'namespace Cucore {']
    for owner in KEPT:
        out.append(f'public partial class {CLASSES.get(owner, owner)} {{')
        found = [m for m in table.values() if m.owner == owner and is_kept(m)]
        missing = {name for name in KEPT[owner] if f'{owner}::{name}' not in RAW} - {m.name for m in found}
        if missing:
            raise SystemExit(f'{owner} has no {missing} to keep')
        for member in found:
            out += kept(member)
        out.append('}')
    return out + ['}']


def features(member, function, header, table):
    raw = camel(member.name) + 'Now' if is_kept(member) else RAW.get(member.path)
    hidden = member.raw or raw is not None
    if raw in PUBLIC:
        hidden = False
    lines = [f'%rename({raw}) {member.path};'] if raw else []
    access = 'internal' if hidden else 'public'
    comments = documentation(function, words.parameters(member, function), header, table)
    quoted = ''.join(l.replace('\\', '\\\\').replace('"', '\\"') + '\\n  ' for l in comments)
    return lines + [f'%csmethodmodifiers {member.path} "{quoted}{access}";']


def class_features(lines):
    """The comment before a class becomes the class's; what has no function behind it is internal."""
    out = []
    for previous, line in zip(lines, lines[1:]):
        m = re.match(r'struct (\w+) \{|%options\((\w+),', line)
        m = m and [m[0], m[1] or m[2]]
        words_of = re.match(r'/\*\* (.*) \*/', '/** Options. */' if line.startswith('%options(') else previous)
        if not m or not words_of:
            continue
        access = 'internal' if CLASSES.get(m[1], '').startswith('Native') else 'public'
        serial = '[System.Serializable]\\n' if m[1] == 'ObjectCode' else ''
        out.append(f'%typemap(csclassmodifiers) {m[1]} "/// <summary>{escape(words_of[1])}</summary>\\n{serial}{access} sealed partial class"')
        if m[1] in CLASSES:
            out.append(f'%rename({CLASSES[m[1]]}) {m[1]};')
    return out


MARK = re.compile(r'^(\s*)//: (cucore_\w+)((?: \w+)*)\s*$')


def expand_source(text, header, table):
    """C# with "//: cucore_x data size" before a member: the comment of the C function, with the parameters named."""
    out = []
    for line in text.splitlines():
        m = MARK.match(line)
        if not m:
            out.append(line)
            continue
        function = header.functions.get(m[2])
        if function is None:
            raise SystemExit(f'the header has no {m[2]}')
        missing = [n for n in m[3].split() if not function.doc.params.get(n)]
        if missing:
            raise SystemExit(f'{m[2]} says nothing about {missing}')
        wanted = [(n, function.doc.params[n]) for n in m[3].split()]
        out += [m[1] + l for l in documentation(function, wanted, header, table)]
    return '\n'.join(out) + '\n'


def enums(header, table):
    out = ['// Generated from cucore.h.', 'namespace Cucore {']
    for e in header.enums:
        out += [f'/// <summary>{text_of(e.doc.text, header, table)}</summary>', f'public enum {e.name} {{']
        for i in e.items:
            out.append(f'  /// <summary>{text_of(i.doc or camel(i.short), header, table)}</summary>')
            out.append(f'  {camel(i.short)} = {i.value},')
        out.append('}')
    return out + ['}']


def exceptions(header, table):
    items = [i for i in header.enum('cucore_status').items if i.value]
    out = ['// Generated from cucore.h.', 'using System;', 'using System.Runtime.Serialization;', '', 'namespace Cucore {']
    for i in items:
        name = exception(i.name)
        out += [f'/// <summary>{text_of(i.doc, header, table)}</summary>', '[Serializable]',
                f'public sealed class {name} : CucoreException {{',
                f'  internal {name}(Failure failure) : base(failure) {{}}',
                f'  private {name}(SerializationInfo info, StreamingContext context) : base(info, context) {{}}', '}']
    out += ['public partial class CucoreException {', '  internal static CucoreException Of(Failure failure) {',
            '    switch (failure.Status) {']
    out += [f'      case Status.{camel(i.short)}: return new {exception(i.name)}(failure);' for i in items]
    return out + ['      default: return new CucoreException(failure);', '    }', '  }', '}', '}']


TYPES = {'text': 'string', 'toggle': 'bool?', 'number': 'int', 'texts': 'IList<string>', 'numbers': 'IList<int>',
         'flag': 'bool', 'uint32': 'long', 'uint64': 'long', 'key': 'Key', 'keys': 'IList<Key>'}
LISTS = {'texts': 'new List<string>()', 'numbers': 'new List<int>()', 'keys': 'new List<Key>()'}
SETTERS = {'text': 'native.SetText', 'toggle': 'Fields.Set', 'number': 'native.SetNumber', 'texts': 'Fields.Add', 'numbers': 'Fields.Add',
           'flag': 'Fields.Set', 'uint32': 'native.SetNumber', 'uint64': 'native.SetNumber', 'key': 'Fields.Add', 'keys': 'Fields.Add'}


def named_pairs(struct):
    """Lists of names and of what they name, which share a length: {names field: (property, values field)}."""
    pairs = {}
    for f in struct.fields:
        if f.kind == 'texts' and f.name.endswith('_names'):
            values = next(v for v in struct.fields if v.count == f.count and v is not f)
            pairs[f.name] = (camel(f.name[:-len('_names')]) + 's', values)
    return pairs


def property_lines(doc, ctype, name, initial):
    tail = f' = {initial};' if initial else ''
    return [f'  /// <summary>{doc}</summary>', f'  public {ctype} {name} {{ get; set; }}{tail}']


def options(header, c_name, name, table):
    struct = header.structs[c_name]
    pairs = named_pairs(struct)
    values = {v.name for _, v in pairs.values()}
    out = [f'/// <summary>{text_of(struct.doc.text, header, table)} A null is the default.</summary>',
           f'public sealed class {name} {{']
    fill = []
    for f in struct.fields:
        doc = text_of(f.doc or f.name.replace('_', ' ').capitalize(), header, table).replace(' ...', '')
        if f.name in pairs:
            prop, value = pairs[f.name]
            ctype = 'string' if value.kind == 'texts' else 'byte[]'
            out += property_lines(doc + ', by name.', f'NamedList<{ctype}>', prop, f'new NamedList<{ctype}>()')
            fill.append(f'    Fields.Add(native, "{f.name}", "{value.name}", {prop});')
        elif f.name not in values and f.kind in TYPES:
            out += property_lines(doc, TYPES[f.kind], camel(f.name), LISTS.get(f.kind, ''))
            receiver = '' if SETTERS[f.kind].startswith('native') else 'native, '
            fill.append(f'    {SETTERS[f.kind]}({receiver}"{f.name}", {camel(f.name)});')
    out += ['', f'  internal Native{name} ToNative() {{', f'    Native{name} native = new Native{name}();']
    return out + fill + ['    return native;', '  }', '', '  /// <summary>What is set.</summary>',
                         '  public override string ToString() { return Describe.Properties(this); }', '}']


def sentence(field, header, table):
    """A field's comment, or its name, as a sentence."""
    text = text_of(field.doc or field.name.replace('_', ' '), header, table).replace(' ...', '')
    return text[0].upper() + text[1:]


def record(header, c_name, name, table):
    """A class over the numbers that a call has filled in."""
    struct = header.structs[c_name]
    out = [f'/// <summary>{text_of(struct.doc.text, header, table)}</summary>', f'public sealed class {name} {{',
           '  private readonly byte[] all;', '', f'  internal {name}(byte[] all) {{ this.all = all; }}', '']
    for i, f in enumerate(fields.record(header, c_name)):
        out += [f'  /// <summary>{sentence(f, header, table)}</summary>',
                f'  public long {camel(f.name)} {{ get {{ return System.BitConverter.ToInt64(all, {8 * i}); }} }}']
    said = ', '.join(f'{camel(f.name)}={{{camel(f.name)}}}' for f in fields.record(header, c_name))
    return out + ['', '  /// <summary>All of it: "name=number, ...".</summary>',
                  f'  public override string ToString() {{ return $"{said}"; }}', '}']


def write_sources(header, folder, table, names):
    write = lambda name, lines: (folder / name).write_text('\n'.join(lines) + '\n', encoding='utf-8')
    write('Enums.Generated.cs', enums(header, table))
    write('Exceptions.Generated.cs', exceptions(header, table))
    write('Options.Generated.cs', ['// Generated from cucore.h.', 'using System.Collections.Generic;', '', 'namespace Cucore {',
                                   *options(header, 'cucore_program_options', 'ProgramOptions', table),
                                   *options(header, 'cucore_linker_options', 'LinkerOptions', table),
                                   *options(header, 'cucore_cache_options', 'CacheOptions', table),
                                   *(line for c_name, name in fields.RECORDS.items() for line in record(header, c_name, name, table)), '}'])
    (folder / 'Kept.Generated.cs').write_text(expand_source('\n'.join(kept_classes(table)), header, table), encoding='utf-8')
    source = Path(__file__).resolve().parent.parent / 'csharp/src'
    for name in names:
        (folder / name).write_text(expand_source((source / name).read_text(encoding='utf-8'), header, table), encoding='utf-8')
