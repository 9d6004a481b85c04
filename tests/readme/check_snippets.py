# SPDX-License-Identifier: Apache-2.0
"""Compares the pages with the sources: snippets, links, paths and environment variables.

tests/docs runs the other blocks of the pages.

    check_snippets.py ROOT           checks
    check_snippets.py ROOT --update  writes the snippets into the pages
"""
import re
import sys
import textwrap
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bindings").rglob("*.md")]
SNIPPET = re.compile(r"(<!-- snippet: (\S+) (\S+) -->\n```(?:c|cpp|python|java|csharp)\n)(.*?)(```)", re.S)


def snippet(path, name):
    text = (ROOT / path).read_text()
    found = re.search(rf"(?:/\*|#|//) snippet: {name}(?: \*/)?\n(.*?)^\s*(?:/\*|#|//) end of snippet", text,
                      re.S | re.M)
    return textwrap.dedent(found.group(1))


def prose(page):
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)


def anchors(page):
    """Returns the anchors of the headings of a page. Equal ones have numbers from the second on."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    names = [re.sub(r"[^\w\s-]", "", title.lower()).strip().replace(" ", "-") for title in re.findall(r"^#+ (.*)", text, re.M)]
    counts = [names[:i].count(name) for i, name in enumerate(names)]
    return {f"{name}-{count}" if count else name for name, count in zip(names, counts)}


class Snippets(unittest.TestCase):
    maxDiff = None

    def test_snippets_are_cut_from_the_examples(self):
        seen = 0
        for page in PAGES:
            for _, path, name, text, _ in SNIPPET.findall(page.read_text()):
                seen += 1
                self.assertEqual(text, snippet(path, name), f"{page.name}: {path} {name}: run this with --update")
        self.assertGreater(seen, 10)


class Prose(unittest.TestCase):
    def test_links_lead_somewhere(self):
        seen = 0
        for page in PAGES:
            for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", prose(page)):
                path = page.parent / target if target else page
                self.assertTrue(path.exists(), f"{page.name}: {target}")
                if anchor:
                    seen += 1
                    self.assertIn(anchor, anchors(path), f"{page.name}: {target}")
        self.assertGreater(seen, 5)

    def test_paths_in_the_prose_exist(self):
        seen = 0
        for page in (ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "abi.md",
                     *(ROOT / "docs/decisions").glob("*.md")):
            for path in re.findall(r"`((?:src|tests|docs|include|tools|bindings|bench)/[\w./<>-]+)`", page.read_text()):
                seen += 1
                pattern = re.sub(r"<\w+>", "*", path)
                self.assertTrue(any(ROOT.glob(pattern)), f"{page.name}: {path}")
        self.assertGreater(seen, 100)

    def test_every_environment_variable_is_documented_and_every_documented_one_is_read(self):
        documented = set(re.findall(r"`(CUCORE_[A-Z_]+)`", (ROOT / "docs/environment.md").read_text()))
        documented -= {name for name in documented if name.startswith(("CUCORE_ERROR", "CUCORE_OK"))}
        read = set()
        for path in (ROOT / "src").rglob("*.?pp"):
            read |= set(re.findall(r'"(CUCORE_[A-Z_]+)"', path.read_text()))
        read = {name for name in read if not name.startswith("CUCORE_ERROR")}
        read -= {"CUCORE_OK", "CUCORE_STATUS_UNKNOWN"}
        self.assertEqual(documented, read)


def update():
    for page in PAGES:
        page.write_text(SNIPPET.sub(lambda m: m.group(1) + snippet(m.group(2), m.group(3)) + m.group(5), page.read_text()))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
