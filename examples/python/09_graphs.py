# SPDX-License-Identifier: Apache-2.0
"""09: graphs: an iteration of a solver is captured once, a loop ends on the device, and an update changes a pointer.

The solver is that of Jacobi for a rod with fixed ends: each turn replaces each temperature by the mean of its neighbours.
"""
import time
from typing import Callable

import numpy as np
import numpy.typing as npt

import cucore

SOURCE = r"""
extern "C" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned int value);

extern "C" __global__ void relax(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i == 0 || i == n - 1 ? from[i] : 0.5f * (from[i - 1] + from[i + 1]);
}
extern "C" __global__ void decide(const float *now, const float *before, int n, float limit, int *turns,
                                  unsigned long long condition) {
  float most = 0;
  for (int i = 0; i < n; ++i) most = fmaxf(most, fabsf(now[i] - before[i]));
  *turns += 1;
  cudaGraphSetConditional(condition, most > limit);
}
"""
N, TURNS = 32, 50
ONE = cucore.LaunchConfig(1, N)
device = cucore.Device()
stream = cucore.Stream(device)
code = cucore.Program(SOURCE, name="rod.cu").compile()
relax, decide = code.kernel("relax"), code.kernel("decide")
start = np.zeros(N, np.float32)
start[0], start[-1] = 100, 50


def rod() -> cucore.Buffer:
    return cucore.Buffer.from_host(start, stream)


def read(buffer: cucore.Buffer) -> npt.NDArray[np.float32]:
    return np.asarray(buffer.to_numpy(np.float32, stream=stream), np.float32)


def turns_of(x: cucore.Buffer, y: cucore.Buffer, count: int) -> None:
    for _ in range(count):
        relax[ONE, stream](x, y, N)
        relax[ONE, stream](y, x, N)


def least_time(work: Callable[[], object]) -> float:
    """Returns the microseconds of the fastest of 20 rounds, until the work has ended."""
    times = []
    for _ in range(20):
        began = time.perf_counter()
        work()
        stream.synchronize()
        times.append(time.perf_counter() - began)
    return min(times) * 1e6


a, b = rod(), rod()
turns_of(a, b, TURNS)  # plain launches: two for each turn
expected = read(a)

# snippet: capture
x, y = rod(), rod()
with stream.capture() as graph:  # nothing runs
    for _ in range(TURNS):
        relax[ONE, stream](x, y, N)
        relax[ONE, stream](y, x, N)
executable = graph.executable(upload=stream)
executable(stream)  # all launches by one call
# end of snippet
stream.synchronize()
assert np.array_equal(read(x), expected)
plain_time, graph_time = least_time(lambda: turns_of(x, y, TURNS)), least_time(lambda: executable(stream))
print(f"{2 * TURNS} launches: {plain_time:.0f} us one by one, {graph_time:.0f} us as a graph, "
      f"{plain_time / graph_time:.1f} times as fast")

# snippet: while
u, v = rod(), rod()
turns = cucore.Buffer.from_host(np.zeros(1, np.int32), stream)
loop = cucore.Graph(device)
condition = loop.condition(1)  # each launch begins with it
with loop.while_(condition) as body:
    there = body.kernel(relax, ONE, u, v, N)
    back = body.kernel(relax, ONE, v, u, N, after=there)
    body.kernel(decide, cucore.LaunchConfig(1, 1), u, v, N, 0.01, turns, condition, after=back)
converging = loop.executable()
converging(stream)  # ends when no temperature changes by more than 0.01
# end of snippet
(count,) = turns.to_numpy(np.int32, stream=stream)
p, q = rod(), rod()
turns_of(p, q, count)
assert np.array_equal(read(u), read(p)) and 1 < count < 10000
print(f"the loop had {count} turns; the middle has {read(u)[N // 2]:.1f} degrees, with and without a graph")

# snippet: update
step = cucore.Graph(device)
node = step.kernel(relax, ONE, u, v, N)
once = step.executable()
other = rod()
once[node].update(args=(u, other, N))  # for later launches of this executable
once(stream)
# end of snippet
relax[ONE, stream](u, v, N)
assert np.array_equal(read(other), read(v))
