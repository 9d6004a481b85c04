#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of a package, as a software bill of materials in CycloneDX 1.5: parts.py PACKAGE

PACKAGE is wheel, jar, nuget or native. third_party.toml lists the works of others; their versions are those of this machine.
"""
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def version():
    return re.search(r"^  version: '(.*)',$", (ROOT / "meson.build").read_text(), re.M)[1]


def third_party(package):
    """The rows of a package: (row, "bundled" or "compiled" or "system")."""
    for row in tomllib.loads((HERE / "third_party.toml").read_text(encoding="utf-8"))["part"]:
        how = row["how"].get(package, row["how"].get("native"))
        if how:
            yield row, how


def version_of(debian):
    """The version without the revision of Debian; None on another system."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", debian], capture_output=True, text=True, check=False)
    return re.sub(r"^\d+:|[+-].*$", "", done.stdout) if done.returncode == 0 and done.stdout else None


def purl(row, number):
    """The name of a part by the specification of package URLs."""
    return row["purl"].format(version=number) if number else row["purl"].partition("@")[0]


def component(row, how):
    found = version_of(row["debian"]) if "debian" in row else None
    made = {"type": "library", "name": row["name"], "scope": row.get("scope", "required"),
            "licenses": [{"license": {"id": row["licence"]}}], "purl": purl(row, found),
            "externalReferences": [{"type": "website", "url": row["url"]}],
            "properties": [{"name": "cucore:how", "value": how}]}
    return made | ({"version": found} if found else {})


def cyclonedx(package):
    """The text has no date and no random number, so that equal inputs have equal bytes."""
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "library", "bom-ref": "cucore", "name": "cucore", "version": version(),
                                   "licenses": [{"license": {"id": "Apache-2.0"}}],
                                   "properties": [{"name": "cucore:package", "value": package}]}},
        "components": [component(row, how) for row, how in third_party(package)],
    }
    return json.dumps(document, indent=2) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("parts.py: expected one package: wheel, jar, nuget or native")
    sys.stdout.write(cyclonedx(sys.argv[1]))
