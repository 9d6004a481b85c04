#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A table of packages: contents.py [--update PAGE | --check PAGE | --check-parts PAGE] PACKAGE...

Each row has the size, the number of files, the machines, and the libraries of the system. A list below has the machine code
inside. Debian packages have a table of their own, whose column of contents is written by hand.

--update writes the tables into a page, between "<!-- packages -->" and "<!-- end of packages -->", or between the same words
with "debian packages". --check compares the tables of a page with the packages: names, machines, libraries and machine code must
be equal, and sizes and numbers of files may differ by a tenth. --check-parts compares the machine code and the libraries alone,
for packages of another kind of build.
"""
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import archive  # noqa: E402
import elf  # noqa: E402

NAMES = {"x86_64": "x86-64", "aarch64": "AArch64"}
HEAD = ["| package | size | files | machine | libraries of the system |", "|---|---|---|---|---|"]
INSIDE = "Machine code inside:"
DEBIAN_HEAD = ["| package | contents | requires besides libc and libstdc++ | size |", "|---|---|---|---|"]
# Each program of the machine requires these.
OF_EACH = {"libc6", "libgcc-s1", "libstdc++6", "python3:any"}
ROW = re.compile(r"^\| `(.+?)` \| (.+) \|$", re.M)
TOLERANCE = 0.1


@dataclass(frozen=True)
class Facts:
    """A package as its row has it. Numbers are (size, unpacked size, files) in bytes and in files."""
    name: str
    numbers: tuple
    machines: str
    system: str
    inside: str


def plain(name):
    """The name of a library without digests and versions."""
    return re.sub(r"-[0-9a-f]{8}(?=\.so)", "", re.sub(r"\.cpython-\d+-[\w-]+(?=\.so)", "", name))


def listed(names):
    return ", ".join(f"`{name}`" for name in sorted(names)) or "none"


def facts(path):
    files = archive.read(path)
    inside, needed, machines = set(), set(), set()
    with tempfile.TemporaryDirectory() as folder:
        for name, (data, _) in files.items():
            if data[:4] != b"\x7fELF" or "/tests/" in name:
                continue
            file = Path(folder, "file")
            file.write_bytes(data)
            found = elf.read(file)
            inside.add(plain(name.split("/")[-1]))
            needed |= {plain(library) for library in found.libraries}
            machines.add(NAMES[found.machine])
    other = {name for name in needed - inside if not elf.OF_THE_SYSTEM.fullmatch(name)}
    return Facts(path.name, (path.stat().st_size, sum(len(data) for data, _ in files.values()), len(files)),
                 ", ".join(sorted(machines, reverse=True)) or "all", listed(other), listed(inside))


def row_of(each):
    size, unpacked, count = each.numbers
    return f"| `{each.name}` | {size / 1e6:.1f} MB, {unpacked / 1e6:.1f} MB unpacked | {count} | {each.machines} | {each.system} |"


def row(path):
    return row_of(facts(path))


def table(paths):
    """The rows, and the machine code of packages that have some, where equal packages share a line."""
    all_facts = [facts(path) for path in paths]
    names = {}
    for each in all_facts:
        names.setdefault(each.inside, []).append(f"`{each.name}`")
    lines = [f"- {', '.join(of)}: {inside}" for inside, of in names.items() if inside != "none"]
    return "\n".join([*HEAD, *map(row_of, all_facts), *(["", INSIDE, "", *lines] if lines else [])])


def megabytes(size):
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e6:.2f} MB"


def debian_row(path, contents):
    """A row with the given contents."""
    fields = subprocess.run(["dpkg-deb", "-f", path, "Package", "Depends"], check=True, capture_output=True, text=True).stdout
    name = re.search(r"^Package: (\S+)$", fields, re.M)[1]
    depends = re.search(r"^Depends: (.+)$", fields, re.M)
    requires = {each.split()[0] for each in depends[1].split(", ")} - OF_EACH if depends else set()
    return f"| `{name}` | {contents.get(name, '')} | {listed(requires)} | {megabytes(path.stat().st_size)} |"


def between(text, begin, end):
    """(the text before, between and after two lines)."""
    before, _, rest = text.partition(begin)
    inside, _, after = rest.partition(end)
    return before + begin, inside, end + after


def cells_of(block):
    return {name: cells.split(" | ") for name, cells in ROW.findall(block)}


def numbers(text):
    return [float(each) for each in re.findall(r"\d+\.\d+|\d+", text)]


def is_near(a, b):
    """Whether the numbers of two lists differ by at most a tenth, or by the last digit of a size."""
    return len(a) == len(b) and all(abs(x - y) <= max(TOLERANCE * max(x, y), 0.1) for x, y in zip(a, b))


def inside_of(block):
    """{package: its machine code} of a list."""
    return {name.strip("`"): inside for names, inside in re.findall(r"^- (`[^:]+`): (.+)$", block, re.M) for name in names.split(", ")}


def faults(shown, built, parts_alone):
    """The differences between a block of a page and one that was made from packages."""
    rows, made = cells_of(shown), cells_of(built)
    for name, cells in made.items():
        if name not in rows:
            yield f"{name} has no row"
            continue
        (*sizes, machines, system), (*here, machines_here, system_here) = cells, rows[name]
        if system_here != system:
            yield f"{name} has the libraries {system_here}; expected {system}"
        if not parts_alone and machines_here != machines:
            yield f"{name} is for {machines_here}; expected {machines}"
        if not parts_alone and not is_near(numbers(" ".join(here)), numbers(" ".join(sizes))):
            yield f"{name} has {' and '.join(here)} files; expected {' and '.join(sizes)}"
    for name, cells in inside_of(built).items():
        if inside_of(shown).get(name) != cells:
            yield f"{name} has the machine code {inside_of(shown).get(name)}; expected {cells}"
    if not parts_alone:
        yield from (f"{name} has a row, but was not given" for name in rows if name not in made)


def debian_faults(shown, built):
    rows, made = cells_of(shown), cells_of(built)
    yield from (f"{name} has a row, but was not given" for name in rows if name not in made)
    for name, (_, requires, size) in made.items():
        if name not in rows:
            yield f"{name} has no row"
        elif rows[name][1] != requires or not is_near(numbers(rows[name][2]), numbers(size)):
            yield f"{name} has {' and '.join(rows[name][1:])}; expected {requires} and {size}"


def main(words):
    option, page = (words.pop(0), Path(words.pop(0))) if words[0].startswith("--") else ("", None)
    paths = [Path(word) for word in words]
    is_debian = paths[0].suffix == ".deb"
    what = "debian packages" if is_debian else "packages"
    marks = f"<!-- {what} -->\n", f"<!-- end of {what} -->"
    before, shown, after = between(page.read_text(encoding="utf-8"), *marks) if page else ("", "", "")
    contents = {name: cells[0] for name, cells in cells_of(shown).items()}
    built = "\n".join([*DEBIAN_HEAD, *(debian_row(path, contents) for path in paths)]) if is_debian else table(paths)
    if option == "--update":
        page.write_text(f"{before}{built}\n{after}", encoding="utf-8")
    elif option in ("--check", "--check-parts"):
        found = [*(debian_faults(shown, built) if is_debian else faults(shown, built, option == "--check-parts"))]
        print(*found, f"{len(paths)} packages were compared with {page}: {len(found)} differences", sep="\n")
        return f"write the table of {page} by contents.py --update {page} PACKAGE..." if found else 0
    elif option:
        return f"contents.py: '{option}' is not an option; expected --update, --check or --check-parts"
    else:
        print(built)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
