# SPDX-License-Identifier: Apache-2.0
"""Python's part in the exchange of object code and arrays between languages: see exchange.py and arrays.py of bindings/exchange."""
import pickle
import sys
from pathlib import Path

import numpy as np

import cucore

SOURCE = """extern "C" __global__ void triple(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 3;
}
"""


def launch(code):
    device = cucore.Device()
    with cucore.Stream(device) as stream, cucore.Buffer(device, 4000, stream) as buffer:
        data = np.arange(1000, dtype=np.float32)
        buffer.write(data, stream)
        code.kernel("triple")[4, 256, stream](buffer, 1000)
        out = np.empty_like(data)
        buffer.read(out, stream)
        assert (out == data * 3).all()


def copy_arrays(task, first, second):
    import cucore.array as xp
    with xp.load(first) as arrays:
        (xp.savez if task == "arrays" else xp.savez_compressed)(second, **arrays)


def main(task, first, second=None):
    if task in ("arrays", "compressed"):
        return copy_arrays(task, first, second)
    if task == "make":
        code = cucore.Program(SOURCE, name="triple.cu", arch="compute_80").compile(names=["triple"])
        Path(first).write_bytes(code.serialize())
        return
    if task == "cached":
        program = cucore.Program(SOURCE, name="triple.cu", arch="compute_80")
        print(cucore.Cache(first).compile(program, names=["triple"]).outcome.name)
        return
    code = cucore.ObjectCode.deserialize(Path(first).read_bytes())
    if task == "launch":
        launch(code)
        print("ok")
    else:
        Path(second).write_bytes((pickle.loads(pickle.dumps(code)) if task == "own" else code).serialize())


main(*sys.argv[1:])
