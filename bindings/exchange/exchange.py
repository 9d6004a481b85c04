#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Object code goes from language to language: exchange.py [--keep=FOLDER] python=COMMAND java=COMMAND...

Each command is a program of its language, with words separated by blanks:

  COMMAND make OUT      compiles the kernel "triple", stores it
  COMMAND copy IN OUT   reads the file of another, writes it again
  COMMAND own IN OUT    the same through the language's own serialization, from and to the container
  COMMAND launch IN     reads it, launches it on 1000 floats, checks them, prints "ok"
  COMMAND cached FOLDER compiles it through a cache in the folder, prints the outcome

For every ordered pair of languages the one makes and the other copies and launches; the bytes are
equal at each step. Then one file goes through all of them in turn. Each language finds the entries of
the others in a cache's folder. With --keep the files of each language stay in the folder, for
another machine: python.cuco, java.cuco, csharp.cuco.
"""
import itertools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(command, *arguments):
    done = subprocess.run([*command.split(' '), *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit(f'{command} {arguments[0]}: {done.stdout}{done.stderr}')
    return done.stdout


def check_pair(commands, maker, reader, folder):
    made, copied, own = (folder / f'{maker}-{reader}.{kind}' for kind in ('cuco', 'copy', 'own'))
    run(commands[maker], 'make', made)
    run(commands[reader], 'copy', made, copied)
    run(commands[reader], 'own', made, own)
    assert made.read_bytes() == copied.read_bytes() == own.read_bytes(), f'{reader} wrote other bytes than {maker}'
    assert run(commands[reader], 'launch', made).strip() == 'ok'
    return made.read_bytes()


def check_cache(commands, maker, folder):
    folder.mkdir(mode=0o700)
    outcomes = [run(commands[language], 'cached', folder) for language in (maker, *commands)]
    outcomes = [o.strip().replace('_', '').upper() for o in outcomes]  # each language has its own case
    assert outcomes == ['BUILT'] + ['HITDISK'] * len(commands), f'{maker} and {", ".join(commands)}: {outcomes}'


def main():
    commands = dict(argument.split('=', 1) for argument in sys.argv[1:])
    keep = commands.pop('--keep', None)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        pairs = list(itertools.product(commands, repeat=2))
        kinds = {check_pair(commands, maker, reader, folder) for maker, reader in pairs}
        for maker in commands if keep else ():
            shutil.copy(folder / f'{maker}-{maker}.cuco', Path(keep, f'{maker}.cuco'))
        assert len(kinds) == 1, 'equal sources gave different bytes in different languages'
        for order in itertools.permutations(commands):
            at = folder / f'{order[0]}-{order[-1]}.cuco'
            for language in order:
                run(commands[language], 'copy', at, folder / 'next')
                assert (folder / 'next').read_bytes() == at.read_bytes()
        for maker in commands:
            check_cache(commands, maker, folder / f'{maker}.cache')
    print(f'{len(pairs)} pairs of {", ".join(commands)}: equal bytes, launched, cached')


main()
