# SPDX-License-Identifier: Apache-2.0
"""The checks of the site find planted faults: test_check_site.py TOOLS"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(sys.argv.pop(1)).resolve()


class Checks(unittest.TestCase):
    def check(self, files, test):
        """Returns the exit code and the text of check_site.py for a site of some files."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for path, text in {"index.html": "", **files}.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
            (folder / "rows.json").write_text(json.dumps({}))
            done = subprocess.run([sys.executable, "-B", TOOLS / "check_site.py", folder, folder / "rows.json", f"Site.{test}"],
                                  capture_output=True, text=True)
            return done.returncode, done.stderr

    def test_links(self):
        test = "test_links_lead_to_pages_and_anchors"
        good = {"index.html": '<a href="a/b.html#x">b</a><a href="https://example.org/">e</a>', "a/b.html": '<p id="x"></p><a href="../index.html">i</a>'}
        self.assertEqual(self.check(good, test)[0], 0)
        code, text = self.check({"index.html": '<a href="a/b.html#y">b</a><a href="c.html">c</a>', "a/b.html": '<p id="x"></p>'}, test)
        self.assertNotEqual(code, 0)
        self.assertIn("a/b.html#y: no such anchor", text)
        self.assertIn("c.html: no such file", text)

    def test_network(self):
        test = "test_nothing_is_loaded_from_the_network"
        self.assertEqual(self.check({"index.html": '<script src="a.js"></script><a href="https://example.org/">e</a>'}, test)[0], 0)
        planted = {"index.html": '<script src="https://cdn.example.org/a.js"></script><img src="//example.org/b.png">',
                   "a.css": "@import url('https://fonts.example.org/f.css');"}
        code, text = self.check(planted, test)
        self.assertNotEqual(code, 0)
        for host in ("cdn.example.org", "//example.org/b.png", "fonts.example.org"):
            self.assertTrue(re.search(re.escape(host), text), host)

    def test_missing_images(self):
        test = "test_images_styles_and_scripts_exist"
        self.assertNotEqual(self.check({"index.html": '<img src="gone.svg">'}, test)[0], 0)
        self.assertEqual(self.check({"a/b.css": "p { background: url('c.svg'), url(data:image/svg+xml;charset=utf-8,x) }", "a/c.svg": ""}, test)[0], 0)
        for address in ("gone.svg", "/a/c.svg"):
            self.assertNotEqual(self.check({"a/b.css": f"p {{ background: url({address}) }}", "a/c.svg": ""}, test)[0], 0)

    def test_timing(self):
        test = "test_timing_a_kernel_is_two_clicks_away"
        names = {"id0": "C", "id1": "C++", "id2": "Python", "id3": "Java", "id4": "C#"}
        sections = "".join(f'<section id="{name}">\n<h3>Time a kernel in {language}</h3>elapsed</section>' for name, language in names.items())
        links = "".join(f'<a href="#{name}">x</a>' for name in names)
        self.assertEqual(self.check({"index.html": '<a href="howto.html">h</a>', "howto.html": links + sections}, test)[0], 0)
        self.assertNotEqual(self.check({"index.html": "", "howto.html": links + sections}, test)[0], 0)
        self.assertNotEqual(self.check({"index.html": '<a href="howto.html">h</a>', "howto.html": sections}, test)[0], 0)

    def test_tools_are_required_in_continuous_integration(self):
        for ci, code in (("true", 1), ("", 77)):
            done = subprocess.run([sys.executable, "-B", Path(__file__).with_name("try_site.py"), "/", "/"], capture_output=True, text=True,
                                  env={**os.environ, "CI": ci, "PATH": "/nowhere"})
            self.assertEqual(done.returncode, code)
            self.assertIn("not installed: doxygen", done.stdout)


if __name__ == "__main__":
    unittest.main()
