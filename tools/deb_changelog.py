# SPDX-License-Identifier: Apache-2.0
"""Prints debian/changelog: deb_changelog.py ROOT SECONDS

CHANGELOG.md has the released versions. The version of meson.build that it lacks has the time in SECONDS since 1970.
"""
import re
import sys
from datetime import datetime, timezone
from email.utils import format_datetime
from pathlib import Path


def releases(root, now):
    """Yields versions with their times, the newest first."""
    version = re.search(r"^  version: '(.*)',$", (root / "meson.build").read_text(encoding="utf-8"), re.M)[1]
    listed = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    if version not in dict(listed):
        yield version, now
    for name, date in listed:
        yield name, datetime.fromisoformat(date).replace(tzinfo=timezone.utc)


def main():
    root, now = Path(sys.argv[1]), datetime.fromtimestamp(int(sys.argv[2]), timezone.utc)
    maintainer = re.search(r"^Maintainer: (.*)$", (root / "debian/control").read_text(encoding="utf-8"), re.M)[1]
    for version, time in releases(root, now):
        print(f"cucore ({version}) unstable; urgency=medium\n\n  * Release {version}. CHANGELOG.md of the sources lists the changes.\n")
        print(f" -- {maintainer}  {format_datetime(time)}\n")


if __name__ == "__main__":
    main()
