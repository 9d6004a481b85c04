# SPDX-License-Identifier: Apache-2.0
"""Builds the site and checks it, as ./run docs does: try_site.py ROOT BUILD

Without a browser or another tool the test is skipped. In continuous integration, which installs all of them, it fails.
"""
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

SKIP = 1 if os.environ.get("CI") == "true" else 77
root, build = Path(sys.argv[1]), Path(sys.argv[2])
missing = [name for name in ("doxygen", "javadoc", "mcs", "mono") if not shutil.which(name)] + \
    [name for name in ("sphinx", "myst_parser", "furo") if not importlib.util.find_spec(name)]
if missing:
    print("not installed:", *missing)
    sys.exit(SKIP)
tools, out = root / "tools/site", build / "site"
for step in (("build.py", root, build, out), ("check_site.py", out / "html", out / "parts/rows.json"), ("check_browser.py", out / "html", out / "screenshots")):
    done = subprocess.run([sys.executable, "-B", tools / step[0], *step[1:]])
    if done.returncode:
        sys.exit(SKIP if done.returncode == 77 else done.returncode)
