# SPDX-License-Identifier: Apache-2.0
"""Records operations of arrays in Python: array_operations.py COUNT NAME... count.py counts the instructions of the
extension of arrays. If COSTS_PLANTED is set, an operand is a list, as an extension that became slower would cost."""
import os
import sys

import cucore
import cucore.array as xp


def main(count, *names):
    x = xp.ones(64, dtype=xp.float32)
    y = [1.0] * 64 if "COSTS_PLANTED" in os.environ else x
    operations = {
        "python_array_add": lambda: x + y,
        "python_array_add_number": lambda: x + (1.5 if y is x else y),
        "python_array_function": lambda: xp.sin(y),
    }
    for operation in (operations[name] for name in names):
        for _ in range(200):
            operation()  # makes what only the first calls need
        cucore.Device.count()  # the count begins
        for _ in range(count):
            operation()
        cucore.Device.count()  # and ends


main(int(sys.argv[1]), *sys.argv[2:])
