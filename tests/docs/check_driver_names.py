# SPDX-License-Identifier: Apache-2.0
"""The numbers of driver functions in docs/cpu_device.md are those of the lists of the device: check_driver_names.py ROOT"""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
DRIVER = ROOT / "src/cpu/driver"
NUMBERS = re.compile(r"exports the (\d+) names .*?, (\d+) of them implemented, as (\d+) functions")


def names(file, pattern):
    """{exported name: base name}."""
    return dict(re.findall(pattern, (DRIVER / file).read_text(encoding="utf-8"), re.M))


IMPLEMENTED = {**names("entry_points.inc", r"^ENTRY\(\w+, (\w+), (\w+),"),
               **names("entry_points.inc", r"^PER_THREAD\(\w+, (\w+), \w+, (\w+),")}
OTHERS = names("other_names.inc", r"^OTHER\((\w+), (\w+),")
ROW = next(line for line in (ROOT / "docs/cpu_device.md").read_text(encoding="utf-8").splitlines()
           if line.startswith("| Functions |"))


class DriverNames(unittest.TestCase):
    def test_every_line_of_the_lists_was_read(self):
        for file, read in (("entry_points.inc", IMPLEMENTED), ("other_names.inc", OTHERS)):
            lines = re.findall(r"^[A-Z_]+\(", (DRIVER / file).read_text(encoding="utf-8"), re.M)
            self.assertEqual(len(read), len(lines), file)
        self.assertFalse(IMPLEMENTED.keys() & OTHERS.keys())

    def test_the_page_has_the_numbers_of_the_lists(self):
        found = NUMBERS.search(ROW)
        self.assertIsNotNone(found, ROW)
        self.assertEqual([int(number) for number in found.groups()],
                         [len(IMPLEMENTED) + len(OTHERS), len(IMPLEMENTED), len(set(IMPLEMENTED.values()))])

    def test_a_name_of_the_row_has_no_implementation(self):
        missing = set(OTHERS.values()) - set(IMPLEMENTED.values())
        named = re.findall(r"`(cu\w+)(\*?)`", ROW)
        self.assertTrue(named)
        for name, more in named:
            fits = [base for base in missing if base == name or (more and base.startswith(name))]
            self.assertTrue(fits, name)
            self.assertFalse([base for base in IMPLEMENTED.values() if base == name or (more and base.startswith(name))], name)

    def test_every_missing_function_is_in_the_row(self):
        words = re.findall(r"`(cu\w+)(\*?)`", ROW)
        for base in sorted(set(OTHERS.values()) - set(IMPLEMENTED.values())):
            self.assertTrue(any(base == name or (more and base.startswith(name)) for name, more in words), base)


if __name__ == "__main__":
    unittest.main()
