# SPDX-License-Identifier: Apache-2.0
"""A page in a headless browser: it draws, has no error, and requests nothing but its own file.

    test_browser.py WRITE_SAMPLES
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WRITE_SAMPLES = sys.argv[1]
del sys.argv[1:]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if not CHROMIUM:
    print("skipped: chromium is not installed")
    sys.exit(77)
# No proxy listens there, so that nothing leaves the machine.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
         "--disable-component-update", "--proxy-server=127.0.0.1:9", "--window-size=1300,1500", "--enable-logging=stderr"]
CONTROL = '<html><img src="http://127.0.0.1:9/picture.png"><script>nothing();</script></html>'
OF_BROWSER = "not an origin"  # the browser's own requests, such as that for an update


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        subprocess.run([WRITE_SAMPLES, cls.folder], check=True)
        (cls.folder / "control.html").write_text(CONTROL)

    def first_columns(self, page, width):
        """Returns the widths of the first column of each table in a window, and the width that the page needs."""
        text = (self.folder / f"{page}.html").read_text().replace("default-src 'none'", "default-src 'unsafe-inline'")
        script = """<script>document.title = [...document.querySelectorAll("th.name")].map((each) => Math.round(each.getBoundingClientRect().width)).join()
            + ";" + document.documentElement.scrollWidth;</script>"""
        (self.folder / f"{page}_measured.html").write_text(text.replace("</body>", script + "</body>"))
        done = subprocess.run([CHROMIUM, *FLAGS, f"--window-size={width},1000", f"--user-data-dir={self.folder}/browser", "--dump-dom",
                               f"file://{self.folder}/{page}_measured.html"], capture_output=True, text=True, timeout=240, check=False)
        columns, _, needed = re.search(r"<title>([\d,]+)(;)(\d+)</title>", done.stdout).groups()
        return [int(each) for each in columns.split(",")], int(needed)

    def open(self, page):
        """Returns the elements of a page after its scripts, its messages, and the addresses that it requested."""
        log = self.folder / f"{page}.netlog"
        done = subprocess.run([CHROMIUM, *FLAGS, f"--user-data-dir={self.folder}/browser", f"--log-net-log={log}", "--virtual-time-budget=3000",
                               "--dump-dom", f"file://{self.folder}/{page}.html"], capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        parameters = [event.get("params", {}) for event in json.loads(log.read_text(errors="replace"))["events"]]
        requested = {each["url"] for each in parameters if "url" in each and each.get("initiator", OF_BROWSER) != OF_BROWSER}
        return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE:" in line], requested

    def test_a_page_with_requests_is_found(self):
        _, messages, requested = self.open("control")
        self.assertEqual(requested, {"http://127.0.0.1:9/picture.png"})
        self.assertEqual(len(messages), 1, messages)

    def test_pages_draw_and_request_nothing(self):
        page, messages, requested = self.open("slow_transpose")
        self.assertEqual((messages, requested), ([], set()))
        roofline = re.search(r'<section id="roofline".*?</section>', page, re.S).group(0)
        self.assertEqual(roofline.count("<circle"), 4)
        self.assertRegex(page, r"<canvas[^>]* width=")

    def test_a_narrow_window_keeps_names_readable(self):
        columns, needed = self.first_columns("slow_transpose", 500)
        self.assertGreaterEqual(len(columns), 3)
        self.assertGreaterEqual(min(columns), 120)
        self.assertLessEqual(needed, 500, "tables scroll by themselves")

    def test_hostile_names_do_nothing(self):
        _, messages, requested = self.open("hostile")
        self.assertEqual((messages, requested), ([], set()))


if __name__ == "__main__":
    unittest.main()
