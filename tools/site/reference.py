# SPDX-License-Identifier: Apache-2.0
"""The form of every API page, which the readers of all languages fill and reference_domain.py shows.

A page is written as JSON. It has groups of members; a member of a class has members of its own.
"""
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

TITLES = {"c": "C", "cpp": "C++", "python": "Python", "java": "Java", "csharp": "C#"}


@dataclass
class Member:
    language: str
    name: str               # as users write it, "Event.record"; also the end of the anchor
    kind: str               # function, class, value ...
    signature: str
    text: list = field(default_factory=list)      # paragraphs; a list inside is a list of items
    details: list = field(default_factory=list)   # (label, [(name, text)])
    members: list = field(default_factory=list)
    functions: list = field(default_factory=list)  # names in C of the same, for links between the languages
    url: str = ""           # if the description is on a page of another tool


@dataclass
class Page:
    name: str               # path below api/
    title: str
    intro: list
    groups: list            # (title, [Member])


def write(page, folder):
    """Writes the page of Sphinx and the data of its directive."""
    target = Path(folder) / "api" / page.name
    target.parent.mkdir(parents=True, exist_ok=True)
    Path(f"{target}.json").write_text(json.dumps(asdict(page), indent=1), encoding="utf-8")
    rule = "=" * (len(page.title) + 2)
    # The table of contents has the pages of languages alone: Furo writes all of it into every page.
    Path(f"{target}.rst").write_text(f":orphan:\n\n{page.title}\n{rule}\n\n.. reference:: {target.name}.json\n", encoding="utf-8")


def write_index(folder, language, intro, pages):
    """The page of a language with the list of its API pages."""
    target = Path(folder) / "api" / f"{language}.rst"
    title = f"{TITLES[language]} API"
    entries = "\n".join(f"* :doc:`{page.title} </api/{page.name}>`{summary(page)}" for page in pages)
    target.write_text(f"{title}\n{'=' * len(title)}\n\n{intro}\n\n{entries}\n", encoding="utf-8")


def summary(page):
    """The first sentence of a page with one class, or of its introduction."""
    members = [member for _, found in page.groups for member in found]
    texts = members[0].text if len(members) == 1 else page.intro
    if not texts or not isinstance(texts[0], str) or texts[0].startswith("\n"):
        return ""
    return ": " + re.sub(r"([\\`*_|<>])", r"\\\1", re.split(r"(?<=[.:]) ", texts[0])[0].rstrip(".:"))
