# SPDX-License-Identifier: Apache-2.0
"""The API pages of Java: javadoc's own, with links to the other languages, and an index in the site."""
import html
import re
import subprocess
from pathlib import Path

from reference import Member, Page, write, write_index

HERE = Path(__file__).resolve().parent
FOLDER = "api/javadoc"
CLASS = re.compile(r'<h1 title="(?:[A-Z]\w*\s)*?(Class|Interface|Enum|Annotation Type|Annotation Interface|Enum Class|Record|Record Class)?\s?([\w.]+)')
DETAIL = re.compile(r'<section class="detail" id="([^"]+)">\s*<h3>([^<]+)</h3>\s*<div class="member-signature">(.*?)</div>(?:\s*<div class="block">(.*?)</div>)?', re.S)


def sources(paths):
    for path in map(Path, paths):
        yield from sorted(path.rglob("*.java")) if path.is_dir() else [path]


def run_javadoc(out, paths, version):
    command = ["javadoc", "-quiet", "-public", "-Xdoclint:none", "--release", "11", "-encoding", "UTF-8", "-docencoding", "UTF-8", "-notimestamp",
               "-windowtitle", f"libcucore {version} for Java", "-doctitle", f"libcucore {version} for Java",
               "-header", '<a href="{@docRoot}/../../index.html">libcucore</a>', "--add-stylesheet", HERE / "javadoc.css",
               "-d", out, *sources(paths)]
    subprocess.run(list(map(str, command)), check=True)
    # Debian's javadoc writes no fonts, but imports them.
    if not (out / "resources/fonts").exists():
        style = out / "stylesheet.css"
        style.write_text(re.sub(r"@import url\('resources/fonts/[^)]*\);\n", "", style.read_text(encoding="utf-8")), encoding="utf-8")


def owner_of(path, folder):
    """The name of a class. One that io.cucore also has is behind the last part of its package."""
    package = path.parent.relative_to(folder / "io/cucore").name
    return f"{package}.{path.stem}" if package and (folder / "io/cucore" / path.name).exists() else path.stem


def plain(text):
    return " ".join(html.unescape(re.sub(r"<wbr>|&#8203;", "", re.sub(r"<[^>]+>", "", text or ""))).split())


def member_of(owner, found, url):
    anchor, name, signature, block = found
    own = name.strip() == owner.rpartition(".")[2]
    return Member("java", f"{owner}.{name.strip()}", "constructor" if own else "value" if "(" not in anchor else "function",
                  plain(signature).removeprefix("public "), [plain(block).partition(". ")[0].rstrip(".") + "."] if block else [], url=f"{url}#{html.unescape(anchor)}")


def pages_of(out):
    """A page for each package, with the members of its classes as links to javadoc."""
    packages = {}
    for path in sorted((out / "io/cucore").rglob("*.html")):
        if not path.stem[0].isupper():
            continue
        owner = owner_of(path, out)
        text = path.read_text(encoding="utf-8")
        package = ".".join(path.relative_to(out).parts[:-1])
        url = f"{FOLDER}/{path.relative_to(out)}"
        block = re.search(r'<section class="(?:class-)?description".*?<div class="block">(.*?)</div>', text, re.S)
        first = plain(block[1]).partition(". ")[0].rstrip(".") + "." if block else ""
        made = Member("java", owner, "class", owner, [first] if first else [], url=url)
        seen = set()
        for found in DETAIL.findall(text):
            member = member_of(owner, found, url)
            if member.name not in seen:  # overloads share a line
                made.members.append(member)
            seen.add(member.name)
        packages.setdefault(package, []).append(made)
    return [Page(f"java/{package}", package, ["Each name leads to its description by javadoc."], [("Classes", made)])
            for package, made in sorted(packages.items())]


def make(stage, html_folder, paths, version):
    """Runs javadoc into the site and writes the index pages, which it returns."""
    out = html_folder / FOLDER
    run_javadoc(out, paths, version)
    pages = pages_of(out)
    for page in pages:
        write(page, stage)
    write_index(stage, "java", "The packages are described by javadoc. The pages below list all names, and the search of this site finds them.",
                pages)
    return pages


def add_links(html_folder, links, html_of):
    """Adds the same in the other languages to the members of javadoc's pages, and returns these members.

    links has the links of each member. html_of writes them for a page of a depth.
    """
    done = set()
    for path in sorted((html_folder / FOLDER / "io/cucore").rglob("*.html")):
        owner, depth = owner_of(path, html_folder / FOLDER), len(path.relative_to(html_folder).parts) - 1

        def add(match):
            name = f"{owner}.{match[2].strip()}"
            if not links.get(name):
                return match[0]
            done.add(name)
            return f'{match[0]}\n<p class="same">{html_of(links[name], depth)}</p>'
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r'<section class="detail" id="([^"]+)">\s*<h3>([^<]+)</h3>', add, text), encoding="utf-8")
    return done
