#!/usr/bin/env python3
"""Runs SWIG and javac for Java, where each file that they write is not known beforehand.

  java_build.py swig STAMP FOLDER COMMAND...    empties FOLDER, runs COMMAND, touches STAMP
  java_build.py jar OUT JAVAC JAR [-cp PATH] [--arg A]... [--add FILE=PATH]... SOURCE...
      compiles all sources (files, or folders full) at once and packs them; --add puts a file at a
      path in the jar
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def swig(stamp, folder, command):
    shutil.rmtree(folder, ignore_errors=True)  # classes that are no longer made must not stay
    os.makedirs(folder)
    subprocess.run(command, check=True)
    Path(stamp).touch()


def sources(paths):
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(path.rglob('*.java'))
        elif path.suffix == '.java':
            yield path


def jar(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument('out')
    parser.add_argument('javac')
    parser.add_argument('jar')
    parser.add_argument('-cp')
    parser.add_argument('--arg', action='append', default=[])
    parser.add_argument('--add', action='append', default=[])
    parser.add_argument('source', nargs='+')
    a = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as classes:
        path = ['-cp', a.cp] if a.cp else []
        subprocess.run([a.javac, *a.arg, *path, '-d', classes, *map(str, sources(a.source))], check=True)
        for each in a.add:
            file, _, place = each.partition('=')
            target = Path(classes, place)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(os.path.realpath(file), target)
        # The date makes equal inputs give equal jars.
        command = [a.jar, '--create', '--file', a.out, '-C', classes, '.']
        if '--date' in subprocess.run([a.jar, '--help'], capture_output=True, text=True, check=True).stdout:
            command.insert(2, '--date=2020-01-01T00:00:00Z')
        subprocess.run(command, check=True)


if sys.argv[1] == 'swig':
    swig(sys.argv[2], sys.argv[3], sys.argv[4:])
else:
    jar(sys.argv[2:])
