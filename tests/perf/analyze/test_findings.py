# SPDX-License-Identifier: Apache-2.0
"""Each finding is in a kernel that has it, on the right line, in machine code and in PTX, and is not in its twin."""
import sys
import unittest

from cases import CASES, GOOD, HEAD
from command import SKIPPED, Workshop, findings, has_compiler

SUFFIX = {"machine": ".cubin", "ptx": ".ptx", "container": ".cuco"}


class Findings(unittest.TestCase):
    def setUp(self):
        self.workshop = Workshop()
        self.addCleanup(self.workshop.folder.cleanup)

    def analyze(self, case, source, suffix, compile_options, analyze_options):
        image, _ = self.workshop.compile(source, case.arch, *compile_options, suffix=suffix)
        return findings(self.workshop.analyze(image, *analyze_options))

    def check(self, case, level):
        found = self.analyze(case, case.source, SUFFIX[level], case.compile, case.analyze)
        mine = [finding for finding in found if finding["id"] == case.finding]
        self.assertNotEqual(mine, [], f"not found; found {found}")
        self.assertEqual({finding["line"] for finding in mine}, case.expected_lines(), mine)
        for finding in mine:
            self.assertTrue(finding["file"].endswith("k.cu"), finding)
        twin = self.analyze(case, case.twin, case.twin_suffix or SUFFIX[level], (), case.twin_analyze or (case.analyze if case.compile else ()))
        self.assertEqual([finding for finding in twin if finding["id"] == case.finding], [])

    def test_every_finding_has_a_case(self):
        self.assertEqual([case.finding for case in CASES], [f"A{number}" for number in range(101, 119)])

    def test_no_good_kernel_has_a_warning(self):
        self.assertEqual(len(GOOD), 11)
        for name, source in GOOD.items():
            for suffix in SUFFIX.values():
                with self.subTest(name + suffix):
                    image, _ = self.workshop.compile(HEAD + source, "sm_90", suffix=suffix)
                    found = findings(self.workshop.analyze(image))
                    self.assertEqual([finding for finding in found if finding["severity"] != "note"], [])


def add_test(case, level):
    setattr(Findings, f"test_{case.finding}_in_{level}", lambda self: self.check(case, level))


for each in CASES:
    for at in SUFFIX:
        if at in each.level:
            add_test(each, at)

if __name__ == "__main__":
    if not has_compiler():
        print("skipped: NVRTC is missing")
        sys.exit(SKIPPED)
    unittest.main()
