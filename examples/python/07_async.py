# SPDX-License-Identifier: Apache-2.0
"""07: launch a matrix product, do other work, and await the stream."""
import array
import asyncio
import sys

import cucore

SOURCE = """
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
"""
n = 256
a, b = array.array("f", (i % 7 for i in range(n * n))), array.array("f", (i % 5 for i in range(n * n)))

async def product(device: cucore.Device) -> "array.array[float]":
    with cucore.Stream(device) as stream:
        left, right, result = (cucore.Buffer(device, n * n * 4, stream) for _ in range(3))
        left.write(a, stream)
        right.write(b, stream)
        cucore.Program(SOURCE).compile().kernel("matmul")[(n // 16, n // 16), (16, 16), stream](left, right, result, n)
        await stream  # the event loop continues; a fault of the kernel is raised here
        c = array.array("f", bytes(n * n * 4))
        result.read(c, stream)
        return c

async def main() -> bool:
    work = asyncio.ensure_future(product(cucore.Device()))
    columns: list[float] = []  # other work of the program: the first row on the host
    while len(columns) < n or not work.done():
        columns.append(sum(a[k] * b[k * n + len(columns) % n] for k in range(n)))
        await asyncio.sleep(0)
    wrong = sum(x != y for x, y in zip(columns, (await work)[:n]))
    print(f"{len(columns)} columns on the host meanwhile; {wrong} of {n} values are wrong")
    return wrong != 0

sys.exit(asyncio.run(main()) if cucore.Device.count() else print("awaiting work needs a device to work"))
