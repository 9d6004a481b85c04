# SPDX-License-Identifier: Apache-2.0
"""Compares lists of the pages with the sources: folders, include rules, origins of errors, subcommands, terms.

    check_pages.py ROOT COMMAND
"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import header_text  # noqa: E402

ROOT, COMMAND = Path(sys.argv.pop(1)), Path(sys.argv.pop(1)).resolve()


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def folders(path):
    """Returns the folders below one that contain files of the project; caches of tools begin with a
    dot or an underscore."""
    return {p.name for p in (ROOT / path).iterdir() if p.is_dir() and p.name[0] not in "._" and any(p.rglob("*.*"))}


def tree(page):
    """Returns {path: text} of the page's first listing; an indented line is below the folder before
    it."""
    found, parents = {}, {0: ""}
    for line in re.search(r"^```\n(.*?)^```", read(page), re.M | re.S)[1].splitlines():
        indent = len(line) - len(line.lstrip())
        names, text = re.match(r" *((?:[\w./|]+/ ?)+|\S+) *(.*)", line).groups()
        for name in names.split():
            found[parents[indent] + name.rstrip("/")] = text
            parents[indent + 2] = parents[indent] + name
    return found


class Pages(unittest.TestCase):
    maxDiff = None

    def test_errors_lists_every_origin(self):
        wanted = set(re.findall(r'"(\w+)"', re.search(r"Returns the component (.*?)@param", header_text.read(ROOT / "include/cucore.h"), re.S)[1]))
        used = set(re.findall(r'ToolkitResults \w+_RESULTS\{"(\w+)"', "".join(
            p.read_text() for p in (ROOT / "src/cucore/driver").glob("*.cpp")))) | {"cuda", "cucore"}
        self.assertEqual(wanted, used)
        row = re.search(r"`cucore_error_origin`: (.*?) \|", read("docs/errors.md"))[1]
        self.assertEqual(set(re.findall(r"`(\w+)`", row)), wanted)

    def test_architecture_lists_every_folder(self):
        listed = tree("ARCHITECTURE.md")
        table = read("ARCHITECTURE.md").split("## Include rules")[1]
        parts = {f"src/{name}" for name in re.findall(r"^\| `([^`]+)` \|", table, re.M) if (ROOT / "src" / name).is_dir()}
        self.assertEqual(parts - set(listed), set())
        for name in listed:
            self.assertTrue((ROOT / name).exists(), name)
        tests = {name for name in folders("tests") if (ROOT / "tests" / name / "meson.build").exists()}
        said = set(re.findall(r"\w+", listed["tests"]))
        self.assertEqual(tests - said, set())
        last = max(p.name for p in (ROOT / "examples/c").glob("*.c"))[:3]
        self.assertIn(f"c/{last}", listed["examples"])

    def test_bindings_list_every_folder(self):
        listed = {name.split("/")[0] for name in tree("bindings/README.md")}
        self.assertEqual(listed, folders("bindings"))

    def test_suites_of_tests_are_explained(self):
        suites = set()
        for path in [*ROOT.glob("tests/**/meson.build"), *ROOT.glob("bindings/**/meson.build"), ROOT / "examples/meson.build"]:
            for words in re.findall(r"suite: (\[.*?\]|'\w+')", path.read_text()):
                suites |= set(re.findall(r"'(\w+)'", words))
        table = read("CONTRIBUTING.md").split("## Tests")[1]
        said = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (.*?) \|", table, re.M))))
        self.assertEqual(suites - said, set())

    def test_decisions_are_numbered_and_complete(self):
        pages = sorted((ROOT / "docs/decisions").glob("0*.md"))
        self.assertEqual([int(page.name[:4]) for page in pages], list(range(1, len(pages) + 1)))
        self.assertGreater(len(pages), 9)
        listed = re.findall(r"^\| \[(\d{4})\]\((.*?)\) \| (.*?) \|$", read("docs/decisions/README.md"), re.M)
        titles = [page.read_text(encoding="utf-8").split("\n", 1)[0] for page in pages]
        self.assertEqual([(name, f"# {number}. {title}") for number, name, title in listed],
                         [(page.name, title) for page, title in zip(pages, titles)])
        for page in pages:
            self.assertEqual(re.findall(r"^## (.*)", page.read_text(encoding="utf-8"), re.M),
                             ["Context", "Decision", "Consequences"], page.name)

    def test_the_glossary_has_each_handle_type_and_each_term_once(self):
        terms = [term for row in re.findall(r"^\| (.*?) \|", read("docs/glossary.md"), re.M) for term in row.split(", ")]
        terms = [term for term in terms if term not in ("term", "---")]
        self.assertEqual([term for term in set(terms) if terms.count(term) > 1], [])
        types = re.findall(r"typedef struct cucore_(\w+)\s+cucore_\1\s*;", header_text.read(ROOT / "include/cucore.h"))
        self.assertGreater(len(types), 10)
        self.assertEqual({name.replace("objectcode", "object code").replace("_", " ") for name in types} - set(terms), set())

    def test_the_workflow_calls_what_exists(self):
        text = read(".github/workflows/ci.yml")
        commands = set(re.findall(r"\./run (\w+)", text))
        known = set(re.findall(r"^\./run (\w+)", read("run"), re.M))
        self.assertGreater(len(commands), 4)
        self.assertEqual(commands - known, set())
        for path in re.findall(r"(?<![\w/])((?:tools|tests|\.ci)/[\w./-]+)", text):
            self.assertTrue((ROOT / path).exists(), path)

    def test_owners_are_teams_of_what_exists(self):
        lines = [line.split() for line in read(".github/CODEOWNERS").splitlines() if line and line[0] != "#"]
        self.assertGreater(len(lines), 5)
        for path, *owners in lines:
            self.assertTrue(path == "*" or (ROOT / path.strip("/")).exists(), path)
            self.assertTrue(owners and all(re.fullmatch(r"@[\w-]+/[\w-]+", owner) for owner in owners), path)

    def test_the_command_page_lists_every_subcommand(self):
        text = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
        subcommands = set(re.findall(r"^  (\w+) {2,}", text.split("ubcommands:", 1)[1], re.M | re.I))
        self.assertIn("cache", subcommands)
        said = set(re.findall(r"^\| `cucore (\w+)", read("docs/command.md"), re.M))
        self.assertEqual(said, subcommands)


if __name__ == "__main__":
    unittest.main()
