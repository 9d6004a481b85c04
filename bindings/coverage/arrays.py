#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public C function of arrays is reached by a public member of io.cucore.array: arrays.py MAP JAVAP JAR.

The bytecode of the jar contains the calls. A function is reached if a chain of calls leads from a public member to its
native method.
"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'tools'))
import header as headers  # noqa: E402
from array_operations import camel  # noqa: E402

PACKAGE = 'io/cucore/array/'
CLASS = re.compile(r'^(?:Compiled from.*\n)?((?:[a-z]+ )*)(?:class|interface|enum) ([\w.$]+)(?:<.*?>)?(?: extends ([\w.$]+))?')
MEMBER = re.compile(r'^  ((?:[a-z]+ )*)(?:<.*?> )?(?:[\w.$\[\]<>?, ]+ )?([\w.$]+)\([^)]*\)(?: throws [\w., $]+)?;$')
CALL = re.compile(r'// (?:Interface)?Method (?:([\w/$]+)\.)?"?([\w$<>]+)"?:')
LAMBDA = re.compile(r'lambda\$(\w+)\$\d+')


class Jar:
    """The members of the package, their calls, and the classes that they inherit from."""

    def __init__(self, javap, jar):
        names = subprocess.run(['jar', 'tf', jar], capture_output=True, text=True, check=True).stdout.split()
        classes = [n[:-6].replace('/', '.') for n in names if n.startswith(PACKAGE) and n.endswith('.class') and 'package-info' not in n]
        said = subprocess.run([javap, '-p', '-c', '-cp', jar, *classes], capture_output=True, text=True, check=True).stdout
        self.calls, self.parent, self.public = {}, {}, set()
        owner = member = ''
        for line in said.splitlines():
            if found := CLASS.match(line):
                owner = found[2].rpartition('.')[2]
                self.parent[owner] = (found[3] or '').rpartition('.')[2]
            elif found := MEMBER.match(line):
                name = found[2].rpartition('.')[2]
                name = '<init>' if name == owner else LAMBDA.sub(r'\1', name)
                member = (owner, '<init>' if name == 'new' else name)
                self.calls.setdefault(member, set())
                if 'public ' in found[1]:
                    self.public.add(member)
            elif found := CALL.search(line):
                target = (found[1] or owner).rpartition('/')[2]
                self.calls.setdefault(member, set()).add((target, found[2]))

    def declared(self, call):
        """The member that a call runs, which an ancestor may have."""
        owner, name = call
        while owner and (owner, name) not in self.calls:
            owner = self.parent.get(owner, '')
        return owner, name

    def reached(self):
        """The native methods behind public members."""
        waiting, seen = list(self.public), set(self.public)
        while waiting:
            for call in map(self.declared, self.calls.get(waiting.pop(), ())):
                if call not in seen:
                    seen.add(call)
                    waiting.append(call)
        return {name for owner, name in seen if owner == 'Natives'}


def main(map_file, javap, jar):
    functions = [each for each in headers.exported(map_file) if not re.search('_(retain|release)$', each)]
    read = Jar(javap, jar)
    reached = read.reached()
    failed = [each for each in functions if camel(each.removeprefix('cucore_array_')) not in reached]
    print(*(f'{each}: no public member reaches Natives.{camel(each.removeprefix("cucore_array_"))}()' for each in failed), sep='\n')
    print(f'{len(functions) - len(failed)} of {len(functions)} functions are behind {len(read.public)} public members')
    return 1 if failed or not functions else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
