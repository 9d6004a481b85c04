# SPDX-License-Identifier: Apache-2.0
"""Members of C# that repeat a pattern.

Marks of csharp/src:
  //: fields internal (int index)   a constructor for the properties and fields behind the mark, up to an empty line: one
                                    with a value gets that, each other one is a parameter too
  //: launches 6                    Kernel.Launch for one to six arguments, without an array of them
  //: shown Linker linker: TEXT -> Its backend     the ToString() of a type whose object may be disposed of
  //: described                     a ToString() of the properties that are set

A type with a query or a synchronize in C gets calls without marshalling, and waits that Mono can end.
"""
import re


FIELDS = re.compile(r'(\s*)//: fields (\w+) \((.*)\)$')
SHOWN = re.compile(r'//: shown (\w+) (\w+): (.*) -> (.*)$')
PROPERTY = re.compile(r'  public (?!static )[^(]*? (\w+) \{ get')
LAUNCHES = re.compile(r'\s*//: launches (\d)$')
FIELD = re.compile(r'\s*(?:\w+ )+?(?P<type>[\w<>\[\]?]+) (?P<name>\w+)(?: \{ get; \}(?: = (?P<value>.*))?|(?: = (?P<initial>.*))?);?$')


def lower(name):
    return name[0].lower() + name[1:]


def constructor(owner, access, given, fields, indent):
    own = [f'{ctype} {lower(name)}' for ctype, name, value in fields if not value]
    parameters = ', '.join([given] * bool(given) + own)
    return ['', f'{access} {owner}({parameters}) {{', *(f'  this.{name} = {value or lower(name)};' for _, name, value in fields), '}']


def launch(count):
    names = 'abcdef'[:count]
    return ['', f'/// <summary>Launches with {count} argument{"s" if count > 1 else ""}, without making an array of them.</summary>',
            f'public unsafe void Launch(CudaStream stream, in LaunchConfig config, {", ".join(f"in Arg {n}" for n in names)}) {{',
            f'  if (LaunchConfig.TailOf(config) != null || !({" && ".join(f"{n}.IsSmall" for n in names)})) {{',
            f'    Launch(stream, config, new[] {{ {", ".join(names)} }});', '    return;', '  }',
            '  HeldBuffers held = default(HeldBuffers);', f'  int[] forms = FormsFor(stream, {count});',
            f'  byte* block = stackalloc byte[LaunchConfig.HeadSize + {count} * Arg.SmallSize];',
            f'  byte* to = LaunchConfig.Write(config, block, {count});',
            *(f'  to = {n}.Write(to, this, forms, {i}, ref held);' for i, n in enumerate(names)),
            '  Launch(stream, block, to, ref held);', '}']


def shown(name, what, text, summary):
    return [f'public partial class {name} {{', f'  /// <summary>{summary}.</summary>',
            f'  public override string ToString() {{ return Describe.Object("{what}", () => {text}); }}', '}']


def described(name, properties):
    """The text names each property, because compilation ahead of time removes members that only reflection finds."""
    parts = ''.join(f', Describe.Set("{each}", {each})' for each in properties)
    return ['  /// <summary>What is set.</summary>', f'  public override string ToString() {{ return Describe.Properties("{name}"{parts}); }}']


def fields_behind(lines, at):
    """(lines of the fields without their values, [(type, name, value)], the index behind them)."""
    out, fields = [], []
    while at < len(lines) and lines[at].strip() not in ('', '}'):
        m = None if '//' in lines[at].lstrip()[:2] else FIELD.match(lines[at])
        if m:
            value = (m['value'] or m['initial'] or '').rstrip(';')
            fields.append((m['type'], m['name'], value))
            out.append(lines[at].replace(f' = {value};', '' if '{ get; }' in lines[at] else ';') if value else lines[at])
        else:
            out.append(lines[at])
        at += 1
    return out, fields, at


def expand(lines):
    out, at, owner, begin = [], 0, '', 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if found := re.match(r'\s*(?:\w+ )*(?:class|struct) (\w+)', line):
            owner, begin = found[1], len(out)
        several, mark, text = LAUNCHES.match(line), FIELDS.match(line), SHOWN.match(line)
        if text:
            out += shown(*text.groups())
        elif line == '  //: described':
            out += described(owner, [m[1] for each in out[begin:] if (m := PROPERTY.match(each))])
        elif several:
            out += ['  ' + l if l else '' for count in range(1, int(several[1]) + 1) for l in launch(count)]
        elif mark:
            kept, fields, at = fields_behind(lines, at)
            out += kept + [mark[1] + l if l else '' for l in constructor(owner, mark[2], mark[3], fields, mark[1])]
        else:
            out.append(line)
    return out


def query(owner, name):
    """SafeHandle's counting and Mono's code around it would cost as much again as the call."""
    return [f'  [System.Runtime.InteropServices.DllImport("cucorecs", EntryPoint = "CSharp_Cucore_{name}_RawQuery")]',
            '  private static extern uint Query(System.IntPtr handle);', f'  //: {owner.c}_query', '  public bool Query() {',
            '    System.IntPtr handle = owned.Enter();', '    try {', '      bool isDone = Query(handle) != 0;',
            '      CucoreNativePINVOKE.Check();', '      return isDone;', '    } finally {', '      owned.Leave();', '    }', '  }']


def synchronize(owner, name):
    return [f'  [System.Runtime.InteropServices.DllImport("cucorecs", EntryPoint = "cucore_csharp_wait_{owner.name}")]',
            '  private static extern System.IntPtr BeginWait(System.Runtime.InteropServices.SafeHandle handle);',
            f'  //: {owner.c}_synchronize', '  public void Synchronize() { Waits.Finish(BeginWait(swigCPtr)); }',
            f'  //: {owner.c}_synchronize', '  /// <param name="timeout">the limit of the wait; Timeout.InfiniteTimeSpan: none. The work continues after it</param>',
            '  /// <exception cref="NotReadyException">the timeout has ended</exception>',
            '  public void Synchronize(System.TimeSpan timeout) {',
            '    long limit = Timeout.Nanoseconds(timeout);', '    Waits.Finish(BeginWait(swigCPtr), limit);', '  }']


def members(api, owner):
    """The patterns of a type, as separate partial classes."""
    name = api.class_name(owner.name, 'csharp')
    return [line for f in owner.functions for line in (query(owner, name) if api.is_query(f) else
                                                       synchronize(owner, name) if api.is_synchronize(f) else [])]


def waits(api):
    """Called by BeginWait: null if the wait is over, or failed."""
    out = ['%{']
    for owner in api.classes:
        asked = next((f', {f.name}' for f in owner.functions if api.is_query(f)), '')
        if any(map(api.is_synchronize, owner.functions)):
            out += [f'extern "C" SWIGEXPORT void *SWIGSTDCALL cucore_csharp_wait_{owner.name}({owner.name} *object) {{',
                    f'  return guarded([&] {{ return begin_wait(object, {owner.c}_synchronize{asked}).release(); }});', '}']
    return out + ['%}']
