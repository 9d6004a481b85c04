# SPDX-License-Identifier: Apache-2.0
"""The check of the writing rules: check_prose.py TOOLS ROOT"""
import importlib.util
import sys
import unittest
from pathlib import Path

TOOLS, ROOT = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
spec = importlib.util.spec_from_file_location("prose", TOOLS / "prose.py")
prose = importlib.util.module_from_spec(spec)
spec.loader.exec_module(prose)
RULES = prose.Rules(TOOLS / "prose.txt")
LONG = " ".join(f"word{n}" for n in range(26))


def faults(text, name="page.md", rules=RULES):
    return [fault for _, fault in prose.faults(Path(name), text, rules)]


class Sentences(unittest.TestCase):
    def test_the_end_of_a_sentence(self):
        for text, wanted in (("One. Two! Three? Four", 4), ("Version 0.1 of libc.so.6 is read.", 1),
                             ("It has e.g. CODE. CODE is next.", 2), ("It ends (here.) Next one.", 2),
                             ("It ends. **Bold** is next.", 2), ("It takes 5. 6 files follow.", 2)):
            self.assertEqual(len(prose.sentences(text)), wanted, text)

    def test_lists_of_names_are_one_word(self):
        for text, wanted in (("The calls CODE, CODE, CODE and CODE fail.", 4),
                             ("See [one page](a.md), [two pages](b.md) and [three](c.md).", 2),
                             ("See [one page](a.md) for it.", 5), ("A user's file is read-only.", 5)):
            self.assertEqual(prose.length(text), wanted, text)

    def test_length(self):
        self.assertEqual(faults(LONG.rsplit(" ", 1)[0] + "."), [])
        self.assertEqual(len(faults(LONG + ".")), 1)

    def test_one_colon_and_one_semicolon(self):
        self.assertEqual(faults("It fails: the file is a link; the log has the name."), [])
        self.assertIn("colon", faults("It fails: the reason: a link.")[0])
        self.assertIn("semicolons", faults("It fails; it ends; it logs.")[0])


class Blocks(unittest.TestCase):
    def test_line_numbers(self):
        text = "# Title\n\n```c\nint for ever;\n```\n<!-- for\never -->\n- first\n- runs for\n  ever, here for ever\n\n| a | for ever |\n"
        self.assertEqual([line for line, _ in prose.faults(Path("page.md"), text, RULES)], [9, 12])

    def test_code_is_not_prose(self):
        self.assertEqual(faults("The text is `there is no device, too`.\n\n- item\n  ```\n  for ever\n  ```\n"), [])

    def test_front_matter_is_not_prose(self):
        self.assertEqual(faults("---\nabout: for ever\n---\nText.\n"), [])

    def test_a_paragraph_ends_at_a_heading_a_list_and_a_table(self):
        half = " ".join(["word"] * 20)
        for text in (f"{half}\n## {half}\n{half}", f"{half}\n- {half}\n- {half}", f"{half}\n| {half} | {half} |\n{half}"):
            self.assertEqual(faults(text), [])
        self.assertEqual(len(faults(f"{half}\n{half}")), 1)

    def test_sources(self):
        text = '// It runs for ever.\nauto a = "the call runs for ever now";  // and, too.\n'
        self.assertEqual(len(faults(text, "a.cpp")), 3)
        self.assertEqual(len(list(prose.faults(Path("a.cpp"), text, RULES, {"message"}))), 1)

    def test_comments_of_each_language(self):
        for name, text in (("a.c", "/* It runs\n * for ever. */\n"), ("a.java", "/** It {@code runs} for ever. */\n"),
                           ("a.cs", "/// <c>It</c> runs for ever.\n"), ("a.py", "x = 1  # runs for ever\n"),
                           ("a.py", 'def f():\n    """It runs\n    for ever."""\n'), ("a.sh", "ls  # runs for ever\n"),
                           ("meson.build", "# It runs\n# for ever.\n"), ("a.cpp", "char c = '\"';  // for ever\n")):
            self.assertEqual(len(faults(text, name)), 1, text)

    def test_messages_of_each_language(self):
        for name, text in (("a.cpp", 'f("the call runs "\n  "for ever now");\n'), ("a.java", 'f("the call runs" + " for ever");\n'),
                           ("a.py", 'raise E("the call runs "\n        f"for ever {x}")\n'),
                           ("a.py", "f('the call runs for ever')\n"), ("meson.build", "error('the call runs for ever')\n")):
            self.assertEqual(len(faults(text, name)), 1, text)

    def test_code_in_literals_is_not_a_message(self):
        for name, text in (("a.cpp", 'auto a = R"(it runs for ever)";\n'), ("a.py", 'x = "(?:runs) for ever \\\\w"\n'),
                           ("a.py", "x = '''\nfor (;;) {\n  run for ever now;\n}\n'''\n"), ("a.cpp", 'auto a = "for ever";\n')):
            self.assertEqual(faults(text, name), [], text)

    def test_indented_lines_are_paragraphs(self):
        half = " ".join(["word"] * 15)
        self.assertEqual(faults(f"// {half}\n//   {half}\n// {half}\n", "a.cpp"), [])
        self.assertEqual(faults(f'"""{half}\n\n    {half}\n{half}\n"""\n', "a.py"), [])

    def test_lines_that_are_not_sentences(self):
        self.assertEqual(faults("#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n# It ends: now.\n", "a.sh"), [])
        self.assertEqual(faults("int x;  // 0: none, 1: one, 2: two\n", "a.c"), [])
        self.assertEqual(faults("//: said the generator reads this for ever\n", "a.java"), [])
        half = " ".join(["word"] * 15)
        self.assertEqual(faults(f"/// <summary>{half}</summary>\n/// <returns>{half}</returns>\n", "a.cs"), [])

    def test_comments_have_the_form_of_sentences(self):
        self.assertEqual(len(faults(f"// {LONG}.\n", "a.cpp")), 1)
        self.assertEqual(faults(f'f("{LONG}");\n', "a.cpp"), [])
        self.assertEqual(faults("// " + " ".join(["word"] * 20) + ":\n// - " + " ".join(["word"] * 20) + "\n", "a.cpp"), [])


class Phrases(unittest.TestCase):
    def test_each_phrase_finds_its_example(self):
        self.assertGreater(len(RULES.phrases), 10)
        for kinds, pattern, advice, example in RULES.phrases:
            self.assertLessEqual(kinds, prose.KINDS, advice)
            self.assertRegex(example, pattern)

    def test_sentences_that_follow_the_rules(self):
        for text in ("The call returns an error.", "Too few arguments, too many, too large a grid: each is refused.",
                     "The device is no longer open.", "Where is the file?", "It takes 5 ns per call.",
                     "A thread of the library waits; a process does not."):
            self.assertEqual(faults(text), [], text)

    def test_an_allowed_passage_covers_its_sentence_alone(self):
        rules = prose.Rules(TOOLS / "prose.txt")
        rules.allowed = ["a quoted passage"]
        self.assertEqual(len(faults("It is a quoted passage for ever. It runs for ever.", rules=rules)), 1)

    def test_every_scope_has_files_and_the_allow_list_is_short_and_in_use(self):
        for kinds, pattern in RULES.scopes:
            self.assertLessEqual(kinds, prose.KINDS)
            self.assertTrue(any(ROOT.glob(pattern)), pattern)
        for pattern in RULES.excepted:
            self.assertTrue(any(ROOT.glob(pattern)), pattern)
        self.assertLessEqual(len(RULES.allowed), 10)
        text = "".join((ROOT / path).read_text(encoding="utf-8") for path, _ in RULES.files(ROOT))
        for passage in RULES.allowed:
            self.assertIn(passage, " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
