# SPDX-License-Identifier: Apache-2.0
"""09: leave a block by a timeout while a kernel on another stream still uses the block's buffer."""
import array
import sys

import cucore

SOURCE = """
extern "C" __global__ void steps(unsigned *data, unsigned n, unsigned count) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    for (unsigned k = 0; k < count; ++k) data[i] = data[i] * 1664525u + 1013904223u;
}
"""

def main() -> int:
    device = cucore.Device()
    steps = cucore.Program(SOURCE).compile().kernel("steps")
    one, two, queue, n = cucore.Stream(device), cucore.Stream(device), cucore.Queue(), 1024
    late = 0
    for _ in range(10):
        # snippet: timeout
        try:
            with cucore.Buffer(device, 4 * n, one) as data:  # memory in the order of stream one
                two.wait_stream(one)
                steps[1, 64, two](data, n, 1000)  # a use on stream two, which is recorded
                cucore.Future.from_stream(two, queue, 1).wait(timeout=0.0005)
        except cucore.NotReadyError:
            late += 1  # data is closed, the kernel continues: the memory is freed after it
        # end of snippet
        with cucore.Buffer(device, 4 * n, one) as other:  # other memory than that of the kernel
            other.fill(bytes(1), 4 * n, one)
            two.synchronize()
            result = array.array("I", [1]) * n
            other.read(result, one)
            if any(result):
                print("a kernel wrote to memory that was freed")
                return 1
    print(f"{late} of 10 blocks were left by a timeout; every kernel ended, and no memory was freed under it")
    return 0

sys.exit(main() if cucore.Device.count() else print("launching needs a device"))
