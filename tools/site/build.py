#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the site: build.py ROOT BUILD OUT. OUT/html/index.html is its front page.

BUILD is a build folder in which the libraries, the bindings and the examples are built. The site contains the languages
that BUILD has.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import courses
import csharp_api
import java_api
import links
import native
import theme
from pages import Stage
from reference import TITLES, Member, Page, write, write_index

HERE = Path(__file__).resolve().parent
LANGUAGES = {"python": "bindings/python/package/cucore/array/__init__.py", "java": "bindings/java/cucore.jar",
             "csharp": "bindings/csharp/Cucore.xml"}


def member_of(data):
    return Member(**{**data, "members": [member_of(each) for each in data["members"]]})


def python_pages(build, stage):
    done = subprocess.run(["/usr/bin/python3", "-B", HERE / "python_api.py"], check=True, stdout=subprocess.PIPE, text=True,
                          env={**courses.environment(build, str(stage)), "PYTHONPATH": f"{build}/bindings/python/package:{HERE}"})
    made = [Page(each["name"], each["title"], each["intro"], [(title, [member_of(one) for one in found]) for title, found in each["groups"]])
            for each in json.loads(done.stdout)]
    for page in made:
        write(page, stage)
    write_index(stage, "python", "The package ``cucore`` has the objects, ``cucore.array`` the arrays with the names of NumPy.",
                made)
    return made


def java_sources(root, build):
    """The generated and written sources of the jar, as the test 'java javadoc' has them."""
    java, parts = build / "bindings/java", []
    for written in sorted((root / "bindings/java").glob("*/src")):
        if written.parent.name != "junit":  # a jar of its own
            parts += [*sorted((java / written.parent.name).rglob("*.java")), written]
    return [java / "java-proxies", java / "java-sources", *parts]


class Clock:
    """Prints the time of each step."""

    def __init__(self):
        self.last = self.first = time.monotonic()

    def step(self, title):
        now = time.monotonic()
        print(f"{title}: {now - self.last:.1f} s", flush=True)
        self.last = now


def language_rows(rows, lacks):
    """The table of all functions of C with the same in the other languages, as a page, and that of functions without."""
    table = ["", "```{table}", ":class: languages", ""]
    lines = ["# The same in every language", "", "Each row is a function or a type of C that other languages have.", *table,
             "| C | C++ | Python | Java | C# |", "|---|---|---|---|---|"]
    for name in sorted(rows):
        if name.startswith("cucore_"):
            cells = [", ".join(f"{{api:{language}}}`{each}`" for each in rows[name].get(language, ())[:2]) for language in ("cpp", "python", "java", "csharp")]
            lines.append("| {api:c}`" + name + "` | " + " | ".join(cells) + " |")
    lines += ["```", "", "## Functions that a language does not have", "",
              "An object of a language holds a reference, so the functions that end in `_retain` and `_release` have no row. Arrays and "
              "measurements have no header of C++.", *table, "| C | not in | reason |", "|---|---|---|"]
    for name in sorted(lacks):
        if not name.endswith(("_retain", "_release")):
            for reason in dict.fromkeys(lacks[name].values()):
                languages = ", ".join(TITLES[language] for language, words in lacks[name].items() if words == reason)
                lines.append("| {api:c}`" + name + f"` | {languages} | {reason} |")
    return "\n".join([*lines, "```"]) + "\n"


def links_of_java(rows, members, anchors):
    """{member of Java: the HTML of the same in the other languages}."""
    found = {}
    for (language, name), names in links.inverse(rows).items():
        if language != "java":
            continue
        parts = []
        for c_name in names:
            row = {"c": [c_name], **rows[c_name]}
            for other in TITLES:
                for each in row.get(other, ())[:2]:
                    if other != "java" and (other, each) in anchors:
                        parts.append((other, each, anchors[other, each]))
        found[name] = parts
    return found


def html_of(parts, depth):
    up = "../" * depth
    return " ".join(f'<span>{TITLES[language]}: <a href="{up}{url}">{html.escape(name)}</a></span>' for language, name, url in dict.fromkeys(parts))


def anchors_of(inventory):
    """{(language, member): address} of what Sphinx has described."""
    from sphinx.util.inventory import InventoryFile
    with open(inventory, "rb") as file:
        read = InventoryFile.load(file, "", os.path.join)
    return {(kind.partition(":")[2], name): entry[2].removeprefix("/") for kind, entries in read.items() if kind.startswith("api:")
            for name, entry in entries.items()}


def main(root, build, out):
    root, build, out = Path(root).resolve(), Path(build).resolve(), Path(out).resolve()
    clock = Clock()
    source, pages_out, parts = out / "source", out / "html", out / "parts"
    for folder in (source, pages_out, parts):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    version = re.search(r"version: '([\d.]+)'", (root / "meson.build").read_text())[1]
    available = ["c", "cpp", *(language for language, file in LANGUAGES.items() if (build / file).exists())]
    missing = [TITLES[language] for language in TITLES if language not in available]
    if missing:
        print(f"The build has no binding for {', '.join(missing)}; the site lacks the API of these languages.")
    stage = Stage(root, source)
    (source / "api").mkdir()
    theme.write(parts / "static")

    members = dict(zip(("c", "cpp"), native.make(root, source, parts / "doxygen")))
    clock.step("API of C and C++")
    makers = {"python": lambda: python_pages(build, source),
              "java": lambda: java_api.make(source, pages_out, java_sources(root, build), version),
              "csharp": lambda: csharp_api.make(source, parts, build / "bindings/csharp/Cucore.dll")}
    for language in available[2:]:
        members[language] = native.members_of(makers[language]())
        clock.step(f"API of {TITLES[language]}")
    rows = links.same(root, [member.name for member in members["c"] if member.kind in ("function", "enum", "struct", "typedef", "value")], members)

    lacks = links.lacking(root, members, rows)
    faults = links.faults(members, lacks) + courses.make(root, build, stage, available)
    clock.step("courses")
    stage.write("api/same", language_rows(rows, lacks))
    stage.make([("Course", [f"courses/{language}/index" for language in TITLES]),
                ("API", [*(f"api/{language}" for language in available), "api/same"])])
    faults += stage.faults
    names = {language: {member.name: member.kind for member in found} for language, found in members.items()}
    back = {f"{language} {name}": found for (language, name), found in links.inverse(rows).items()}
    (source / "site.json").write_text(json.dumps({"version": version, "static": str(parts / "static"), "names": names, "rows": {"same": rows, "back": back}}),
                                      encoding="utf-8")
    (parts / "rows.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    jobs = str(os.cpu_count() or 2)
    done = subprocess.run([sys.executable, "-B", "-m", "sphinx", "-q", "-W", "--keep-going", "-j", jobs, "-c", HERE, "-d", parts / "doctrees",
                           source, pages_out],
                          cwd=source, env={**os.environ, "SITE_DATA": str(source / "site.json")})
    clock.step("pages")
    if done.returncode:
        faults.append("Sphinx reported the warnings above")
    if "java" in available:
        anchors = anchors_of(pages_out / "objects.inv")
        parts = links_of_java(rows, members, anchors)
        java_api.add_links(pages_out, parts, html_of)
        clock.step("links of Java")
    print(*faults, sep="\n")
    print(f"the site took {time.monotonic() - clock.first:.1f} s: {pages_out / 'index.html'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
