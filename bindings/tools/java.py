"""What Java gets from the header: javadoc, enums, the builder of options."""
import re

import words
from header import camel


def lower(snake):
    name = camel(snake)
    return name[0].lower() + name[1:]


CLASSES = {'Device': 'CudaDevice', 'Stream': 'CudaStream', 'Event': 'CudaEvent', 'Buffer': 'CudaBuffer', 'Queue': 'CudaQueue',
           'Future': 'CudaFuture'}


def exception(status):
    return words.exception_name(status, 'Exception')


def text_of(text, header, table):
    def function(name):
        if name.startswith('cucore_error_'):
            return 'CucoreException.' + lower(name[len('cucore_error_'):])
        m = table.get(name)
        if not m:
            return None
        member = 'get' + camel(m.name) if m.kind == 'property' else lower(m.name)
        return f'{CLASSES.get(m.owner, m.owner)}.{member}' if m.owner else member

    def item(enum, i):
        if enum.c_name == 'cucore_status' and i.value:
            return exception(i.name)
        return f'{enum.name}.{i.short}'
    text = words.translate(text, header, function, item, 'null')
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def enum_typemap(enum):
    return f'%java_enum({enum.c_name}, {enum.name})'


def comment(member, function, header, table):
    tr = lambda t: text_of(t, header, table)
    lines = tr(function.doc.text).split('\n')
    lines += [f'@param {n} {tr(t)}' for n, t in words.parameters(member, function)]
    if words.result(member, function):
        lines.append(f'@return {tr(words.result(member, function))}')
    lines += [f'@throws {exception(c)} {tr(t)}' for c, t in function.doc.retvals]
    return ['/**'] + [' * ' + l for l in lines] + [' */']


def features(member, function, header, table):
    # Raw members are for the classes of the package, not for users.
    return [f'%javamethodmodifiers {member.path} "/* raw */";'] if member.raw else []


def enum(e, header):
    out = ['package io.cucore;', '', f'/** {text_of(e.doc.text, header, {})} */', f'public enum {e.name} {{']
    for i in e.items:
        out.append(f'  /** {text_of(i.doc or i.short, header, {})} */')
        out.append(f'  {i.short}({i.value}),')
    out += ['  /** A number that this version of the bindings has no name for. */', '  UNKNOWN(Integer.MIN_VALUE);', '',
            '  private final int value;', '', f'  {e.name}(int value) {{', '    this.value = value;', '  }', '',
            '  /** The number in the C API.', '   * @return the number */', '  public int value() {', '    return value;', '  }', '',
            '  /** The enumerator of a number, UNKNOWN if there is none.', '   * @param value the number in the C API',
            '   * @return the enumerator */', f'  public static {e.name} of(int value) {{',
            f'    for ({e.name} each : values()) {{', '      if (each.value == value) {', '        return each;', '      }',
            '    }', '    return UNKNOWN;', '  }', '}', '']
    return '\n'.join(out)


def write_sources(header, folder):
    for e in header.enums:
        (folder / f'{e.name}.java').write_text(enum(e, header), encoding='utf-8')
