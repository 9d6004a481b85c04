#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The notes of the next release, from CHANGELOG.md and the files of changes/, whose README.md has the rules.

  changelog.py check       lists files of changes/ that break a rule, and fails if there are any

  changelog.py notes       prints the section Unreleased with the files of changes/

  changelog.py assemble    moves the files into that section of CHANGELOG.md, and deletes them.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\.(" + "|".join(kind.lower() for kind in KINDS) + r")\.md")


def fragments(root):
    return sorted(p for p in (root / "changes").glob("*") if p.name != "README.md")


def faults(root):
    for path in fragments(root):
        text = path.read_text(encoding="utf-8")
        if not NAME.fullmatch(path.name):
            yield f"changes/{path.name}: the name is not of the form TOPIC.KIND.md; expected a KIND of {', '.join(KINDS).lower()}"
        if not text.strip() or "\n" in text.strip() or text.lstrip()[:2] in ("- ", "* "):
            yield f"changes/{path.name}: the text is not one paragraph without a bullet"


def split(changelog):
    """The text before the entries of Unreleased, the entries, and the rest."""
    before, heading, after = changelog.partition("## [Unreleased]\n")
    if not heading:
        sys.exit("changelog.py: CHANGELOG.md has no section [Unreleased]")
    entries, separator, rest = after.partition("\n## [")
    return before + heading, entries, separator + rest


def merged(entries, paths):
    """The entries with those of the files, in sections of a fixed order."""
    sections = {kind: "" for kind in KINDS}
    for kind, text in re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", entries, re.M | re.S):
        sections[kind] = text.strip("\n") + "\n"
    for path in paths:
        kind = path.name.split(".")[1].capitalize()
        sections[kind] += f"- {path.read_text(encoding='utf-8').strip()}\n"
    return "\n" + "\n".join(f"### {kind}\n{text}" for kind, text in sections.items() if text)


def main(command, root=ROOT):
    found = list(faults(root))
    if command == "check" or found:
        print("\n".join(found) or f"{len(fragments(root))} changes")
        return len(found) != 0
    path = root / "CHANGELOG.md"
    before, entries, rest = split(path.read_text(encoding="utf-8"))
    entries = merged(entries, fragments(root))
    if command == "notes":
        print(entries.strip("\n"))
    elif command == "assemble":
        path.write_text(before + entries + rest, encoding="utf-8")
        for each in fragments(root):
            each.unlink()
    else:
        sys.exit(f"changelog.py: '{command}' is not a command; expected check, notes or assemble")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
