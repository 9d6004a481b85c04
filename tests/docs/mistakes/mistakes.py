# SPDX-License-Identifier: Apache-2.0
"""Makes ten mistakes of beginners and prints the message of each, on one line: mistakes.py"""
import array

import cucore

SOURCE = """extern "C" __global__ void scale(float factor, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
"""


def compiled(source=SOURCE, **options):
    return cucore.Program(source, name="scale.cu", **options).compile()


def out_of_bounds():
    scale[8, 256, stream](2.0, buffer, 2000)  # the buffer has 1000 elements
    stream.synchronize()


device = cucore.Device()
stream = cucore.Stream(device)
code = compiled()
scale = code.kernel("scale")
host = array.array("f", range(1000))
buffer = cucore.Buffer(device, 4 * len(host), stream)
MISTAKES = {
    "wrong type": lambda: scale[4, 256, stream](2.0, buffer, 2.5),
    "host array": lambda: scale[4, 256, stream](2.0, host, 1000),
    "grid": lambda: scale[1, 2048, stream](2.0, buffer, 1000),
    "kernel name": lambda: code.kernel("scal"),
    "extern \"C\"": lambda: compiled(SOURCE.replace('extern "C" ', "")).kernel("scale"),
    "syntax": lambda: compiled(SOURCE.replace("threadIdx.x;", "threadIdx.x")),
    "architecture": lambda: compiled(arch="sm_30"),
    "out of bounds": out_of_bounds,
    "missing stream": lambda: scale(2.0, buffer, 1000),
    "missing header": lambda: compiled('#include "mine.h"\n' + SOURCE),
}
for name, mistake in MISTAKES.items():
    try:
        mistake()
        print(f"{name}: no message")
    except Exception as error:
        print(f"{name}: {str(error).splitlines()[0]}")
