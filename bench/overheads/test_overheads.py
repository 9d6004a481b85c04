#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests how overheads.py chooses samples and intervals."""
import subprocess
import unittest

from measure import interval_ranks, summary
from overheads import time_imports

MS = 1_000_000


class Samples(unittest.TestCase):
    def test_an_interval_needs_six_samples(self):
        self.assertIsNone(interval_ranks(5))
        self.assertEqual(interval_ranks(6), (0, 5))
        self.assertEqual(interval_ranks(101), (40, 60))
        self.assertIsNone(summary([1])["confidence"])

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
