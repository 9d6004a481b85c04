#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every block of Java in the documentation compiles: documents.py JAVAC JAR ROOT

A block may use names that its page does not declare; this script declares them. A block that declares
methods is the inside of a class, any other the inside of a method. Methods in MAINS also run.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

JAVAC, JAR, ROOT = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])
PAGES = [*sorted(ROOT.glob('*.md')), *sorted((ROOT / 'docs').glob('*.md')), *sorted((ROOT / 'bindings').rglob('*.md'))]
GIVEN = {'source': 'String', 'SOURCE': 'String', 'data': 'float[]', 'n': 'int', 'folder': 'Path', 'options': 'ProgramOptions',
         'outcome': 'CacheOutcome', 'many': 'List<BatchResult>', 'code': 'ObjectCode', 'stream': 'CudaStream'}
# The method of a block, its caller, and the output.
MAINS = {'timeOut': ('''
  public static void main(String[] none) throws Exception {
    String source = "extern \\"C\\" __global__ void scale(float a, float *x, int n) {"
        + " int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; i < n && k < 100; ++k) x[i] *= a; }";
    try (Program program = Program.ofCuda(source);
        ObjectCode code = program.compile(CodeType.PTX);
        CudaDevice device = CudaDevice.first();
        CudaStream first = new CudaStream(device);
        CudaStream second = new CudaStream(device);
        Kernel scale = code.kernel("scale")) {
      try {
        timeOut(device, first, second, scale, 1 << 20, 0);
      } catch (TimeoutException e) {
        System.out.print("timed out, ");
      }
      second.synchronize();
      first.synchronize();
      System.out.print("no fault");
    }
  }''', 'timed out, no fault')}
CLASS = '''
import io.cucore.*;
import java.nio.file.*;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.*;
%s
class Block%d {
%s
}
'''


def blocks():
    for page in PAGES:
        text = page.read_text(encoding='utf-8')
        for found in re.finditer(r'^(<!-- (?:snippet|file): .* -->\n)?```java\n(.*?)^```', text, re.M | re.S):
            if not found[1]:
                yield page.relative_to(ROOT), text[:found.start()].count('\n') + 2, found[2]


def is_used(name, block):
    """Returns whether the block uses the name from outside."""
    return re.search(rf'\b{name}\b', block) and not re.search(rf'\b[A-Z][\w<>\[\]]* {name} =', block)


def inside(block):
    if re.search(r'^(?:/\*\*|static|public|private|class)', block, re.M):
        return block + ''.join(main for method, (main, _) in MAINS.items() if f' {method}(' in block)
    parameters = ', '.join(f'{kind} {name}' for name, kind in GIVEN.items() if is_used(name, block))
    return f'static void run({parameters}) throws Exception {{\n{block}}}'


def run(folder, number, block):
    """A block's output must match."""
    for method, (_, expected) in MAINS.items():
        if f' {method}(' in block:
            done = subprocess.run([Path(JAVAC).with_name('java'), '-cp', f'{JAR}:{folder}', f'Block{number}'], text=True,
                                  capture_output=True, env={**os.environ, 'CUCORE_DRIVER': 'cpu'})
            assert done.stdout == expected, f'{method} prints {done.stdout!r}, not {expected!r}\n{done.stderr}'
            yield method


def check_mistakes():
    """The messages in the page of Java are those that ArgumentsTest compares with the library's."""
    page = (ROOT / 'docs/java.md').read_text(encoding='utf-8')
    rows = re.search(r'^\| mistake \|.*\n\|[-|]+\n((?:\|.*\n)+)', page, re.M)[1]
    test = (ROOT / 'bindings/java/test/io/cucore/test/ArgumentsTest.java').read_text(encoding='utf-8')
    test = re.sub(r'"\s*\+\s*"', '', test)
    messages = re.findall(r'^\| [^|]+ \| `([^`]+)`', rows, re.M)
    assert len(messages) > 7, messages
    for message in messages:
        given, expected, rest = message.partition('; expected')
        assert given in test and expected + rest in test, f'no test has "{message}" of docs/java.md'


def main():
    check_mistakes()
    names, ran = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for number, (page, line, block) in enumerate(blocks()):
            imports = ''.join(re.findall(r'^import .*\n', block, re.M))
            block = re.sub(r'^import .*\n\n?', '', block, flags=re.M)
            Path(folder, f'Block{number}.java').write_text(CLASS % (imports, number, inside(block)), encoding='utf-8')
            names[number] = f'{page}:{line}'
        pages = {name.rpartition(':')[0] for name in names.values()}
        assert {'docs/java.md', 'docs/cluster.md'} <= pages, f'blocks only in {pages}'
        done = subprocess.run([JAVAC, '-encoding', 'UTF-8', '--release', '11', '-Xlint:all,-try', '-cp', JAR, '-d', folder,
                               *(f'Block{number}.java' for number in names)], cwd=folder, capture_output=True, text=True)
        if done.returncode == 0:
            ran = [method for number, (_, _, block) in enumerate(blocks()) for method in run(folder, number, block)]
            assert ran == list(MAINS), f'of {list(MAINS)} ran {ran}'
    said = re.sub(r'Block(\d+)\.java', lambda m: f'{m[0]} ({names[int(m[1])]})', done.stderr)
    print(said, f'{len(names)} blocks: {", ".join(names.values())}', sep='')
    sys.exit(done.returncode)


main()
