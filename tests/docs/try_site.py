# SPDX-License-Identifier: Apache-2.0
"""Builds the site and checks it: try_site.py ROOT BUILD. Without the tools of ./run docs the test is skipped."""
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

SKIP = 77
root, build = Path(sys.argv[1]), Path(sys.argv[2])
missing = [name for name in ("doxygen", "javadoc", "mcs", "mono") if not shutil.which(name)] + \
    [name for name in ("sphinx", "myst_parser", "furo") if not importlib.util.find_spec(name)]
if missing:
    print("not installed:", *missing)
    sys.exit(SKIP)
tools, out = root / "tools/site", build / "site"
done = subprocess.run([sys.executable, "-B", tools / "build.py", root, build, out])
if done.returncode == 0:
    done = subprocess.run([sys.executable, "-B", tools / "check_site.py", out / "html", out / "parts/rows.json"])
sys.exit(done.returncode)
