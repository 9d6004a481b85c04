# SPDX-License-Identifier: Apache-2.0
"""Repetitions of an operation that count.py counts."""
import cucore


def repeat(operation, count):
    """The operation runs 200 times before, which makes what only the first calls need."""
    for _ in range(200):
        operation()
    cucore.Device.count()  # the count begins
    for _ in range(count):
        operation()
    cucore.Device.count()  # and ends
