"""What C# gets from the header: XML comments, enums, the initializers of options."""
import words
from header import camel

CLASSES = {'Device': 'CudaDevice', 'Stream': 'CudaStream', 'Event': 'CudaEvent', 'Buffer': 'CudaBuffer', 'Queue': 'CudaQueue',
           'Future': 'CudaFuture'}


def exception(status):
    return words.exception_name(status, 'Exception')


def text_of(text, header, table):
    def function(name):
        if name.startswith('cucore_error_'):
            return 'CucoreException.' + camel(name[len('cucore_error_'):])
        m = table.get(name)
        return f'{CLASSES.get(m.owner, m.owner)}.{camel(m.name)}' if m and m.owner else camel(m.name) if m else None

    def item(enum, i):
        if enum.c_name == 'cucore_status' and i.value:
            return exception(i.name)
        return f'{enum.name}.{camel(i.short)}'
    text = words.translate(text, header, function, item, 'null')
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def enum_typemap(enum):
    return f'%csharp_enum({enum.c_name}, {enum.name})'


def comment(member, function, header, table):
    return []  # SWIG 4.1 makes no C# comments of these: features() does


def xml(member, function, header, table):
    tr = lambda t: text_of(t, header, table)
    lines = ['/// <summary>' + tr(function.doc.text).replace('\n\n', ' ') + '</summary>']
    lines += [f'/// <param name="{n}">{tr(t)}</param>' for n, t in words.parameters(member, function)]
    if words.result(member, function):
        lines.append(f'/// <returns>{tr(words.result(member, function))}</returns>')
    lines += [f'/// <exception cref="{exception(c)}">{tr(t)}</exception>' for c, t in function.doc.retvals]
    return lines


def features(member, function, header, table):
    access = 'internal' if member.raw else 'public'
    lines = [l.replace('"', '\\"') for l in xml(member, function, header, table)]
    return [f'%csmethodmodifiers {member.path} "' + '\\n'.join(lines) + f'\\n  {access}";']


def write_sources(header, folder):
    out = ['// Generated from cucore.h.', 'namespace Cucore {']
    for e in header.enums:
        out += [f'/// <summary>{text_of(e.doc.text, header, {})}</summary>', f'public enum {e.name} {{']
        for i in e.items:
            out.append(f'  /// <summary>{text_of(i.doc or camel(i.short), header, {})}</summary>')
            out.append(f'  {camel(i.short)} = {i.value},')
        out.append('}')
    out.append('}')
    (folder / 'Enums.Generated.cs').write_text('\n'.join(out) + '\n', encoding='utf-8')
