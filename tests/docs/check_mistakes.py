# SPDX-License-Identifier: Apache-2.0
"""Makes the mistakes of docs/mistakes.md in one language, and compares each message with the page:

    check_mistakes.py ROOT BUILD LANGUAGE            checks
    check_mistakes.py ROOT BUILD LANGUAGE --update   writes the messages into the page
"""
import re
import sys
import tempfile
import unittest
from pathlib import Path

import run_blocks

ROOT, LANGUAGE = run_blocks.ROOT, sys.argv[3]
PAGE = ROOT / "docs/mistakes.md"
PROGRAMS = {"c": "mistakes.c", "python": "mistakes.py", "java": "Mistakes.java", "csharp": "mistakes.cs"}
TITLES = {"c": "C", "python": "Python", "java": "Java", "csharp": "C#"}
# A part of each message that names the remedy. A message of a C compiler, as that of the syntax, is a remedy by itself.
REMEDIES = {
    "wrong type": r"; (pass|convert)\b", "host array": r"from_host|CudaBuffer|copy host memory to the device",
    "grid": "; launch smaller blocks", "kernel name": "scale", 'extern "C"': 'declare it extern "C"', "syntax": r'\(\d+\).*expected a ";"',
    "architecture": r"expected one of sm_\d+", "out of bounds": r"past the end of the 4000-byte allocation.*[lL]ineinfo",
    "missing stream": r"write kernel\[|cucore_stream_create\(\)|new CudaStream\(device\)", "missing header": "to the folder of mine.h",
}


def refused_by_the_compiler(folder, source):
    """The message of Mono's compiler for an array among the arguments of a launch."""
    build, *_ = run_blocks.commands("csharp", source)
    printed = run_blocks.run([*build[:1], "-d:HOST_ARRAY", *build[1:]], folder).stdout
    return "host array: " + re.search(r"error (CS\d+: .*)", printed)[1].replace("`", "'") + "\n"


def messages():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / PROGRAMS[LANGUAGE]
        source.write_text((Path(__file__).parent / "mistakes" / source.name).read_text())
        printed = refused_by_the_compiler(folder, source) if LANGUAGE == "csharp" else ""
        for command in run_blocks.commands(LANGUAGE, source):
            done = run_blocks.run(command, folder)
            run_blocks.missing_compiler(done.stdout)
            if done.returncode:
                raise AssertionError(done.stdout)
        printed += done.stdout
    printed = re.sub(r"0x[0-9a-f]{6,}", "0x…", printed)
    return dict(line.split(": ", 1) for line in printed.splitlines() if line.split(": ")[0] in REMEDIES)


def table(of):
    rows = "".join(f"| {name} | `{of[name]}` |\n" for name in REMEDIES)
    return f"| mistake | message |\n|---|---|\n{rows}"


def section(page):
    return re.search(rf"(## {re.escape(TITLES[LANGUAGE])}\n.*?\n)(\| mistake \|.*?)(?=\n## |\Z)", page, re.S)


class Mistakes(unittest.TestCase):
    maxDiff = None

    def test_the_page_has_every_message_and_every_message_names_the_remedy(self):
        found = messages()
        self.assertEqual(set(found), set(REMEDIES))
        self.assertEqual(section(PAGE.read_text(encoding="utf-8"))[2].strip(), table(found).strip())
        for name, message in found.items():
            with self.subTest(name):
                self.assertRegex(message, REMEDIES[name])
        if LANGUAGE != "c":
            self.assertNotRegex(" ".join(found.values()), r"\bcucore_\w+|\bnew_[A-Z]")


def update():
    text = PAGE.read_text(encoding="utf-8")
    where = section(text)
    PAGE.write_text(text[:where.start(2)] + table(messages()) + text[where.end(2):], encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[4:] == ["--update"]:
        update()
    else:
        unittest.main(argv=sys.argv[:1])
