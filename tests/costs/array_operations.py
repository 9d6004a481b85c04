# SPDX-License-Identifier: Apache-2.0
"""Records operations of arrays in Python: array_operations.py COUNT NAME... count.py counts the instructions of the
extension of arrays. If COSTS_PLANTED is set, an operand is a list, as an extension that became slower would cost."""
import os
import sys

import cucore.array as xp
from counted import repeat


def main(count, *names):
    x = xp.ones(64, dtype=xp.float32)
    y = [1.0] * 64 if "COSTS_PLANTED" in os.environ else x
    operations = {
        "python_array_add": lambda: x + y,
        "python_array_add_number": lambda: x + (1.5 if y is x else y),
        "python_array_function": lambda: xp.sin(y),
    }
    for name in names:
        repeat(operations[name], count)


main(int(sys.argv[1]), *sys.argv[2:])
