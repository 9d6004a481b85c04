# SPDX-License-Identifier: Apache-2.0
"""08: compile once: threads, processes and languages share a cache. Needs no device."""
import hashlib
import tempfile
import cucore

SOURCE = """
template <class T> __global__ void saxpy(T a, const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""

def generate() -> cucore.ObjectCode:
    """Makes object code in a long calculation."""
    return cucore.Program("extern \"C\" __global__ void mine() {}", arch="compute_80").compile()

folder = tempfile.TemporaryDirectory()
# snippet: cache
cache = cucore.Cache(folder.name)  # or cucore.Cache(): $CUCORE_CACHE_DIR, else ~/.cache/cucore
program = cucore.Program(SOURCE, name="saxpy.cu", arch="compute_80")
code = program.compile(cache=cache, names=["saxpy<float>"])  # the same result as compile() alone
again, outcome = cache.compile(program, names=["saxpy<float>"])
print(f"the second time: {outcome.name}")

key = hashlib.sha256(b"my generator 1.0; n = 4").digest()  # 32 bytes: a digest of all inputs of the result
mine = cache.get_or_build(key, generate).code  # called once for all threads and processes

other = cucore.Program(SOURCE, name="saxpy.cu", arch="compute_90")
print(cache.explain_miss(other, names=["saxpy<float>"]))
print(f"builds: {cache.statistics.builds}, hits in memory: {cache.statistics.hits_memory}")
# end of snippet
assert again == code and outcome is cucore.CacheOutcome.HIT_MEMORY
assert again.kernel("saxpy<float>") and mine.kernel("mine")

with cucore.Cache(folder.name) as another:  # like another process
    assert another.compile(program, names=["saxpy<float>"]).outcome is cucore.CacheOutcome.HIT_DISK
    for entry in another.verify():
        print(f"{entry.key.hex()[:8]} {entry.kind.name:5} {entry.size:5} bytes {entry.name}")
cache.close()
folder.cleanup()
