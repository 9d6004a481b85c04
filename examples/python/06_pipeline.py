# SPDX-License-Identifier: Apache-2.0
"""06: a complete job: compile, serialize, restore, find, launch, time with two events, check."""
import array
import sys
import time
from typing import Any, Callable

import cucore

SOURCE = """
extern "C" __global__ void scale(float a, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= a;
}
"""
n, a = 1 << 20, 2.0

def step(name: str, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    began = time.perf_counter()
    result = call(*arguments, **keywords)
    print(f"  {name:12} {(time.perf_counter() - began) * 1e3:9.3f} ms")
    return result


host = array.array("f", range(n))
code = step("compile", cucore.Program(SOURCE).compile)
copy = step("restore", cucore.ObjectCode.deserialize, step("serialize", code.serialize))
if step("count", cucore.Device.count) == 0:
    sys.exit(print("compiled, stored and restored; launching needs a device"))
device = cucore.Device()
stream = step("stream", cucore.Stream, device)
start, end = (cucore.Event(device, timing=True) for _ in range(2))
kernel = step("find", copy.kernel, "scale")
data = step("allocate", cucore.Buffer, device, n * 4, stream)
step("write", data.write, host, stream)
start.record(stream)
step("launch", kernel[n // 256, 256, stream], a, data, n)
end.record(stream)
step("read", data.read, host, stream)
wrong = sum(value != a * i for i, value in enumerate(host))
print(f"{device.name}: kernel {start.elapsed(end):.3f} ms, {wrong} of {n} wrong")
sys.exit(wrong != 0)
