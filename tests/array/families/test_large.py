# SPDX-License-Identifier: Apache-2.0
"""Arrays of more than 2^31 elements, whose places need 64 bits. The last elements have values of their own."""
import unittest

import numpy as np

import cucore.array as xp

TAIL = np.array([5, 3, 9, 1, 7, 2, 8, 4], "int8")
SIZE = 2**31 + TAIL.size  # the tail begins at 2^31


class Large(unittest.TestCase):
    """The tests write nothing but what they restore: the elements are made once."""

    @classmethod
    def setUpClass(cls):
        cls.x = xp.zeros(SIZE, dtype=xp.int8)
        cls.x[-TAIL.size:] = xp.asarray(TAIL)

    @classmethod
    def tearDownClass(cls):
        del cls.x

    def test_views_behind_2_31(self):
        x = self.x
        self.assertEqual(x.shape, (SIZE,))
        self.assertEqual(x[SIZE - 1].item(), TAIL[-1])
        self.assertEqual(x[::-1][:8].tolist(), TAIL[::-1].tolist())
        self.assertEqual(x[::-(2**30)].tolist(), [4, 0, 0])
        self.assertEqual(x.reshape(8, -1)[7, -3:].tolist(), TAIL[-3:].tolist())
        self.assertEqual(x.reshape(-1, 8).T[:, -1].tolist(), TAIL.tolist())
        self.assertEqual(x[2**31 - 1:2**31 + 1].tolist(), [0, 5])

    def test_families_behind_2_31(self):
        tail = self.x[2**31:]
        square = tail[:4].reshape(2, 2)
        results = ((xp.sort(tail), np.sort(TAIL)), (xp.argsort(tail), np.argsort(TAIL)), (xp.cumulative_sum(tail), np.cumsum(TAIL)),
                   (tail[tail > 4], TAIL[TAIL > 4]), (xp.matmul(square, square), TAIL[:4].reshape(2, 2) @ TAIL[:4].reshape(2, 2)),
                   (xp.sum(tail), TAIL.sum()), (xp.unique_values(tail), np.unique(TAIL)), (tail.astype(xp.float64) * 2, TAIL * 2.0))
        for found, expected in results:
            np.testing.assert_array_equal(found.numpy(), expected)

    def test_indices_behind_2_31(self):
        x = self.x
        self.assertEqual(x[xp.asarray([2**31 + 2, 0, SIZE - 1, -1])].tolist(), [9, 0, 4, 4])
        self.assertEqual(xp.take(x, xp.asarray([2**31]), axis=0).tolist(), [5])
        x[xp.asarray([2**31 - 2, 2**31 - 2])] = 11
        self.assertEqual(x[2**31 - 3:2**31 + 1].tolist(), [0, 11, 0, 5])
        x[2**31 - 2] = 0
        with self.assertRaisesRegex(IndexError, f"index {SIZE} is out of range for axis 0 of size {SIZE}"):
            x[xp.asarray([SIZE])].tolist()

    def test_maps(self):
        x = self.x
        x += 1
        self.assertEqual(x[-9:].tolist(), [1, *(TAIL + 1).tolist()])
        x -= 1
        self.assertEqual(x[-9:].tolist(), [0, *TAIL.tolist()])
        wide = xp.broadcast_to(xp.arange(65537), (65536, 65537))
        self.assertEqual((wide + 1)[-2:, -3:].tolist(), [[65535, 65536, 65537]] * 2)

    def test_reductions(self):
        x = self.x
        self.assertEqual((xp.sum(x).item(), xp.max(x).item(), xp.argmax(x).item()), (TAIL.sum(), 9, 2**31 + 2))
        self.assertEqual(xp.count_nonzero(x).item(), TAIL.size)
        self.assertEqual(xp.sum(xp.broadcast_to(xp.asarray(3, dtype=xp.uint8), (SIZE,))).item(), 3 * SIZE)
        self.assertEqual(xp.sum(x.reshape(8, -1), axis=1).tolist(), [0] * 7 + [TAIL.sum()])

    def test_scans(self):
        self.assertEqual(xp.cumulative_sum(self.x, dtype=xp.int8)[-8:].tolist(), np.cumsum(TAIL).tolist())


if __name__ == "__main__":
    unittest.main(verbosity=2)
