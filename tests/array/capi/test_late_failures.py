# SPDX-License-Identifier: Apache-2.0
"""Indices of the device that are out of range, and memory that is exhausted or kept by waiting operations."""
import ctypes as c
import unittest

import numpy as np
from arrays import Array, Context, Failure, array_library, call, evaluate, numbers, operand

INDEX = 111


def named(array, name):
    call("cucore_array_set_name", array.handle, name.encode())
    return array


class Indices(unittest.TestCase):
    def setUp(self):
        self.context = Context()
        self.x = self.context.array(np.arange(10.0))
        self.bad = named(self.context.array(np.array([1, 12, 3])), "idx")
        self.good = self.context.array(np.array([1, 2, 3]))

    def fails(self, read, message="index 12 is out of range for axis 0 of size 10 (of 'idx', told late: the index was computed on the device)"):
        with self.assertRaises(Failure) as caught:
            read()
        self.assertEqual((caught.exception.status, str(caught.exception)), (INDEX, message))

    def test_each_reader_of_the_value_gets_the_failure_and_others_live(self):
        wrong, right = self.x.take(self.bad, 0), self.x.take(self.good, 0)
        evaluate([wrong, right])
        self.assertEqual(right.numpy().tolist(), [1, 2, 3])
        self.fails(wrong.numpy)
        self.fails(wrong.numpy)
        self.assertEqual(right.numpy().tolist(), [1, 2, 3])
        self.assertEqual((self.x + 1).numpy().tolist(), list(range(1, 11)))

    def test_what_is_computed_from_a_failed_value_fails(self):
        wrong = self.x.take(self.bad, 0)
        evaluate([wrong])
        later = wrong * 2.0
        evaluate([later])
        total = later.reduce("sum")
        self.fails(total.item)
        self.fails((later + 1).numpy)
        self.fails(wrong[1:].copy().numpy)
        joined = self.context.array(np.zeros(3))
        joined += wrong
        self.fails(joined.numpy)

    def test_a_synchronisation_reports_each_failure_once(self):
        wrong = self.x.take(self.bad, 0)
        evaluate([wrong])
        self.fails(self.context.synchronize)
        self.context.synchronize()
        self.fails(wrong.numpy)
        self.context.synchronize()

    def test_each_failure_is_reported_by_one_synchronisation(self):
        wrong = [self.x.take(self.bad, 0), (self.x + 1.0).take(self.bad, 0)]
        for each in wrong:
            evaluate([each])
        for _ in wrong:
            self.fails(self.context.synchronize)
        self.context.synchronize()

    def test_failures_that_nobody_asks_for_are_bounded(self):
        for _ in range(1100):
            evaluate([self.x.take(self.bad, 0)])
        for _ in range(1024):
            self.fails(self.context.synchronize)
        self.context.synchronize()

    def test_a_failure_that_a_reader_got_is_not_reported_again(self):
        wrong = self.x.take(self.bad, 0)
        self.fails(wrong.numpy)
        self.context.synchronize()

    def test_a_write_with_a_wrong_index_fails_its_array_alone(self):
        y = self.x.copy()
        y[self.bad] = 5.0
        other = self.x.copy()
        other[self.good] = 7.0
        evaluate([y, other])
        self.assertEqual(other.numpy().tolist(), [0, 7, 7, 7, 4, 5, 6, 7, 8, 9])
        self.fails(y.numpy)
        self.assertEqual(self.x.numpy().tolist(), list(range(10)))

    def test_indices_without_a_name(self):
        wrong = self.x.reshape(2, 5).take(self.good * 2, 1)
        self.fails(wrong.numpy, "index 6 is out of range for axis 1 of size 5 (told late: the index was computed on the device)")

    def test_more_launches_than_reports(self):
        rng, y = np.random.default_rng(1), self.x
        expected = np.arange(10.0)
        for at in range(1100):
            order = rng.permutation(10)
            y, expected = y.take(self.context.array(order), 0), expected[order]
            evaluate([y])
        self.assertEqual(y.numpy().tolist(), expected.tolist())
        self.fails(y.take(self.bad, 0).numpy)


class Retained(unittest.TestCase):
    def test_arrays_and_retained_bytes_are_counted(self):
        context = Context()
        self.assertEqual((context.info()["arrays"], context.info()["retained_bytes"]), (0, 0))
        x = context.array(np.zeros(1000))
        y = x + 1.0
        self.assertEqual((context.info()["arrays"], context.info()["retained_bytes"]), (2, 0))
        del x
        self.assertEqual((context.info()["arrays"], context.info()["retained_bytes"]), (1, 8000))
        evaluate([y])
        self.assertEqual((context.info()["retained_bytes"], context.info()["live_bytes"]), (0, 8000))

    def test_waiting_operations_keep_bounded_memory(self):
        context = Context(max_retained_bytes=100_000)
        results = []
        for at in range(40):
            results.append(context.array(np.full(1000, float(at))) + 1.0)
            self.assertLessEqual(context.info()["retained_bytes"], 108_000)
        info = context.info()
        self.assertGreater(info["by_retained"], 0)
        self.assertEqual(info["by_retained"], info["evaluations"])
        self.assertEqual([result.numpy()[0] for result in results], [at + 1.0 for at in range(40)])

    def test_a_written_array_keeps_its_name_and_counts(self):
        context = Context()
        x = context.array(np.zeros(1000))
        y = x + 1.0
        x += 2.0
        self.assertEqual(context.info()["retained_bytes"], 8000)
        evaluate([x, y])
        self.assertEqual(context.info()["retained_bytes"], 0)
        self.assertEqual((x.numpy()[0], y.numpy()[0]), (2, 1))


class Memory(unittest.TestCase):
    """A plan of 12 kernels fails at each of its allocations, and a later try succeeds."""

    SIZE = 1000

    def plan(self, context):
        values = np.arange(self.SIZE, dtype="float64").reshape(10, 100)
        x = context.array(values)
        results, expected = [], []
        y = x
        for at in range(12):
            y, values = (y * 0.5).scan("cumulative_sum", at % 2), np.cumsum(values * 0.5, at % 2)
            results.append(y)
            expected.append(values)
        return x, results, expected

    def test_each_allocation(self):
        roomy = Context()
        x, results, expected = self.plan(roomy)
        evaluate(results)
        needed, launched = roomy.info()["peak_bytes"], roomy.info()["kernels_launched"]
        self.assertGreaterEqual(launched, 12)
        outputs = sum(array.nbytes for array in expected)
        points = set()
        for kept in range(8, outputs, 2000):
            context = Context(max_bytes=needed)
            x, results, expected = self.plan(context)
            obstacle = context.array(np.zeros(kept, "uint8"))
            with self.assertRaisesRegex(Failure, "release arrays, or raise max_bytes"):
                evaluate(results)
            points.add(context.info()["kernels_launched"])
            del obstacle
            evaluate(results)
            self.assertEqual(context.info()["kernels_launched"], launched)
            for result, values in zip(results, expected):
                np.testing.assert_allclose(result.numpy(), values)
        self.assertEqual(points, set(range(launched)))


    def test_released_memory_serves_new_arrays(self):
        context, other = Context(max_bytes=10_000), Context()
        elements = other.array(np.arange(1000.0))
        for _ in range(3):
            array = context.array(np.arange(1000.0))
            del array
        for _ in range(3):
            array = elements.view("cucore_array_to_context", context.handle)
            del array
        self.assertEqual(context.array(np.arange(1000.0)).numpy()[-1], 999)


class Writes(unittest.TestCase):
    """A write that finds no memory changes nothing, so that it can be repeated."""

    SIZE = 1000

    def fails(self, body):
        with self.assertRaisesRegex(Failure, "release arrays, or raise max_bytes"):
            body()

    def check(self, write, changed, **options):
        context = Context(max_bytes=self.SIZE * 8 * 3, **options)
        before = np.arange(float(self.SIZE))
        x = context.array(before)
        kept = x.copy()  # so that no write is done in place
        places = context.array(np.arange(3))
        obstacle = context.array(before)
        self.fails(lambda: write(x, places))
        np.testing.assert_array_equal(x.numpy(), before)
        self.fails(lambda: write(x, places))
        del obstacle
        write(x, places)
        np.testing.assert_array_equal(x.numpy(), changed(before))
        np.testing.assert_array_equal(kept.numpy(), before)

    def test_each_write_of_an_eager_context(self):
        def first(number):
            return lambda before: np.concatenate([before[:3] + number, before[3:]])

        def add_one(part):
            total = part + 1.0
            call("cucore_array_assign", part.handle, c.byref(operand(total)))
        one = operand(1.0)
        writes = [
            (lambda x, _: x.update("add", 1.0), lambda before: before + 1),
            (lambda x, _: x.apply("add", 1.0, out=x), lambda before: before + 1),
            (lambda x, _: add_one(x[:3]), first(1)),
            (lambda x, _: x[:3].update("add", 2.0), first(2)),
            (lambda x, places: x.update_at("add", places, 3.0), first(3)),
            (lambda x, _: x.update_at("add", slice(3), 4.0), first(4)),
            (lambda x, places: call("cucore_array_put_along", x.handle, places.handle, c.byref(one), 0),
             lambda before: np.concatenate([[1.0, 1.0, 1.0], before[3:]])),
            (lambda x, _: x[:3].write(np.zeros(3)), lambda before: np.concatenate([np.zeros(3), before[3:]])),
        ]
        for write, changed in writes:
            self.check(write, changed, policy=1)

    def test_a_write_that_ends_a_chain(self):
        self.check(lambda x, _: x.update("add", 1.0), lambda before: before + 1, max_depth=1)

    def test_random_numbers_are_not_lost(self):
        context = Context(policy=1, max_bytes=self.SIZE * 8 * 3 // 2)
        generator, state = c.c_void_p(), (c.c_uint64 * 4)()
        call("cucore_array_generator_create", context.handle, c.c_uint64(7), c.byref(generator))
        obstacle = context.array(np.zeros(self.SIZE))
        self.fails(lambda: Array.made(context, "cucore_array_random", 2, 0, None, c.c_size_t(0), numbers([self.SIZE]), c.c_size_t(1), first=generator))
        call("cucore_array_generator_state", generator, state)
        self.assertEqual(list(state), [7, 0, 0, 0])
        del obstacle
        Array.made(context, "cucore_array_random", 2, 0, None, c.c_size_t(0), numbers([self.SIZE]), c.c_size_t(1), first=generator)
        call("cucore_array_generator_state", generator, state)
        self.assertEqual(list(state), [7, self.SIZE, 0, 0])
        array_library.cucore_array_generator_release(generator)


if __name__ == "__main__":
    unittest.main(verbosity=2)
