#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the start of programs in Python, Java and C#, next to empty ones: startup.py BUILD

  --other BUILD    a further build, whose programs run in turn with those of the first
  --runs N         processes of each kind; 15 without this option
  --limits         fails if Java's first call costs more than 25 ms of processor time

Each row has medians above an empty program. The processor time is that of all threads; other
programs on the machine affect it less than the time. A first call requests the version. A first
launch loads PTX and waits for its kernel, on the CPU device. Processes of all kinds run in turn.
The jar was unpacked by an earlier start.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / 'startup'
JAVA_LIMIT_MS = 25


class Kind:
    """One program: its command, its environment, and the command of the empty one."""

    def __init__(self, name, command, environment, empty=None):
        self.name, self.command, self.empty = name, list(map(str, command)), empty
        self.environment = {**os.environ, 'CUCORE_DRIVER': 'cpu', **{k: str(v) for k, v in environment.items()}}
        self.wall, self.cpu = [], []

    def run(self):
        start = time.perf_counter()
        process = subprocess.Popen(self.command, env=self.environment, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f'{self.name} failed: {" ".join(self.command)}')
        self.wall.append(1000 * (time.perf_counter() - start))
        self.cpu.append(1000 * (used.ru_utime + used.ru_stime))

    def above(self, of):
        return statistics.median(getattr(self, of)) - statistics.median(getattr(self.empty, of))


def kinds_of(language, empty, loaded, environment):
    """The empty program, the first call and the first launch."""
    none = Kind(f'{language}: empty', empty, environment)
    call = Kind(f'{language}: first call', loaded, environment, none)
    return [none, call, Kind(f'{language}: first launch', [*loaded, SOURCES / 'nothing.ptx'], environment, none)]


def python(build, folder):
    package = build / 'bindings/python/package'
    if not (package / 'cucore').exists():
        return []
    return kinds_of('Python', [sys.executable, '-c', 'pass'], [sys.executable, SOURCES / 'start.py'],
                    {'PYTHONPATH': package, 'LD_LIBRARY_PATH': build / 'src/cucore', 'PYTHONPYCACHEPREFIX': folder,
                     'PYTHONDONTWRITEBYTECODE': ''})


def java(build, folder):
    jar = build / 'bindings/java/cucore.jar'
    if not jar.exists() or not shutil.which('javac'):
        return []
    subprocess.run(['javac', '-cp', jar, '-d', folder, *SOURCES.glob('*.java')], check=True)
    command = ['java', '-cp', f'{jar}:{folder}']
    return kinds_of('Java', [*command, 'Empty'], [*command, 'Start'], {'XDG_CACHE_HOME': folder / 'cache'})


def csharp(build, folder):
    library = build / 'bindings/csharp'
    if not (library / 'Cucore.dll').exists() or not shutil.which('mcs'):
        return []
    for name in ('empty', 'start'):
        subprocess.run(['mcs', f'-out:{folder}/{name}.exe', f'-r:{library}/Cucore.dll', SOURCES / f'{name}.cs'], check=True)
    return kinds_of('C#', ['mono', folder / 'empty.exe'], ['mono', folder / 'start.exe'],
                    {'LD_LIBRARY_PATH': f'{library}:{build}/src/cucore', 'MONO_PATH': library})


def measure(builds, runs, folder):
    tables = []
    for number, build in enumerate(builds):
        kinds = []
        for language in (python, java, csharp):
            own = folder / f'{language.__name__}{number}'
            own.mkdir()
            kinds += language(build, own)
        tables.append(kinds)
    everything = [kind for kinds in tables for kind in kinds]
    for kind in everything:
        kind.run()
        kind.wall.clear()
        kind.cpu.clear()
    for _ in range(runs):
        for kind in everything:
            kind.run()
    return tables


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=Path)
    parser.add_argument('--other', type=Path)
    parser.add_argument('--runs', type=int, default=15)
    parser.add_argument('--limits', action='store_true')
    a = parser.parse_args()
    builds = [b.resolve() for b in (a.build, a.other) if b]
    with tempfile.TemporaryDirectory() as folder:
        tables = measure(builds, a.runs, Path(folder))
    for build, kinds in zip(builds, tables):
        print(f'{build}, medians of {a.runs} processes, milliseconds\n\n| program | time | processor time |\n|---|---|---|')
        for kind in kinds:
            if kind.empty:
                print(f'| {kind.name}, above empty | {kind.above("wall"):.1f} | {kind.above("cpu"):.1f} |')
            else:
                print(f'| {kind.name} | {statistics.median(kind.wall):.1f} | {statistics.median(kind.cpu):.1f} |')
        print()
    slow = [k for k in tables[0] if a.limits and k.name == 'Java: first call' and k.above('cpu') > JAVA_LIMIT_MS]
    sys.exit(f'{slow[0].name} costs more than {JAVA_LIMIT_MS} ms of processor time' if slow else 0)


main()
