#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests how overheads.py chooses samples and intervals."""
import collections
import itertools
import subprocess
import unittest

from measure import Orders, alternate, interval_ranks, summary
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
        for ways, rounds in ("abc", 6), ("abc", 30), ("abcd", 4), ("abcd", 8), ("abcd", 60), ("abcde", 10):
            orders = Orders()
            rows = [orders.next(list(ways)) for _ in range(rounds)]
            within = collections.Counter(pair for row in rows for pair in itertools.pairwise(row))
            self.assertEqual(set(within), set(itertools.permutations(ways, 2)))
            self.assertEqual(len(set(within.values())), 1)
            repeats = [pair for pair in itertools.pairwise(name for row in rows for name in row) if pair[0] == pair[1]]
            self.assertLessEqual(len(repeats), rounds // len(ways))

    def test_two_ways_alternate_and_one_repeats(self):
        orders = Orders()
        self.assertEqual([orders.next(["a", "b"]) for _ in range(3)], [["a", "b"]] * 3)
        self.assertEqual([orders.next(["a"]) for _ in range(2)], [["a"]] * 2)
        self.assertEqual(orders.next([]), [])

    def test_a_way_that_fails_makes_no_other_way_repeat(self):
        calls = []

        def way(name):
            def run(count):
                calls.append(name)
                if name == "broken" and len(calls) > 40:
                    raise ValueError("it broke")
                return 1
            return run
        cells = alternate({name: way(name) for name in ("bare", "broken", "other", "last")}, 1, 60)
        self.assertEqual(cells["broken"], {"failure": "ValueError: it broke"})
        repeats = [pair for pair in itertools.pairwise(calls) if pair[0] == pair[1]]
        self.assertLessEqual(len(repeats), 6)
        self.assertEqual(cells["last"]["samples"], 60)

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
