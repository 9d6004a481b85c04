# SPDX-License-Identifier: Apache-2.0
"""The declarations of the public header, for the checks that compare it with other texts."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import header_text  # noqa: E402


class PublicHeader:
    def __init__(self, path):
        self.text = re.sub(r"/\*.*?\*/", " ", header_text.read(path), flags=re.S)

    def functions(self):
        """Returns {name: return type} of every exported function."""
        found = re.findall(r"CUCORE_(?:\w+_)?API\s+([\w\s*]+?)\s*\b(cucore_\w+)\s*\(", self.text)
        return {name: result.strip() for result, name in found}

    def structs(self):
        """Returns {name: [field, ...]} of every transparent struct."""
        bodies = re.findall(r"typedef struct (cucore_\w+)\s*\{(.*?)\}\s*\1\s*;", self.text, re.S)
        return {name: [self._field(line) for line in body.split(";") if line.strip()]
                for name, body in bodies}

    def enumerators(self):
        """Returns {name: number} of every enumerator."""
        values = {}
        for body in re.findall(r"typedef enum cucore_\w+\s*\{(.*?)\}", self.text, re.S):
            for name, value in re.findall(r"(CUCORE_\w+)\s*=\s*(-?(?:0x)?[0-9a-fA-F]+)", body):
                values[name] = int(value, 0)
        return values

    def handles(self):
        """Returns the opaque types."""
        return re.findall(r"typedef struct (cucore_\w+)\s+\1\s*;", self.text)

    def initialisers(self):
        """Returns {struct: macro} of every ..._INIT."""
        return {name[:-len("_INIT")].lower(): name
                for name in re.findall(r"#define (CUCORE_\w+_INIT)\b", self.text)}

    @staticmethod
    def _field(line):
        return re.search(r"(\w+)\s*(?:\[\w+\])?\s*$", line.strip()).group(1)
