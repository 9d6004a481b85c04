# SPDX-License-Identifier: Apache-2.0
"""13: compute an expression and a softmax, each with one kernel, and print what the kernels do."""
import json
import sys

import cucore
import cucore.array as xp


def softmax(x: xp.Array) -> xp.Array:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def main() -> int:
    generator = xp.random.default_rng(7)
    x, y, z = (generator.uniform(0, 1, 100_000, dtype=xp.float32).named(name) for name in "xyz")
    xp.evaluate(x, y, z)

    # snippet: fusion
    r = xp.sqrt(xp.sin(x) * xp.cos(y) + xp.exp(-z * z) + xp.log(x + 1)).named("r")
    print(r.explain())  # one kernel, which is not launched yet
    before = xp.statistics()["kernels_launched"]
    xp.evaluate(r)
    launched = xp.statistics()["kernels_launched"] - before
    # end of snippet
    print(f"{launched} kernel computed {r.size} elements, mean {r.mean().item():.4f}")

    rows = softmax(generator.normal(size=(100, 1000), dtype=xp.float32).evaluate())
    counts = json.loads(rows.explain("counts"))
    print(f"softmax: {counts['kernels']} kernel reads {counts['bytes_read']} bytes and writes {counts['bytes_written']}")
    if launched != 1 or counts["kernels"] != 1 or not xp.allclose(rows.sum(axis=1), 1.0, rtol=1e-5):
        print("expected one kernel for each, and sums of 1")
        return 1
    return 0


sys.exit(main() if cucore.Device.count() else print("arrays need a device"))
