# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans of several blocks, for each size of an element."""
import numpy as np
import pytest
from compared import DTYPES, elements, equal

import cucore.array as xp

CHUNKS = 100043  # four blocks, whose partial results follow each other in memory


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ("any", "all", "min", "max", "argmax", "count_nonzero"))
def test_partial_results_of_blocks(name, dtype):
    if dtype.startswith("complex") and name in ("min", "max", "argmax"):
        pytest.skip("complex numbers have no order")
    theirs = elements(dtype, CHUNKS)
    theirs[90000] = theirs.max() + 1 if theirs.dtype.kind in "iuf" else 1
    equal(getattr(xp, name)(xp.asarray(theirs)), getattr(np, name)(theirs))


@pytest.mark.parametrize("dtype", ("bool", "int8", "uint16", "int32", "int64"))
def test_scans_in_the_type_of_the_elements(dtype):
    theirs = elements(dtype, CHUNKS)
    equal(xp.cumsum(xp.asarray(theirs), dtype="int8"), np.cumsum(theirs, dtype="int8"))
    equal(xp.cumsum(xp.asarray(theirs), dtype="int16"), np.cumsum(theirs, dtype="int16"))


@pytest.mark.parametrize("size", (4, 1025, CHUNKS))
def test_elements_of_a_scan_that_are_stored_too(size):
    x = xp.arange(size)
    doubled = x * 2
    mask = doubled > 5
    scanned = xp.cumsum(mask)
    xp.evaluate(doubled, mask, scanned)
    equal(doubled, np.arange(size) * 2)
    equal(mask, np.arange(size) * 2 > 5)
    equal(scanned, np.cumsum(np.arange(size) * 2 > 5))


def test_a_mask_that_fails_leaves_its_producers():
    x = xp.arange(4)
    for values in ([], [1, 2, 3]):
        with pytest.raises(ValueError, match="does not broadcast"):
            x[x > -1] = values
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("size", (1, 32768, 32 * 32768, 32 * 32768 + 1, 70 * 32768 - 3))
def test_moments_of_groups_of_blocks(size, dtype):
    theirs = (np.random.default_rng(size).random((2, size)) * 3 + 100).astype(dtype)
    x = xp.asarray(theirs)
    expected = np.var(theirs.astype("float64"), axis=1)
    ours = xp.var(x, axis=1).numpy()
    np.testing.assert_allclose(ours, expected, rtol=1e-5 if dtype == "float32" else 1e-12)
    assert [float(xp.var(x[row])) for row in range(2)] == [float(each) for each in ours]
    mean, again = xp.mean(x, axis=1), xp.var(x, axis=1)  # in one kernel
    np.testing.assert_allclose(mean.numpy(), theirs.mean(axis=1, dtype="float64"), rtol=1e-6)
    np.testing.assert_array_equal(again.numpy(), ours)


@pytest.mark.parametrize("dtype, count, expected", (("float16", 70000, 11.15625), ("bfloat16", 1000, 6.90625)))
def test_sums_of_exponentials_exceed_short_types(dtype, count, expected):
    zeros = xp.zeros((2, count), dtype=dtype)
    assert xp.logsumexp(zeros, axis=1).astype(xp.float64).tolist() == [expected] * 2
    assert xp.logsumexp(zeros, axis=1).dtype.name == dtype
