# SPDX-License-Identifier: Apache-2.0
"""The public C headers document every parameter, field and enumerator, and are mostly comment.

    header_documentation.py HEADER            checks
    header_documentation.py HEADER --print    prints the numbers of each file
"""
import re
import sys
import unittest
from pathlib import Path

HEADER = Path(sys.argv.pop(1))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import header_text  # noqa: E402

LEAST_SHARE = 0.6 if HEADER.name == "cucore.h" else 0.4
COMMENT = r"/\*\*(?!<)((?:(?!\*/).)*)\*/\s*"
FUNCTION = re.compile(COMMENT + r"CUCORE_(?:\w+_)?API\s[^;(]*?(cucore_\w+)\((.*?)\);", re.S)
CALLBACK = re.compile(COMMENT + r"typedef [\w ]+?\*?\(\*(cucore_\w+)\)\((.*?)\);", re.S)
STRUCT = re.compile(r"typedef struct (cucore_\w+)\s*\{(.*?)\n\}", re.S)
ENUM = re.compile(r"typedef enum (cucore_\w+)\s*\{(.*?)\n\}", re.S)
TAGS = {"param", "retval", "since"}


def files():
    return header_text.files(HEADER)


def parameters(text):
    """Returns the names of a parameter list, in order, also of a function pointer."""
    text = re.sub(r"\(\*(\w+)\)\([^)]*\)", r" \1", text)
    names = [re.search(r"(\w+)\s*(?:\[\w*\])?\s*$", part)[1] for part in text.split(",")]
    return [name for name in names if name != "void"]


def documented(comment):
    return re.findall(r"@param\s+(\w+)[ \t]+\S", comment)


def pure_comment(text):
    """Returns (lines with only comment, lines that are not blank)."""
    kept = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]+", "\1", m[0]), text, flags=re.S).splitlines()
    lines = [line for line in kept if line.strip()]
    return sum(1 for line in lines if not line.replace("\1", "").strip()), len(lines)


def words(comment):
    return " ".join(re.sub(r"^\s*\*? ?", "", line) for line in comment.splitlines()).strip()


class Documentation(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.text = header_text.read(HEADER)
        self.functions = FUNCTION.findall(self.text)
        self.callbacks = CALLBACK.findall(self.text)

    def test_the_check_sees_every_declaration(self):
        code = re.sub(r"/\*.*?\*/", "", self.text, flags=re.S)
        self.assertEqual([name for _, name, _ in self.functions], re.findall(r"CUCORE_(?:\w+_)?API\s[^;(]*?\b(cucore_\w+)\s*\(", code))
        self.assertEqual([name for _, name, _ in self.callbacks], re.findall(r"\(\*(cucore_\w+)\)\(", code))
        self.assertGreater(len(self.functions), 100 if HEADER.name == "cucore.h" else 1)

    def test_every_parameter_is_documented_in_order_and_no_other(self):
        wrong = [f"{name}: has {parameters(given)}, documents {documented(comment)}"
                 for comment, name, given in self.functions + self.callbacks if parameters(given) != documented(comment)]
        self.assertEqual(wrong, [])

    def test_a_function_comment_begins_with_a_verb_and_has_its_version(self):
        for comment, name, _ in self.functions:
            self.assertRegex(words(comment), r"\A[A-Z][a-z]+s\b", name)
            self.assertRegex(comment, r"@since \d+\.\d+\s", name)

    def test_comments_have_only_the_tags_that_the_bindings_carry_over(self):
        for comment, name, _ in self.functions + self.callbacks:
            self.assertEqual(set(re.findall(r"(?<!\S)@(\w+)", comment)) - TAGS, set(), name)

    def test_every_status_of_a_retval_exists(self):
        core = header_text.read(HEADER.with_name("cucore.h"))
        statuses = set(re.findall(r"^  (CUCORE_\w+)\s*=", core, re.M))
        for comment, name, _ in self.functions:
            self.assertEqual(set(re.findall(r"@retval\s+(\w+)", comment)) - statuses, set(), name)

    def test_every_field_and_enumerator_is_documented(self):
        bare = [f"{name}: {line.strip()}" for pattern, end in ((STRUCT, ";"), (ENUM, r"=\s*\w+,?"))
                for name, body in pattern.findall(self.text)
                for line in re.findall(rf"^  [^\n/]*?{end}[ \t]*(?!/\*\*<)\S*$", body, re.M) if "FORCE_INT32" not in line]
        self.assertEqual(bare, [])

    def test_most_of_the_headers_is_comment(self):
        counts = [pure_comment(path.read_text(encoding="utf-8")) for path in files()]
        share = sum(comment for comment, _ in counts) / sum(lines for _, lines in counts)
        self.assertGreaterEqual(share, LEAST_SHARE)


def print_numbers():
    text = header_text.read(HEADER)
    found = FUNCTION.findall(text) + CALLBACK.findall(text)
    done = sum(len(set(parameters(given)) & set(documented(comment))) for comment, _, given in found)
    print(f"{done} of {sum(len(parameters(given)) for _, _, given in found)} parameters documented")
    total = [0, 0]
    for path in files():
        comment, lines = pure_comment(path.read_text(encoding="utf-8"))
        total = [total[0] + comment, total[1] + lines]
        print(f"{path.name:<16} {comment:5} of {lines:5} lines are comment, {100 * comment / lines:.0f} %")
    print(f"{'all':<16} {total[0]:5} of {total[1]:5} lines are comment, {100 * total[0] / total[1]:.1f} %")


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print_numbers()
    else:
        unittest.main()
