# SPDX-License-Identifier: Apache-2.0
"""What Java's records would be: accessors, equality and builders of classes whose fields are written by hand.

The lines behind "//: fields" are fields; "int minGridSize; // The least grid -> blocks" gets an accessor with this comment.
A field without a comment gets none. "//: fields equal" adds equals() and hashCode(). "//: builder" adds a builder; there the
comment is that of the setter, and "Duration: " or "int: " before it is the type that the setter takes. "//: extents grid 0
blocks: The grid" makes the setters of one, two and three extents.
"""
import re

FIELD = re.compile(r'\s*(?:private )?final ([\w<>\[\]]+) (\w+)( = [^;]+)?;(?: // (.*))?$')
MARK = re.compile(r'\s*//: (fields|fields equal|builder)$')
EXTENTS = re.compile(r'\s*//: extents (\w+) (\d) (\w+): (.*)$')
NUMBERS = ('int', 'long', 'double')


def comment(text, tag):
    doc, _, more = text.partition(' -> ')
    return [f'  /** {doc}.', f'   * @{tag} {more} */']


def accessors(fields):
    out = []
    for ctype, name, _, text in fields:
        if text:
            copied = '.clone()' if ctype.endswith('[]') else ''
            out += ['', *comment(text, 'return'), f'  public {ctype} {name}() {{', f'    return {name}{copied};', '  }']
    return out


def equality(owner, fields):
    same = [f'{n} == that.{n}' if t in NUMBERS or t[0].isupper() and t != 'String' else f'{n}.equals(that.{n})' for t, n, *_ in fields]
    names = ', '.join(n for _, n, *_ in fields)
    return ['', '  @Override', '  public boolean equals(Object other) {', f'    if (!(other instanceof {owner})) {{', '      return false;',
            '    }', f'    {owner} that = ({owner}) other;', f'    return {" && ".join(same)};', '  }', '', '  @Override',
            '  public int hashCode() {', f'    return java.util.Objects.hash({names});', '  }']


class Option:
    """A field of a builder."""

    def __init__(self, ctype, name, initial, text):
        taken = re.match(r'(\w+): ', text)
        self.type, self.name = ctype, name
        self.element = (re.match(r'java\.util\.List<(\w+)>|List<(\w+)>', ctype) or [None] * 3)[2]
        self.taken = taken[1] if taken else self.element or {'Toggle': 'boolean'}.get(ctype, ctype)
        self.text = text[taken.end():] if taken else text
        self.setter = name.removesuffix('Millis') if self.taken == 'Duration' else name.removesuffix('s') if self.element else name
        self.initial = initial or {'Toggle': ' = Toggle.DEFAULT'}.get(ctype, ' = new java.util.ArrayList<>()' if self.element else '')

    def assignment(self):
        if self.element:
            return f'{self.name}.add(Given.notNull(value, "{self.setter}"));'
        given = {'Duration': f'BatchOptions.millis(value, "{self.setter}")', 'boolean': 'value', 'Optional': 'value'}.get(self.taken)
        if self.type == 'Toggle':
            given = 'value ? Toggle.ON : Toggle.OFF'
        check = 'notNegative' if self.taken in NUMBERS else 'notNull'
        return f'{self.name} = {given or f"Given.{check}(value, {chr(34)}{self.setter}{chr(34)})"};'

    def shown(self):
        """What toString() has; null where it is the default."""
        if self.taken == 'Duration' and self.name.endswith('timeLimitMillis'):
            return f'{self.name} == 0 ? null : java.time.Duration.ofMillis({self.name})'
        if self.element:
            return f'{self.name}.isEmpty() ? null : {self.name}'
        default = self.initial.removeprefix(' = ') or {'boolean': 'false'}.get(self.type, '0' if self.type in NUMBERS else '')
        return f'{self.name} == {default} ? null : {self.name}' if default else self.name

    def parameter(self):
        return {'Duration': 'java.time.Duration', 'Optional': self.type}.get(self.taken, self.taken) + ' value'


def builder(owner, fields):
    options = [Option(*f) for f in fields]
    kept = lambda o: f'java.util.List.copyOf(builder.{o.name})' if o.element else f'builder.{o.name}'
    label = lambda o: o.setter + 's' if o.element else o.name if o.name != 'timeLimitMillis' else o.setter
    out = ['', f'  static final {owner} DEFAULTS = builder().build();', '', f'  private {owner}(Builder builder) {{',
           *(f'    {o.name} = {kept(o)};' for o in options), '  }', '', '  @Override', '  public String toString() {',
           '    java.util.Map<String, Object> all = new java.util.LinkedHashMap<>();',
           *(f'    all.put("{label(o)}", {o.shown()});' for o in options), '    return Said.fields(all);', '  }', '',
           '  /** Begins with the defaults.', '   * @return a builder */', '  public static Builder builder() {',
           '    return new Builder();', '  }', '', f'  /** Collects {owner}. Not for several threads at a time. */',
           '  public static final class Builder {',
           *(f'    private {"final " if o.element else ""}{o.type} {o.name}{o.initial};' for o in options), '', '    private Builder() {}']
    for o in options:
        out += ['', *('  ' + l for l in comment(o.text, 'param value')[:-1]), '  ' + comment(o.text, 'param value')[-1][:-3],
                '     * @return this */', f'    public Builder {o.setter}({o.parameter()}) {{', f'      {o.assignment()}',
                '      return this;', '    }']
    return out + ['', '    @Override', '    public String toString() {', '      return build().toString();', '    }', '',
                  '    /** What has been set so far.', '     * @return the options, which never change */',
                  f'    public {owner} build() {{', f'      return new {owner}(this);', '    }', '  }']


def extents(name, at, unit, doc):
    """Setters of one, two and three extents."""
    out = []
    for count in (1, 2, 3):
        given = ['x', 'y', 'z'][:count]
        body = f'{name}({", ".join([*given, "1", "1"][:max(count + 1, 3)])})' if count < 3 else f'set({at}, "{name}", x, y, z)'
        out += ['', f'    /** {doc}.', *(f'     * @param {g} {unit}' for g in given), '     * @return this */',
                f'    public Builder {name}({", ".join("int " + g for g in given)}) {{', f'      return {body};', '    }']
    return out


def expand(lines, owner):
    """The lines with the members that the marks stand for."""
    out, at = [], 0
    while at < len(lines):
        several = EXTENTS.match(lines[at])
        if several:
            out += extents(*several.groups())
            at += 1
            continue
        mark = MARK.match(lines[at])
        at += 1
        if not mark:
            out.append(lines[at - 1])
            continue
        fields = []
        while FIELD.match(lines[at]) or '//: also ' in lines[at]:
            if '//: also ' in lines[at]:
                at += 1
                continue
            ctype, name, initial, text = FIELD.match(lines[at]).groups()
            fields.append((ctype, name, initial or '', text or ''))
            # Where a class is serialized, javadoc requires a comment of each field.
            out += ([f'  /** {text.partition(" -> ")[0]}. */'] if text else []) + [lines[at].partition(' // ')[0].replace(initial or '\0', '')]
            at += 1
        if mark[1] == 'builder':
            out += builder(owner, fields)
        else:
            out += accessors(fields) + (equality(owner, fields) if 'equal' in mark[1] else [])
    return out
