# SPDX-License-Identifier: Apache-2.0
"""The checks of the site in a browser find planted faults: test_check_browser.py TOOLS"""
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, sys.argv.pop(1))
import browser

WORDS = "The words of this page are dark on white, or light on black. " * 6
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ background: #fff; color: #222; overflow-wrap: anywhere; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #ddd; }} }}
</style><body><p>{words}</p>{planted}"""
# The planted element, and a part of the report.
FAULTS = {
    '<div style="width: 3000px">wide</div>': "is 3008 pixels wide",
    '<div style="overflow: hidden"><p style="width: 2000px; white-space: nowrap">' + "cut " * 200 + "</p></div>": "cuts off 'cut",
    '<p style="color: #888; background: #999">grey on grey</p>': "a contrast of 1.2",
    '<img src="gone.png" alt="">': "lacks the image file:",
    '<link rel="stylesheet" href="gone.css">': "ERR_FILE_NOT_FOUND",
    '<script>console.error("the planted error")</script>': "the planted error",
    "<script>nothing()</script>": "nothing is not defined",
    '<script src="http://127.0.0.1:9/a.js"></script>': "requests http://127.0.0.1:9/a.js",
    '<div style="height: 5000px"></div>': "is empty below",
    "<style>body { background: #fff !important; color: #222 !important }</style>": "has the background of the other mode",
}


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.tab = cls.enterClassContext(browser.Browser())

    def faults(self, width, is_dark, planted="", words=WORDS):
        page = self.folder / "page.html"
        page.write_text(PAGE.format(words=words, planted=planted), encoding="utf-8")
        self.tab.show_as(width, 900, is_dark)
        self.tab.open(page.as_uri())
        return self.tab.faults(is_dark)

    def test_a_page_without_a_fault(self):
        for width in (390, 1280):
            for is_dark in (False, True):
                self.assertEqual(self.faults(width, is_dark), [])

    def test_code_may_scroll_by_itself(self):
        self.assertEqual(self.faults(390, True, '<pre style="overflow-x: auto">' + "x " * 400 + "</pre>"), [])

    def test_planted_faults(self):
        for planted, part in FAULTS.items():
            with self.subTest(part):
                self.assertIn(part, "\n".join(self.faults(390, True, planted)))

    def test_an_empty_page(self):
        self.assertEqual(self.faults(390, True, words="Nothing"), ["has 7 letters of text"])

    def test_a_picture(self):
        self.faults(390, False)
        self.assertTrue(self.tab.picture().startswith(b"\x89PNG"))


if __name__ == "__main__":
    if not browser.CHROMIUM:
        print("Chromium is not installed (Debian: chromium)")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    unittest.main()
