#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walks through the checklist of a release, and changes nothing: checklist.py

Each line is a step with "ok" or "open", and what is left to do. The packages are those of dist/ and build-deb/.
docs/releasing.md describes the steps. The exit code is 1 if a step is open.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import archive  # noqa: E402
import contents  # noqa: E402
import parts  # noqa: E402
import wheel  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
# The files of each kind. Several wheels of one machine are for several Pythons.
PACKAGES = {
    "wheel": ("cucore-{}-*_x86_64.whl", "cucore-{}-*_aarch64.whl"),
    "source archive": ("cucore-{}.tar.gz",),
    "jars": ("cucore.jar", "cucore-sources.jar", "cucore-javadoc.jar", "pom.xml"),
    "NuGet packages": ("Cucore.{}.nupkg", "Cucore.{}.snupkg"),
}


def output(*command):
    done = subprocess.run(list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout.strip()


def version():
    number = parts.version()
    places = re.search(r'^places="(.*)"$', (ROOT / "tools/release.sh").read_text(), re.M)[1].split()
    wrong = [place for place in places if number not in (ROOT / place).read_text(encoding="utf-8")]
    return not wrong, f"{number} in {len(places)} files" if not wrong else f"{number} is missing in {', '.join(wrong)}; run tools/release.sh"


def changelog():
    code, notes = output(sys.executable, "-B", "tools/changelog.py", "notes")
    if code:
        return False, notes
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = f"## [{parts.version()}]" in text
    entries = len(re.findall(r"^- ", notes, re.M))
    if released:
        return not entries, f"has {parts.version()}" if not entries else f"has {entries} entries that are not of {parts.version()}; run tools/release.sh"
    return False, f"{entries} entries are unreleased; run tools/release.sh {parts.version()} --perform"


def clean_tree():
    _, changed = output("git", "status", "--porcelain")
    return not changed, "no changes" if not changed else f"{len(changed.splitlines())} files have changes; commit or remove them"


def tag():
    name = f"v{parts.version()}"
    _, at = output("git", "tag", "-l", name, "--points-at", "HEAD")
    command = f"git tag -s {name} -F NOTES --cleanup=verbatim"
    if not at:
        return False, f"{name} is not at this commit; tools/release.sh makes it, or: {command}"
    code, shown = output("git", "verify-tag", name)
    return code == 0, f"{name} is signed" if code == 0 else f"{name} has no valid signature; delete it, then: {command}"


def packages():
    """{kind: (its files, the names that no file has)}."""
    number = parts.version()
    result = {}
    for kind, names in PACKAGES.items():
        found = {name.format(number): sorted(DIST.glob(name.format(number))) for name in names}
        result[kind] = [path for paths in found.values() for path in paths], [name for name, paths in found.items() if not paths]
    return result


def debian():
    """Whether build-deb has each package that debian/control names."""
    names = re.findall(r"^Package: (\S+)$", (ROOT / "debian/control").read_text(encoding="utf-8"), re.M)
    missing = [name for name in names if not list((ROOT / "build-deb/packages").glob(f"{name}_{parts.version()}_*.deb"))]
    return not missing, f"{len(names)} packages" if not missing else f"{', '.join(missing)}: missing; ./run deb builds all"


def faults(path):
    """The faults of a wheel, and a machine whose libraries a package lacks."""
    if path.suffix == ".whl":
        yield from wheel.faults(path)
    if path.name == "pom.xml" and f"<version>{parts.version()}</version>" not in path.read_text(encoding="utf-8"):
        yield f"the version is not {parts.version()}"
    if path.name == "cucore.jar" or path.suffix == ".nupkg":
        listed = archive.read(path)
        for folder in ("native/linux-x86-64/", "native/linux-aarch64/") if path.suffix == ".jar" else ("runtimes/linux-x64/", "runtimes/linux-arm64/"):
            if not any(name.startswith(folder) for name in listed):
                yield f"no file of {folder}; run ./run packages as root"


def differences(wheels):
    """The parts of which the wheels list different versions. Debian was then not updated for one of the machines."""
    versions = {}
    for path in wheels:
        for name, (data, _) in archive.read(path).items():
            if name.endswith("/sboms/cucore.cdx.json"):
                for part in json.loads(data)["components"]:
                    versions.setdefault(part["name"], {}).setdefault(part.get("version", "unknown"), []).append(path.name)
    for part, of in versions.items():
        if len(of) > 1:
            text = ", ".join(f"{number} in {names[0]}" for number, names in sorted(of.items()))
            yield f"{part} is {text}; update Debian's packages, then ./run packages"


def check(kind, paths, missing):
    """(whether the files of a kind are complete and without faults, the text of the line)."""
    wrong = [f"{path.name}: {fault}" for path in paths for fault in faults(path)]
    wrong += differences(paths) if kind == "wheel" else []
    if missing:
        wrong.append(f"{', '.join(missing) + ': ' if paths else ''}missing; ./run packages builds it")
    return not wrong, "; ".join(wrong) or ", ".join(path.name for path in paths)


def main():
    results = [("version", *version()), ("changelog", *changelog()), ("clean tree", *clean_tree()), ("signed tag", *tag())]
    found = packages()
    for kind, (paths, missing) in found.items():
        results.append((kind, *check(kind, paths, missing)))
    results.append(("Debian packages", *debian()))
    for name, is_done, text in results:
        print(f"{'ok' if is_done else 'open':4}  {name:15} {text}")
    present = [path for paths, _ in found.values() for path in paths if path.suffix != ".xml"]
    if present:
        print("\n" + contents.table(present))
    return 0 if all(is_done for _, is_done, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
