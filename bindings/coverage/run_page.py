#!/usr/bin/env python3
"""Runs the programs of a page as it shows them, and compares what they print with their comments.

  run_page.py PAGE java JAVA JAR
  run_page.py PAGE csharp MONO MCS DLL

A program is a block with a main; it gets an empty folder. "// X" behind a line that prints says what.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def java(program, folder, launcher, jar):
    source = folder / 'Cached.java'
    source.write_text(program, encoding='utf-8')
    return [launcher, '-cp', jar, source]


def csharp(program, folder, mono, mcs, dll):
    source, binary = folder / 'cached.cs', folder / 'cached.exe'
    source.write_text(program, encoding='utf-8')
    subprocess.run([mcs, '-nologo', '-warnaserror', '-langversion:latest', f'-r:{dll}', f'-out:{binary}', source], check=True)
    return [mono, binary]


def main(page, language, *tools):
    blocks = re.findall(rf'```{language}\n(.*?)```', Path(page).read_text(encoding='utf-8'), re.S)
    programs = [b for b in blocks if re.search(r'\b[mM]ain\(', b)]
    assert programs, f'{page} has no program in {language}'
    for program in programs:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            command = {'java': java, 'csharp': csharp}[language](program, folder, *tools)
            os.mkdir(folder / 'cache', 0o700)
            done = subprocess.run([*command, folder / 'cache'], capture_output=True, text=True, timeout=120)
        said = re.findall(r'// (\S+)$', program, re.M)
        assert done.returncode == 0 and done.stdout.split() == said, f'{done.stdout}{done.stderr}, wanted {said}'
        print(*said)


main(*sys.argv[1:])
