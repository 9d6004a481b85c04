# SPDX-License-Identifier: Apache-2.0
"""Comparisons of arrays with NumPy's."""
import numpy as np

import cucore.array as xp

REAL = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
DTYPES = ("bool", *REAL, "complex64", "complex128")


def elements(dtype, shape, seed=1):
    """Small numbers of a type, with a few 0; the same for each seed."""
    made = np.random.default_rng(seed).integers(0 if dtype[0] == "u" else -5, 6, shape)
    if dtype.startswith("complex"):
        made = made + 1j * np.roll(made, 1)
    return (made / 4 if dtype[0] in "fc" else made).astype(dtype)


def equal(ours, theirs, tolerance=0.0):
    """Requires equal dtypes, shapes and elements."""
    assert isinstance(ours, xp.Array), type(ours)
    theirs = np.asarray(theirs)
    assert (ours.dtype.name, ours.shape) == (theirs.dtype.name, theirs.shape)
    if tolerance:
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(ours.numpy(), theirs)
