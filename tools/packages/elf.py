# SPDX-License-Identifier: Apache-2.0
"""The libraries and versions of symbols that a file of machine code requires, read by readelf."""
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The libraries that every system of a manylinux tag has.
OF_THE_SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|libutil|libresolv|libgcc_s|libstdc\+\+|libatomic)\.so\.\d+|ld-linux-.*")
# The newest libstdc++ of the systems with a glibc, as PEP 600 requires it: (glibc 2.x, GLIBCXX 3.4.x).
STANDARD_LIBRARIES = ((17, 19), (24, 22), (28, 25), (31, 28), (34, 29), (35, 30), (38, 32), (39, 33))


@dataclass
class Needs:
    libraries: list
    versions: dict
    """The highest version of each family: {"GLIBC": (2, 34)}."""


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def read(path):
    environment = dict(os.environ, LC_ALL="C")
    text = subprocess.run(["readelf", "-d", "-V", "-W", path], capture_output=True, text=True, check=True, env=environment).stdout
    versions = {}
    inside = False
    for line in text.splitlines():
        if line.startswith("Version "):
            inside = line.startswith("Version needs section")
        for family, number in re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)", line) if inside else ():
            versions[family] = max(versions.get(family, (0,)), tuple(map(int, number.split("."))))
    return Needs(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*?)\]", text), versions)


def oldest_glibc(needs):
    """The least 2.x of a system on which the files run."""
    least = max((each.versions.get("GLIBC", (2, 0))[1] for each in needs), default=0)
    standard = max((each.versions.get("GLIBCXX", (3, 4, 0))[-1] for each in needs if len(each.versions.get("GLIBCXX", ())) == 3), default=0)
    for glibc, library in STANDARD_LIBRARIES:
        if library >= standard:
            return max(least, glibc)
    raise ValueError(f"GLIBCXX_3.4.{standard} is newer than the table of tools/packages/elf.py; expected at most 3.4.{library}; add a row")


def find_library(name):
    """The file that the loader of this machine takes for a name."""
    for line in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if words and words[0] == name and "=>" in words:
            return Path(words[-1]).resolve()
    raise FileNotFoundError(f"{name} is not a library of this machine; expected a line of ldconfig -p")
