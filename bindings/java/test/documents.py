#!/usr/bin/env python3
"""Every block of Java in the documentation compiles: documents.py JAVAC JAR ROOT

A block may use names that its page does not declare; what they are is said here. One that declares
methods is the inside of a class, any other the inside of a method.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

JAVAC, JAR, ROOT = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])
PAGES = [*sorted(ROOT.glob('*.md')), *sorted((ROOT / 'docs').glob('*.md')), *sorted((ROOT / 'bindings').rglob('*.md'))]
GIVEN = {'source': 'String', 'SOURCE': 'String', 'data': 'float[]', 'folder': 'Path', 'options': 'ProgramOptions',
         'outcome': 'CacheOutcome', 'many': 'List<BatchResult>', 'code': 'ObjectCode', 'stream': 'CudaStream'}
CLASS = '''
import io.cucore.*;
import java.nio.file.*;
import java.security.MessageDigest;
import java.util.*;

class Block%d {
%s
}
'''


def blocks():
    for page in PAGES:
        text = page.read_text(encoding='utf-8')
        for found in re.finditer(r'^```java\n(.*?)^```', text, re.M | re.S):
            yield page.relative_to(ROOT), text[:found.start()].count('\n') + 2, found[1]


def is_used(name, block):
    """Whether the block takes it from outside."""
    return re.search(rf'\b{name}\b', block) and not re.search(rf'\b[A-Z][\w<>\[\]]* {name} =', block)


def inside(block):
    if re.search(r'^(?:/\*\*|static|public|private|class)', block, re.M):
        return block
    parameters = ', '.join(f'{kind} {name}' for name, kind in GIVEN.items() if is_used(name, block))
    return f'static void run({parameters}) throws Exception {{\n{block}}}'


def main():
    names = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (page, line, block) in enumerate(blocks()):
            Path(folder, f'Block{number}.java').write_text(CLASS % (number, inside(block)), encoding='utf-8')
            names[number] = f'{page}:{line}'
        pages = {name.rpartition(':')[0] for name in names.values()}
        assert {'README.md', 'docs/java.md', 'docs/cluster.md'} <= pages, f'blocks only in {pages}'
        done = subprocess.run([JAVAC, '-encoding', 'UTF-8', '--release', '11', '-Xlint:all,-try', '-cp', JAR, '-d', folder,
                               *(f'Block{number}.java' for number in names)], cwd=folder, capture_output=True, text=True)
    said = re.sub(r'Block(\d+)\.java', lambda m: f'{m[0]} ({names[int(m[1])]})', done.stderr)
    print(said, f'{len(names)} blocks: {", ".join(names.values())}', sep='')
    sys.exit(done.returncode)


main()
