#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a built site: check_site.py HTML ROWS

- Every internal link and anchor leads to something.
- No page and no style loads anything from another host.
- The timing of a kernel is two clicks from the front page in each language.
- The members of the table ROWS link to each other in both directions.
"""
import json
import os
import re
import sys
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

HTML, ROWS = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1))
LOADED = {"script": ("src",), "img": ("src", "srcset"), "link": ("href",), "iframe": ("src",), "source": ("src", "srcset"), "object": ("data",),
          "video": ("src",), "audio": ("src",), "embed": ("src",)}
# A link element of these relations loads nothing.
RELATIONS = {"canonical", "index", "search", "next", "prev", "author", "license"}
REMOTE = re.compile(r"\s*(?:https?:)?//")
LANGUAGES = ("C", "C++", "Python", "Java", "C#")


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {value for name, value in attributes if name in ("id", "name") and value}
        if tag in ("a", "area") and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and set((given.get("rel") or "").split()) & RELATIONS:
            return
        self.loads += [given[name] for name in LOADED.get(tag, ()) if given.get(name)]


def read_pages():
    return {path.relative_to(HTML).as_posix(): Page(path.read_text(encoding="utf-8")) for path in sorted(HTML.rglob("*.html"))}


PAGES = read_pages()


def target_of(page, link):
    """(file, anchor) of a link, or None if it leads elsewhere."""
    if re.match(r"[a-z]+:|//", link):
        return None
    file, _, anchor = link.partition("#")
    named = os.path.normpath(os.path.join(os.path.dirname(page), unquote(file.partition("?")[0]))) if file else page
    return named, unquote(anchor)


class Site(unittest.TestCase):
    def test_links_lead_to_pages_and_anchors(self):
        dead = []
        for name, page in PAGES.items():
            for link in page.links:
                found = target_of(name, link)
                if found is None:
                    continue
                file, anchor = found
                path = HTML / file
                if path.is_dir():
                    file, path = f"{file}/index.html", path / "index.html"
                if not path.exists():
                    dead.append(f"{name}: {link}: no such file")
                elif anchor and file in PAGES and anchor not in PAGES[file].ids:
                    dead.append(f"{name}: {link}: no such anchor")
        self.assertEqual(dead[:40], [], f"{len(dead)} dead links")

    def test_images_styles_and_scripts_exist(self):
        missing = [f"{name}: {load}" for name, page in PAGES.items() for load in page.loads
                   if not load.startswith("data:") and not REMOTE.match(load) and not (HTML / target_of(name, load)[0]).exists()]
        for path in HTML.rglob("*.css"):
            named = re.findall(r"url\(\s*['\"]?(?!data:|https?:|//)([^'\")#?]+)", path.read_text(encoding="utf-8", errors="replace"))
            missing += [f"{path.relative_to(HTML)}: {each}" for each in named if each.startswith("/") or not (path.parent / each).exists()]
        self.assertEqual(missing[:40], [])

    def test_nothing_is_loaded_from_the_network(self):
        remote = [f"{name}: {load}" for name, page in PAGES.items() for load in page.loads if REMOTE.match(load)]
        for path in HTML.rglob("*.css"):
            remote += [f"{path.relative_to(HTML)}: {found}" for found in re.findall(r"(?:@import\s+|url\()\s*['\"]?((?:https?:)?//[^'\")]+)",
                                                                                    path.read_text(encoding="utf-8", errors="replace"))]
        self.assertEqual(remote[:40], [])

    def test_pages_are_described(self):
        self.assertGreater(len(PAGES), 200)
        for name in ("search.html", "searchindex.js", "performance.html", "support.html", "security.html", "api/c.html", "api/same.html"):
            self.assertTrue((HTML / name).exists(), name)

    def test_timing_a_kernel_is_two_clicks_away(self):
        clicks = {target_of("index.html", link) for link in PAGES["index.html"].links}
        pages = {found[0] for found in clicks if found} & set(PAGES)
        text = (HTML / "howto.html").read_text(encoding="utf-8")
        for language in LANGUAGES:
            section = re.search(rf'<section id="([^"]+)">\s*<h3>Time a kernel in {re.escape(language)}<(.*?)</section>', text, re.S)
            self.assertTrue(section, language)
            self.assertIn("elapsed", re.sub(r"<[^>]+>", "", section[2]).lower(), language)
            self.assertTrue([page for page in pages for link in PAGES[page].links if target_of(page, link) == ("howto.html", section[1])], language)

    def test_languages_link_to_each_other(self):
        rows = json.loads(ROWS.read_text())
        addresses = {}
        for name, page in PAGES.items():
            if name.startswith("api/") and not name.startswith("api/javadoc"):
                addresses.update({each: f"{name}#{each}" for each in page.ids if re.match(r"(?:c|cpp|python|java|csharp)\.", each)})
        count, lost = 0, []
        for c_name, row in rows.items():
            if not c_name.startswith("cucore_"):
                continue
            here = addresses.get(f"c.{c_name}", "#").partition("#")[0]
            for language, others in row.items():
                anchor = f"{language}.{re.sub(r'[^A-Za-z0-9_.]+', '-', others[0])}"
                there = addresses.get(anchor, "#").partition("#")[0]
                count += 1
                if not here or not there or (there, anchor) not in TARGETS[here] or (here, f"c.{c_name}") not in TARGETS[there]:
                    lost.append(f"{c_name}: {language} {others[0]}")
        self.assertGreater(count, 300)
        self.assertEqual(lost, [])

    def test_javadoc_links_back(self):
        if not (HTML / "api/javadoc").exists():
            self.skipTest("the site has no Java")
        links = [found for name, page in PAGES.items() if name.startswith("api/javadoc/io") for link in page.links
                 if (found := target_of(name, link)) and found[0].startswith("api/c/")]
        self.assertGreater(len(links), 150)
        self.assertIn(("api/c/event.html", "c.cucore_event_record"), TARGETS["api/javadoc/io/cucore/CudaEvent.html"])


TARGETS = {name: {target_of(name, link) for link in page.links} for name, page in PAGES.items()}

if __name__ == "__main__":
    unittest.main()
