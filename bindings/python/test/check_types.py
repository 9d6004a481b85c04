# SPDX-License-Identifier: Apache-2.0
"""The course and the programs of the tutorial are clean under mypy --strict with the package's stubs: check_types.py
ROOT. The package is in MYPYPATH."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
TUTORIAL = ROOT / "docs/tutorials/python.md"
FILE = re.compile(r"^<!-- file: (\w+\.py) -->\n```python\n(.*?)^```$", re.M | re.S)


def check(files):
    # NumPy and Dask may be missing; Dask has no types.
    config = ROOT / "bindings/python/mypy.ini"
    return subprocess.run(["mypy", "--config-file", config, "--strict", "--scripts-are-modules", *files], check=False).returncode


def main():
    with tempfile.TemporaryDirectory() as folder:
        course = sorted((ROOT / "examples/python").glob("*.py"))
        programs = [Path(folder) / name for name, _ in FILE.findall(TUTORIAL.read_text(encoding="utf-8"))]
        for path, (_, text) in zip(programs, FILE.findall(TUTORIAL.read_text(encoding="utf-8"))):
            path.write_text(text, encoding="utf-8")
        if len(course) < 10 or not programs:
            return f"only {len(course)} programs of the course and {len(programs)} of the tutorial were found"
        return check([*course, *programs])


sys.exit(main())
