# SPDX-License-Identifier: Apache-2.0
"""The script that makes a release: check_release.py ROOT"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
NEXT = "7.3.11"
sys.path.insert(0, str(ROOT / "tools/packages"))
import archive  # noqa: E402
import elf  # noqa: E402
import wheel  # noqa: E402

TOOLS = {"ninja": 'echo "$*" >> "$RELEASE_LOG"', "abidw": 'echo "$*" >> "$RELEASE_LOG"', "abidiff": "exit 1"}


def write_wheel(path, machine, version_of_a_part):
    """A wheel without faults, whose one file of machine code has only a header."""
    [number] = [number for number, name in elf.MACHINES.items() if name == machine]
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + (3).to_bytes(2, "little") + number.to_bytes(2, "little") + (1).to_bytes(4, "little") + bytes(28)
    header += (64).to_bytes(2, "little") + bytes(10)
    info = "cucore.dist-info"
    parts = {"components": [{"name": "zstd", "version": version_of_a_part}, {"name": "libcurl"}]}
    contents = {"cucore/_cucore.so": header, f"{info}/WHEEL": f"Tag: cp311-cp311-{wheel.PLATFORM.search(path.name)[1]}\n".encode(),
                f"{info}/licenses/LICENSE": b"", f"{info}/licenses/THIRD_PARTY.md": b"", f"{info}/sboms/cucore.cdx.json": json.dumps(parts).encode()}
    files = {name: (data, 0o644) for name, data in contents.items()}
    archive.write_zip(path, files | {f"{info}/RECORD": (wheel.record(files, info), 0o644)})


class Release(unittest.TestCase):
    """A repository with the files that carry the version, in which the build and abidw only log
    their calls."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        script = (ROOT / "tools/release.sh").read_text()
        self.places = re.search(r'^places="(.*)"$', script, re.M)[1].split()
        for name in (*self.places, "include/cucore/version.h", "CHANGELOG.md", "tools/release.sh", "tools/changelog.py", "changes/README.md", "tests/abi/abi_baseline.py"):
            target = self.folder / "tree" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
        (self.folder / "tree/changes/a-thing.fixed.md").write_text("A thing works.\n")
        self.log = self.folder / "log"
        for name, body in TOOLS.items():
            path = self.folder / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "RELEASE_LOG": str(self.log), "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1", **{f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER")
                                           for what in ("NAME", "EMAIL")}}
        self.old = re.search(r"version: '(.*)'", (ROOT / "meson.build").read_text())[1]
        self.git("init", "-q")
        self.commit()

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.folder / "tree", env=self.environment, check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "start")

    def release(self, *words):
        done = subprocess.run(["sh", "tools/release.sh", *words], cwd=self.folder / "tree", env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def read(self, name):
        return (self.folder / "tree" / name).read_text()

    def edit(self, name, pattern, replacement):
        text, count = re.subn(pattern, replacement, self.read(name), flags=re.S)
        self.assertGreater(count, 0)
        (self.folder / "tree" / name).write_text(text)

    def expect_refusal(self, text, *words):
        before = self.git("rev-parse", "HEAD"), self.git("status", "--porcelain"), self.git("tag")
        code, shown = self.release(*words)
        self.assertEqual(code, 1, shown)
        self.assertIn(text, shown)
        self.assertEqual(before, (self.git("rev-parse", "HEAD"), self.git("status", "--porcelain"), self.git("tag")))

    def test_a_dry_run_changes_nothing_and_shows_the_notes(self):
        code, shown = self.release(NEXT)
        self.assertEqual(code, 0, shown)
        for text in (f"set the version {self.old} to {NEXT}", "CHANGELOG.md", "freeze", f"tag v{NEXT}", "Nothing was changed"):
            self.assertIn(text, shown)
        first = re.search(r"^- .*", self.read("CHANGELOG.md"), re.M)[0]
        self.assertIn(first, shown)
        self.assertEqual((self.git("status", "--porcelain"), self.git("tag"), self.log.exists()), ("", "", False))

    def test_a_release(self):
        entries = re.search(r"^- .*", self.read("CHANGELOG.md"), re.M)[0]
        code, shown = self.release(NEXT, "--perform", "--build", "somewhere")
        self.assertEqual(code, 0, shown)
        for place in self.places:
            self.assertIn(NEXT, self.read(place), place)
            self.assertNotIn(self.old, self.read(place), place)
        self.assertEqual(re.findall(r"#define CUCORE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)\n", self.read("include/cucore/version.h")),
                         NEXT.split("."))
        self.assertRegex(self.read("CHANGELOG.md"), rf"## \[Unreleased\]\n\n## \[{re.escape(NEXT)}\] - \d{{4}}-\d\d-\d\d\n")
        self.assertIn("\n- A thing works.\n", self.read("CHANGELOG.md"))
        self.assertEqual([p.name for p in (self.folder / "tree/changes").iterdir()], ["README.md"])
        calls = self.log.read_text()
        self.assertIn(f"-C somewhere src/cucore/libcucore.so.{NEXT}", calls)
        self.assertIn("baseline.abi", calls)
        self.assertEqual(self.git("log", "-1", "--format=%s").strip(), f"release: {NEXT}")
        notes = self.git("for-each-ref", f"refs/tags/v{NEXT}", "--format=%(contents)")
        self.assertIn(entries, notes)
        self.assertIn("- A thing works.", notes)
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.expect_refusal(f"{NEXT} is the current version", NEXT)
        self.expect_refusal("lower than the current version", "7.3.10")

    def test_wrong_words(self):
        for words, text in (([], "expected a version"), (["1.2"], "'1.2' is not a version"), (["v1.2.3"], "is not a version"),
                            (["1.02.3"], "is not a version"), ([NEXT, "--force"], "'--force' is not an option"),
                            ([NEXT, "8.0.0"], "expected one version"), ([NEXT, "--build"], "--build requires a folder")):
            self.expect_refusal(text, *words)

    def test_a_changed_tree_is_refused(self):
        self.edit("docs/csharp.md", r"\Z", "more\n")
        self.expect_refusal("the working tree has changes", NEXT, "--perform")

    def test_an_existing_tag_is_refused(self):
        self.git("tag", f"v{NEXT}")
        self.expect_refusal(f"the tag v{NEXT} exists", NEXT, "--perform")

    def test_an_empty_changelog_is_refused(self):
        self.edit("CHANGELOG.md", r"(## \[Unreleased\]\n).*", r"\1\n## [0.0.1] - 2020-01-01\n- An entry.\n")
        (self.folder / "tree/changes/a-thing.fixed.md").unlink()
        self.commit()
        self.expect_refusal("no entry under Unreleased", NEXT, "--perform")

    def test_a_change_that_breaks_a_rule_is_refused(self):
        for name, text, message in (("thing.md", "A thing.", "thing.md: the name is not of the form TOPIC.KIND.md"),
                                    ("thing.added.md", "- A thing.", "thing.added.md: the text is not one paragraph"),
                                    ("thing.added.md", "One.\n\nTwo.", "thing.added.md: the text is not one paragraph")):
            path = self.folder / "tree/changes" / name
            path.write_text(text)
            self.commit()
            self.expect_refusal(message, NEXT, "--perform")
            path.unlink()

    def test_the_changes_of_this_repository_keep_the_rules(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "tools/changelog.py", "check"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_all_places_have_the_version_of_the_build(self):
        header = (ROOT / "include/cucore/version.h").read_text()
        self.assertEqual(".".join(re.findall(r"#define CUCORE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)\n", header)), self.old)
        for place in self.places:
            self.assertIn(self.old, (ROOT / place).read_text(), place)

    def test_a_file_without_the_version_is_refused(self):
        self.edit("docs/csharp.md", re.escape(self.old), "0.0.0")
        self.commit()
        self.expect_refusal(f"docs/csharp.md does not contain the version {self.old}", NEXT, "--perform")

    def checklist(self):
        """(the exit code, {step: (its state, its text)})."""
        tree = self.folder / "tree"
        if not (tree / "debian").is_dir():
            shutil.copytree(ROOT / "tools/packages", tree / "tools/packages", ignore=shutil.ignore_patterns("__pycache__"))
            (tree / "debian").mkdir()
            shutil.copy(ROOT / "debian/control", tree / "debian")
        done = subprocess.run([sys.executable, "-B", "tools/packages/checklist.py"], cwd=tree, env=self.environment, stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, {row[6:21].strip(): (row[:4].strip(), row[22:]) for row in done.stdout.splitlines() if row[:5] in ("ok   ", "open ")}

    def test_the_checklist_lists_what_is_missing(self):
        tree = self.folder / "tree"
        code, steps = self.checklist()
        self.assertEqual(code, 1)
        self.assertEqual(steps["version"][0], "ok")
        self.assertEqual({step for step, (state, _) in steps.items() if state == "open"},
                         {"changelog", "clean tree", "signed tag", "wheel", "source archive", "jars", "NuGet packages", "Debian packages"})
        self.assertEqual(steps["wheel"][1], "missing; ./run packages builds it")
        names = re.findall(r"^Package: (.+)$", (tree / "debian/control").read_text(), re.M)
        self.assertEqual(steps["Debian packages"][1], f"{', '.join(names)}: missing; ./run deb builds all")
        (tree / "build-deb/packages").mkdir(parents=True)
        for name in names:
            (tree / f"build-deb/packages/{name}_{self.old}_amd64.deb").touch()
        self.assertEqual(self.checklist()[1]["Debian packages"], ("ok", f"{len(names)} packages"))

    def test_a_package_without_one_of_its_files_is_open(self):
        dist = self.folder / "tree/dist"
        dist.mkdir()
        files = {"cucore.jar": "native/linux-{}/a", "cucore-sources.jar": "a", "cucore-javadoc.jar": "a",
                 f"Cucore.{self.old}.nupkg": "runtimes/linux-{}/native/a", f"Cucore.{self.old}.snupkg": "a"}
        machines = {"cucore.jar": ("x86-64", "aarch64"), f"Cucore.{self.old}.nupkg": ("x64", "arm64")}
        for name, file in files.items():
            archive.write_zip(dist / name, {file.format(machine): (b"", 0o644) for machine in machines.get(name, ("",))})
        (dist / "pom.xml").write_text(f"<version>{self.old}</version>")
        wheels = {machine: dist / f"cucore-{self.old}-cp311-cp311-manylinux_2_17_{machine}.whl" for machine in elf.MACHINES.values()}
        for machine, path in wheels.items():
            write_wheel(path, machine, "1.5.4")
        _, steps = self.checklist()
        self.assertEqual(steps["wheel"], ("ok", ", ".join(path.name for path in wheels.values())))
        self.assertEqual((steps["jars"][0], steps["NuGet packages"][0]), ("ok", "ok"))
        for step, name in (("jars", "cucore-javadoc.jar"), ("jars", "pom.xml"), ("NuGet packages", f"Cucore.{self.old}.snupkg"),
                           ("wheel", wheels["aarch64"].name)):
            (dist / name).rename(self.folder / name)
            state, text = self.checklist()[1][step]
            self.assertEqual(state, "open", name)
            self.assertRegex(text, r"(aarch64\.whl|\.jar|\.xml|\.snupkg): missing; \./run packages builds it$")
            (self.folder / name).rename(dist / name)
        (dist / "pom.xml").write_text(f"<version>{NEXT}</version>")
        self.assertEqual(self.checklist()[1]["jars"], ("open", f"pom.xml: the version is not {self.old}"))

    def test_wheels_with_different_versions_of_a_part_are_open(self):
        dist = self.folder / "tree/dist"
        dist.mkdir()
        for machine, version in (("x86_64", "1.5.4"), ("aarch64", "1.5.5")):
            write_wheel(dist / f"cucore-{self.old}-cp311-cp311-manylinux_2_17_{machine}.whl", machine, version)
        name = f"cucore-{self.old}-cp311-cp311-manylinux_2_17"
        self.assertEqual(self.checklist()[1]["wheel"], ("open", f"zstd is 1.5.4 in {name}_x86_64.whl, 1.5.5 in {name}_aarch64.whl; "
                                                                "update Debian's packages, then ./run packages"))

    def test_two_builds_are_compared(self):
        tree, python = self.folder / "tree", self.folder / "bin/python3"
        (tree / "tools/packages").mkdir()
        shutil.copy(ROOT / "tools/packages/reproduce.sh", tree / "tools/packages")
        self.commit()
        for body, code, text in (("echo equal > $archive", 0, "equal bytes in two folders"), ("pwd > $archive", 1, "the packages of the two folders differ"),
                                 ("exit 3", 3, ""), (":", 123, "No such file")):
            python.write_text(f"#!/bin/sh\narchive=dist/cucore-{self.old}.tar.gz\nmkdir -p dist\n{body}\n")
            python.chmod(0o755)
            done = subprocess.run(["sh", "tools/packages/reproduce.sh", "sdist"], cwd=tree, env=self.environment | {"LC_ALL": "C"},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stdout)
            self.assertIn(text, done.stdout)
            self.assertEqual("equal bytes" in done.stdout, code == 0)


if __name__ == "__main__":
    unittest.main()
