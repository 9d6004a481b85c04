# SPDX-License-Identifier: Apache-2.0
"""The API pages of C#, from the assembly's file of comments and from its types (Surface.cs)."""
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from native import folded
from reference import Member, Page, write, write_index

KINDS = {"T": "class", "M": "function", "P": "property", "F": "value", "E": "event"}
# Members of every object, without a comment of their own.
INHERITED = {"ToString", "Equals", "GetHashCode", "Finalize"}


def lines_of(work, assembly):
    program = work / "Surface.exe"
    subprocess.run(["mcs", "-nologo", f"-out:{program}", Path(__file__).with_name("Surface.cs")], check=True)
    done = subprocess.run(["mono", program, assembly], check=True, capture_output=True, text=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def text_of(element):
    """The words of a comment; a cref is its last name."""
    out = element.text or ""
    for child in element:
        if child.tag in ("see", "paramref", "typeparamref"):
            name = child.get("cref") or child.get("name") or child.get("langword") or child.get("href") or ""
            name = re.sub(r"^\w:(?:Cucore\.(?:Arrays\.|Perf\.)?)?", "", name).partition("(")[0]
            out += f"`{name}`"
        elif child.tag == "c":
            out += f"`{text_of(child)}`"
        elif child.tag == "para":
            out += "\n\n" + text_of(child)
        else:
            out += text_of(child)
        out += child.tail or ""
    return out


def paragraphs(element):
    out = []
    for tag in ("summary", "remarks"):
        for each in element.findall(tag):
            out += [" ".join(part.split()) for part in re.split(r"\n\s*\n", text_of(each)) if part.strip()]
    out += ["\n" + (each.text or "").strip("\n") for each in element.iter("code")]
    return out


def details(element):
    out = []
    for tag, label, key in (("param", "Parameters", "name"), ("typeparam", "Type parameters", "name"), ("exception", "Throws", "cref")):
        rows = [(re.sub(r"^T:(?:Cucore\.)?", "", each.get(key)), " ".join(text_of(each).split())) for each in element.findall(tag)]
        out += [(label, rows)] if rows else []
    out += [("Returns", [("", " ".join(text_of(each).split()))]) for each in element.findall("returns")]
    return out


def members(rows, comments):
    """The types, each with its members, by namespace."""
    spaces, types = {}, {}
    for identifier, declaration in rows:
        comment = comments.get(identifier)
        words, more = (paragraphs(comment), details(comment)) if comment is not None else ([], [])
        kind = identifier[0]
        if kind == "T":
            full = identifier.removeprefix("T:")
            space = ".".join(part for part in full.split(".")[:-1])
            name = full.removeprefix("Cucore.").partition("`")[0]
            types[full] = Member("csharp", name, declaration.split()[0].replace("static", "class"), folded(declaration), words, more)
            spaces.setdefault(space, []).append(types[full])
            continue
        path = identifier[2:].partition("(")[0].partition("~")[0]
        owner, _, last = path.rpartition(".")
        if owner not in types or (comment is None and last in INHERITED):
            continue
        last = re.sub(r"`+\d+", "", last)
        name = types[owner].name
        types[owner].members.append(Member("csharp", f"{name}.{name.rpartition('.')[2] if last == '#ctor' else last}",
                                           "constructor" if last == "#ctor" else KINDS[kind], folded(declaration), words, more))
    return spaces


def make(stage, work, assembly):
    """Writes the pages, and returns them."""
    comments = {each.get("name"): each for each in ElementTree.parse(assembly.with_suffix(".xml")).iter("member")}
    spaces = members(lines_of(work, assembly), comments)
    pages = []
    for space in sorted(spaces):
        rest = {"Exceptions": [], "Enumerations": []}
        for member in sorted(spaces[space], key=lambda each: each.name):
            group = "Enumerations" if member.kind == "enum" else "Exceptions" if member.name.endswith("Exception") else ""
            if group:
                rest[group].append(member)
            else:
                pages.append(Page(f"csharp/{member.name}", member.name, [], [("The type", [member])]))
        pages += [Page(f"csharp/{space}.{title}", f"{title} of {space}", [], [(title, found)]) for title, found in rest.items() if found]
    for page in pages:
        write(page, stage)
    write_index(stage, "csharp", "The namespace ``Cucore`` has the objects, ``Cucore.Arrays`` the arrays.", pages)
    return pages
