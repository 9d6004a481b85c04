# SPDX-License-Identifier: Apache-2.0
"""Loops that record the same operations in each round: few kernels, and memory that does not grow."""
import sys
import unittest

import numpy as np
from arrays import Context, evaluate

ROUNDS = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 5000
MOST_KERNELS = 3


class Loops(unittest.TestCase):
    def setUp(self):
        self.context = Context()
        self.start = np.random.default_rng(0).random(100).astype("float32")
        self.x = self.context.array(self.start)

    def check(self, round_, expected, arrays):
        """Runs the rounds. The most memory of later ones is that of the first ones."""
        few = max(ROUNDS // 10, 200)
        for _ in range(few):
            round_()
        early = self.context.info()
        for _ in range(ROUNDS - few):
            round_()
        late = self.context.info()
        np.testing.assert_array_equal(self.x.numpy(), expected)
        self.assertLessEqual(self.context.info()["kernels_compiled"] + late["kernels_from_disk"], MOST_KERNELS)
        self.assertEqual(late["peak_bytes"], early["peak_bytes"])
        self.assertLessEqual(late["live_bytes"], arrays * self.start.nbytes)
        self.assertLessEqual(late["pending"], 2048)
        return late

    def test_without_an_evaluation(self):
        """x = x * a + b: the depth of pending operations ends each kernel."""
        a, b = self.context.array(np.full(100, 0.5, "float32")), self.context.array(np.full(100, 0.25, "float32"))

        def round_():
            self.x = self.x * a + b
        expected = self.start
        for _ in range(ROUNDS):
            expected = expected * np.float32(0.5) + np.float32(0.25)
        info = self.check(round_, expected, 6)
        self.assertGreaterEqual(info["by_depth"], 2 * ROUNDS // 64 - 1)

    def test_in_place(self):
        """x += f(x), with a view of x that sees each write."""
        first = self.x[:1]

        def round_():
            self.x += self.x * -0.5
        expected = self.start.copy()
        for _ in range(ROUNDS):
            expected += expected * np.float32(-0.5)
        self.check(round_, expected, 6)
        self.assertEqual(first.item(), expected[0])

    def test_evaluated_in_each_round(self):
        """A scalar that changes is a parameter of the kernel."""
        number = 0.0

        def round_():
            nonlocal number
            number += 1.0
            self.x = self.x * 0.5 + number
            evaluate([self.x])
        expected = self.start
        for at in range(ROUNDS):
            expected = expected * np.float32(0.5) + np.float32(at + 1)
        info = self.check(round_, expected, 4)
        self.assertEqual(info["kernels_launched"], ROUNDS)

    def test_any_number_of_pending_operations(self):
        """Each limit ends kernels at one place of the rounds, although the rounds have other lengths than it."""
        def chain(x):
            x[0] = (x[0] * 0.5 + x[1]) - x[2]

        def of_seven(x):
            at = self.at % 7
            x[at] = x[at] * 2.0 + 1.0
            x[at] = x[at] * 0.25 - x[at]

        def pair(x):
            x[0], x[1] = x[1], (x[0] + x[1]) * 0.5

        for most in list(range(1, 13)) + [16, 31]:
            for round_ in chain, of_seven, pair:
                with self.subTest(most=most, round=round_.__name__):
                    self.check_pending(most, round_)

    def test_rounds_of_any_length(self):
        """The limit of the depth ends the chain of each array at one place of its rounds."""
        operations = (lambda x: x * 0.5, lambda x: x + self.b, lambda x: x - 0.25, lambda x: -x, lambda x: x * self.b)

        def steps(x, count):
            for at in range(count):
                x = operations[at % len(operations)](x)
            return x

        def chain(x, count):
            x[0] = steps(x[0], count)

        def in_place(x, count):
            x[0] += steps(x[0], count) * -0.5

        def two_arrays(x, count):
            x[0] = steps(x[0], count)
            x[1] = steps(x[1], count) * 0.125 - 1.0

        for count in list(range(1, 13)) + [17, 22]:
            for round_, most in (chain, MOST_KERNELS), (in_place, MOST_KERNELS), (two_arrays, 2 * MOST_KERNELS):
                with self.subTest(operations=count, round=round_.__name__):
                    self.check_depth(lambda x, count=count, round_=round_: round_(x, count), most)

    def test_rounds_with_reductions(self):
        def standardise(x):
            x[0] = x[0] - maximum(x[0])
            x[1] = ((x[1] - maximum(x[1])) * 0.5 + self.b) * 0.25

        def some_rounds(x):
            x[0] = x[0] * 0.5 + self.b
            if self.at % 7 == 6:
                x[0] = x[0] - maximum(x[0])

        def maximum(x):
            return x.max() if isinstance(x, np.ndarray) else x.reduce("max")

        for round_ in standardise, some_rounds:
            with self.subTest(round=round_.__name__):
                self.check_depth(round_, 2)

    def check_depth(self, round_, most_kernels):
        context = Context()
        starts = [self.start, self.start + 1]
        arrays, expected = [context.array(start) for start in starts], [start.copy() for start in starts]
        number = np.full(100, 0.75, "float32")
        b = context.array(number)
        peaks = []
        for self.at in range(280):
            for self.b, x in (number, expected), (b, arrays):
                round_(x)
            peaks.append(context.info()["peak_bytes"])
        info = context.info()
        self.assertEqual(peaks[-1], peaks[140])
        self.assertGreater(info["by_depth"], 2)
        self.assertLessEqual(info["kernels_compiled"] + info["kernels_from_disk"], most_kernels)
        for array, numbers in zip(arrays, expected):
            np.testing.assert_array_equal(array.numpy(), numbers)

    def check_pending(self, most, round_):
        context = Context(max_pending=most)
        starts = [self.start + at for at in range(7)]
        arrays, expected = [context.array(start) for start in starts], [start.copy() for start in starts]
        peaks = []
        for self.at in range(210):
            round_(arrays)
            round_(expected)
            info = context.info()
            self.assertLessEqual(info["pending"], most + 16)
            peaks.append(info["peak_bytes"])
        self.assertEqual(peaks[-1], peaks[100])
        self.assertLessEqual(info["kernels_compiled"] + info["kernels_from_disk"], MOST_KERNELS)
        self.assertGreater(info["by_count"], 5)
        for array, numbers in zip(arrays, expected):
            np.testing.assert_array_equal(array.numpy(), numbers)


if __name__ == "__main__":
    unittest.main()
