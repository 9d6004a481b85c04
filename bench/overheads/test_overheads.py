#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests how overheads.py chooses samples and intervals."""
import collections
import itertools
import subprocess
import unittest

from measure import alternate, interval_ranks, orders, summary
from report import verdict
from overheads import time_imports

MS = 1_000_000


class Samples(unittest.TestCase):
    def test_an_interval_needs_six_samples(self):
        self.assertIsNone(interval_ranks(5))
        self.assertEqual(interval_ranks(6), (0, 5))
        self.assertEqual(interval_ranks(101), (40, 60))
        self.assertIsNone(summary([1])["confidence"])

    def test_each_way_follows_each_other_way_equally_often(self):
        for ways in "ab", "abc", "abcd":
            sequence = [name for order in itertools.islice(orders(ways), 4000) for name in order]
            pairs = collections.Counter(itertools.pairwise(sequence))
            self.assertEqual(set(pairs), set(itertools.permutations(ways, 2)))
            expected = len(sequence) / len(pairs)
            for count in pairs.values():
                self.assertLess(abs(count / expected - 1), 0.1)
        self.assertEqual(list(itertools.islice(orders("a"), 2)), [["a"], ["a"]])

    def test_a_machine_that_changes_its_speed_changes_no_comparison(self):
        calls = itertools.count()  # two in each round

        def way(nanoseconds):
            return lambda count: nanoseconds * (3 if next(calls) // 2 % 3 else 1)
        row = {"cells": alternate({"bare": way(1000), "cucore C": way(1100)}, 1, 20)}
        self.assertAlmostEqual(row["cells"]["cucore C"]["times"]["median"], 1.1)
        self.assertEqual(verdict(row, "cucore C", "bare + 15 %"), "yes (+10.0 %)")
        self.assertEqual(verdict(row, "cucore C", "bare + 9 %"), "no (+10.0 %)")
        self.assertEqual(verdict(row, "cucore C", "bare + 0.05"), "no (+0.300)")
        self.assertEqual(verdict(row, "cucore C", "3"), "no (3.3)")
        self.assertEqual(verdict(row, "bare", "bare + 1 %"), "–")

    def test_slow_imports_do_not_take_the_samples_of_others(self):
        times = {"pass": 10 * MS, "import quick": 30 * MS, "import slow": 3000 * MS}

        def took(code):
            if code == "import broken":
                raise subprocess.CalledProcessError(1, code, stderr=b"first\nImportError: no broken\n")
            return times[code]
        cells = time_imports({"slow": "slow", "quick": "quick", "broken": "broken"}, 9, 1, took)
        self.assertEqual((cells["quick"]["samples"], cells["quick"]["median"]), (9, 20 * MS))
        self.assertEqual((cells["slow"]["samples"], cells["slow"]["median"]), (1, 2990 * MS))
        self.assertEqual(cells["broken"], {"failure": "ImportError: no broken"})


if __name__ == "__main__":
    unittest.main()
