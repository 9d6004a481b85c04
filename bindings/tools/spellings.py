"""How users of a language spell the C API: where the coverage test looks for each function, and what the
messages of failures say instead of C's names.
"""
import fnmatch
import re
from pathlib import Path

import interface
from header import camel

FUNCTIONS = Path(__file__).resolve().parent.parent / 'coverage/functions.txt'
CLASSES = {'Device': 'CudaDevice', 'Stream': 'CudaStream', 'Event': 'CudaEvent', 'Buffer': 'CudaBuffer', 'Queue': 'CudaQueue',
           'Future': 'CudaFuture',
           'Error': 'CucoreException', '': 'Cucore'}
CSHARP_CLASSES = {'Program': 'CudaProgram'}  # every console project has a class Program
PYTHON_FUNCTIONS = {'cucore_version': 'version_number', 'cucore_version_string': 'version_string',
                    'cucore_status_name': 'status_name'}
NULL = {'python': 'None', 'java': 'null', 'csharp': 'null'}
# Entry points that others write in C: they are called so in every language.
OF_C = ('cucore_remote_open',)


def listed():
    """pattern -> (Python's name or '-', {language: name})."""
    table = {}
    for line in FUNCTIONS.read_text(encoding='utf-8').splitlines():
        words = line.split()
        if words and not line.startswith('#'):
            own = dict(w.split(':', 1) for w in words[2:] if ':' in w) if words[1] != '-' else {}
            if words[0] in table:
                raise SystemExit(f'functions.txt has {words[0]} twice')
            table[words[0]] = (words[1], own)
    return table


def members():
    return {m.function: m for m in interface.members(interface.flatten(interface.ROOT / 'cucore.i')) if not m.raw}


def candidates(function, language, table, marks):
    """The names under which a language may have a function, the likeliest first; None where there need be none."""
    line = table.get(function) or next((v for p, v in table.items() if fnmatch.fnmatch(function, p)), None)
    if line and line[0] == '-':
        return None
    if line:
        return spellings(line[1].get(language, line[0]), language, language in line[1])
    if function not in marks:
        return []
    mark = marks[function]
    name = mark.name if mark.owner or language != 'python' else PYTHON_FUNCTIONS.get(function, mark.name)
    owner = mark.owner + '.' if mark.owner else ''
    found = spellings(owner + ('__init__' if mark.kind == 'constructor' else name), language, False)
    return found[1:2] + found[:1] + found[2:] if language == 'java' and mark.kind == 'property' else found


def class_name(name, language):
    own = CSHARP_CLASSES if language == 'csharp' else {}
    return own.get(name) or CLASSES.get(name, name)


def spellings(name, language, exact):
    if language == 'python' or exact:
        return [name]
    owner, _, member = name.rpartition('.')
    owner = class_name(owner, language)
    upper = camel(member)
    if member == '__init__':
        return [f'{owner}.<new>']
    if language == 'csharp':
        return [f'{owner}.{upper}']
    lower = upper[0].lower() + upper[1:]
    return [f'{owner}.{lower}', f'{owner}.get{upper}', f'{owner}.is{upper}', f'{owner}.nativeHandle' if member == 'native' else '',
            f'{owner}.getNativeHandle' if member == 'native' else '']


# What users write where C has a struct. {} is a field: in Python most are keywords of a call.
STRUCTS = {
    'cucore_stream_options': ('Stream({}=...)', 'CudaStream({})', 'StreamOptions.{}'),
    'cucore_event_options': ('Event({}=...)', 'CudaEvent({})', 'EventOptions.{}'),
    'cucore_program_options': ('Program({}=...)', 'ProgramOptions.{}', 'ProgramOptions.{}'),
    'cucore_linker_options': ('Linker({}=...)', 'LinkerOptions.{}', 'LinkerOptions.{}'),
    'cucore_cache_options': ('Cache({}=...)', 'CacheOptions.{}', 'CacheOptions.{}'),
    'cucore_queue_options': ('Queue({}=...)', 'CudaQueue({})', 'QueueOptions.{}'),
    'cucore_objectcode_options': ('ObjectCode.from_bytes({}=...)', 'ObjectCodeOptions.{}', 'ObjectCodeOptions.{}'),
    'cucore_serialize_options': ('ObjectCode.serialize({}=...)', 'SerializeOptions.{}', 'SerializeOptions.{}'),
    'cucore_deserialize_options': ('ObjectCode.deserialize({}=...)', 'DeserializeOptions.{}', 'DeserializeOptions.{}'),
    'cucore_cache_remote_options': ('Cache.add_remote({}=...)', 'RemoteOptions.{}', 'Cache.AddRemote({})'),
    'cucore_batch_options': ('compile_batch({}=...)', 'BatchOptions.{}', 'BatchOptions.{}'),
    'cucore_batch_item': ('BatchItem.{}', 'BatchItem.{}', 'BatchItem.{}'),
    'cucore_launch_options': ('LaunchConfig.{}', 'LaunchConfig.{}', 'LaunchConfig.{}'),
    'cucore_key': ('Key.{}', 'SigningKey.{}', 'Key.{}'),
}
# Fields that a language calls otherwise.
FIELDS = {
    'python': {'cucore_serialize_options.signing_key': 'key', 'cucore_deserialize_options.keys': 'verify',
               'cucore_deserialize_options.signature_policy': 'signature', 'cucore_batch_options.time_limit_ms': 'time_limit',
               'cucore_objectcode_options.expressions': 'names', 'cucore_objectcode_options.lowered_names': 'names'},
    'java': {'cucore_deserialize_options.keys': 'key', 'cucore_objectcode_options.expressions': 'expression',
             'cucore_objectcode_options.lowered_names': 'expression', 'cucore_batch_options.time_limit_ms': 'timeLimit',
             'cucore_cache_remote_options.connect_timeout_ms': 'connectTimeout', 'cucore_cache_remote_options.timeout_ms': 'timeout'},
    'csharp': {'cucore_queue_options.spin_ns': 'SpinNanoseconds', 'cucore_queue_options.sweep_ns': 'SweepNanoseconds',
               'cucore_objectcode_options.expressions': 'LoweredNames', 'cucore_batch_options.time_limit_ms': 'TimeLimit',
               'cucore_cache_remote_options.connect_timeout_ms': 'connectTimeout',
               'cucore_cache_remote_options.timeout_ms': 'timeout', 'cucore_cache_remote_options.read_only': 'readOnly'},
}
LANGUAGES = ('python', 'java', 'csharp')


def field_spelling(name, language):
    if language == 'python':
        return name
    upper = camel(name)
    return upper if language == 'csharp' else upper[0].lower() + upper[1:]


def functions(header, language):
    """C function -> what users call, with "()" unless it is a property."""
    table, marks = listed(), members()
    new = '{}' if language == 'python' else 'new {}'
    for function in header.functions:
        found = candidates(function, language, table, marks)
        if not found:
            continue
        owner, _, member = found[0].rpartition('.')
        if member in ('__init__', '<new>'):
            yield function, new.format(owner) + '()'
        else:
            is_property = language != 'java' and function in marks and marks[function].kind == 'property'
            yield function, found[0] + ('' if is_property else '()')


def structs(header, language):
    """C struct, and each field of one that users fill in -> what they write."""
    at = LANGUAGES.index(language)
    for name, struct in header.structs.items():
        if name not in STRUCTS:
            yield name, camel(re.sub(r'^cucore_|_info$', '', name))
            continue
        form = STRUCTS[name][at]
        yield name, re.split(r'[.(]\{', form)[0]
        for field in struct.names:
            yield f'{name}.{field}', form.format(FIELDS[language].get(f'{name}.{field}') or field_spelling(field, language))


def enumerators(header, language, module):
    for enum in header.enums:
        yield enum.c_name, enum.name
        for item in enum.items:
            if enum.c_name == 'cucore_status' and item.value:
                yield item.name, module.exception(item.name)
            else:
                yield item.name, f'{enum.name}.{camel(item.short) if language == "csharp" else item.short}'


def handles(header, language):
    for name in header.handles:
        short = camel(name.replace('cucore_', '')).replace('Objectcode', 'ObjectCode')
        yield name, short if language == 'python' else class_name(short, language)


def all_of(header, language, module):
    """What stands in a message -> what a user of the language reads there."""
    table = {'NULL': NULL[language]}
    for part in (handles(header, language), functions(header, language), structs(header, language),
                 enumerators(header, language, module)):
        table.update(part)
    return table


def cpp(table):
    """The table for cpp/spelling.hpp, as SWIG copies it into the wrapper."""
    rows = [f'    {{"{c}", "{here}"}},' for c, here in sorted(table.items())]
    return ['%{', 'const cucore::bind::Spelling cucore::bind::SPELLINGS[] = {', *rows, '};',
            f'const size_t cucore::bind::SPELLING_COUNT = {len(rows)};', '%}']
