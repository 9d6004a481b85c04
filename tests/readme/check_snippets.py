# SPDX-License-Identifier: Apache-2.0
"""Compares the pages with the sources: snippets with the examples, and transcripts with the command. Links and
paths are compared with the files, environment variables with the code that reads them.

    check_snippets.py ROOT COMMAND           checks
    check_snippets.py ROOT COMMAND --update  writes snippets into the pages, and README.md's transcripts
"""
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT, COMMAND = Path(sys.argv.pop(1)), Path(sys.argv.pop(1)).resolve()
README = ROOT / "README.md"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bindings").rglob("*.md")]
SNIPPET = re.compile(r"(<!-- snippet: (\S+) (\S+) -->\n```(?:c|cpp|python|java|csharp)\n)(.*?)(```)", re.S)
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.S)
TRANSCRIPT = re.compile(r"(<!-- transcript -->\n```console\n)(.*?)(```)", re.S)
NO_NVRTC = "cannot load NVRTC"


def snippet(path, name):
    text = (ROOT / path).read_text()
    found = re.search(rf"(?:/\*|#|//) snippet: {name}(?: \*/)?\n(.*?)^\s*(?:/\*|#|//) end of snippet", text,
                      re.S | re.M)
    return textwrap.dedent(found.group(1))


def perform(transcript, files):
    """Returns the transcript that the command prints now; the commands are its lines after '$ '."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files:
            (Path(folder) / name).write_text(text)
        environment = dict(os.environ, PATH=f"{COMMAND.parent}:{os.environ['PATH']}")
        for command in re.findall(r"^\$ (.*(?:\\\n.*)*)", transcript, re.M):
            result = subprocess.run(command, shell=True, cwd=folder, env=environment, text=True,
                                    capture_output=True, timeout=120)
            if NO_NVRTC in result.stderr:
                raise unittest.SkipTest(result.stderr)
            if result.returncode:
                raise AssertionError(f"{command}: {result.stderr}")
            lines.append(f"$ {command}\n{result.stdout}")
    return "".join(lines)


def without_numbers(text):
    """Sizes differ between compilers, times between runs."""
    return re.sub(r"\d+\.\d+ ms|\d+ bytes", "N", text)


def prose(page):
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)


def anchors(page):
    """Returns the anchors of the headings of a page."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    return {re.sub(r"[^\w\s-]", "", title.lower()).strip().replace(" ", "-") for title in re.findall(r"^#+ (.*)", text, re.M)}


class Readme(unittest.TestCase):
    maxDiff = None

    def test_snippets_are_cut_from_the_examples(self):
        self.assertIsNotNone(SNIPPET.search(README.read_text()))
        for page in PAGES:
            for _, path, name, text, _ in SNIPPET.findall(page.read_text()):
                self.assertEqual(text, snippet(path, name), f"{page.name}: {path} {name}: run this with --update")

    def test_the_transcript_is_what_the_command_prints(self):
        text = README.read_text()
        found = TRANSCRIPT.findall(text)
        self.assertGreater(len(found), 0)
        for _, transcript, _ in found:
            self.assertEqual(without_numbers(transcript),
                             without_numbers(perform(transcript, FILE.findall(text))))


class Prose(unittest.TestCase):
    def test_links_lead_somewhere(self):
        seen = 0
        for page in PAGES:
            for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", prose(page)):
                path = page.parent / target if target else page
                self.assertTrue(path.exists(), f"{page.name}: {target}")
                if anchor:
                    seen += 1
                    self.assertIn(anchor, anchors(path), f"{page.name}: {target}")
        self.assertGreater(seen, 5)

    def test_paths_in_the_prose_exist(self):
        seen = 0
        for page in (ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "abi.md",
                     *(ROOT / "docs/decisions").glob("*.md")):
            for path in re.findall(r"`((?:src|tests|docs|include|tools|bindings|bench)/[\w./<>-]+)`", page.read_text()):
                seen += 1
                pattern = re.sub(r"<\w+>", "*", path)
                self.assertTrue(any(ROOT.glob(pattern)), f"{page.name}: {path}")
        self.assertGreater(seen, 100)

    def test_every_environment_variable_is_documented_and_every_documented_one_is_read(self):
        documented = set(re.findall(r"`(CUCORE_[A-Z_]+)`", (ROOT / "docs/environment.md").read_text()))
        documented -= {name for name in documented if name.startswith(("CUCORE_ERROR", "CUCORE_OK"))}
        read = set()
        for path in (ROOT / "src").rglob("*.?pp"):
            read |= set(re.findall(r'"(CUCORE_[A-Z_]+)"', path.read_text()))
        read = {name for name in read if not name.startswith("CUCORE_ERROR")}
        read -= {"CUCORE_OK", "CUCORE_STATUS_UNKNOWN"}
        self.assertEqual(documented, read)


def update():
    for page in PAGES:
        page.write_text(SNIPPET.sub(lambda m: m.group(1) + snippet(m.group(2), m.group(3)) + m.group(5), page.read_text()))
    text = README.read_text()
    files = FILE.findall(text)
    text = TRANSCRIPT.sub(lambda m: m.group(1) + perform(m.group(2), files) + m.group(3), text)
    README.write_text(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
