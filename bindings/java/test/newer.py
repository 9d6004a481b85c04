#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records (Java 16) and memory segments (Java 22): newer.py JAVA JAVAC JAR PROGRAMS STUBS

An older platform runs the classes of Java 22 from a folder before the jar, with the declarations of STUBS in java.base.
"""
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

java, javac, jar, programs, stubs = map(Path, sys.argv[1:])
SKIPPED = 77
EXPORTS = ['--add-exports', 'java.base/java.lang.foreign=ALL-UNNAMED']


def run(*command):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f'{command}\n{done.stdout}'
    return done.stdout


def check(expected, folder, program, *options, path=()):
    run(javac, '-Xlint:all,-try', '-Werror', *(o for o in options if o != '-Xcheck:jni'), '-cp', jar, '-d', folder, programs / f'{program}.java')
    output = run(java, *options, '-cp', ':'.join(map(str, [*path, jar, folder])), program)
    assert output.endswith(expected), output
    print(output)


def segments_of_stub(folder):
    platform, classes = folder / 'platform', folder / 'classes'
    run(javac, '--patch-module', f'java.base={stubs}', '-d', platform, *sorted(stubs.rglob('*.java')))
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if name.startswith('META-INF/versions/22/'):
                target = classes / name.removeprefix('META-INF/versions/22/')
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
    check('segments are copied', folder, 'SegmentsOfStub', '--patch-module', f'java.base={platform}', *EXPORTS, path=[classes])


def main():
    version = int(re.search(r'(\d+)', run(javac, '-version'))[1])
    with zipfile.ZipFile(jar) as archive:
        assert b'Multi-Release: true' in archive.read('META-INF/MANIFEST.MF')
        assert not [n for n in archive.namelist() if 'java/lang' in n], 'the stubs are packed'
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if version >= 22:
            check('segments are copied', folder, 'SegmentsOfPlatform')
        else:
            segments_of_stub(folder)
        if version < 17:
            sys.exit(SKIPPED)
        check('records are structs', folder, 'Records')


main()
