# SPDX-License-Identifier: Apache-2.0
"""The counts on the last line of ./run test: each kind of test program is added up correctly."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = sys.argv.pop(1)
GOOGLETEST = """[ RUN      ] A.a
[       OK ] A.a (0 ms)
[ RUN      ] A.b
[  SKIPPED ] A.b (0 ms)
[ RUN      ] A.c
[  FAILED  ] A.c (12 ms)
[  PASSED  ] 1 test.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] A.b
[  FAILED  ] 1 test, listed below:
[  FAILED  ] A.c
"""


def entry(result, stdout="", stderr=""):
    return {"name": "t", "result": result, "stdout": stdout, "stderr": stderr}


class CountTests(unittest.TestCase):
    def count(self, *entries):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "testlog.json"
            log.write_text("".join(json.dumps(e) + "\n" for e in entries))
            result = subprocess.run([sys.executable, "-B", TOOL, log], capture_output=True,
                                    text=True, check=False)
        return result.stdout.strip(), result.returncode

    def test_googletest_is_counted_by_its_cases_not_by_its_summary(self):
        self.assertEqual(self.count(entry("FAIL", GOOGLETEST)),
                         ("1 passed, 1 failed, 1 skipped", 1))

    def test_unittest_with_and_without_details(self):
        text = "Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=2)\n"
        self.assertEqual(self.count(entry("FAIL", "", text)), ("1 passed, 2 failed, 2 skipped", 1))
        self.assertEqual(self.count(entry("OK", "", "Ran 1 test in 0.001s\n\nOK\n")),
                         ("1 passed, 0 failed, 0 skipped", 0))

    def test_pytest_and_junit(self):
        self.assertEqual(self.count(entry("OK", "=== 10 passed, 2 skipped in 1.20s ===")),
                         ("10 passed, 0 failed, 2 skipped", 0))
        junit = "[ 3 tests skipped ]\n[ 7 tests successful ]\n[ 1 tests failed ]\n"
        self.assertEqual(self.count(entry("FAIL", junit)), ("7 passed, 1 failed, 3 skipped", 1))

    def test_several_logs_are_added_up(self):
        with tempfile.TemporaryDirectory() as folder:
            logs = [Path(folder) / name for name in ("a.json", "b.json")]
            for log, result in zip(logs, ("OK", "FAIL")):
                log.write_text(json.dumps(entry(result, GOOGLETEST)) + "\n")
            result = subprocess.run([sys.executable, "-B", TOOL, *logs], capture_output=True,
                                    text=True, check=False)
        self.assertEqual((result.stdout.strip(), result.returncode), ("2 passed, 2 failed, 2 skipped", 1))

    def test_a_plain_program_is_one(self):
        self.assertEqual(self.count(entry("OK"), entry("SKIP"), entry("TIMEOUT")),
                         ("1 passed, 1 failed, 1 skipped", 1))

    def test_a_crash_is_a_failure_even_if_every_case_so_far_passed(self):
        self.assertEqual(self.count(entry("ERROR", "[       OK ] A.a (0 ms)\n")),
                         ("1 passed, 1 failed, 0 skipped", 1))

    def test_nothing_passed_is_no_success(self):
        self.assertEqual(self.count(), ("0 passed, 0 failed, 0 skipped", 1))


if __name__ == "__main__":
    unittest.main()
