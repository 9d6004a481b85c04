# SPDX-License-Identifier: Apache-2.0
"""x[...] and writes to it, compared with NumPy."""
import numpy as np
import pytest
from compared import equal

import cucore
import cucore.array as xp

SOURCE = np.arange(60).reshape(3, 4, 5)
KEYS = (
    0, -1, (1, 2), (1, 2, 3), slice(None), slice(2, 0, -1), (slice(None, None, 2), slice(1, 3)), ..., (..., 0), (0, ..., 1), None,
    (None, 1, None), (slice(10, 20),), (slice(None, -(1 << 70), -1),), [0, 2], ([0, 2], [1, 3]), ([0, 2], slice(None), [1, 3]),
    (slice(None), [1, 0, 1]), np.array([[0, 1], [2, 0]]), (np.array([0, 1])[:, None], np.array([2, 3])), SOURCE > 30,
    (slice(None), np.array([True, False, True, False])), True, [], (1, [True, False, False, True]), np.int64(1),
    ((0, 1), (1, 3)), ((0, 1), slice(None), 2))


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key)[:40].replace("\n", ""))
def test_reads_and_writes_are_numpys(key):
    ours = xp.asarray(SOURCE)
    own = tuple(xp.asarray(part) if isinstance(part, np.ndarray) else part for part in key) if isinstance(key, tuple) else key
    for given in (key, own):
        equal(ours[given], SOURCE[key])
    expected = SOURCE.copy()
    expected[key] = 7
    ours[key] = 7
    equal(ours, expected)
    expected[key] *= 2
    ours[key] *= 2
    equal(ours, expected)


@pytest.mark.parametrize("key", ("text", [slice(None)], [...], (0, ["text"])))
def test_other_objects_are_not_indices(key):
    with pytest.raises(IndexError, match="is not an index"):
        xp.asarray(SOURCE)[key]


@pytest.mark.parametrize("key, wrong, axis", (
    ([0, 3], 3, 0), ([[1, -4], [0, 2]], -4, 0), (np.array([5, 0], "uint8"), 5, 0), (range(4), 3, 0), ((slice(None), [4]), 4, 1), ((1, [0, -5]), -5, 1),
    ((..., None, [0, 7, 1]), 7, 2), (([0, 1], [1, 9]), 9, 1), (np.int64(3), 3, 0), ([np.int8(-4)], -4, 0)))
def test_indices_of_the_host_are_checked_at_once(key, wrong, axis):
    ours = xp.asarray(SOURCE)
    message = f"^index {wrong} is out of range for axis {axis} of size {SOURCE.shape[axis]}$"
    launched = xp.statistics()["kernels_launched"]
    with pytest.raises(IndexError, match=message):
        ours[key]
    with pytest.raises(IndexError, match=message):
        ours[key] = 1
    assert xp.statistics()["kernels_launched"] == launched
    equal(ours, SOURCE)


def test_positions_of_the_host_are_checked_at_once():
    ours = xp.asarray(SOURCE)
    for wrong in (lambda: xp.take(ours, [0, 4], axis=1), lambda: xp.take(ours, 4, axis=-2), lambda: xp.take_along_axis(ours, [[[4]]], axis=1),
                  lambda: xp.put_along_axis(ours, np.array([[[4]]]), 1, 1)):
        with pytest.raises(IndexError, match="^index 4 is out of range for axis 1 of size 4$"):
            wrong()
    with pytest.raises(IndexError, match="^index 60 is out of range for axis 0 of size 60$"):
        xp.take(ours, [60])
    with pytest.raises(IndexError, match="^index 9223372036854775807 is out of range"):
        ours[np.array([1 << 63], "uint64")]


def test_an_integer_of_numpy_selects_a_view():
    ours = xp.zeros((2, 3))
    row = ours[np.int64(1)]
    row += 1
    assert ours.tolist() == [[0] * 3, [1] * 3]


def test_fractions_are_not_indices():
    with pytest.raises(IndexError, match="an index is an array of float64; expected integers"):
        xp.asarray(SOURCE)[xp.ones(2)]


def test_indices_that_do_not_broadcast():
    x = xp.asarray(SOURCE)
    with pytest.raises(IndexError, match=r"shapes \(2,\) and \(3,\) do not broadcast"):
        x[[0, 1], [0, 1, 2]]
    with pytest.raises(IndexError, match=r"shapes \(2,\) and \(3,\) do not broadcast"):
        x[[0, 1], [0, 1, 2]] = 0


def test_views_share_memory():
    x = xp.arange(6)
    view, copied = x[1:3], x[[1, 2]]
    view += 1
    assert x.tolist() == [0, 2, 3, 3, 4, 5]
    assert copied.tolist() == [1, 2]
    assert xp.shares_memory(x, view)
    assert not xp.shares_memory(x, copied)
    x[1:] += x[:-1]
    assert x.tolist() == [0, 2, 5, 6, 7, 9]


def test_an_element_is_a_copy():
    x = xp.arange(3)
    element, view = x[0], x[0, ...]
    x[0] = 5
    assert (element.item(), view.item()) == (0, 5)


def test_len_iteration_and_contains():
    x = xp.asarray(SOURCE)
    assert len(x) == 3
    for ours, theirs in zip(x, SOURCE):
        equal(ours, theirs)
    assert [value.item() for value in xp.arange(3)] == [0, 1, 2]
    assert 59 in x and 60 not in x
    with pytest.raises(TypeError, match="has no len"):
        len(xp.asarray(1))
    with pytest.raises(TypeError, match="cannot be iterated"):
        iter(xp.asarray(1))


@pytest.mark.parametrize("key, error, message", (
    (3, IndexError, "index 3"), ((0, 0, 0, 0), IndexError, "4 were"), ("text", IndexError, "str is not an index"), (1.5, IndexError, "float64 is not an index"),
    (slice(None, None, 0), ValueError, "step of a slice is 0"), (1 << 70, IndexError, "64 bits"), ((..., ...), IndexError, "two ellipses")))
def test_wrong_keys_are_refused(key, error, message):
    with pytest.raises(error, match=message):
        xp.asarray(SOURCE)[key]
    with pytest.raises(error, match=message):
        xp.asarray(SOURCE)[key] = 1


def test_wrong_writes_are_refused():
    x = xp.zeros((2, 3))
    with pytest.raises(cucore.ShapeError):
        x[0] = xp.ones(4)
    with pytest.raises(TypeError, match="neither a number nor an array"):
        x[0] = "text"
    with pytest.raises(cucore.InvalidStateError, match="broadcast view"):
        xp.broadcast_to(x, (2, 2, 3))[0] = 1
    with pytest.raises(TypeError, match="cannot be deleted"):
        del x[0]
    with pytest.raises(OverflowError):
        xp.zeros(2, dtype=xp.uint8)[0] = 300


def test_functions_of_positions():
    x, ours = SOURCE % 7, xp.asarray(SOURCE % 7)
    for one, other in zip(xp.nonzero(ours), np.nonzero(x)):
        equal(one, other)
    equal(xp.argwhere(ours), np.argwhere(x))
    equal(xp.flatnonzero(ours), np.flatnonzero(x))
    equal(xp.take(ours, xp.asarray([2, 0]), axis=1), np.take(x, [2, 0], axis=1))
    equal(xp.take(ours, [5, 7]), np.take(x, [5, 7]))
    order = np.argsort(x, axis=1)
    equal(xp.take_along_axis(ours, order, axis=1), np.take_along_axis(x, order, 1))
    equal(xp.compress([True, False, True], ours, axis=0), np.compress([True, False, True], x, axis=0))
    equal(xp.extract(ours > 3, ours), np.extract(x > 3, x))
    equal(xp.diagonal(ours, 1, 1, 2), np.diagonal(x, 1, 1, 2))
    equal(ours.diagonal(), x.diagonal())
    xp.put_along_axis(ours, [[[0], [1], [0], [2]]], -1, 2)
    np.put_along_axis(x, np.array([[[0], [1], [0], [2]]]), -1, 2)
    equal(ours, x)


@pytest.mark.parametrize("value", (0, 3))
def test_argwhere_without_axes(value):
    equal(xp.argwhere(value), np.argwhere(value))


@pytest.mark.parametrize("shape, mask", (((0, 1), (0, 0)), ((3, 2), (0, 0)), ((3, 2), (0,)), ((3, 2), (3, 0)), ((3, 2), (0, 2))))
def test_empty_masks_select_nothing(shape, mask):
    theirs, key = np.ones(shape), np.zeros(mask, bool)
    ours = xp.asarray(theirs)
    equal(ours[xp.asarray(key)], theirs[key])
    ours[xp.asarray(key)] = 5
    equal(ours, theirs)
