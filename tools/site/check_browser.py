#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a built site in headless Chromium, without a network: check_browser.py HTML OUT

- Pages of each kind, in two widths, in light and dark mode, have no fault that faults.js or the console reports. OUT
  receives their pictures.
- The other pages of the documentation have no such fault on a phone in dark mode.
- The search finds what a reader looks for.
- Two clicks lead from the front page to the timing of a kernel in each language.
"""
import json
import re
import sys
import unittest
from pathlib import Path

import browser

HTML, OUT = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()
SHOWN = ["index.html", *(f"tutorials/{each}.html" for each in ("c", "cpp", "python", "java", "csharp")), "api/c.html", "api/c/event.html",
         "api/cpp/event.html", "api/python/Event.html", "api/javadoc/io/cucore/CudaEvent.html", "api/csharp/CudaEvent.html", "api/same.html",
         "performance.html", "howto.html", "courses/java/03_events.html", "support.html", "security.html", "search.html?q=event+elapsed"]
WIDTHS = (390, 1280)
HEIGHT = 1400
SEARCHES = {"event elapsed": "api/c/event.html", "cucore_event_elapsed": "api/c/event.html", "CudaEvent": "api/csharp/CudaEvent.html",
            "time a kernel": "howto.html", "vulnerability": "security.html"}
RESULTS = """new Promise((done) => {
  const ended = () => /finished|did not match/i.test(document.querySelector('#search-results .search-summary, #search-results p')?.textContent ?? '');
  const read = () => ended() ? done([...document.querySelectorAll('#search-results li a')].map((each) => each.href)) : setTimeout(read, 20);
  read();
})"""
# Clicks the link with these words in the first item or row that has some text.
CLICK = """((about, words) => {
  const item = [...document.querySelectorAll('article :is(li, tr)')].find((each) => each.textContent.includes(about));
  const link = [...item.querySelectorAll('a')].find((each) => each.textContent.trim() === words);
  link?.click();
  return Boolean(link);
})(%s, %s)"""
# The section of the address. The page may scroll to it slowly.
PLACE = """new Promise((done) => {
  const section = document.querySelector(location.hash), latest = performance.now() + 10000;
  const read = () => {
    const box = section.getBoundingClientRect(), isSeen = box.top >= -1 && box.top < innerHeight;
    if (isSeen || performance.now() > latest) done({title: section.querySelector('h2, h3').textContent, text: section.innerText, isSeen});
    else setTimeout(read, 20);
  };
  read();
})"""


def is_due(page):
    """Whether the site must have a page. It lacks the API of languages whose binding was not built."""
    language = re.match(r"api/(python|java|csharp)", page)
    return not language or (HTML / f"api/{language[1]}.html").exists()


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tab = browser.Browser()
        cls.enterClassContext(cls.tab)

    def open(self, page):
        self.tab.open(f"{HTML.as_uri()}/{page}")
        if "?" in page:
            self.tab.evaluate(RESULTS)

    def faults(self, page, is_dark):
        self.open(page)
        return self.tab.faults(is_dark)

    def test_pages_in_each_window(self):
        OUT.mkdir(parents=True, exist_ok=True)
        found = []
        for page in filter(is_due, SHOWN):
            for width in WIDTHS:
                for is_dark in (False, True):
                    self.tab.show_as(width, HEIGHT, is_dark)
                    name = f"{re.sub(r'[^a-zA-Z0-9_]+', '-', page)}-{width}-{'dark' if is_dark else 'light'}"
                    found += [f"{name}: {fault}" for fault in self.faults(page, is_dark)]
                    (OUT / f"{name}.png").write_bytes(self.tab.picture())
        self.assertEqual(found, [])

    def test_other_pages_on_a_phone(self):
        self.tab.show_as(WIDTHS[0], HEIGHT, True)
        pages = [path.relative_to(HTML).as_posix() for path in sorted(HTML.rglob("*.html"))]
        found = [f"{page}: {fault}" for page in pages if not page.startswith(("api/", "files/")) and page not in SHOWN for fault in self.faults(page, True)]
        self.assertEqual(found, [])

    def test_search_finds_pages(self):
        self.tab.show_as(WIDTHS[1], HEIGHT, False)
        for words, page in ((words, page) for words, page in SEARCHES.items() if is_due(page)):
            self.open(f"search.html?q={words.replace(' ', '+')}")
            pages = [each.partition("#")[0].removeprefix(f"{HTML.as_uri()}/").partition("?")[0] for each in self.tab.evaluate(RESULTS)]
            self.assertIn(page, pages[:8], words)
            self.assertEqual(self.tab.reported(), [], words)

    def test_the_timing_of_a_kernel_is_two_clicks_away(self):
        self.tab.show_as(WIDTHS[1], 800, False)
        for language in ("C", "C++", "Python", "Java", "C#"):
            timing, tasks = ("time a kernel", language), ("each task in each language", "each task in each language")
            for clicks in ([timing], [tasks, timing]):
                self.open("index.html")
                for about, words in clicks:
                    self.tab.follow(CLICK % (json.dumps(about), json.dumps(words)))
                place = self.tab.evaluate(PLACE)
                self.assertEqual(re.sub("[#¶]$", "", place["title"]), f"Time a kernel in {language}")
                self.assertIn("lapsed", place["text"])
                self.assertTrue(place["isSeen"], place["title"])


if __name__ == "__main__":
    if not browser.CHROMIUM:
        print("Chromium is not installed (Debian: chromium)")
        sys.exit(77)
    unittest.main()
