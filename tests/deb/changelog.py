# SPDX-License-Identifier: Apache-2.0
"""debian/changelog from CHANGELOG.md, as tools/deb_changelog.py prints it: changelog.py ROOT"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
del sys.argv[1]
CHANGES = "# Changelog\n\n## [Unreleased]\n\n### Added\n- x\n\n## [0.2.0] - 2026-02-03\n- y\n\n## [0.1.0] - 2025-12-31\n- z\n"


class Changelog(unittest.TestCase):
    def entries(self, version):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "debian").mkdir()
            (root / "debian/control").write_text("Source: cucore\nMaintainer: A Person <a@example.org>\n")
            (root / "CHANGELOG.md").write_text(CHANGES)
            (root / "meson.build").write_text(f"project('cucore',\n  version: '{version}',\n")
            printed = subprocess.run([sys.executable, "-B", ROOT / "tools/deb_changelog.py", root, "1780272000"], check=True, text=True,
                                     capture_output=True).stdout
        return [line for line in printed.splitlines() if line and not line.startswith("  ")]

    def test_a_version_without_a_date_has_the_time_of_the_commit(self):
        self.assertEqual(self.entries("0.3.0")[:2], ["cucore (0.3.0) unstable; urgency=medium",
                                                     " -- A Person <a@example.org>  Mon, 01 Jun 2026 00:00:00 +0000"])

    def test_releases_have_their_dates(self):
        self.assertEqual(self.entries("0.2.0"), ["cucore (0.2.0) unstable; urgency=medium",
                                                 " -- A Person <a@example.org>  Tue, 03 Feb 2026 00:00:00 +0000",
                                                 "cucore (0.1.0) unstable; urgency=medium",
                                                 " -- A Person <a@example.org>  Wed, 31 Dec 2025 00:00:00 +0000"])

    def test_the_tree_has_the_version_of_the_build(self):
        printed = subprocess.run([sys.executable, "-B", ROOT / "tools/deb_changelog.py", ROOT, "0"], check=True, text=True,
                                 capture_output=True).stdout
        version = (ROOT / "meson.build").read_text(encoding="utf-8").split("version: '", 1)[1].split("'", 1)[0]
        self.assertTrue(printed.startswith(f"cucore ({version}) "), printed)


if __name__ == "__main__":
    unittest.main()
