# SPDX-License-Identifier: Apache-2.0
"""05: instantiate templates by name expression; the names remain valid after storing."""
import array
import sys

import cucore

SOURCE = """
template <typename T, int N>
__global__ void fill(T *out, T value) { if (threadIdx.x < N) out[threadIdx.x] = value; }
"""

code = cucore.Program(SOURCE).compile(names=["fill<float, 4>", "fill<int, 8>"])
for symbol in code.symbols:
    print(f"{symbol.expression:14} is {symbol.lowered_name} in the code")

if cucore.Device.count() == 0:
    sys.exit(print("launching needs a device"))
device = cucore.Device()
stream = cucore.Stream(device)
out = array.array("i", bytes(32))
with cucore.Buffer(device, 32, stream) as buffer:
    restored = cucore.ObjectCode.deserialize(code.serialize())
    restored.kernel("fill<int, 8>")[1, 32, stream](buffer, 42)
    buffer.read(out, stream)
wrong = sum(value != 42 for value in out)
print(f"{wrong} of 8 values are wrong")
sys.exit(wrong != 0)
