# SPDX-License-Identifier: Apache-2.0
"""Operations on arrays of several contexts: streams of one device mix, and devices do not."""
import ctypes as c
import os
import threading
import unittest

os.environ.setdefault("CUCORE_CPU_DEVICES", "2")

import numpy as np  # noqa: E402
from arrays import Context, Failure, apply, call, join, operand  # noqa: E402

INVALID_ARGUMENT = 101
home, other = Context(), Context()
X = np.arange(12.0).reshape(3, 4)
Y = np.linspace(-1, 1, 12).reshape(3, 4)


def pair(x=X, y=Y):
    """An array of each context, both pending."""
    return home.array(x) * 1.0, other.array(y) * 1.0


class OneDevice(unittest.TestCase):
    def test_elementwise_operations(self):
        x, y = pair()
        np.testing.assert_array_equal((x + y).numpy(), X + Y)
        np.testing.assert_array_equal((y - x).numpy(), Y - X)
        np.testing.assert_array_equal(apply(home, "where", x.apply("greater", 4.0), y, 2.0).numpy(), np.where(X > 4, Y, 2))
        np.testing.assert_array_equal((x + y.T.reshape(3, 4)).numpy(), X + Y.T.reshape(3, 4))

    def test_out_and_where_of_other_contexts(self):
        x, y = pair()
        out, mask = other.array(np.zeros((3, 4))), home.array(X > 5)
        x.apply("add", y, out=out, where=mask)
        np.testing.assert_array_equal(out.numpy(), np.where(X > 5, X + Y, 0))

    def test_writes(self):
        x, y = pair()
        x += y
        np.testing.assert_array_equal(x.numpy(), X + Y)
        x[...] = y
        np.testing.assert_array_equal(x.numpy(), Y)
        x[1:, ::2] = y[:2, 1::2]
        expected = Y.copy()
        expected[1:, ::2] = Y[:2, 1::2]
        np.testing.assert_array_equal(x.numpy(), expected)
        x.update_at("multiply", (slice(0, 1),), y[0])
        expected[0] *= Y[0]
        np.testing.assert_array_equal(x.numpy(), expected)

    def test_the_elements_are_those_before_a_later_write(self):
        x, y = pair()
        total = x + y
        y += 100.0
        x += 100.0
        np.testing.assert_array_equal(total.numpy(), X + Y)

    def test_indices_and_masks(self):
        x, _ = pair()
        places, mask = other.array(np.array([2, 0, 2])), other.array(X > 5)
        np.testing.assert_array_equal(x[places].numpy(), X[[2, 0, 2]])
        np.testing.assert_array_equal(x[mask].numpy(), X[X > 5])
        x[mask] = 0.0
        np.testing.assert_array_equal(x.numpy(), np.where(X > 5, 0, X))
        x, _ = pair()
        np.testing.assert_array_equal(x.take(places, 0).numpy(), X[[2, 0, 2]])
        along = other.array(np.array([[0, 3], [1, 1], [2, 0]]))
        np.testing.assert_array_equal(x.take_along(along, 1).numpy(), np.take_along_axis(X, np.array([[0, 3], [1, 1], [2, 0]]), 1))
        seven = other.array(np.array(7.0))
        call("cucore_array_put_along", x.handle, along.handle, c.byref(operand(seven)), 1)
        expected = X.copy()
        np.put_along_axis(expected, np.array([[0, 3], [1, 1], [2, 0]]), 7.0, 1)
        np.testing.assert_array_equal(x.numpy(), expected)
        rows = other.array(np.array([True, False, True]))
        np.testing.assert_array_equal(x.view("cucore_array_compress", rows.handle, 0).numpy(), expected[[0, 2]])
        counts = other.array(np.array([1, 0, 2]))
        np.testing.assert_array_equal(x.view("cucore_array_repeat", counts.handle, c.c_int64(0), 0).numpy(), np.repeat(expected, [1, 0, 2], 0))

    def test_searches_joins_and_products(self):
        ordered, sought = home.array(np.array([3.0, 1.0, 2.0])), other.array(np.array([0.5, 2.5]))
        sorter = other.array(np.array([1, 2, 0]))
        np.testing.assert_array_equal(ordered.view("cucore_array_searchsorted", sought.handle, 0, sorter.handle).numpy(), [0, 2])
        x, y = pair()
        np.testing.assert_array_equal(join("concat", [x, y], 1).numpy(), np.concatenate([X, Y], 1))
        np.testing.assert_array_equal(join("stack", [x, y], 0).numpy(), np.stack([X, Y]))
        turned = y.T
        np.testing.assert_allclose(x.view("cucore_array_matmul", turned.handle).numpy(), X @ Y.T, rtol=1e-12)

    def test_threads_write_across_contexts(self):
        x, y = home.array(np.zeros(100)), other.array(np.zeros(100))

        def add(target, source):
            for _ in range(50):
                target += 1.0
                (target + source).numpy()

        threads = [threading.Thread(target=add, args=pair) for pair in ((x, y), (y, x), (x, y), (y, x))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal((x + y).numpy(), np.full(100, 200.0))


class TwoDevices(unittest.TestCase):
    def test_they_are_refused(self):
        try:
            far = Context(1)
        except Failure:
            self.skipTest("one device")
        x, y = home.array(X), far.array(Y)
        with self.assertRaises(Failure) as refused:
            x + y
        self.assertEqual(refused.exception.status, INVALID_ARGUMENT)
        self.assertIn("operands: the array is on device 1, and the operation on device 0; copy the array to the context of the others", str(refused.exception))
        np.testing.assert_array_equal((x + y.view("cucore_array_to_context", home.handle)).numpy(), X + Y)


if __name__ == "__main__":
    unittest.main()
