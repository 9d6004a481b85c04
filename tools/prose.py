#!/usr/bin/env python3
"""Checks the writing rules of CONTRIBUTING.md: phrases to avoid and the length of sentences.

    prose.py ROOT [FILE...]

Reads the pages, the comments of the sources and the messages in them. tools/prose.txt lists the
phrases, with what to write instead, and the passages that are allowed.
"""
import re
import subprocess
import sys
from pathlib import Path

MOST_WORDS = 25
COMMENTED = {".h": "c", ".hpp": "c", ".cpp": "c", ".c": "c", ".inc": "c", ".i": "c", ".java": "c", ".cs": "c", ".py": "py",
             ".sh": "py", ".build": "py"}


def read_rules(path):
    """[(pattern, advice, kinds)], {allowed passage}. A kind is "page", "comment" or "message"."""
    rules, allowed = [], set()
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        first, *rest = line.split("\t")
        if first == "allow":
            allowed.add(rest[0])
        else:
            rules.append((re.compile(rest[0]), rest[1], first.split(",")))
    return rules, allowed


def blank(match):
    """The same number of lines, without the words."""
    return "\n" * match[0].count("\n")


def page_blocks(text):
    """(line, text) of each paragraph, list item, heading and table cell."""
    text = re.sub(r"^(```|~~~).*?^\1", blank, text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    block, start = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.startswith("|"):
            for cell in line.strip("|").split("|"):
                yield number, cell.strip()
            continue
        item = re.match(r"\s*(?:[-*]|\d+\.)\s+|#+\s+", line)
        if block and (not line.strip() or item):
            yield start, " ".join(block)
            block = []
        if line.strip():
            if not block:
                start = number
            block.append(line[item.end():] if item else line.strip())
        if line.startswith("#") and block:
            yield start, " ".join(block)
            block = []


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
            yield line, part


def message_blocks(text):
    """(line, text) of string literals that are sentences."""
    for match in re.finditer(r'"((?:\\.|[^"\\\n]){12,})"', text):
        if match[1].count(" ") >= 3:
            yield text.count("\n", 0, match.start()) + 1, match[1]


def blocks(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from (("page", *block) for block in page_blocks(text))
        return
    style = COMMENTED[path.suffix if path.name != "meson.build" else ".build"]
    yield from (("comment", *block) for block in comment_blocks(text, style))
    if style == "c" and path.suffix != ".i":
        yield from (("message", *block) for block in message_blocks(text))


def sentences(text):
    """Code is one word, and the target of a link none."""
    text = re.sub(r"`+[^`]*`+", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|etc|vs|cf)\.", r"\1", " ".join(text.split()))
    return re.split(r"(?<=[.!?:;])\s+(?=[A-Z\"'(\[*]|CODE)|(?<=[;])\s+", text)


def faults(path, rules, allowed):
    for kind, line, text in blocks(path):
        plain = " ".join(text.split())
        if any(passage in plain for passage in allowed):
            continue
        for sentence in sentences(plain):
            for pattern, advice, kinds in rules:
                found = kind in kinds and pattern.search(sentence)
                if found:
                    yield line, f"'{found[0].strip()}': {advice}"
            count = len(re.findall(r"[\w'’.-]*\w[\w'’.-]*", sentence))
            if kind == "page" and count > MOST_WORDS or kind == "comment" and path.suffix == ".h" and count > MOST_WORDS:
                yield line, f"{count} words in a sentence, at most {MOST_WORDS}: {sentence[:60]}..."


def files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for name in listed:
        path = Path(name)
        if path.suffix in {".md", *COMMENTED} and not name.startswith(("tests/data", "tests/fuzz/corpus")):
            yield path


def main():
    root, *names = sys.argv[1:]
    rules, allowed = read_rules(Path(__file__).with_name("prose.txt"))
    found = [(path, *fault) for path in (map(Path, names) if names else files(root))
             for fault in faults(Path(root, path), rules, allowed)]
    for path, line, text in found:
        print(f"{path}:{line}: {text}")
    print(f"{len(found)} faults of prose", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
