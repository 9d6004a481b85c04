# SPDX-License-Identifier: Apache-2.0
"""15: profile a block of work, and print the memory and compute efficiency of its kernels."""
import sys

import cucore
from cucore import perf

SOURCE = """
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


def main() -> int:
    device = cucore.Device()
    stream = cucore.Stream(device)
    saxpy = cucore.Program(SOURCE).compile().kernel("saxpy")
    n = 1 << (16 if device.is_emulated else 26)
    x, y = (cucore.Buffer(device, 4 * n, stream) for _ in range(2))
    x.fill(bytes(4), stream=stream)
    y.fill(bytes(4), stream=stream)
    if not device.is_emulated:
        perf.roof(device)  # measured once, and kept; percentages need it

    # snippet: profile
    p = perf.profile()
    p.declare(saxpy, lambda launch: perf.Declaration(bytes_read=8 * n, bytes_written=4 * n, operations=2 * n))
    with p:
        for _ in range(20):
            saxpy[n // 256, 256, stream](2.0, x, y, n)
    # end of snippet

    [row] = p.rows
    print(f"{row.calls} calls of {row.name} read {row.bytes_read / 1e6:.1f} MB and write {row.bytes_written / 1e6:.1f} MB")
    if p.source == perf.ProfilerSource.EMULATED:
        print(f"exact counts of the CPU device: {p.counter(0, 'cpu.instructions'):.0f} instructions, "
              f"{row.sectors_per_request:.0f} sectors per request; a GPU also has times")
    else:
        print(f"memory efficiency {p.memory_efficiency:.0%}, compute efficiency {p.compute_efficiency:.0%}")
    for finding in p.findings:
        print(f"{finding.id} {finding.name}: {finding.advice}")
    if row.calls != 20 or row.bytes_read != 20 * 8 * n or row.bytes_written != 20 * 4 * n:
        print("expected 20 calls that read 8 bytes per element and write 4")
        return 1
    return 0


sys.exit(main() if cucore.Device.count() else print("profiles need a device"))
