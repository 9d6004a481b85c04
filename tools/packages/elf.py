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


# The machines of the packages, by the number in the header of a file. The names are those of uname.
MACHINES = {62: "x86_64", 183: "aarch64"}


@dataclass
class Needs:
    libraries: list
    versions: dict
    """The highest version of each family: {"GLIBC": (2, 34)}."""
    machine: str = ""


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def machine(data):
    """The machine of a file that begins with these bytes."""
    number = int.from_bytes(data[18:20], "little")
    if number not in MACHINES:
        raise ValueError(f"the machine of the file is {number}; expected one of {sorted(MACHINES)}; add a row to tools/packages/elf.py")
    return MACHINES[number]


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
    return Needs(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*?)\]", text), versions, machine(Path(path).read_bytes()[:20]))


def oldest_glibc(needs):
    """The least 2.x of a system on which the files run."""
    least = max((each.versions.get("GLIBC", (2, 0))[1] for each in needs), default=0)
    standard = max((each.versions.get("GLIBCXX", (3, 4, 0))[-1] for each in needs if len(each.versions.get("GLIBCXX", ())) == 3), default=0)
    for glibc, library in STANDARD_LIBRARIES:
        if library >= standard:
            return max(least, glibc)
    raise ValueError(f"GLIBCXX_3.4.{standard} is newer than the table of tools/packages/elf.py; expected at most 3.4.{library}; add a row")


def tool(name, of):
    """The program of binutils for files of a machine: that of this machine, or of Debian's cross compiler."""
    return name if of == os.uname().machine else f"{of}-linux-gnu-{name}"


def find_library(name, of):
    """The file that the loader of a machine takes for a name. The libraries of another machine are those of Debian's folder."""
    if of != os.uname().machine:
        found = Path("/usr/lib", f"{of}-linux-gnu", name)
        if not found.is_file():
            raise FileNotFoundError(f"{found} does not exist; expected a package of Debian for {of}")
        return found.resolve()
    for line in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if words and words[0] == name and "=>" in words and machine(Path(words[-1]).read_bytes()[:20]) == of:
            return Path(words[-1]).resolve()
    raise FileNotFoundError(f"{name} is not a library of this machine; expected a line of ldconfig -p")
