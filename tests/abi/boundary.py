# SPDX-License-Identifier: Apache-2.0
"""Every export is guarded: each function with a status is a single 'return guard(...)'. No other
code catches, every export is nothrow, and each function of the header is defined once."""
import re
import sys
import unittest
from pathlib import Path

from public_header import PublicHeader

HEADER = PublicHeader(Path(sys.argv.pop(1)))
CAPI = Path(sys.argv.pop(1))
DEFINITION = re.compile(r"^(CUCORE_(?:\w+_)?API\s+)?(\w[\w\s*]*?[\s*])(cucore_\w+)\s*\(([^;{}]*)\)"
                        r"\s*(noexcept)?\s*\{", re.M)


def strip(text):
    """Returns the text without comments and with empty string literals, because braces in them are
    not code."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def body_from(text, opening):
    """Returns the text between the brace at opening and its closing brace."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[opening + 1:at].strip()
    raise ValueError("a brace is never closed")


def definitions():
    """Returns (file, return type, name, is exported, body) of every exported function in
    the folder of the boundary."""
    declared = HEADER.functions()
    for path in sorted(CAPI.glob("*.cpp")):
        text = strip(path.read_text())
        for match in DEFINITION.finditer(text):
            if match.group(3) in declared:
                yield (path.name, match.group(2).strip(), match.group(3), bool(match.group(1)),
                       body_from(text, match.end() - 1))


def is_one_guard(body):
    """Matches 'return guard(...);' if the closing parenthesis ends the function."""
    if not re.match(r"return guard\w*\(", body):
        return False
    depth = 0
    for at, character in enumerate(body):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and character == ")":
            return body[at + 1:].strip() == ";"
    return False


class Boundary(unittest.TestCase):
    maxDiff = None

    def test_each_function_of_the_header_is_defined_once(self):
        names = [name for _, _, name, _, _ in definitions()]
        self.assertEqual(sorted(names), sorted(HEADER.functions()))

    def test_every_function_with_a_status_is_one_guard(self):
        wrong = [f"{file}: {name}" for file, result, name, _, body in definitions()
                 if result.endswith("cucore_status") and name != "cucore_error_status"
                 and not is_one_guard(body)]
        self.assertEqual(wrong, [])

    def test_every_export_is_nothrow(self):
        # The header defines it for all functions. A definition cannot be noexcept if its
        # declaration, which C also reads, is not.
        self.assertRegex(HEADER.text, r"define CUCORE_(?:\w+_)?API __attribute__\(\([^\n]*\bnothrow\b")
        wrong = [f"{file}: {name}" for file, _, name, exported, _ in definitions() if not exported]
        self.assertEqual(wrong, [])

    def test_nothing_but_the_guard_catches(self):
        wrong = [path.name for path in sorted(CAPI.glob("*"))
                 if not path.name.startswith("guard")
                 and re.search(r"\bcatch\s*\(", strip(path.read_text()))]
        self.assertEqual(wrong, [])


class TheCheckItself(unittest.TestCase):
    """Tests that the check refuses wrong texts."""

    def test_it_tells_a_guard_from_what_only_begins_like_one(self):
        self.assertTrue(is_one_guard(strip('return guard(error, [&] { call(")"); });')))
        self.assertFalse(is_one_guard("return guard(error, [&] {}); leak();"))
        self.assertFalse(is_one_guard("int x = 0; return guard(error, [&] {});"))
        self.assertFalse(is_one_guard("return CUCORE_OK;"))


if __name__ == "__main__":
    unittest.main()
