# SPDX-License-Identifier: Apache-2.0
"""Common parts of the tests of graphs: a number in managed memory, a run of an executable, arrays that are dropped."""
import gc

import numpy as np

import cucore

ONE = cucore.LaunchConfig(1, 1)


def memory(device, value=0.0, dtype=np.float32):
    buffer = cucore.Buffer.managed(device, 4)
    view = np.frombuffer(buffer, dtype)
    view[0] = value
    return buffer, view


def run(executable, stream):
    executable(stream)
    stream.synchronize()


def foreign(buffer):
    class Array:
        __cuda_array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (buffer.address, False), "version": 3}
    return Array()


def is_gone(reference):
    gc.collect()
    return reference() is None
