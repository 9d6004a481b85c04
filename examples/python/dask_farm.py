# SPDX-License-Identifier: Apache-2.0
"""A farm: the processes of a Dask cluster compile 100 programs, requested four times each, with 100 compiles.

Dask spreads the work; that nothing is compiled twice is the cache's doing: one folder, which all workers
open. Object code comes back by pickle and runs here. Needs Dask (Debian: python3-distributed).
"""
import array
import sys
import tempfile
import time

import cucore

try:
    from distributed import Client, LocalCluster
except ImportError as error:
    print(f"skipped: {error}; install python3-distributed (pip: distributed)")
    sys.exit(77)  # Meson reports this code as skipped

SOURCE = """
extern "C" __global__ void step(int *data) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * {factor} + i % {modulus};
}}
"""
PROGRAMS, TIMES, WORKERS, N = 100, 4, 4, 1024


# snippet: farm
def build(number: int, arch: str, folder: str) -> cucore.CacheResult:
    """Runs in a worker: returns object code, from the cache or compiled now."""
    program = cucore.Program(SOURCE.format(factor=number + 2, modulus=number + 1), name=f"step{number}.cu", arch=arch)
    with cucore.Cache(folder) as cache:
        return cache.compile(program)


def farm(client: Client, arch: str, folder: str) -> list[tuple[int, cucore.CacheResult]]:
    """Requests every program TIMES in a row, so that workers compete: (number, (code, outcome)) of each."""
    numbers = [number for number in range(PROGRAMS) for _ in range(TIMES)]
    return list(zip(numbers, client.gather(client.map(build, numbers, arch=arch, folder=folder, pure=False))))
# end of snippet


def is_right(code: cucore.ObjectCode, number: int, stream: cucore.Stream, data: cucore.Buffer) -> bool:
    host = array.array("i", range(N))
    data.write(host, stream)
    code.kernel("step")[N // 256, 256, stream](data)
    data.read(host, stream)
    return all(value == i * (number + 2) + i % (number + 1) for i, value in enumerate(host))


def main() -> bool:
    device = cucore.Device()
    with tempfile.TemporaryDirectory() as folder, \
            LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None, local_directory=folder) as cluster, \
            Client(cluster) as client:
        began = time.perf_counter()
        results = farm(client, device.arch, f"{folder}/cache")
        took = time.perf_counter() - began
        with cucore.Stream(device) as stream, cucore.Buffer(device, 4 * N, stream) as data:
            wrong = sum(not is_right(code, number, stream, data) for number, (code, _) in results)
    compiles = sum(outcome == cucore.CacheOutcome.BUILT for _, (_, outcome) in results)
    hits = len(results) - compiles
    print(f"{PROGRAMS} programs, asked for {len(results)} times by {WORKERS} processes: {compiles} compiles, {hits} hits, "
          f"{wrong} wrong on {device.name}, {took:.2f} s")
    return wrong != 0 or compiles != PROGRAMS


if __name__ == "__main__":  # the workers also import this file
    sys.exit(main())
