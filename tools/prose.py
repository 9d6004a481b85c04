#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the writing rules of CONTRIBUTING.md: phrases to avoid and the length of sentences.

    prose.py ROOT           the files of every scope in prose.txt
    prose.py ROOT PATH...   the pages, comments and messages of these files, or of all files in a folder

prose.txt contains the scopes, the phrases with their replacements, and the allowed passages.
"""
import ast
import inspect
import io
import re
import sys
import textwrap
import tokenize
from pathlib import Path

MOST_WORDS = 25
KINDS = {"page", "comment", "message"}
STYLES = {".h": "c", ".hpp": "c", ".cpp": "c", ".c": "c", ".inc": "c", ".i": "c", ".cu": "c", ".map": "c",
          ".java": "c", ".cs": "c", ".py": "python", ".sh": "script", ".build": "script"}
SCRIPTS = {"meson.build": ".build", "meson_options.txt": ".build"}
WORD = re.compile(r"[\w'’.-]*\w[\w'’.-]*")
# A list of names is data: it counts as one word.
NAMES = re.compile(r"\bCODE\b(?:(?:,| ·|,? and|,? or|,? to)? CODE\b)+")
QUOTE = re.compile(r'"[^"]*"')
LINKS = re.compile(r"\[[^\]]*\]\([^)]*\)(?:(?:,| ·|,? and) \[[^\]]*\]\([^)]*\))+")


class Rules:
    def __init__(self, path):
        self.phrases = []  # (kinds, pattern, advice, a passage that it finds)
        self.scopes = []   # (kinds, glob)
        self.excepted = []  # globs
        self.allowed = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            first, *rest = line.split("\t")
            if first == "allow":
                self.allowed.append(rest[0])
            elif first == "except":
                self.excepted.append(rest[0])
            elif first == "scope":
                self.scopes.append((set(rest[0].split(",")), rest[1]))
            else:
                self.phrases.append((set(first.split(",")), re.compile(rest[0]), rest[1], rest[2]))

    def files(self, root):
        """(path, kinds) of each file in a scope."""
        for kinds, pattern in self.scopes:
            for path in sorted(Path(root).glob(pattern)):
                name = path.relative_to(root)
                if path.is_file() and style_of(path) and not any(name.match(glob) for glob in self.excepted):
                    yield name, kinds


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


def style_of(path):
    """"page", "c", "python" or "script"; None for a file without prose."""
    return "page" if path.suffix == ".md" else STYLES.get(SCRIPTS.get(path.name, path.suffix))


def comment_tokens(text, style):
    """(line, text) of each comment, with its marks; consecutive lines are one comment."""
    if style == "c":
        found = re.finditer(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|/\*.*?\*/|'
                            r"(?:(?<=\n)|^)[ \t]*//[^\n]*(?:\n[ \t]*//[^\n]*)*|//[^\n]*", text, re.S)
        found = (m for m in found if m[0].lstrip()[0] == "/")
    else:
        found = re.finditer(r"(?:(?<=\n)|^)[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*|(?<=  )# [^\n]*", text)
    for match in found:
        yield text.count("\n", 0, match.start()) + 1, match[0]


def docstrings(tree):
    """The nodes of a Python file that are its documentation."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            value = getattr(node.body[0], "value", None)
            if isinstance(node.body[0], ast.Expr) and isinstance(getattr(value, "value", None), str):
                yield value


def python_comments(text):
    """(line, text) of each comment and docstring of a Python file."""
    block, start, end = [], 0, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            alone = not token.line[:token.start[1]].strip()
            if block and not (alone and token.start[0] == end + 1):
                yield start, "\n".join(block)
                block = []
            start = start if block else token.start[0]
            end = token.start[0] if alone else 0
            block.append(token.string)
    if block:
        yield start, "\n".join(block)
    yield from ((node.lineno, textwrap.indent(inspect.cleandoc(node.value), " ")) for node in docstrings(ast.parse(text)))


def comment_blocks(text, style):
    """(line, text) of each paragraph of the comments."""
    for line, comment in python_comments(text) if style == "python" else comment_tokens(text, style):
        words = re.sub(r"^#!.*|^.*SPDX-License-Identifier.*|^[ \t]*//: .*", "", comment, flags=re.M)
        words = re.sub(r"</(?:summary|param|returns|remarks|exception)>", "\n\n", words)
        words = re.sub(r"^[ \t]*(?:///?<?|/\*+<?|\*/|\*|#)", "", words, flags=re.M)
        words = re.sub(r"\*/$", "", words)
        words = re.sub(r"[@\\](?:code|verbatim).*?[@\\]end(?:code|verbatim)|<code>.*?</code>", " CODE ", words, flags=re.S)
        words = re.sub(r"\{@\w+ ([^}]*)\}|</?\w[^<>]*>", r"\1", words)
        words = re.sub(r"(\n[ \t]{3,}\S[^\n]*)\n(?=[ \t]{0,2}\S)", r"\1\n\n", words)
        for part in re.split(r"\n[ \t]*(?:\n|$)|(?=[@\\](?:param|retval|return|since|brief|note|file))|"
                             r"\n[ \t]*(?:[-*]|\d+\.) |\n(?=[ \t]{3})", words):
            part = re.sub(r"[@\\](?:param(?:\[\w+\])?\s+\w+|retval\s+\w+|since\s+\S+|\w+)", "", part)
            yield line, re.sub(r"`+[^`]*`+", "CODE", part)


QUOTED = {"c": r'"(?:\\.|[^"\\\n])*"', "script": r"'(?:\\.|[^'\\\n])*'"}
SKIPPED = {"c": r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|' + r"'(?:\\.|[^'\\\n])'", "script": r"#[^\n]*|'''.*?'''"}
NOT_PROSE = re.compile(r"[;{}]\s*\n|[\]\[\\^$(]\?|\\[dwsb]|\b(?:def|import|namespace|struct) \w")


def python_literals(text):
    """(line, text) of the string literals of a Python file, without docstrings."""
    tree = ast.parse(text)
    skipped = {id(node) for node in docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in ast.walk(node))
            yield node.lineno, "".join(str(getattr(part, "value", "")) if isinstance(part, ast.Constant) else "{}"
                                       for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def literals(text, style):
    """(line, text) of the string literals of a file; neighbours are one message."""
    if style == "python":
        yield from python_literals(text)
        return
    quoted = QUOTED[style]
    join = rf"\s*\+?\s*\$?(?={quoted[0]})"
    for match in re.finditer(rf"{SKIPPED[style]}|(?P<text>{quoted}(?:{join}{quoted})*)", text, re.S):
        if match["text"]:
            words = re.sub(rf"{quoted[0]}\s*\+?\s*\$?{quoted[0]}", "", match["text"])[1:-1]
            yield text.count("\n", 0, match.start()) + 1, words.replace("\\n", "\n").replace('\\"', '"')


def message_blocks(text, style):
    """(line, text) of the string literals that are sentences, not code or a table."""
    for line, words in literals(text, style):
        if not NOT_PROSE.search(words):
            yield from ((line, part) for part in re.split(r"\n\s*", words) if part.count(" ") >= 3)


def blocks(path, text):
    """(kind, line, text) of all that people read in a file."""
    style = style_of(path)
    if style == "page":
        yield from (("page", *block) for block in page_blocks(text))
        return
    yield from (("comment", *block) for block in comment_blocks(text, style))
    if path.suffix not in {".i", ".map", ".sh"}:
        yield from (("message", *block) for block in message_blocks(text, style))


def sentences(text):
    text = re.sub(r"\b(e\.g|i\.e|etc|vs|cf)\.", r"\1", " ".join(text.split()))
    return re.split(r"(?<=[.!?])[\"')*]*\s+(?=[A-Z\"'(\[*`]|\d+\s)", text)


def plain(sentence):
    """Without the targets of links and the marks of emphasis."""
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", sentence).replace("**", "")


def length(sentence):
    text = QUOTE.sub("CODE", plain(LINKS.sub("CODE", sentence)))
    return len(WORD.findall(NAMES.sub("CODE", text)))


def form_faults(sentence):
    text = QUOTE.sub("CODE", plain(sentence))
    count = length(sentence)
    if count > MOST_WORDS:
        yield f"{count} words in a sentence, at most {MOST_WORDS}"
    if len(re.findall(r"(?<!\b\d)(?<!\b\d\d):(?=\s)", re.sub(r"\([^()]*\)", "", text))) > 1:
        yield "more than one colon in a sentence"
    if text.count(";") > 1:
        yield "a chain of semicolons: write sentences or a list"


def sentence_faults(sentence, kind, rules):
    if any(passage in sentence for passage in rules.allowed):
        return
    text = plain(sentence)
    for kinds, pattern, advice, _ in rules.phrases:
        found = kind in kinds and pattern.search(text)
        if found:
            yield f"'{found[0].strip()}': {advice}"
    for fault in form_faults(sentence) if kind != "message" else ():
        yield f"{fault}: {text[:60]}..."


def faults(path, text, rules, kinds=frozenset(KINDS)):
    """(line, fault) of a file."""
    for kind, line, block in blocks(path, text):
        if kind in kinds:
            for sentence in sentences(block):
                yield from ((line, fault) for fault in sentence_faults(sentence, kind, rules))


def below(root, name):
    """The file, or each file with prose in the folder."""
    if Path(root, name).is_file():
        return [Path(name)]
    return [path.relative_to(root) for path in sorted(Path(root, name).rglob("*")) if path.is_file() and style_of(path)]


def main():
    root, *names = sys.argv[1:]
    rules = Rules(Path(__file__).with_name("prose.txt"))
    listed = [(path, KINDS) for name in names for path in below(root, name)] or list(rules.files(root))
    found = [(path, *fault) for path, kinds in listed
             for fault in faults(path, Path(root, path).read_text(encoding="utf-8"), rules, kinds)]
    for path, line, text in found:
        print(f"{path}:{line}: {text}")
    print(f"{len(listed)} files, {len(found)} faults of prose", file=sys.stderr)
    return bool(found) or not listed


if __name__ == "__main__":
    sys.exit(main())
