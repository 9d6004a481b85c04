# SPDX-License-Identifier: Apache-2.0
"""The program around a fragment of a page: the objects that fragments use exist."""
import array
import asyncio
import warnings

import cucore

SOURCE = open("saxpy.cu", encoding="utf-8").read()
device = cucore.Device()
stream = cucore.Stream(device)
code = cucore.Program(SOURCE, name="saxpy.cu").compile()
kernel = code.kernel("saxpy")
n = 1024
data = array.array("f", range(n))
buffer = cucore.Buffer(device, 4 * n, stream)
x, y = cucore.Buffer(device, 4 * n, stream), cucore.Buffer(device, 4 * n, stream)
# @BLOCK@
stream.synchronize()
