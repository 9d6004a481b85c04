#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Screenshots of the site by headless Chromium: screenshots.py HTML OUT

Each page is taken in two widths, and in light and dark mode. A page that is wider than its window fails. Chromium is not among
the packages of ./run setup; without it the script returns 77.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PAGES = ["index.html", "tutorials/python.html", "api/c/event.html", "performance.html", "howto.html", "courses/java/03_events.html",
         "api/javadoc/io/cucore/CudaEvent.html", "api/csharp/CudaEvent.html"]
WIDTHS = (390, 1280)
HEIGHT = 1600
SKIP = 77
# Chromium does not make a window as narrow as a phone, so a frame of the width has the page.
FRAME = """<!doctype html><body style="margin:0;background:#888"><iframe id="f" style="border:0;width:{width}px;height:{height}px" src="{url}"></iframe>
<p id="r"></p><script>
f.onload = () => {{
  const d = f.contentDocument;
  {script}
  r.textContent = "width=" + d.documentElement.scrollWidth + " text=" + d.body.innerText.trim().length;
}};
</script>"""
# Furo's own switch, and the media query of javadoc.
DARK = 'if (d.body.dataset.theme) d.body.dataset.theme = "dark";'


def chromium(arguments, home):
    command = [CHROMIUM, "--headless", "--disable-gpu", "--no-sandbox", "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run",
               "--allow-file-access-from-files", "--virtual-time-budget=5000", f"--user-data-dir={home}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def take(html, out, page, width, dark):
    """Returns the fault of one screenshot, or None."""
    with tempfile.TemporaryDirectory() as home:
        frame = Path(home) / "frame.html"
        frame.write_text(FRAME.format(width=width, height=HEIGHT, url=(html / page).as_uri(), script=DARK if dark else ""))
        preference = ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
        name = f"{re.sub(r'[/.]', '-', page.removesuffix('.html'))}-{width}{'-dark' if dark else ''}.png"
        size = f"--window-size={max(width, 500)},{HEIGHT}"
        read = chromium([*preference, size, "--dump-dom", frame.as_uri()], f"{home}/a")
        chromium([*preference, size, f"--screenshot={out / name}", frame.as_uri()], f"{home}/b")
    found = re.search(r'<p id="r">width=(\d+) text=(\d+)', read.stdout)
    if not found or not (out / name).exists():
        return f"{page} at {width}: Chromium did not show it: {read.stderr[-300:]}"
    if int(found[1]) > width:
        return f"{page} at {width}: the page is {found[1]} pixels wide"
    return None if int(found[2]) > 200 else f"{page} at {width}: the page has almost no text"


def main(html, out):
    html, out = Path(html).resolve(), Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    jobs = [(page, width, dark) for page in PAGES if (html / page).exists() for width in WIDTHS for dark in (False, True)]
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        faults = [fault for fault in pool.map(lambda job: take(html, out, *job), jobs) if fault]
    print(*faults, f"{len(jobs)} screenshots: {out}", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not CHROMIUM:
        print("Chromium is not installed (Debian: chromium), so no screenshot was taken")
        sys.exit(SKIP)
    sys.exit(main(*sys.argv[1:]))
