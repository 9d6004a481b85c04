#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public C function is reachable in a language, or in the table with a reason; all is documented.

  coverage.py python HEADER MAP               with cucore importable
  coverage.py java   HEADER MAP JAVAP JAR
  coverage.py csharp HEADER MAP XML           the file of comments
"""
import fnmatch
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'tools'))
import generate  # noqa: E402
import header as headers  # noqa: E402


def wanted(header_path, language):
    """C function -> its place in the language; None if it has none. Functions that users do not
    need are left out."""
    places = generate.read(header_path, language)[2]
    for function in headers.exported(sys.argv[3]):
        if not places.api.unreachable(function):
            yield function, places.find(function)


def spelled(place, language):
    constructor = {'python': '__init__', 'java': '<new>', 'csharp': '<new>'}[language]
    return str(place) if place.name and place.owner or language == 'python' and place.name else f'{place.owner}.{constructor}'


def python_names():
    import cucore
    found, undocumented = set(), []
    for name in cucore.__all__:
        value = getattr(cucore, name)
        found.add(name)
        if not getattr(value, '__doc__', None):
            undocumented.append(name)
        if not isinstance(value, type):
            continue
        if value.__module__ == 'cucore' and not issubclass(value, (tuple, BaseException)) and name not in ('Future', 'ObjectCode', 'Kernel', 'Launcher', 'PreparedLaunch', 'ExecutableGraph', 'External') and not value.__text_signature__:
            undocumented.append(f'the signature of {name}')
        for member in dir(value):
            own = any(member in vars(c) for c in value.__mro__ if c.__module__.startswith('cucore'))
            if member == '__init__' or (own and not member.startswith('_')):
                found.add(f'{name}.{member}')
                if member != '__init__' and not getattr(value, member).__doc__ and not hasattr(value, '_fields') \
                        and not hasattr(value, '__members__'):
                    undocumented.append(f'{name}.{member}')
    for attribute in ('status', 'log', 'diagnostics', 'origin', 'native_code', 'native_name'):
        found.add(f'Error.{attribute}')  # of instances; the tests read them
    return found, undocumented


def java_names():
    javap, jar = sys.argv[4:6]
    listing = subprocess.run(['jar', 'tf', jar], capture_output=True, text=True, check=True).stdout.split()
    classes = [n[:-6].replace('/', '.') for n in listing if n.endswith('.class')]
    out = subprocess.run([javap, '-public', '-cp', jar, *classes], capture_output=True, text=True, check=True).stdout
    found, owner = {'CucoreException.getMessage'}, ''  # of Throwable
    for line in out.splitlines():
        m = re.search(r'(?:class|interface|enum) io\.cucore\.(\w+)', line)
        if m and not line.startswith(' '):
            owner = m[1]
            continue
        m = re.search(r'([\w.$]+)\(', line)
        if m:
            name = m[1].split('.')[-1]
            found.add(f'{owner}.<new>' if name == owner else f'{owner}.{name}')
    return found, []


def csharp_names():
    found = set()
    for m in re.finditer(r'name="[MP]:Cucore\.([\w.]+?)\.(#ctor|\w+)(?:``\d)?[("]', Path(sys.argv[4]).read_text(encoding='utf-8')):
        found.add(f'{m[1]}.' + ('<new>' if m[2] == '#ctor' else m[2]))
    return found, []


def main():
    language, header_path = sys.argv[1:3]
    found, undocumented = {'python': python_names, 'java': java_names, 'csharp': csharp_names}[language]()
    failed = [f'{name} has no comment' for name in undocumented]
    count = 0
    for function, place in wanted(header_path, language):
        count += 1
        if place is None or spelled(place, language) not in found:
            failed.append(f'{function}: not reachable' + (f' as {spelled(place, language)}' if place else ', and not in the table'))
    known = headers.exported(sys.argv[3])
    table = generate.read(header_path, language)[2].api.table.rows
    listed = [*table['unreachable'], *table['members'], *table['properties']['changing']]
    failed += [f'the table has {p}, the library does not' for p in listed if not fnmatch.filter(known, p)]
    print(*failed, sep='\n')
    print(f'{language}: {count} functions reachable' if not failed else f'{language}: {len(failed)} failures')
    return 1 if failed else 0


sys.exit(main())
