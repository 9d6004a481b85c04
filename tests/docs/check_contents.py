# SPDX-License-Identifier: Apache-2.0
"""The front page of the site lists every page, and the links of all pages lead to files: check_contents.py ROOT"""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools/site"))
from pages import FRONT, Stage  # noqa: E402


def stage(root, folder):
    """(the stage, its documents in the table of contents, those that a page of a folder lists)."""
    made = Stage(root, Path(folder))
    listed = {entry for _, entries in made.contents([]) for entry in entries}
    return made, listed, set().union(*made.listed_below().values())


class Contents(unittest.TestCase):
    def test_every_page_is_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            made, listed, below = stage(ROOT, folder)
            self.assertEqual(sorted(set(made.places.values()) - listed - below - {made.places[FRONT]}), [], f"add the pages to {FRONT}")

    def test_links_lead_to_files(self):
        with tempfile.TemporaryDirectory() as folder:
            made = Stage(ROOT, Path(folder))
            made.make([])
            self.assertEqual(made.faults, [])

    def test_a_page_without_an_entry_and_a_dead_link_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "clone"
            (root / "docs").mkdir(parents=True)
            for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bindings/README.md"):
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text("# Page\n")
            (root / "docs/index.md").write_text("# Front\n\n## Start\n- [one](one.md)\n\n## Words\nAlso [two](two.md).\n")
            (root / "docs/one.md").write_text("# One\n\n[gone](gone.md) `[code](gone.md)`\n\n```c\nf[0](gone.md);\n```\n")
            (root / "docs/two.md").write_text("# Two\n")
            made, listed, _ = stage(root, Path(folder) / "out")
            self.assertEqual(listed, {"one"})
            made.make([])
            self.assertEqual(made.faults, ["docs/one.md: the link gone.md leads to no file"])


if __name__ == "__main__":
    unittest.main()
