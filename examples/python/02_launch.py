# SPDX-License-Identifier: Apache-2.0
"""02: find a kernel in object code, launch it on a device and read the result back."""
import array
import sys

import cucore

SOURCE = """
extern "C" __global__ void scale(float factor, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
"""

if cucore.Device.count() == 0:
    sys.exit(print("launching needs a device"))
count, factor = 1000, 3.0

# snippet: launch
device = cucore.Device()
stream = cucore.Stream(device)
code = cucore.Program(SOURCE).compile()
data = array.array("f", range(count))
with cucore.Buffer(device, len(data) * data.itemsize, stream) as buffer:
    buffer.write(data, stream)
    scale = code.kernel("scale")
    scale[(count + 255) // 256, 256, stream](factor, buffer, count)
    buffer.read(data, stream)
# end of snippet

wrong = sum(value != factor * i for i, value in enumerate(data))
print(f"{device.name}: {wrong} of {count} values are wrong")

try:
    scale[4, 256, stream](factor, 0)
except TypeError as error:
    print(f"TypeError: {error}")
sys.exit(wrong != 0)
