#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs SWIG and javac for Java, where each file that they write is not known beforehand.

  java_build.py swig STAMP FOLDER COMMAND...    empties FOLDER, runs COMMAND, touches STAMP
  java_build.py sources OUT [--add FILE=PATH]... SOURCE...    packs the sources by their packages
  java_build.py javadoc OUT JAVADOC TITLE [--add FILE=PATH]... SOURCE...
      makes the pages of all public classes and packs them. A warning, for example of a missing comment, is an error.
  java_build.py jar OUT JAVAC [-cp PATH] [--arg A]... [--manifest LINE]... [--add FILE=PATH]...
                [--release N=FOLDER=STUBS] [--platform NAME] [--library FILE=NAME]... [--natives FOLDER]
                [--metadata PATH] SOURCE...
      compiles all sources (files, or folders full) at once and packs them.
      --add puts a file at a path in the jar.
      --library puts a native library where NativeLoader looks for it.
      --natives adds a folder of other platforms: linux-aarch64/*.so and so on. "" adds nothing.
      --metadata adds the classes and resources for native images of GraalVM, at a path in the jar.
      --release compiles the classes of FOLDER for Java N, which replace the others there. An older
      compiler takes the declarations of the newer platform from STUBS, which are not packed.
Equal inputs give equal jars.
"""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import native_image
import run_path


def swig(stamp, folder, command):
    shutil.rmtree(folder, ignore_errors=True)  # old classes must not stay
    os.makedirs(folder)
    subprocess.run(command, check=True)
    for path in Path(folder).glob('*.java'):
        path.write_text(in_camel_case(path.read_text(encoding='utf-8')).replace('<br>\n', '\n'), encoding='utf-8')
    Path(stamp).touch()


def in_camel_case(text):
    """SWIG renames methods but not their parameters. It writes an underscore before a word of Java, except in comments."""
    text = re.sub(r'\b_native\b|(?<=@param )native\b', 'nativeHandle', text)
    for name in set(re.findall(r'[\w\]] ([a-z]+(?:_[a-z]+)+)(?=[,)])', text)):
        first, *rest = name.split('_')
        text = re.sub(rf'\b{name}\b', first + ''.join(w.capitalize() for w in rest), text)
    return text


def sources(paths):
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(path.rglob('*.java'))
        elif path.suffix == '.java':
            yield path


def place_of(path):
    """The place of a source below the folder of its package."""
    package = re.search(r'^package ([\w.]+);', path.read_text(encoding='utf-8'), re.M)
    return (package[1].replace('.', '/') + '/' if package else '') + path.name


def copy_added(classes, added):
    for each in added:
        file, _, place = each.partition('=')
        target = Path(classes, place)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(file), target)


def pack_sources(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument('out')
    parser.add_argument('--add', action='append', default=[])
    parser.add_argument('source', nargs='+')
    a = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        copy_added(folder, [*a.add, *(f'{path}={place_of(path)}' for path in sources(a.source))])
        pack(a.out, folder, [])


def pack_javadoc(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument('out')
    parser.add_argument('javadoc')
    parser.add_argument('title')
    parser.add_argument('--add', action='append', default=[])
    parser.add_argument('source', nargs='+')
    a = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([a.javadoc, '-quiet', '-notimestamp', '-Xdoclint:all', '-Werror', '-Xmaxwarns', '1000', '-public', '--release', '11',
                        '-encoding', 'UTF-8', '-charset', 'UTF-8', '-docencoding', 'UTF-8', '-windowtitle', a.title, '-doctitle', a.title,
                        '-d', folder, *map(str, sources(a.source))], check=True)
        copy_added(folder, a.add)
        pack(a.out, folder, [])


def add_libraries(classes, platform, libraries):
    folder = Path(classes, 'native', platform)
    folder.mkdir(parents=True)
    for each in libraries:
        file, _, name = each.partition('=')
        target = folder / name
        shutil.copy(os.path.realpath(file), target)
        run_path.look_beside(target)
        subprocess.run(['strip', '--strip-unneeded', '-R', '.comment', target], check=True)
    write_index(folder)


def add_natives(classes, natives, names):
    """Libraries of other platforms are stripped already, and have a run path to their own folder. Each platform has the same."""
    for source in sorted(p for p in Path(natives).iterdir() if p.is_dir()):
        folder = Path(classes, 'native', source.name)
        folder.mkdir(parents=True)  # a platform of this build is an error
        lacking = names - {p.name for p in source.iterdir()}
        if lacking:
            sys.exit(f'java_build.py: {source} lacks {", ".join(sorted(lacking))}')
        for name in names:  # the others are of C#
            shutil.copy(source / name, folder)
        write_index(folder)


def write_index(folder):
    index = []
    for target in sorted(folder.iterdir()):
        name, data = target.name, target.read_bytes()
        index.append(f'{hashlib.sha256(data).hexdigest()} {len(data)} {name}\n')
    # The first line names the folder to unpack into, so that a start computes no digest.
    index.insert(0, hashlib.sha256(''.join(index).encode()).hexdigest()[:16] + '\n')
    (folder / 'index').write_text(''.join(index), encoding='utf-8')


def add_release(javac, arguments, classes, given):
    """Compiles the classes that replace others from a release on: a multi-release jar."""
    release, folder, stubs = given.split('=')
    said = subprocess.run([javac, '-version'], capture_output=True, text=True, check=True)
    version = int(re.search(r'(\d+)', said.stdout + said.stderr)[1])
    target = Path(classes, 'META-INF/versions', release)
    with tempfile.TemporaryDirectory() as platform:
        if version >= int(release):
            how = ['--release', release]
        else:  # files of this compiler run on newer platforms
            subprocess.run([javac, '-encoding', 'UTF-8', '--patch-module', f'java.base={stubs}', '-d', platform, *map(str, sources([stubs]))],
                           check=True)
            how = ['--patch-module', f'java.base={platform}', '--add-exports', 'java.base/java.lang.foreign=ALL-UNNAMED']
        subprocess.run([javac, '-encoding', 'UTF-8', *arguments, *how, '-cp', classes, '-d', target, *map(str, sources([folder]))], check=True)


def pack(out, classes, manifest):
    """A zip file in a fixed order with fixed dates, which jar itself lacks before Java 17."""
    def put(archive, name, data):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.external_attr = 0o644 << 16
        archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)

    with zipfile.ZipFile(out, 'w') as archive:
        put(archive, 'META-INF/MANIFEST.MF', '\r\n'.join(['Manifest-Version: 1.0', *manifest, '', '']))
        for path in sorted(p for p in Path(classes).rglob('*') if p.is_file()):
            put(archive, path.relative_to(classes).as_posix(), path.read_bytes())


def jar(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument('out')
    parser.add_argument('javac')
    parser.add_argument('-cp')
    parser.add_argument('--arg', action='append', default=[])
    parser.add_argument('--manifest', action='append', default=[])
    parser.add_argument('--add', action='append', default=[])
    parser.add_argument('--release')
    parser.add_argument('--platform')
    parser.add_argument('--library', action='append', default=[])
    parser.add_argument('--natives')
    parser.add_argument('--metadata')
    parser.add_argument('source', nargs='+')
    a = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as classes:
        path = ['-cp', a.cp] if a.cp else []
        subprocess.run([a.javac, '-encoding', 'UTF-8', *a.arg, *path, '-d', classes, *map(str, sources(a.source))], check=True)
        if a.release:
            at = a.arg.index('--release')
            add_release(a.javac, a.arg[:at] + a.arg[at + 2:], classes, a.release)
        copy_added(classes, a.add)
        if a.metadata:
            native_image.write(Path(classes), Path(classes, a.metadata))
        if a.library:
            add_libraries(classes, a.platform, a.library)
        if a.natives:
            add_natives(classes, a.natives, {each.partition('=')[2] for each in a.library})
        pack(a.out, classes, a.manifest)


if __name__ == '__main__':
    if sys.argv[1] == 'swig':
        swig(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        {'jar': jar, 'sources': pack_sources, 'javadoc': pack_javadoc}[sys.argv[1]](sys.argv[2:])
