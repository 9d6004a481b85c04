# SPDX-License-Identifier: Apache-2.0
"""A process may end or fork while operations wait to be computed, and while threads compute others."""
import os
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
from arrays import Context, Failure

EXITS = """
import numpy as np
from arrays import Context, evaluate
context = Context()
x = context.array(np.arange(1 << 16, dtype="float32"))
y = x.apply("sin") + x
evaluated = [(x * float(i)).reduce("sum") for i in range(20)]
evaluate(evaluated)
{ending}
"""
ENDINGS = {
    "at its last line": "",
    "by sys.exit": "import sys; sys.exit(0)",
    "at once": "import os; os._exit(0)",
    "with arrays in a cycle": "cycle = [y]; cycle.append(cycle); del y",
    "in a thread's exception": "import threading; threading.excepthook = lambda args: None\nthreading.Thread(target=lambda: y.reduce('sum').item() / 0).start()",
}


def in_child(action):
    """Returns the exit status of a fork that calls the action."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "hung"


class Ends(unittest.TestCase):
    def test_with_pending_operations(self):
        environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.abspath(__file__)))
        for name, ending in ENDINGS.items():
            with self.subTest(name):
                done = subprocess.run([sys.executable, "-B", "-c", EXITS.format(ending=ending)], env=environment, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


class Forks(unittest.TestCase):
    def setUp(self):
        self.context = Context()
        self.x = self.context.array(np.arange(1000.0))

    def test_a_child_releases_what_it_has(self):
        y = self.x + 1.0

        def drop():
            nonlocal y
            self.x = y = None
        self.assertEqual(in_child(drop), 0)
        np.testing.assert_array_equal(y.numpy(), np.arange(1000.0) + 1)

    def test_a_child_cannot_compute(self):
        def compute():
            with self.assertRaisesRegex(Failure, "in a process forked after its first use"):
                (self.x + 1.0).numpy()
        self.assertEqual(in_child(compute), 0)

    def test_a_child_ends_while_threads_of_its_parent_compute(self):
        ends = threading.Event()
        failures = []

        def compute():
            while not ends.is_set():
                try:
                    total = (self.x * 2.0).reduce("sum").item()
                    if total != 999000.0:
                        failures.append(total)
                except Exception as error:
                    failures.append(error)
        threads = [threading.Thread(target=compute) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(20):
                self.assertEqual(in_child(lambda: None), 0)
        finally:
            ends.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
