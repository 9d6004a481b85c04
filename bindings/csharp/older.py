#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the sources for Mono's compiler, which lacks nullable references and "unmanaged":
older.py FOLDER SOURCE... -- COMMAND...

Lines keep their numbers. Annotations of public members become the attributes that a newer compiler would write, so
that programs see them. Then runs COMMAND, if there is one, with the new files as further arguments.
"""
import re
import subprocess
import sys
from pathlib import Path

ATTRIBUTES = '''namespace System.Runtime.CompilerServices {
internal sealed class NullableAttribute : Attribute {
  public readonly byte[] NullableFlags;
  public NullableAttribute(byte flag) { NullableFlags = new[] { flag }; }
  public NullableAttribute(byte[] flags) { NullableFlags = flags; }
}

internal sealed class NullableContextAttribute : Attribute {
  public readonly byte Flag;
  public NullableContextAttribute(byte flag) { Flag = flag; }
}
}
'''
NAMESPACE = 'System.Runtime.CompilerServices.'
# Types whose "?" is Nullable<T>, with the enums and structs of the sources.
VALUES = {'bool', 'byte', 'sbyte', 'short', 'ushort', 'int', 'uint', 'long', 'ulong', 'char', 'float', 'double', 'IntPtr', 'TimeSpan',
          'DateTimeOffset', 'CancellationToken', 'Span', 'ReadOnlySpan', 'Memory', 'ReadOnlyMemory', 'ValueTask', 'KeyValuePair'}
MARK = re.compile(r'(?P<type>[\w.]+)(?P<more><[^;()]*>)?(?P<array>\[\])?\?(?=[\s>,)]|\[\])')
FORGIVEN = re.compile(r'(?<=[\w)\]])!(?=[.,;)\]])')
TYPE = r'[\w.]+(?:<[^;()=]*>)?(?:\[\]|\?)*'
MEMBER = re.compile(rf'(\s*)((?:public|protected)(?: (?:static|unsafe|override|readonly|async|const))* )({TYPE}) (\w+)(?:<\w+>)?\s*([({{;]|=>)')
PARAMETER = re.compile(rf'(?<=[(,])(\s?)((?:in |out |ref |params |this )?)({TYPE})( \w+)(?=[,)]| =)')
CLASS = re.compile(r'public (?:\w+ )*(?:class|struct|interface) (\w+)')


def arguments(text):
    """The parts between commas that are not in brackets."""
    parts, depth = [''], 0
    for c in text:
        depth += {'<': 1, '>': -1}.get(c, 0)
        if c == ',' and not depth:
            parts.append('')
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def flags(text, values):
    """A number for each reference in a type, from the outside in: 2 may be null, 1 not; 0 for a generic struct."""
    own = 2 if text.endswith('?') else 1
    text = text.rstrip('?')
    if text.endswith('[]'):
        return [own, *flags(text[:-2], values)]
    name, _, inner = text.partition('<')
    if own == 2 and name in values:
        return [0, *flags(text, values)]  # Nullable<T>
    of = [f for part in arguments(inner[:-1]) for f in flags(part, values)] if inner else []
    return ([0] if inner else []) + of if name in values else [own, *of]


def attribute(text, values, target=''):
    """The attribute of an annotated type, or nothing."""
    found = flags(text, values)
    if 2 not in found:
        return ''
    shown = str(found[0]) if len(set(found)) == 1 else f'new byte[] {{ {", ".join(map(str, found))} }}'
    return f'[{target}{NAMESPACE}Nullable({shown})] '


def annotated(line, values):
    """The line with attributes for the annotations of a public member."""
    member = MEMBER.match(line) or re.match(r'(\s*)(public (?:static |unsafe |implicit |operator )*)(\w+)()(\()', line)
    if not member:
        return line
    is_method = member[5] == '('
    head, tail = line[:member.end() - 1], line[member.end() - 1:]
    if is_method:
        tail = PARAMETER.sub(lambda p: p[1] + attribute(p[3], values) + ''.join(p.group(2, 3, 4)), tail)
    result = attribute(member[3], values, 'return: ' if is_method else '') if member[4] else ''
    return member[1] + result + head[len(member[1]):] + tail


def plain(line, values):
    """The line without annotations of references."""
    inner = lambda m: m['type'] + plain(m['more'] or '', values) + (m['array'] or '')
    remove = lambda m: inner(m) + '?' * (m['type'] in values and not m['array'])
    before = None
    while before != line:  # an annotation may be inside of another one
        before, line = line, MARK.sub(remove, line)
    return FORGIVEN.sub('', line).replace('where T : unmanaged', 'where T : struct')


def older(text, values, seen):
    lines = []
    for line in text.split('\n'):
        if line.startswith('#nullable'):
            line = ''
        elif not line.lstrip().startswith('//'):
            line = plain(annotated(line, values), values)
            owner = CLASS.match(line)
            if owner and owner[1] not in seen:  # the parts of a class have one attribute in total
                seen.add(owner[1])
                line = f'[{NAMESPACE}NullableContext(1)] {line}'
        lines.append(line)
    return '\n'.join(lines)


def main(folder, *rest):
    at = rest.index('--') if '--' in rest else len(rest)
    texts = {Path(source).name: Path(source).read_text(encoding='utf-8') for source in rest[:at]}
    values = VALUES | {name for text in texts.values() for name in re.findall(r'\b(?:enum|struct) (\w+)', text)}
    Path(folder).mkdir(parents=True, exist_ok=True)
    seen = set()
    written = {name: older(text, values, seen) for name, text in texts.items()} | {'Nullable.cs': ATTRIBUTES}
    for name, text in written.items():
        (Path(folder) / name).write_text(text, encoding='utf-8')
    command = rest[at + 1:]
    return subprocess.run([*command, *(str(Path(folder) / name) for name in written)]).returncode if command else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
