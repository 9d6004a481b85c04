#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A table of packages: contents.py [--update PAGE] PACKAGE...

Each row has the size, the number of files, the machines, the libraries and programs inside, and the libraries of the system.

--update replaces the table in a page, between the lines "<!-- packages -->" and "<!-- end of packages -->".
"""
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import archive  # noqa: E402
import elf  # noqa: E402

NAMES = {"x86_64": "x86-64", "aarch64": "AArch64"}
BEGIN, END = "<!-- packages -->", "<!-- end of packages -->"


def plain(name):
    """The name of a library without digests and versions."""
    return re.sub(r"-[0-9a-f]{8}(?=\.so)", "", re.sub(r"\.cpython-\d+-[\w-]+(?=\.so)", "", name))


def row(path):
    files = archive.read(path)
    inside, needed, machines = set(), set(), set()
    with tempfile.TemporaryDirectory() as folder:
        for name, (data, _) in files.items():
            if data[:4] != b"\x7fELF" or "/tests/" in name:
                continue
            file = Path(folder, "file")
            file.write_bytes(data)
            found = elf.read(file)
            inside.add(plain(name.split("/")[-1]))
            needed |= {plain(library) for library in found.libraries}
            machines.add(NAMES[found.machine])
    needed -= inside
    other = sorted(name for name in needed if not elf.OF_THE_SYSTEM.fullmatch(name))
    size = sum(len(data) for data, _ in files.values())
    listed = ", ".join(f"`{name}`" for name in sorted(inside)) or "none"
    requires = ", ".join(f"`{name}`" for name in other) or "none"
    return f"| `{path.name}` | {path.stat().st_size / 1e6:.1f} MB, {size / 1e6:.1f} MB unpacked | {len(files)} | {', '.join(sorted(machines, reverse=True)) or 'all'} | {listed} | {requires} |"


def table(paths):
    return "\n".join(["| package | size | files | machine | machine code inside | libraries of the system |", "|---|---|---|---|---|---|", *map(row, paths)])


def main(words):
    page = None
    if words[:1] == ["--update"]:
        page, words = Path(words[1]), words[2:]
    text = table([Path(word) for word in words])
    if not page:
        print(text)
        return
    before, after = page.read_text(encoding="utf-8").split(BEGIN)[0], page.read_text(encoding="utf-8").split(END)[1]
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
