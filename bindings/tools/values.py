# SPDX-License-Identifier: Apache-2.0
"""A replacement for Java's records: accessors, constructors, equality and builders of classes whose fields are written by hand.

The lines behind "//: fields" are fields; "int minGridSize; // The least grid -> blocks" gets an accessor with this comment.
A field without a comment gets none; "Optional: " before the comment makes the accessor an Optional. The mark "//: fields equal" adds equals() and hashCode(), and "(...)" a constructor of the package
with these parameters. A field with a value keeps it, and each other one is also a parameter. With "private (...)" it is private.
The mark "//: builder" adds a builder, and the comment is that of the setter. The type of its parameter, "Duration: " or "int: ",
precedes the comment. For a setter that adds to a Map, the parameters "(key, value): " do.

Marks of one line:
  //: said TEXT                              toString()
  //: extents grid 0 blocks: The grid        setters of one, two and three extents
  //: word cluster 6 (int x, int y): DOC -> PARAMETER -> ...   a setter of the words from 6 on
  //: signed priority 12 (int value): DOC -> PARAMETER         the same, also for numbers below 0
  //: arg byte 1: A char                     Arg.of() for a type of so many bytes
  //: wait cucore_x CALL                     synchronize() with a limit, which CALL waits for
"""
import re

FIELD = re.compile(r'\s*(?:private )?final ([\w<>\[\]]+(?:, \w+>)?) (\w+)( = [^;]+)?;(?: // (.*))?$')
MARK = re.compile(r'\s*//: (fields|builder)( equal)?( private)?(?: \((.*)\))?$')
KIND = re.compile(r'^(?:Optional|Duration|int|\(.*?\)): ')  # of a field, before its comment
NUMBERS = ('int', 'long', 'double')


def javadoc(text, tags):
    return [f'/** {text}.', *(f' * @{tag}' for tag in tags[:-1]), f' * @{tags[-1]} */']


def returned(text):
    """The comment of an accessor and its tags."""
    doc, _, result = text.partition(' -> ')
    return doc, [f'return {result}']


def accessors(fields):
    out = []
    for ctype, name, _, text in fields:
        if text.startswith('Optional: '):
            text, ctype, shown = text.removeprefix('Optional: '), f'java.util.Optional<{ctype}>', f'java.util.Optional.ofNullable({name})'
        else:
            shown = name + ('.clone()' if ctype.endswith('[]') else '')
        if text:
            out += ['', *('  ' + l for l in javadoc(*returned(text))), f'  public {ctype} {name}() {{', f'    return {shown};', '  }']
    return out


def constructor(owner, is_private, given, fields):
    """Of fields that have a value, and of the others as parameters."""
    own = [f'{ctype} {name}' for ctype, name, initial, _ in fields if not initial]
    parameters = ', '.join([given] * bool(given) + own)
    return ['', f'  {"private " if is_private else ""}{owner}({parameters}) {{',
            *(f'    this.{name} = {initial.removeprefix(" = ") or name};' for _, name, initial, _ in fields), '  }']


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
        pair = re.match(r'\((\w+), (\w+)\): ', text)
        self.pair = pair and pair.groups()
        self.type, self.name = ctype, name
        self.element = (re.match(r'java\.util\.List<(\w+)>|List<(\w+)>', ctype) or [None] * 3)[2]
        self.taken = taken[1] if taken else self.element or {'Toggle': 'boolean'}.get(ctype, ctype)
        self.text = text[(taken or pair).end():] if taken or pair else text
        self.setter = name.removesuffix('Millis') if self.taken == 'Duration' else name.removesuffix('s') if self.element or pair else name
        self.initial = initial or {'Toggle': ' = Toggle.DEFAULT'}.get(ctype, ' = new java.util.ArrayList<>()' if self.element else
                                   ' = new java.util.LinkedHashMap<>()' if pair else '')

    def assignment(self):
        if self.pair:
            return f'{self.name}.put({", ".join(f"Given.notNull({n}, {chr(34)}{n}{chr(34)})" for n in self.pair)});'
        if self.element:
            return f'{self.name}.add(Given.notNull(value, "{self.setter}"));'
        given = {'Duration': f'BatchOptions.millis(value, "{self.setter}")', 'boolean': 'value', 'Optional': 'value'}.get(self.taken)
        if self.type == 'Toggle':
            given = 'value ? Toggle.ON : Toggle.OFF'
        check = 'notNegative' if self.taken in NUMBERS else 'notNull'
        return f'{self.name} = {given or f"Given.{check}(value, {chr(34)}{self.setter}{chr(34)})"};'

    def shown(self):
        """Returns the result of toString(); null if it is the default."""
        if self.taken == 'Duration' and self.name.endswith('timeLimitMillis'):
            return f'{self.name} == 0 ? null : java.time.Duration.ofMillis({self.name})'
        if self.element or self.pair:
            return f'{self.name}.isEmpty() ? null : {self.name}'
        default = self.initial.removeprefix(' = ') or {'boolean': 'false'}.get(self.type, '0' if self.type in NUMBERS else '')
        return f'{self.name} == {default} ? null : {self.name}' if default else self.name

    def kept(self):
        """Returns the options' copy of the builder's field."""
        kept = f'builder.{self.name}'
        return f'java.util.List.copyOf({kept})' if self.element else f'new java.util.LinkedHashMap<>({kept})' if self.pair else kept

    def parameters(self):
        """The names of the parameters of the setter."""
        return self.pair or ('value',)

    def parameter(self):
        if self.pair:
            return ', '.join(f'String {n}' for n in self.pair)
        return {'Duration': 'java.time.Duration', 'Optional': self.type}.get(self.taken, self.taken) + ' value'


ACCESSOR = re.compile(r'  public (?!void )([\w.]+(?:<[\w.<>, ]+>)?(?:\[\])?) ([a-z]\w*)\(\) \{$')
NOT_ACCESSORS = re.compile(r'(?:get|is|has|to|as)[A-Z]|hashCode$|build$|builder$|end$|body$|iterator$')


def getters(lines):
    """Names the accessors of a public class getX(), as those of the handles. The short names stay, as those of records."""
    if not any(l.startswith('public ') for l in lines):
        return lines
    out, short = [], None
    for line in lines:
        found = ACCESSOR.match(line)
        if found and not NOT_ACCESSORS.match(found[2]):
            short, getter = found, f'get{found[2][0].upper()}{found[2][1:]}'
            line = f'  public {found[1]} {getter}() {{'
        out.append(line)
        if short and line == '  }':
            out += ['', *('  ' + l for l in javadoc(f'The same as {{@link #{getter}()}}', ['return the same'])),
                    f'  public {short[1]} {short[2]}() {{', f'    return {getter}();', '  }']
            short = None
    return out


def builder(owner, fields):
    options = [Option(*f) for f in fields]
    label = lambda o: o.setter + 's' if o.element else o.name if o.name != 'timeLimitMillis' else o.setter
    out = ['', f'  static final {owner} DEFAULTS = builder().build();', '', f'  private {owner}(Builder builder) {{',
           *(f'    {o.name} = {o.kept()};' for o in options), '  }', '', '  @Override', '  public String toString() {',
           '    java.util.Map<String, Object> all = new java.util.LinkedHashMap<>();',
           *(f'    all.put("{label(o)}", {o.shown()});' for o in options), '    return Said.fields(all);', '  }', '',
           '  /** Begins with the defaults.', '   * @return a builder */', '  public static Builder builder() {',
           '    return new Builder();', '  }', '', f'  /** Collects {owner}. Not for several threads at a time. */',
           '  public static final class Builder {',
           *(f'    private {"final " if o.element or o.pair else ""}{o.type} {o.name}{o.initial};' for o in options), '', '    private Builder() {}']
    for o in options:
        doc, *texts = o.text.split(' -> ')
        tags = [f'param {n} {text}' for n, text in zip(o.parameters(), texts)]
        out += ['', *('    ' + l for l in javadoc(doc, [*tags, 'return this'])),
                f'    public Builder {o.setter}({o.parameter()}) {{', f'      {o.assignment()}',
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
        out += ['', *javadoc(doc, [*(f'param {g} {unit}' for g in given), 'return this']),
                f'public Builder {name}({", ".join("int " + g for g in given)}) {{', f'  return {body};', '}']
    return out


def word(kind, name, at, parameters, doc):
    """A setter of words. A boolean is 1 or 0."""
    doc, *texts = doc.split(' -> ')
    given = [p.split(' ') for p in parameters.split(', ')]
    values = ', '.join(f'{n} ? 1 : 0' if t == 'boolean' else n for t, n in given)
    body = [f'  return set({at}, "{name}", {values});'] if kind == 'word' else [f'  words[{at}] = {values};', '  return this;']
    tags = [f'param {n} {text}' for (_, n), text in zip(given, texts)]
    return ['', *javadoc(doc, [*tags, 'return this']), f'public Builder {name}({parameters}) {{', *body, '}']


def argument(ctype, size, doc):
    return ['', *javadoc(doc, ['param value the value', f'return the argument, {size} byte{"s" if size != "1" else ""}']),
            f'public static Arg of({ctype} value) {{', f'  return new Arg(value, {size});', '}']


def said(text):
    return ['', '@Override', 'public String toString() {', f'  return {text};', '}']


def wait(function, call):
    return ['', f'//: {function}',
            '// @param timeout the limit, after which the work continues; zero never waits, a negative duration has no limit',
            '// @throws NotReadyException the timeout has ended', 'public void synchronize(java.time.Duration timeout) {', '  open();',
            '  if (Given.notNull(timeout, "timeout").isNegative()) {', '    synchronize();', '  } else {', f'    {call};', '  }', '}']


LINES = tuple((re.compile(rf'(\s*)//: {pattern}$'), make) for pattern, make in (
    (r'extents (\w+) (\d) (\w+): (.*)', extents), (r'(word|signed) (\w+) (\d+) \((.*?)\): (.*)', word),
    (r'arg (\w+) (\d): (.*)', argument), (r'said (.*)', said), (r'wait (\w+) (.*)', wait)))


def of_one_line(line):
    """The members that a mark of one line stands for, or None."""
    for pattern, make in LINES:
        m = pattern.match(line)
        if m:
            indent, *parts = m.groups()
            return [indent + l if l else '' for l in make(*parts)]
    return None


def expand(lines, owner):
    """The lines with the members that the marks stand for."""
    out, at = [], 0
    while at < len(lines):
        made = of_one_line(lines[at])
        if made is not None:
            out += made if out[-1] else made[1:]
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
            # A serialized class must have a comment for each field, because javadoc requires it.
            out += ([f'  /** {KIND.sub("", text.partition(" -> ")[0])}. */'] if text else []) + [lines[at].partition(' // ')[0].replace(initial or '\0', '')]
            at += 1
        if mark[1] == 'builder':
            out += builder(owner, fields)
        else:
            out += constructor(owner, mark[3], mark[4], fields) if mark[4] is not None else []
            out += accessors(fields) + (equality(owner, fields) if mark[2] else [])
    return out
