# SPDX-License-Identifier: Apache-2.0
"""Reads the public header as one text, for every tool and test that compares it with something."""
import re
from pathlib import Path

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"[^\n]*\n', re.M)


def files(path):
    """The header and the headers that it includes, each once, in the order of the compiler."""
    found = []

    def visit(file):
        if file not in found:
            found.append(file)
            for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
                visit((file.parent / name).resolve())

    visit(Path(path).resolve())
    return found


def read(path):
    """The text of the header with each included file in the place of its first #include."""
    seen = set()

    def expand(file):
        seen.add(file)

        def replace(match):
            included = (file.parent / match[1]).resolve()
            return "" if included in seen else expand(included)

        return INCLUDE.sub(replace, file.read_text(encoding="utf-8"))

    return expand(Path(path).resolve())
