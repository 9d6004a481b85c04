# SPDX-License-Identifier: Apache-2.0
"""Copies the pages of the repository to the source folder of Sphinx, and makes their links fit there.

Pages are plain Markdown whose links work in a clone. docs/index.md is the front page. The lists of its sections are the
contents of the site. A link to an example leads to its page in the course. A link to a public header, or to the
sources of a binding, leads to its API page. A link to another file leads to a page that shows it.
"""
import os
import re
import shutil
from pathlib import Path

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
INLINE = re.compile(r"`[^`\n]+`")
FILE_BLOCK = re.compile(r"^<!-- file: (\S+) -->\n```(\w+)\n", re.M)
MARKER = re.compile(r"^<!-- .*? -->\n(?=```)", re.M)
LEXERS = {".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".java": "java", ".cs": "csharp", ".json": "json", ".sh": "sh",
          ".cu": "cuda", ".toml": "toml"}
ROOT_PAGES = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bindings/README.md"]
FRONT = "docs/index.md"
# Sphinx then accepts that a page is in no table of contents.
ORPHAN = "---\norphan: true\n---\n"
LISTS = re.compile(r"^## (.*)$", re.M)


def sources(root):
    """The pages of the site, as paths in the repository."""
    return [*ROOT_PAGES, *sorted(str(path.relative_to(root)) for path in (root / "docs").rglob("*.md"))]


def place_of(path):
    """The document of a page of the repository, without an ending."""
    if path == FRONT:
        return "index"
    if path.startswith("docs/"):
        name = path.removeprefix("docs/").removesuffix(".md")
        return re.sub(r"(^|/)README$", r"\1index", name)
    return "project/" + path.removesuffix(".md").replace("bindings/README", "bindings").lower()


class Stage:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.places = {path: place_of(path) for path in sources(root)}
        self.shown = {}   # other files and folders that pages link to -> document
        self.faults = []

    def document_of(self, target):
        """The document for a path of the repository."""
        if target in self.places:
            return self.places[target]
        if f"{target}/README.md" in self.places:
            return self.places[f"{target}/README.md"]
        match = re.match(r"examples/(\w+)(?:/(\w+)\.\w+)?$", target)
        if match:
            return f"courses/{match[1]}/{match[2] or 'index'}"
        match = re.match(r"include(?:/cucore)?/(\w+)\.(hp?p?)$", target)
        if match:
            language = "cpp" if match[2] == "hpp" else "c"
            return f"api/{language}" if match[1] == "cucore" else f"api/{language}/{match[1]}"
        if target in ("include", "include/cucore"):
            return "api/c"
        if not (self.root / target).exists():
            return None
        match = re.match(r"bindings/(?:(python)/cucore|(java)/src|(csharp)/src)$", target)
        if match:
            return f"api/{match[1] or match[2] or match[3]}"
        document = "files/" + target.strip("./").replace(".", "-")
        self.shown[target] = document
        return document

    def rewritten(self, path, text, place):
        """The text of a page with links for its document."""
        parts, end = [], 0
        protected = [*FENCE.finditer(text)]
        for match in protected:
            parts += [self.links(path, text[end:match.start()], place), match[0]]
            end = match.end()
        return "".join([*parts, self.links(path, text[end:], place)])

    def links(self, path, text, place):
        kept = []

        def hide(match):
            kept.append(match[0])
            return f"\0{len(kept) - 1}\0"
        text = LINK.sub(lambda match: self.link(path, match, place), INLINE.sub(hide, text))
        while "\0" in text:
            text = re.sub(r"\0(\d+)\0", lambda match: kept[int(match[1])], text)
        return text

    def link(self, path, match, place):
        image, shown, target = match[1], match[2], match[3]
        if re.match(r"\w+:|#", target):
            return match[0]
        if target.strip(".") == "":  # a call in the text of a table, kernel[...](...)
            return "\\" + match[0]
        file, _, anchor = target.partition("#")
        named = os.path.normpath(os.path.join(os.path.dirname(path), file))
        up = os.path.dirname(place) or "."
        if image:
            copy = self.folder / "figures" / os.path.basename(named)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / named, copy)
            return f"![{shown}]({os.path.relpath(f'figures/{copy.name}', up)})"
        document = self.document_of(named)
        if document is None:
            self.faults.append(f"{path}: the link {target} leads to no file")
            return match[0]
        if document.startswith("api/"):
            return f"{{doc}}`{plain(shown)} </{document}>`"
        return f"[{shown}]({os.path.relpath(document, up)}.md{'#' + anchor if anchor else ''})"

    def add(self, path, extra="", is_below=False):
        """Adds a page. The page of a folder lists those below it, which the table of contents does not have."""
        text = (self.root / path).read_text(encoding="utf-8")
        text = FILE_BLOCK.sub(lambda match: f"```{{code-block}} {match[2]}\n:caption: {match[1]}\n\n", text)
        text = MARKER.sub("", text)
        place = self.places[path]
        self.write(place, (ORPHAN if is_below else "") + self.rewritten(path, text, place) + extra)

    def write(self, place, text):
        target = self.folder / f"{place}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def contents(self, extra):
        """The hidden tables of contents: a caption and its documents for each section of the front page that is a list.

        extra: the same for pages that the build makes.
        """
        text = (self.root / FRONT).read_text(encoding="utf-8")
        parts = LISTS.split(text)
        trees = []
        for title, body in zip(parts[1::2], parts[2::2]):
            entries = []
            if title.endswith("…"):  # its links lead to parts of pages
                continue
            for match in re.finditer(r"^- .*$", body, re.M):
                for link in LINK.finditer(match[0]):
                    named = os.path.normpath(os.path.join("docs", link[3].partition("#")[0]))
                    if named in self.places and self.places[named] not in entries:
                        entries.append(self.places[named])
            if entries:
                trees.append((title, entries))
        return trees + extra

    def listed_below(self):
        """Returns the pages that the page of each folder lists, as {its path: their documents}."""
        folders = {}
        for path in self.places:
            if path.endswith("/README.md") and path.startswith("docs/"):
                linked = {os.path.normpath(os.path.join(os.path.dirname(path), link[3])) for link in LINK.finditer((self.root / path).read_text("utf-8"))}
                folders[path] = {self.places[each] for each in linked if each in self.places and each.startswith(os.path.dirname(path) + "/")}
        return folders

    def make(self, extra):
        below = self.listed_below()
        for path in self.places:
            more = ""
            if path == FRONT:
                more = "".join(tree(title, entries) for title, entries in self.contents(extra))
            self.add(path, more, is_below=any(self.places[path] in listed for listed in below.values()))
        while True:
            waiting = [target for target, place in self.shown.items() if not (self.folder / f"{place}.md").exists()]
            if not waiting:
                break
            for target in waiting:
                self.show(target)

    def show(self, target):
        path, place = self.root / target, self.shown[target]
        if path.is_dir():
            names = sorted(each.name for each in path.iterdir() if not each.name.startswith("."))
            pages = [name for name in names if name.endswith(".md")]
            lines = [f"- [{name}]({name})" if name in pages else f"- `{name}`" for name in names]
            text = f"{ORPHAN}# {target}\n\n" + "\n".join(lines) + "\n"
            self.write(place, self.rewritten(f"{target}/x", text, place))
        elif path.suffix == ".md":
            self.write(place, ORPHAN + self.rewritten(target, path.read_text(encoding="utf-8"), place))
        else:
            text = path.read_text(encoding="utf-8", errors="replace")
            self.write(place, f"{ORPHAN}# {target}\n\n````{LEXERS.get(path.suffix, 'text')}\n{text.rstrip()}\n````\n")


def plain(text):
    return re.sub(r"[`*]", "", text)


def tree(caption, entries):
    """A hidden table of contents. The title of the README is that of the site."""
    titles = {"project/readme": "Overview <project/readme>"}
    lines = ["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *(titles.get(entry, entry) for entry in entries), "```", ""]
    return "\n" + "\n".join(lines)
