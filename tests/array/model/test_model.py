# SPDX-License-Identifier: Apache-2.0
"""Compares the model of arrays (types, views, indices, overlaps) with NumPy.

Each view shows elements of a base of consecutive numbers, so that its elements are its positions.
"""
import ctypes
import itertools
import random
import sys
import unittest

import numpy as np
from numpy.lib.stride_tricks import as_strided

LIBRARY = ctypes.CDLL(sys.argv.pop(1))
MOST = 32
DONE, REFUSED = 0, 1
INVALID_ARGUMENT, SHAPE, INDEX = 101, 109, 111
INTEGER, SLICE, NEW_AXIS, ELLIPSIS = 1, 2, 3, 4
NONE, SOME, UNDECIDED = 0, 1, 2


class View(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_int64), ("ndim", ctypes.c_int32), ("read_only", ctypes.c_int32),
                ("shape_", ctypes.c_int64 * MOST), ("strides_", ctypes.c_int64 * MOST)]

    shape = property(lambda self: tuple(self.shape_[:self.ndim]))
    strides = property(lambda self: tuple(self.strides_[:self.ndim]))

    def positions(self):
        """The elements that NumPy shows with this offset and these strides."""
        if 0 in self.shape:
            return np.empty(self.shape, np.int64)
        low = self.offset + sum(min(0, (n - 1) * s) for n, s in zip(self.shape, self.strides))
        high = self.offset + sum(max(0, (n - 1) * s) for n, s in zip(self.shape, self.strides))
        base = np.arange(low, high + 1)
        return as_strided(base[self.offset - low:], self.shape, [8 * s for s in self.strides])


class Index(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("given", ctypes.c_int32), ("start", ctypes.c_int64),
                ("stop", ctypes.c_int64), ("step", ctypes.c_int64)]


LIBRARY.model_failure.restype = LIBRARY.model_dtype_name.restype = ctypes.c_char_p


def numbers(values, kind=ctypes.c_int64):
    values = list(values)
    return (kind * len(values))(*values), len(values)


class Refused(Exception):
    def __init__(self, status):
        self.status = status
        super().__init__(LIBRARY.model_failure().decode())


def call(name, *arguments):
    """Returns the view of a function, or None if it has none without a copy."""
    out = View()
    status = getattr(LIBRARY, "model_" + name)(*arguments, ctypes.byref(out))
    if status == REFUSED:
        return None
    if status != DONE:
        raise Refused(status)
    return out


def dense(shape):
    return call("dense", *numbers(shape))


def select(view, items):
    flat = []
    for item in items if isinstance(items, tuple) else (items,):
        if item is None:
            flat.append(Index(NEW_AXIS))
        elif item is Ellipsis:
            flat.append(Index(ELLIPSIS))
        elif isinstance(item, slice):
            given = sum(bit for bit, value in zip((1, 2, 4), (item.start, item.stop, item.step)) if value is not None)
            flat.append(Index(SLICE, given, item.start or 0, item.stop or 0, item.step or 0))
        else:
            flat.append(Index(INTEGER, 0, item))
    return call("select", ctypes.byref(view), (Index * len(flat))(*flat), len(flat))


def by_axes(name):
    return lambda view, axes: call(name, ctypes.byref(view), *numbers(axes, ctypes.c_int32))


permuted, expanded, squeezed, flipped = map(by_axes, ("permuted", "expanded", "squeezed", "flipped"))


def diagonal(view, offset, axis1, axis2):
    return call("diagonal", ctypes.byref(view), ctypes.c_int64(offset), axis1, axis2)


def broadcast(view, shape):
    return call("broadcast", ctypes.byref(view), *numbers(shape))


def reshaped(view, shape):
    return call("reshaped", ctypes.byref(view), *numbers(shape))


def composed(outer, inner):
    return call("composed", ctypes.byref(outer), ctypes.byref(inner))


def random_shape(rnd, most=4, size=5):
    return tuple(rnd.choice((0, 1, 2, 3, 4, size) if rnd.random() < .2 else (1, 2, 3, 4, size)) for _ in range(rnd.randrange(most + 1)))


def random_slice(rnd, size):
    bound = lambda: None if rnd.random() < .3 else rnd.randrange(-size - 3, size + 4)
    return slice(bound(), bound(), rnd.choice((None, 1, 1, 2, 3, -1, -2, -5)))


def random_items(rnd, shape):
    for size in shape:
        yield rnd.randrange(-size, size) if size and rnd.random() < .25 else random_slice(rnd, size)
        if rnd.random() < .15:
            yield None


def random_index(rnd, shape):
    """Indices of the first axes and, after an ellipsis, of the last ones."""
    first = rnd.randrange(len(shape) + 1)
    last = rnd.randrange(first, len(shape) + 1)
    items = list(random_items(rnd, shape[:first]))
    return tuple(items if rnd.random() < .6 else items + [Ellipsis, *random_items(rnd, shape[last:])])


def random_step(rnd, array, view):
    """Applies one random transform to both."""
    ndim = array.ndim
    kind = rnd.randrange(7)
    if kind == 0 or ndim == 0:
        items = random_index(rnd, array.shape)
        return np.asarray(array[items]), select(view, items)
    if kind == 1:
        axes = rnd.sample(range(ndim), ndim) if rnd.random() < .7 else []
        return array.transpose(axes or None), permuted(view, axes)
    if kind == 2:
        axes = rnd.sample(range(-ndim, 0), rnd.randrange(1, ndim + 1))
        return np.flip(array, axes), flipped(view, axes)
    if kind == 3 and ndim < 6:
        axes = rnd.sample(range(ndim + 1), 1)
        return np.expand_dims(array, tuple(axes)), expanded(view, axes)
    if kind == 4:
        axes = [axis for axis in range(ndim) if array.shape[axis] == 1]
        return array.squeeze(), squeezed(view, axes if axes and rnd.random() < .5 else [])
    if kind == 5 and ndim >= 2:
        axis1, axis2 = rnd.sample(range(ndim), 2)
        offset = rnd.randrange(-6, 7)
        return np.diagonal(array, offset, axis1, axis2), diagonal(view, offset, axis1, axis2)
    if kind == 6:
        shape = tuple(rnd.choice((2, 3)) if size == 1 and rnd.random() < .3 else size for size in array.shape)
        return np.broadcast_to(array, shape), broadcast(view, shape)
    return array, view


def random_view(rnd, steps=4, shape=None):
    shape = random_shape(rnd) if shape is None else shape
    array = np.arange(int(np.prod(shape))).reshape(shape)
    view = dense(shape)
    for _ in range(rnd.randrange(steps + 1)):
        array, view = random_step(rnd, array, view)
    return array, view


def strides_of(array):
    return tuple(stride // 8 for stride in array.strides)


class Views(unittest.TestCase):
    def same(self, array, view, context):
        self.assertEqual(view.shape, array.shape, context)
        np.testing.assert_array_equal(view.positions(), array, str(context))

    def test_transforms(self):
        for seed in range(6000):
            array, view = random_view(random.Random(seed), 5)
            self.same(array, view, seed)
            for size, mine, theirs in zip(array.shape, view.strides, strides_of(array)):
                if size > 1 and array.size:
                    self.assertEqual(mine, theirs, seed)

    def test_contiguous_views(self):
        for seed in range(5000):
            array, view = random_view(random.Random(seed))
            self.assertEqual(LIBRARY.model_is_contiguous(ctypes.byref(view)), array.flags.c_contiguous, (seed, array.shape, array.strides))

    def test_slices_of_any_numbers(self):
        extremes = (None, -2**63, -2**62, -9, -5, -1, 0, 1, 4, 5, 9, 2**62, 2**63 - 1)
        for size in (0, 1, 5):
            array = np.arange(size)
            for start, stop, step in itertools.product(extremes, extremes, extremes):
                if step == 0:
                    continue
                item = slice(start, stop, step)
                expected = np.array(range(size)[item], np.int64)
                np.testing.assert_array_equal(select(dense((size,)), item).positions(), expected, str(item))
        with self.assertRaisesRegex(Refused, "the step of a slice is 0"):
            select(dense((3,)), slice(None, None, 0))

    def test_reshapes_are_views_where_numpy_needs_no_copy(self):
        views = copies = 0
        for seed in range(8000):
            rnd = random.Random(seed)
            array, view = random_view(rnd)
            factors = list(array.shape) or [1]
            rnd.shuffle(factors)
            shape = []
            for factor in factors:
                if shape and rnd.random() < .4:
                    shape[-1] *= factor
                elif factor == 4 and rnd.random() < .5:
                    shape += [2, 2]
                else:
                    shape.append(factor)
            if rnd.random() < .3:
                shape.insert(rnd.randrange(len(shape) + 1), 1)
            wanted = list(shape)
            if array.size and rnd.random() < .2:
                wanted[rnd.randrange(len(shape))] = -1
            try:
                expected = array.view()
                expected.shape = wanted
            except AttributeError:
                expected = None
            got = reshaped(view, wanted)
            if expected is None:
                copies += 1
                self.assertIsNone(got, (seed, array.shape, array.strides, shape))
            else:
                views += 1
                self.assertIsNotNone(got, (seed, array.shape, array.strides, shape))
                self.same(expected, got, (seed, array.shape, array.strides, shape))
        self.assertGreater(min(views, copies), 500)

    def test_broadcast_shapes(self):
        for seed in range(5000):
            rnd = random.Random(seed)
            common = random_shape(rnd, 5)
            shapes = []
            for _ in range(rnd.randrange(1, 4)):
                shape = common[rnd.randrange(len(common) + 1):]
                shapes.append(tuple(1 if rnd.random() < .3 else size if rnd.random() < .97 else 7 for size in shape))
            rows = [len(shape) if at == 0 else (shape + (0,) * MOST)[at - 1] for shape in shapes for at in range(MOST + 1)]
            out = (ctypes.c_int64 * (MOST + 1))()
            status = LIBRARY.model_broadcast_shape(numbers(rows)[0], len(shapes), out)
            try:
                expected = np.broadcast_shapes(*shapes)
            except ValueError:
                self.assertEqual(status, SHAPE, shapes)
                self.assertRegex(LIBRARY.model_failure().decode(), r"^add: shapes \(.* do not broadcast: dimension \d+ is \d+ and \d+$")
                continue
            self.assertEqual((status, tuple(out[1:1 + out[0]])), (DONE, expected), shapes)

    def test_a_broadcast_view_is_read_only_and_so_are_its_views(self):
        view = broadcast(dense((1, 3)), (4, 3))
        self.assertTrue(view.read_only)
        self.assertTrue(select(view, (slice(1, 2),)).read_only)
        self.assertFalse(select(dense((4, 3)), (slice(1, 2),)).read_only)

    def test_messages(self):
        for action, status, message in (
                (lambda: select(dense((10,)), 12), INDEX, "index 12 is out of range for axis 0 of size 10"),
                (lambda: select(dense((10,)), -11), INDEX, "index -11 is out of range for axis 0 of size 10"),
                (lambda: select(dense((10,)), (1, 1)), INDEX, "the array has 1 dimension; 2 were indexed"),
                (lambda: select(dense((10,)), (..., ...)), INDEX, "an index has two ellipses; expected at most one"),
                (lambda: select(dense((1,) * 32), (None,)), INDEX, "the index makes more than 32 dimensions"),
                (lambda: flipped(dense((2, 3)), [2]), INDEX, "flip: axis 2 is out of bounds for an array of 2 dimensions"),
                (lambda: flipped(dense((2, 3)), [1, -1]), INVALID_ARGUMENT, "flip: axis -1 is repeated"),
                (lambda: permuted(dense((2, 3)), [0]), INVALID_ARGUMENT, "permute: 1 axes for an array of 2 dimensions"),
                (lambda: squeezed(dense((2, 1)), [0]), SHAPE, "squeeze: axis 0 has size 2; expected 1"),
                (lambda: diagonal(dense((2, 2)), 0, 1, -1), INVALID_ARGUMENT, "diagonal: axis1 and axis2 are both 1; expected two axes"),
                (lambda: broadcast(dense((2, 3)), (2, 4)), SHAPE, "broadcast: shape (2, 3) does not broadcast to (2, 4)"),
                (lambda: reshaped(dense((4,)), (-1, -1)), SHAPE, "reshape: two sizes are -1; expected at most one"),
                (lambda: reshaped(dense((4,)), (3, -1)), SHAPE, "reshape: 4 elements do not fit the shape (3, -1)"),
                (lambda: reshaped(dense((4,)), (5,)), SHAPE, "reshape: 4 elements do not fit the shape (5,)"),
                (lambda: reshaped(dense((0,)), (0, -1)), SHAPE, "reshape: 0 elements do not fit the shape (0, -1)"),
                (lambda: dense((2**40, 2**40)), SHAPE, "the shape has more than 2^63 - 1 elements"),
                (lambda: dense((3, -2)), SHAPE, "the size of a dimension is -2; expected 0 or more")):
            with self.assertRaises(Refused) as caught:
                action()
            self.assertEqual((caught.exception.status, str(caught.exception)), (status, message))

    def test_views_without_elements_may_have_huge_dimensions(self):
        self.assertEqual(dense((0, 2**62, 2**62)).shape, (0, 2**62, 2**62))


class Compositions(unittest.TestCase):
    def test_a_view_of_a_view(self):
        found = missed = 0
        for seed in range(6000):
            rnd = random.Random(seed)
            inner_array, inner = random_view(rnd)
            outer_array, outer = random_view(rnd, 4, inner_array.shape)
            got = composed(outer, inner)
            expected = inner_array.reshape(-1)[outer_array]
            if got is None:
                missed += 1
                continue
            found += 1
            if expected.size:
                np.testing.assert_array_equal(got.positions(), expected, str(seed))
        # Slices, transposes, flips, diagonals and broadcasts never pass from one axis to the next.
        self.assertEqual(missed, 0)
        self.assertEqual(found, 6000)

    def test_a_reshape_that_joins_axes_has_none(self):
        inner = permuted(dense((3, 4)), [])
        self.assertIsNone(composed(dense((12,)), inner))

    def test_an_antidiagonal(self):
        outer = View(3, 1)
        outer.shape_[0], outer.strides_[0] = 4, 3
        got = composed(outer, permuted(dense((4, 4)), []))
        self.assertEqual((got.offset, got.strides), (12, (-3,)))

    def test_the_inverse_of_a_view_of_each_element(self):
        seen = 0
        for seed in range(5000):
            rnd = random.Random(seed)
            shape = random_shape(rnd)
            array = np.arange(int(np.prod(shape))).reshape(shape)
            view = dense(shape)
            for _ in range(3):
                if array.ndim:
                    axes = rnd.sample(range(array.ndim), array.ndim)
                    array, view = array.transpose(axes), permuted(view, axes)
                    flips = rnd.sample(range(array.ndim), rnd.randrange(1, array.ndim + 1))
                    array, view = np.flip(array, flips), flipped(view, flips)
            self.assertTrue(LIBRARY.model_covers(ctypes.byref(view), ctypes.c_int64(array.size)), seed)
            if not array.size:
                continue
            base, axes, reverse = ((ctypes.c_int64 * MOST)() for _ in range(3))
            count = LIBRARY.model_inverse(ctypes.byref(view), base, axes, reverse)
            seen += 1
            for position, index in enumerate(np.ndindex(*base[:count])):
                at = [0] * array.ndim
                for axis in range(count):
                    at[axes[axis]] = base[axis] - 1 - index[axis] if reverse[axis] else index[axis]
                self.assertEqual(array[tuple(at)], position, seed)
        self.assertGreater(seen, 3000)

    def test_collapsed_axes_show_the_same_elements(self):
        for seed in range(5000):
            rnd = random.Random(seed)
            first_array, first = random_view(rnd)
            second_array, second = random_view(rnd, 0, first_array.shape)
            views = (View * 2)(first, second)
            LIBRARY.model_collapse(views, 2)
            self.assertEqual(views[0].shape, views[1].shape, seed)
            self.assertNotIn(1, views[0].shape)
            for view, array in zip(views, (first_array, second_array)):
                if array.size:
                    np.testing.assert_array_equal(view.positions().reshape(-1), array.reshape(-1), str(seed))

    def test_all_axes_of_dense_views_become_one(self):
        views = (View * 2)(dense((3, 1, 4, 5)), dense((3, 1, 4, 5)))
        LIBRARY.model_collapse(views, 2)
        self.assertEqual((views[0].shape, views[1].strides), ((60,), (1,)))


class Overlaps(unittest.TestCase):
    def test_views_of_one_base(self):
        answers = {NONE: 0, SOME: 0}
        for seed in range(6000):
            rnd = random.Random(seed)
            shape = random_shape(rnd, 3, 9)
            a, first = random_view(rnd, 3, shape)
            b, second = random_view(rnd, 3, shape)
            expected = bool(np.intersect1d(a, b).size)
            got = LIBRARY.model_overlap(ctypes.byref(first), ctypes.byref(second), ctypes.c_uint64(0))
            self.assertEqual(got, SOME if expected else NONE, (seed, a, b))
            answers[got] += 1
            bounded = LIBRARY.model_overlap(ctypes.byref(first), ctypes.byref(second), ctypes.c_uint64(1))
            self.assertIn(bounded, (got, UNDECIDED), seed)
        self.assertGreater(min(answers.values()), 1000)

    def test_strides_of_any_numbers(self):
        for seed in range(6000):
            rnd = random.Random(seed)

            def view():
                result = View(rnd.randrange(60), rnd.randrange(4))
                for axis in range(result.ndim):
                    result.shape_[axis], result.strides_[axis] = rnd.randrange(1, 5), rnd.randrange(-12, 13)
                return result
            first, second = view(), view()
            expected = bool(np.intersect1d(first.positions(), second.positions()).size)
            got = LIBRARY.model_overlap(ctypes.byref(first), ctypes.byref(second), ctypes.c_uint64(0))
            self.assertEqual(got, SOME if expected else NONE, (seed, first.strides, second.strides))
            injective = np.unique(first.positions()).size == first.positions().size
            if LIBRARY.model_is_injective(ctypes.byref(first)):
                self.assertTrue(injective, seed)

    def test_views_by_slices_are_found_injective(self):
        for seed in range(5000):
            array, view = random_view(random.Random(seed))
            if not view.read_only:
                self.assertTrue(LIBRARY.model_is_injective(ctypes.byref(view)), seed)

    def test_large_views_need_few_steps(self):
        whole = dense((1 << 20, 1 << 10))
        even, odd = (select(whole, (slice(None), slice(first, None, 2))) for first in (0, 1))
        self.assertEqual(LIBRARY.model_overlap(ctypes.byref(even), ctypes.byref(odd), ctypes.c_uint64(1000)), NONE)
        left, right = select(whole, (slice(None), slice(0, 500))), select(whole, (slice(None), slice(500, None)))
        self.assertEqual(LIBRARY.model_overlap(ctypes.byref(left), ctypes.byref(right), ctypes.c_uint64(1000)), NONE)
        upper, lower = select(whole, slice(1, None)), select(whole, slice(None, -1))
        self.assertEqual(LIBRARY.model_overlap(ctypes.byref(upper), ctypes.byref(lower), ctypes.c_uint64(1000)), SOME)


class Types(unittest.TestCase):
    NAMES = {number: LIBRARY.model_dtype_name(number).decode() for number in range(1, 16)}
    WEAK = (True, 1, 1.0, 1j)

    def setUp(self):
        self.numpy = {number: np.dtype(name) for number, name in self.NAMES.items() if name != "bfloat16"}

    def result(self, dtypes, weak=()):
        return self.NAMES[LIBRARY.model_result(*numbers(dtypes, ctypes.c_int32), *numbers(weak, ctypes.c_int32))]

    def test_sizes(self):
        for number, dtype in self.numpy.items():
            self.assertEqual(LIBRARY.model_dtype_size(number), dtype.itemsize)
        self.assertEqual(LIBRARY.model_dtype_size(11), 2)

    def test_results_of_one_to_three_types(self):
        for count in (1, 2, 3):
            for dtypes in itertools.product(self.numpy, repeat=count):
                self.assertEqual(self.result(dtypes), np.result_type(*(self.numpy[d] for d in dtypes)).name, dtypes)

    def test_results_with_weak_numbers(self):
        for number, dtype in self.numpy.items():
            for weak, value in enumerate(self.WEAK):
                expected = (np.ones(2, dtype) if dtype != bool else np.ones(2, dtype)) * value
                self.assertEqual(self.result([number], [weak]), expected.dtype.name, (dtype, value))

    def test_results_of_weak_numbers_alone(self):
        for weak in itertools.product(range(4), repeat=2):
            expected = ("bool", "int64", "float64", "complex128")[max(weak)]
            self.assertEqual(self.result([], weak), expected)

    def test_bfloat16(self):
        name_to_number = {name: number for number, name in self.NAMES.items()}
        for other, expected in (("bool", "bfloat16"), ("int8", "bfloat16"), ("uint8", "bfloat16"), ("int16", "float32"),
                                ("uint16", "float32"), ("int32", "float64"), ("uint64", "float64"), ("float16", "float32"),
                                ("bfloat16", "bfloat16"), ("float32", "float32"), ("float64", "float64"),
                                ("complex64", "complex64"), ("complex128", "complex128")):
            for pair in ((name_to_number[other], 11), (11, name_to_number[other])):
                self.assertEqual(self.result(pair), expected, pair)
        self.assertEqual([self.result([11], [weak]) for weak in range(4)], ["bfloat16"] * 3 + ["complex64"])

    def test_casts(self):
        for casting, name in enumerate(("same_kind", "no", "safe", "unsafe")):
            for one, other in itertools.product(self.numpy, repeat=2):
                self.assertEqual(bool(LIBRARY.model_can_cast(one, other, casting)),
                                 np.can_cast(self.numpy[one], self.numpy[other], name), (name, self.numpy[one], self.numpy[other]))


if __name__ == "__main__":
    unittest.main()
