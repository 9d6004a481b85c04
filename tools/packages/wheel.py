#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel that runs on other systems, and checks one.

  wheel.py repair WHEEL FOLDER   writes the wheel into FOLDER. It adds the libraries that the wheel needs, the tag of
                                 the oldest glibc, notices and a list of parts. The bytes are equal in each build.

  wheel.py sdist ARCHIVE         writes the source archive again, with equal bytes in each build

  wheel.py check WHEEL           fails if a file needs a library that neither the wheel nor each system has. It also
                                 fails if the tag, RECORD or a notice is wrong.
"""
import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import archive  # noqa: E402
import elf  # noqa: E402
import parts  # noqa: E402

LIBRARIES = ".cucore.mesonpy.libs"
ROOT = Path(__file__).resolve().parents[2]
# Plug-ins that a program opens by a URL. On a system without their library, the call fails with the name of the library.
OPTIONAL = {"cucore-remote-http.so": {"libcurl.so.4"}}
PLATFORM = re.compile(r"-((?:linux|manylinux_2_\d+)_\w+)\.whl$")


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def info_folder(files):
    [folder] = {name.split("/")[0] for name in files if name.split("/")[0].endswith(".dist-info")}
    return folder


def elf_files(folder):
    return sorted(p for p in Path(folder).rglob("*") if p.is_file() and not p.is_symlink() and elf.is_elf(p))


def run(*command):
    subprocess.run(list(map(str, command)), check=True)


def machine_of(folder):
    """The one machine of the files."""
    machines = sorted({elf.read(p).machine for p in elf_files(folder)})
    if len(machines) != 1:
        raise ValueError(f"the wheel has files for {' and '.join(machines) or 'no machine'}; expected one machine")
    return machines[0]


def missing(folder):
    """The libraries outside of the wheel that its files need, each with the files."""
    own = {p.name for p in elf_files(folder)}
    result = {}
    for path in elf_files(folder):
        for name in elf.read(path).libraries:
            if name not in own and not elf.OF_THE_SYSTEM.fullmatch(name) and name not in OPTIONAL.get(path.name, ()):
                result.setdefault(name, []).append(path)
    return result


def bundle(folder):
    """Copies libraries of this machine into the wheel, under names that no other package uses."""
    machine = machine_of(folder)
    while found := missing(folder):
        for name, users in found.items():
            source = elf.find_library(name, machine)
            stem, _, version = name.partition(".so")
            target = folder / LIBRARIES / f"{stem}-{hashlib.sha256(source.read_bytes()).hexdigest()[:8]}.so{version}"
            target.write_bytes(source.read_bytes())
            target.chmod(0o755)
            run(elf.tool("strip", machine), "--strip-unneeded", target)
            run("patchelf", "--set-soname", target.name, "--set-rpath", "$ORIGIN", target)
            for user in users:
                run("patchelf", "--replace-needed", name, target.name, user)


def set_run_paths(folder):
    """A file searches the folder of the libraries relative to itself, and nowhere else."""
    strip = elf.tool("strip", machine_of(folder))
    for path in elf_files(folder):
        run(strip, "--strip-unneeded", path)
        relative = os.path.relpath(folder / LIBRARIES, path.parent)
        run("patchelf", "--set-rpath", "$ORIGIN" if relative == "." else f"$ORIGIN/{relative}", path)


def platform(folder):
    return f"manylinux_2_{elf.oldest_glibc([elf.read(p) for p in elf_files(folder)])}_{machine_of(folder)}"


def record(files, folder):
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, (data, _) in files.items():
        rows.writerow([name, digest(data), len(data)])
    rows.writerow([f"{folder}/RECORD", "", ""])
    return text.getvalue().encode()


def repair(wheel, out):
    files = archive.read(wheel)
    info = info_folder(files)
    del files[f"{info}/RECORD"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, (data, mode) in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(mode)
        set_run_paths(folder)
        bundle(folder)
        tag = platform(folder)
        files = {p.relative_to(folder).as_posix(): (p.read_bytes(), 0o755 if os.access(p, os.X_OK) and elf.is_elf(p) else 0o644)
                 for p in folder.rglob("*") if p.is_file()}
    about = f"{info}/WHEEL"
    files[about] = (re.sub(rb"(?m)^(Tag: \S+-)[^-\s]+$", rb"\1" + tag.encode(), files[about][0]).rstrip() + b"\n", 0o644)
    for name in ("LICENSE", "THIRD_PARTY.md"):
        files[f"{info}/licenses/{name}"] = ((ROOT / name).read_bytes(), 0o644)
    files[f"{info}/sboms/cucore.cdx.json"] = (parts.cyclonedx("wheel").encode(), 0o644)
    files = dict(sorted(files.items(), key=lambda f: (f[0].startswith(info), f[0])))
    files[f"{info}/RECORD"] = (record(files, info), 0o644)
    target = Path(out) / PLATFORM.sub(f"-{tag}.whl", Path(wheel).name)
    target.parent.mkdir(parents=True, exist_ok=True)
    archive.write_zip(target, files)
    return target


def faults(wheel):
    """Lists the faults of a wheel."""
    files = archive.read(wheel)
    info = info_folder(files)
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(files[f"{info}/RECORD"][0].decode()))}
    for name in sorted(rows.keys() ^ files.keys()):
        yield f"{name} is in one of RECORD and the archive alone"
    for name in sorted((rows.keys() & files.keys()) - {f"{info}/RECORD"}):
        if rows[name] != [digest(files[name][0]), str(len(files[name][0]))]:
            yield f"{name} differs from its row in RECORD"
    tag = PLATFORM.search(Path(wheel).name)[1]
    if f"-{tag}\n" not in files[f"{info}/WHEEL"][0].decode():
        yield f"the file WHEEL lacks the tag {tag} of the name"
    for name in (f"{info}/licenses/LICENSE", f"{info}/licenses/THIRD_PARTY.md", f"{info}/sboms/cucore.cdx.json"):
        if name not in files:
            yield f"{name} is missing"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, (data, mode) in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        for library, users in missing(folder).items():
            yield f"{library} is neither in the wheel nor on each system; {users[0].name} needs it"
        if platform(folder) != tag:
            yield f"the tag is {tag}; expected {platform(folder)} by the versions of symbols"


def main(command, path, *more):
    if command == "repair":
        print(repair(path, *more))
    elif command == "sdist":
        files = archive.read(path)
        archive.write_tar_gz(path, dict(sorted(files.items())))
    elif command == "check":
        found = list(faults(path))
        print("\n".join(found) or f"{Path(path).name}: no faults")
        return len(found) != 0
    else:
        sys.exit(f"wheel.py: '{command}' is not a command; expected repair, sdist or check")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
