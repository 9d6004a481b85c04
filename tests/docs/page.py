# SPDX-License-Identifier: Apache-2.0
"""The fenced blocks of a page, each with the marker above it."""
import re
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"(?:^<!-- ([a-z ]+): ?(.*?) -->\n|^<!-- (transcript) -->\n)?^```(\w*)\n(.*?)^```$", re.M | re.S)
LANGUAGES = {"c", "cpp", "python", "java", "csharp", "sh", "console"}


@dataclass
class Block:
    page: Path
    line: int
    marker: str  # see check_blocks.py; "" without one
    value: str   # the text of the marker after the colon
    language: str
    text: str

    def place(self, root):
        return f"{self.page.relative_to(root)}:{self.line}"


def pages(root):
    own = [root / name for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
    return [*own, *sorted((root / "docs").rglob("*.md")), *sorted((root / "bindings").rglob("*.md"))]


def blocks(page):
    text = page.read_text(encoding="utf-8")
    return [Block(page, text.count("\n", 0, m.start()) + 1, m[1] or m[3] or "", m[2] or "", m[4], m[5])
            for m in BLOCK.finditer(text)]
