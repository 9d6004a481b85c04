#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the writing rules of CONTRIBUTING.md: phrases to avoid and the length of sentences.

    prose.py ROOT           the files of every scope in prose.txt
    prose.py ROOT FILE...   the pages, comments and messages of these files

prose.txt contains the scopes, the phrases with their replacements, and the allowed passages.
"""
import re
import sys
from pathlib import Path

MOST_WORDS = 25
KINDS = {"page", "comment", "message"}
STYLES = {".h": "c", ".hpp": "c", ".cpp": "c", ".c": "c", ".inc": "c", ".i": "c", ".java": "c", ".cs": "c",
          ".py": "script", ".sh": "script", ".build": "script"}
WORD = re.compile(r"[\w'’.-]*\w[\w'’.-]*")
# A list of names is data: it counts as one word.
NAMES = re.compile(r"\bCODE\b(?:(?:,| ·|,? and|,? or|,? to)? CODE\b)+")
LINKS = re.compile(r"\[[^\]]*\]\([^)]*\)(?:(?:,| ·|,? and) \[[^\]]*\]\([^)]*\))+")


class Rules:
    def __init__(self, path):
        self.phrases = []  # (kinds, pattern, advice, a passage that it finds)
        self.scopes = []   # (kinds, glob)
        self.allowed = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            first, *rest = line.split("\t")
            if first == "allow":
                self.allowed.append(rest[0])
            elif first == "scope":
                self.scopes.append((set(rest[0].split(",")), rest[1]))
            else:
                self.phrases.append((set(first.split(",")), re.compile(rest[0]), rest[1], rest[2]))

    def files(self, root):
        """(path, kinds) of each file in a scope."""
        for kinds, pattern in self.scopes:
            for path in sorted(Path(root).glob(pattern)):
                yield path.relative_to(root), kinds


def blank(match):
    """The same number of lines, without the words."""
    return "\n" * match[0].count("\n")


def page_blocks(text):
    """(line, text) of each paragraph, list item and heading, and of each part of a table cell."""
    text = re.sub(r"\A---\n.*?^---\n", blank, text, flags=re.M | re.S)
    text = re.sub(r"^( *)(```|~~~).*?^\1\2", blank, text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    text = re.sub(r"`+[^`]*`+", lambda m: "CODE" + blank(m), text)
    block, start = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        is_table = line.startswith("|")
        item = re.match(r"\s*(?:[-*]|\d+\.)\s+|#+\s+|>\s*", line)
        if block and (not line.strip() or item or is_table):
            yield start, " ".join(block)
            block = []
        if is_table:
            yield from ((number, part) for cell in line.strip("|").split("|") for part in re.split(r";\s+", cell.strip()))
        elif line.strip():
            start = start if block else number
            block.append(line[item.end():] if item else line.strip())
            if line.startswith("#"):
                yield number, block.pop()


def comment_blocks(text, style):
    """(line, text) of each block of comment lines."""
    if style == "c":
        found = re.finditer(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|(?:(?<=\n)|^)[ \t]*//[^\n]*(?:\n[ \t]*//[^\n]*)*|//[^\n]*', text, re.S)
        found = (m for m in found if not m[0].startswith('"'))
    else:
        found = re.finditer(r'(?:(?<=\n)|^)[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*|"""(?:.*?)"""', text, re.S)
    for match in found:
        line = text.count("\n", 0, match.start()) + 1
        words = re.sub(r"^[ \t]*(?:///?<?|/\*+<?|\*/|\*|#!?|\"\"\")", "", match[0], flags=re.M)
        words = re.sub(r"\*/|\"\"\"$", "", words)
        words = re.sub(r"[@\\](?:code|verbatim).*?[@\\]end(?:code|verbatim)", " ", words, flags=re.S)
        for part in re.split(r"\n[ \t]*\n|(?=[@\\](?:param|retval|return|since|brief|note|file))|\n[ \t]*[-*] ", words):
            part = re.sub(r"[@\\](?:param(?:\[\w+\])?\s+\w+|retval\s+\w+|since\s+\S+|\w+)", "", part)
            yield line, re.sub(r"`+[^`]*`+", "CODE", part)


def message_blocks(text):
    """(line, text) of string literals that are sentences."""
    for match in re.finditer(r'"((?:\\.|[^"\\\n]){12,})"', text):
        if match[1].count(" ") >= 3:
            yield text.count("\n", 0, match.start()) + 1, match[1]


def blocks(path, text):
    """(kind, line, text) of all that people read in a file."""
    if path.suffix == ".md":
        yield from (("page", *block) for block in page_blocks(text))
        return
    style = STYLES[".build" if path.name == "meson.build" else path.suffix]
    yield from (("comment", *block) for block in comment_blocks(text, style))
    if style == "c" and path.suffix != ".i":
        yield from (("message", *block) for block in message_blocks(text))


def sentences(text):
    text = re.sub(r"\b(e\.g|i\.e|etc|vs|cf)\.", r"\1", " ".join(text.split()))
    return re.split(r"(?<=[.!?])[\"')*]*\s+(?=[A-Z\"'(\[*`]|\d+\s)", text)


def plain(sentence):
    """Without the targets of links and the marks of emphasis."""
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", sentence).replace("**", "")


def length(sentence):
    return len(WORD.findall(NAMES.sub("CODE", plain(LINKS.sub("CODE", sentence)))))


def form_faults(sentence):
    text = plain(sentence)
    count = length(sentence)
    if count > MOST_WORDS:
        yield f"{count} words in a sentence, at most {MOST_WORDS}"
    if len(re.findall(r":(?=\s)", text)) > 1:
        yield "more than one colon in a sentence"
    if text.count(";") > 1:
        yield "a chain of semicolons: write sentences or a list"


def sentence_faults(sentence, kind, rules, has_form):
    if any(passage in sentence for passage in rules.allowed):
        return
    text = plain(sentence)
    for kinds, pattern, advice, _ in rules.phrases:
        found = kind in kinds and pattern.search(text)
        if found:
            yield f"'{found[0].strip()}': {advice}"
    if has_form:
        for fault in form_faults(sentence):
            yield f"{fault}: {text[:60]}..."


def faults(path, text, rules, kinds=frozenset(KINDS)):
    """(line, fault) of a file. Messages and comments of sources have no limit of length yet."""
    for kind, line, block in blocks(path, text):
        if kind in kinds:
            has_form = kind == "page" or kind == "comment" and path.suffix == ".h"
            for sentence in sentences(block):
                yield from ((line, fault) for fault in sentence_faults(sentence, kind, rules, has_form))


def main():
    root, *names = sys.argv[1:]
    rules = Rules(Path(__file__).with_name("prose.txt"))
    listed = [(Path(name), KINDS) for name in names] or list(rules.files(root))
    found = [(path, *fault) for path, kinds in listed
             for fault in faults(path, Path(root, path).read_text(encoding="utf-8"), rules, kinds)]
    for path, line, text in found:
        print(f"{path}:{line}: {text}")
    print(f"{len(listed)} files, {len(found)} faults of prose", file=sys.stderr)
    return bool(found) or not listed


if __name__ == "__main__":
    sys.exit(main())
