#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every block of C# in the pages compiles: snippets.py ROOT MCS LIBRARY

A block from an example is compiled there, and must only be a part of it. The others are compiled here, as
statements of a method with the declarations that they use.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r'(<!-- snippet: (\S+) \S+ -->\n)?```(?:csharp|cs|c#)\n(.*?)```', re.S)
GIVEN = '''
#pragma warning disable
{usings}
static class Program {{  // the class of every console project: no name of the library may clash with it
  static string source = "", folder = "";
  static float[] data = new float[1000];
  static int n = 1000;
  static CudaDevice device;
  static CudaStream stream;
  static CudaBuffer buffer;
  static CudaProgram program;
  static ObjectCode code;
  static Kernel kernel;
  static byte[] bytes;
  static async Task Block(CancellationToken cancellation) {{
{body}
    await Task.FromResult(0);
  }}
  static void Main() {{}}
  static CudaQueue queue;
  static Microsoft.Extensions.Logging.ILoggerFactory factory;
}}
// The part of the package that the page uses.
namespace Microsoft.Extensions.Logging {{
  enum LogLevel {{ Trace, Debug, Information, Warning, Error, Critical, None }}
  interface ILogger {{ bool IsEnabled(LogLevel level); }}
  interface ILoggerFactory {{ ILogger CreateLogger(string category); }}
  static class LoggerExtensions {{ internal static void Log(this ILogger logger, LogLevel level, string message, params object[] args) {{}} }}
}}
'''
# Mono's compiler lacks "await foreach": the same by hand.
LOOP = re.compile(r'await foreach \((\w+) (\w+) in (.*?)\) (.*;)$', re.M)
BY_HAND = r'{ var each = \3.GetAsyncEnumerator(); while (await each.MoveNextAsync()) { \1 \2 = each.Current; \4 } }'
USINGS = ['System', 'System.Collections.Generic', 'System.IO', 'System.Linq', 'System.Threading', 'System.Threading.Tasks', 'Cucore']


def program(text):
    own = re.findall(r'^using ([\w.]+);\n', text, re.M)
    body = LOOP.sub(BY_HAND, re.sub(r'^using [\w.]+;\n', '', text, flags=re.M))
    usings = '\n'.join(f'using {u};' for u in dict.fromkeys([*USINGS, *own]))
    return f'{usings}\n{body}' if re.search(r'\bstatic \w+ Main\(|\bstatic async Task Main\(', body) else GIVEN.format(usings=usings, body=body)


def main(root, mcs, library):
    pages = [*root.glob('*.md'), *(root / 'docs').glob('*.md'), *(root / 'bindings').rglob('*.md')]
    count = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            for _, example, text in BLOCK.findall(page.read_text(encoding='utf-8')):
                count += 1
                if example:
                    there = {line.strip() for line in (root / example).read_text(encoding='utf-8').splitlines()}
                    good = all(line.strip() in there for line in text.splitlines())
                    said = f'is not in {example}'
                else:
                    (Path(folder) / 'page.cs').write_text(program(text), encoding='utf-8')
                    done = subprocess.run([mcs, '-nologo', '-unsafe', '-langversion:latest', f'-r:{library}', '-out:page.exe', 'page.cs'],
                                          cwd=folder, text=True, capture_output=True)
                    good, said = done.returncode == 0, done.stdout + done.stderr
                if not good:
                    failed += 1
                    print(f'{page.relative_to(root)}: {said}\n{text}')
    print(f'{count - failed} passed, {failed} failed')
    return failed == 0 and count >= 8


sys.exit(0 if main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]).resolve()) else 1)
