# SPDX-License-Identifier: Apache-2.0
"""Indices that are arrays: reading and writing with integers and masks, against NumPy on the same index."""
import ctypes as c
import random
import unittest

import numpy as np
from arrays import Context, Failure, Index, call, operand

context = Context()


def both(values):
    values = np.asarray(values)
    return values, context.array(values)


def converted(items):
    """The items of NumPy with arrays of the library."""
    def one(item):
        return context.array(item) if isinstance(item, np.ndarray) else item
    return tuple(map(one, items)) if isinstance(items, tuple) else one(items)


def random_index(rng, shape, count_limit=5):
    """An index of some axes: integers, slices, integer arrays that broadcast together, and at most one mask."""
    broadcast = rng.choice([(3,), (2, 3), (1,), (4, 1)])
    items, axis = [], 0
    masked = False
    while axis < len(shape) and rng.random() < 0.9:
        size = shape[axis]
        kind = rng.choice(["slice", "integer", "array", "array", "mask", "new", "full"])
        if kind == "slice":
            items.append(slice(rng.randrange(-size, size), None, rng.choice([1, 2, -1])))
        elif kind == "integer":
            items.append(rng.randrange(-size, size))
        elif kind == "array":
            own = rng.choice([broadcast, broadcast[-1:], (1,), ()])
            items.append(np.array([rng.randrange(-size, size) for _ in range(int(np.prod(own)))], rng.choice(["int64", "int32", "int8"])).reshape(own))
        elif kind == "mask" and not masked:
            axes = rng.choice([1, 1, 2]) if axis + 1 < len(shape) else 1
            mask = np.zeros(int(np.prod(shape[axis:axis + axes])), bool)
            mask[rng.sample(range(mask.size), min(broadcast[-1], mask.size))] = True
            items.append(mask.reshape(shape[axis:axis + axes]))
            masked = True
            axis += axes - 1
        elif kind == "new":
            items.append(None)
            axis -= 1
        else:
            items.append(slice(None))
        axis += 1
    if rng.random() < 0.2:
        items.insert(rng.randrange(len(items) + 1), Ellipsis)
    return tuple(items)


class RandomIndices(unittest.TestCase):
    SEEDS = 150

    def test_reading_and_writing_equal_numpy(self):
        done = 0
        for seed in range(self.SEEDS):
            rng = random.Random(seed)
            shape = tuple(rng.randrange(1, 6) for _ in range(rng.randrange(1, 5)))
            values, array = both(np.arange(int(np.prod(shape)), dtype="int32").reshape(shape))
            if rng.random() < 0.4:
                values, array = values.T, array.T
            items = random_index(rng, values.shape)
            if not items:
                continue
            try:
                expected = values[items]
            except IndexError:
                with self.assertRaises(Failure, msg=f"{seed} {items}"):
                    array[converted(items)].numpy()
                continue
            with self.subTest(seed=seed, items=items, shape=values.shape):
                found = array[converted(items)]
                self.assertEqual(found.shape, np.shape(expected))
                np.testing.assert_array_equal(found.numpy(), expected)
                source = np.arange(1000, 1000 + expected.size, dtype="int32").reshape(expected.shape)
                for new in (source, source[..., :1] if source.ndim and source.size else source, 7):
                    values[items] = new
                    array[converted(items)] = context.array(new) if isinstance(new, np.ndarray) else new
                    np.testing.assert_array_equal(array.numpy(), values)
                values[items] += 5
                array.update_at("add", converted(items), 5)
                np.testing.assert_array_equal(array.numpy(), values)
                done += 1
        self.assertGreater(done, self.SEEDS // 2)


class Writes(unittest.TestCase):
    def test_the_last_of_repeated_indices_wins(self):
        for count in (7, 300, 5000):
            rng = np.random.default_rng(count)
            indices = rng.integers(0, 5, count)
            values, array = both(np.zeros(9, "float32"))
            new = rng.random(count).astype("float32")
            values[indices] = new
            array[context.array(indices)] = context.array(new)
            np.testing.assert_array_equal(array.numpy(), values)

    def test_the_last_row_of_repeated_indices_wins(self):
        indices = np.array([[2, 0], [2, 2], [1, 0]])
        values, array = both(np.zeros((4, 3)))
        new = np.arange(18.0).reshape(3, 2, 3)
        values[indices] = new
        array[context.array(indices)] = context.array(new)
        np.testing.assert_array_equal(array.numpy(), values)

    def test_a_sum_with_repeated_indices_adds_once(self):
        values, array = both(np.zeros(4))
        values[np.array([1, 1, 1])] += 2
        array.update_at("add", context.array(np.array([1, 1, 1])), 2.0)
        np.testing.assert_array_equal(array.numpy(), values)

    def test_an_array_may_be_its_own_index(self):
        values, array = both(np.array([3, 0, 2, 1]))
        values[values.copy()] = values * 10
        array[array] = array * 10
        np.testing.assert_array_equal(array.numpy(), values)

    def test_values_read_before_a_write_keep_their_elements(self):
        values, array = both(np.arange(6.0))
        before = array * 2
        array[context.array(np.array([0, 5]))] = -1.0
        np.testing.assert_array_equal(before.numpy(), values * 2)
        self.assertEqual(array.numpy().tolist(), [-1, 1, 2, 3, 4, -1])

    def test_views_see_writes_through_indices(self):
        values, array = both(np.arange(12.0).reshape(3, 4))
        view = array.T
        view[context.array(np.array([1, 3]))] = 0.0
        values.T[np.array([1, 3])] = 0
        np.testing.assert_array_equal(array.numpy(), values)

    def test_real_parts_are_written_through_indices(self):
        values, array = both(np.arange(6).astype("complex64") * (1 + 2j))
        values.real[np.array([1, 4, 1])] = np.array([7, 8, 9])
        array.part(1)[context.array(np.array([1, 4, 1]))] = context.array(np.array([7, 8, 9], "float32"))
        np.testing.assert_array_equal(array.numpy(), values)

    def test_masks_with_one_number_do_not_wait(self):
        values, array = both(np.arange(-5.0, 5.0))
        waits = context.info()["by_read"]
        array[array.apply("less", 0.0)] = 0.0
        self.assertEqual(context.info()["by_read"], waits)
        np.testing.assert_array_equal(array.numpy(), np.maximum(values, 0))

    def test_a_mask_of_a_wrong_size_is_refused(self):
        _, array = both(np.zeros((3, 4)))
        with self.assertRaises(Failure) as raised:
            array[context.array(np.zeros(4, bool))]
        self.assertIn("the mask has 4 elements on axis 0; axis 0 of the array has 3", str(raised.exception))
        with self.assertRaises(Failure):
            array[context.array(np.zeros(4, bool))] = 1.0

    def test_as_many_values_as_true_elements_are_needed(self):
        _, array = both(np.zeros(5))
        mask = context.array(np.array([True, False, True, False, False]))
        with self.assertRaises(Failure):
            array[mask] = context.array(np.ones(3))

    def test_an_index_out_of_range_writes_nothing_outside(self):
        own = Context()
        array = own.array(np.zeros(4))
        array[own.array(np.array([9]))] = 1.0
        with self.assertRaises(Failure) as raised:
            array.numpy()
        self.assertIn("index 9 is out of range for axis 0 of size 4", str(raised.exception))

    def test_an_index_out_of_range_names_its_axis(self):
        own = Context()
        places, array = own.array(np.array([0, 9])), own.array(np.zeros((5, 5)))
        for axis in (0, 1, 0):
            with self.subTest(axis=axis):
                with self.assertRaisesRegex(Failure, f"index 9 is out of range for axis {axis} of size 5"):
                    array.view("cucore_array_take", places.handle, axis).numpy()
        for index, axis in ((places, 0), ((slice(None), places), 1)):
            written = own.array(np.zeros((5, 5)))
            written[index] = 1.0
            with self.assertRaisesRegex(Failure, f"index 9 is out of range for axis {axis} of size 5"):
                written.numpy()

    def test_large_unsigned_indices_do_not_count_from_the_end(self):
        for number in ((1 << 64) - 1, 1 << 63):
            own = Context()
            array, places = own.array(np.arange(5)), own.array(np.array([number], "uint64"))
            message = "index 9223372036854775807 is out of range for axis 0 of size 5"
            with self.assertRaisesRegex(Failure, message):
                array[places].numpy()
            with self.assertRaisesRegex(Failure, message):
                array.view("cucore_array_take_along", places.handle, 0).numpy()
        array, places = both(np.array([4, 0], "uint64"))
        np.testing.assert_array_equal(context.array(np.arange(5))[places].numpy(), [4, 0])

    def test_numbers_at_the_limits_of_integers(self):
        for dtype, number, expected in (("int64", -2.0**63, -(1 << 63)), ("uint64", 2.0**63, 1 << 63), ("uint64", 1e19, 10**19), ("int64", -0.5, 0)):
            array = context.array(np.zeros(1, dtype))
            array[0] = number
            self.assertEqual(array.numpy().tolist(), [expected])
        for dtype, number in (("int64", 2.0**63), ("int64", 9.25e18), ("int64", -9.25e18), ("uint64", 2.0**64), ("uint64", -1.0), ("int32", 1e19)):
            with self.subTest(dtype=dtype, number=number), self.assertRaisesRegex(Failure, f"is out of range for {dtype}"):
                context.array(np.zeros(1, dtype))[0] = number

    def test_fractions_are_cut_off_for_integers(self):
        _, array = both(np.zeros(4, "int32"))
        array[0] = 2.9
        array[1:3] = context.array(np.array([-2.9, 3.5]))
        self.assertEqual(array.numpy().tolist(), [2, -2, 3, 0])
        with self.assertRaises(Failure):
            array[0] = float("nan")
        with self.assertRaises(Failure):
            array[0] = context.array(np.array(1j))


class Places(unittest.TestCase):
    def test_nonzero_equals_numpy(self):
        rng = np.random.default_rng(3)
        for shape in ((5,), (0,), (4000,), (100000,), (3, 4), (2, 3, 5), (0, 3)):
            for dtype in ("bool", "int8", "float32", "complex64"):
                values = (rng.integers(0, 3, shape) * (1 - 2j if dtype == "complex64" else 1)).astype(dtype)
                array = context.array(values)
                for index, expected in zip(array.nonzero(), np.nonzero(values)):
                    np.testing.assert_array_equal(index.numpy(), expected)

    def test_nothing_and_everything(self):
        for values in (np.zeros(70000, bool), np.ones(70000, bool)):
            np.testing.assert_array_equal(context.array(values).nonzero()[0].numpy(), np.nonzero(values)[0])

    def test_compress_equals_numpy(self):
        values, array = both(np.arange(24).reshape(2, 3, 4))
        for axis, mask in ((0, [True, False]), (1, [False, True, True]), (2, [True, False, False, True]), (2, [True])):
            mask = np.array(mask)
            own = context.array(mask)
            np.testing.assert_array_equal(array.view("cucore_array_compress", own.handle, axis).numpy(), np.compress(mask, values, axis))

    def test_put_along_equals_numpy(self):
        rng = np.random.default_rng(5)
        values, array = both(rng.random((4, 5, 3)))
        for axis in (0, 1, 2, -1):
            shape = list(values.shape)
            shape[axis] = 2
            indices = rng.integers(0, values.shape[axis], shape)
            new = rng.random(shape)
            np.put_along_axis(values, indices, new, axis)
            places, source = context.array(indices), context.array(new)
            call("cucore_array_put_along", array.handle, places.handle, c.byref(operand(source)), axis)
            np.testing.assert_array_equal(array.numpy(), values)

    def test_known_bounds_of_indices_are_checked_at_once(self):
        values, array = both(np.arange(12).reshape(3, 4))
        places = context.array(np.array([0, 3, -4]))
        rows = Index(2, 0, 0, 0, 0, None)
        for least, greatest in ((-4, 3), (-4, 4), (-5, 3)):
            items = (Index * 2)(rows, Index(5, 8, least, greatest, 0, places.handle))
            if (least, greatest) == (-4, 3):
                np.testing.assert_array_equal(array.view("cucore_array_select", items, 2).numpy(), values[:, [0, 3, -4]])
                continue
            wrong = greatest if greatest > 3 else least
            for refused in (lambda: array.view("cucore_array_select", items, 2),
                            lambda: call("cucore_array_assign_select", array.handle, items, 2, 0, c.byref(operand(5)))):
                with self.assertRaisesRegex(Failure, f"index {wrong} is out of range for axis 1 of size 4$"):
                    refused()
        np.testing.assert_array_equal(array.numpy(), values)

    def test_masks_without_axes(self):
        values, array = both(np.arange(6).reshape(2, 3))
        for mask in (True, False):
            index = context.array(np.array(mask))
            np.testing.assert_array_equal(array[index].numpy(), values[np.array(mask)])
            array[index] = 9
            values[np.array(mask)] = 9
            np.testing.assert_array_equal(array.numpy(), values)


if __name__ == "__main__":
    unittest.main(verbosity=2)
