# SPDX-License-Identifier: Apache-2.0
"""The library still serves callers of the last release: abidiff against baseline.abi.

    abi_baseline.py LIBRARY INCLUDE            compares; skipped where abidiff is missing
    abi_baseline.py LIBRARY INCLUDE --freeze   writes baseline.abi, at a release
"""
import shutil
import subprocess
import sys
from pathlib import Path

SKIP = 77
HERE = Path(__file__).parent
BASELINE = HERE / "baseline.abi"
PUBLIC = ["--exported-interfaces-only", "--drop-private-types"]
# bits of abidiff's exit code: 1 it failed, 2 usage, 4 a change, 8 an incompatible change
BREAKS = 8


def freeze(library, include):
    subprocess.run(["abidw", *PUBLIC, "--headers-dir", include, "--no-corpus-path", "--no-elf-needed",
                    "--no-comp-dir-path", "--no-show-locs", "--short-locs", "--no-parameter-names",
                    "--out-file", BASELINE, library], check=True)


def compare(library, include):
    result = subprocess.run(["abidiff", *PUBLIC, "--suppressions", HERE / "growth.ini",
                             "--headers-dir2", include, BASELINE, library],
                            capture_output=True, text=True)
    print(result.stdout, result.stderr)
    if result.returncode & (BREAKS | 3):
        return 1
    removed = "Removed" in result.stdout and "0 Removed" not in result.stdout
    return 1 if removed else 0


def main():
    library, include = Path(sys.argv[1]).resolve(), sys.argv[2]
    if not shutil.which("abidiff") or not shutil.which("abidw"):
        print("abigail-tools is not installed")
        return SKIP
    if sys.argv[3:] == ["--freeze"]:
        return freeze(library, include)
    return compare(library, include)


if __name__ == "__main__":
    sys.exit(main())
