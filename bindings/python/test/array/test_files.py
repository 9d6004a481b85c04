# SPDX-License-Identifier: Apache-2.0
"""Files of arrays, which NumPy reads, and pickles."""
import copy
import io
import pickle

import numpy as np
import pytest
from compared import DTYPES, elements, equal

import cucore.array as xp


@pytest.mark.parametrize("dtype", DTYPES)
def test_npy_files_are_numpys(dtype, tmp_path):
    x = elements(dtype, (3, 4))
    xp.save(tmp_path / "x", xp.asarray(x))
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), x)
    np.save(tmp_path / "y.npy", np.asfortranarray(x))
    equal(xp.load(tmp_path / "y.npy"), x)
    equal(pickle.loads(pickle.dumps(xp.asarray(x))), x)


@pytest.mark.parametrize("save", (xp.savez, xp.savez_compressed))
def test_npz_files_are_numpys(save, tmp_path):
    x, y = np.arange(5), elements("float32", (2, 2))
    save(tmp_path / "both", xp.asarray(x), y=xp.asarray(y))
    with np.load(tmp_path / "both.npz") as found:
        assert sorted(found) == ["arr_0", "y"]
        np.testing.assert_array_equal(found["y"], y)
    np.savez(tmp_path / "other.npz", a=x, b=y)
    with xp.load(tmp_path / "other.npz") as found:
        assert len(found) == 2 and sorted(found) == ["a", "b"]
        equal(found["a"], x)
    with pytest.raises(ValueError, match="arr_0 is also the name"):
        save(tmp_path / "twice", x, arr_0=y)


def test_streams_of_bytes_and_refusals(tmp_path):
    out = io.BytesIO()
    xp.save(out, xp.arange(3))
    out.seek(0)
    equal(xp.load(out), np.arange(3))
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object))
    with pytest.raises((ValueError, TypeError), match="O"):
        xp.load(tmp_path / "objects.npy")
    with pytest.raises(FileNotFoundError):
        xp.load(tmp_path / "missing.npy")


def test_copies():
    x = xp.arange(3)
    for made in (copy.copy(x), copy.deepcopy(x), x.copy(), xp.copy(x)):
        x[0] = 9
        assert made.tolist() == [0, 1, 2]
        x[0] = 0
