#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how costs grow: scaling.py [--full] [--out FOLDER] [--only SERIES,SERIES]

  processes   a first hit in one cache by 1 to 10 processes at once; --full: 1,000
  kernels     the first lookup of a kernel, for objects of 1 to 1,000 kernels; --full: 10,000
  bytes       storing and reading of a CUBIN from 10 KB to 4 MB, on a GPU also its load; --full: 100 MB
  handles     object code, while up to 10,000 others exist; --full: 10,000,000
  threads     launches from 1 to 16 threads, on one stream and on one stream per thread; --full: 64
  entries     a hit on disk, for a cache of 10 to 1,000 entries; --full: 1,000,000

Each figure is the median of RUNS runs, with the interval of overheads.py. The result is scaling.json, scaling.md and,
if matplotlib is installed, scaling.svg. `scaling.py --draw FOLDER` draws a result again.
"""
import argparse
import gc
import hashlib
import json
import os
import struct
import tempfile
import threading
import time
from pathlib import Path

import cucore
import report
from measure import summary

RUNS = 9
HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n"
ENTRY = """.visible .entry k%d(.param .u32 n)
{
  .reg .b32 %%r<3>;
  ld.param.u32 %%r1, [n];
  add.u32 %%r2, %%r1, 1;
  ret;
}
"""
LAUNCHES = 512


def timed(call):
    began = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - began


def figures(samples_of):
    return {name: summary(samples) for name, samples in samples_of.items()}


def ptx(kernels, padding=0):
    body = "".join(ENTRY % i for i in range(kernels))
    return (HEAD + body + "// " + "x" * padding + "\n").encode()


def hit(folder, key):
    """Opens the cache and finds an entry, which is on the disk."""
    cucore.Cache(folder).get(key)


def processes(count):
    """All children begin at once. They are forked before the driver is opened, which a cache does not need."""
    with tempfile.TemporaryDirectory() as folder:
        key = os.urandom(32)
        cucore.Cache(folder).put(key, cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, ptx(1)))
        wait, begin = os.pipe()
        results, report_time = os.pipe()
        children = []
        for _ in range(count):
            child = os.fork()
            if child == 0:
                os.close(begin)
                os.read(wait, 1)  # the end of the pipe
                os.write(report_time, struct.pack("q", timed(lambda: hit(folder, key))))
                os._exit(0)
            children.append(child)
        took_all = timed(lambda: (os.close(begin), [os.waitpid(child, 0) for child in children]))
        times = [struct.unpack("q", os.read(results, 8))[0] for _ in range(count)]
        for pipe in (wait, results, report_time):
            os.close(pipe)
    return figures({"open and hit, each process": times, "all, per process": [took_all / count]})


def kernels(count):
    def first_lookup():
        cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, image).kernel(f"k{count - 1}").native
    image = ptx(count)
    return figures({"create, find and load": [timed(first_lookup) for _ in range(RUNS)]})


def sizes(size):
    """A CUBIN, because it may be large by its data; the text of a PTX is read whole."""
    data = f"__device__ char data[{size}] = {{1}};\nextern \"C\" __global__ void first(char* out) {{ *out = data[*out]; }}"
    code = cucore.Program(data, arch="sm_90").compile("cubin")
    stored = code.serialize()
    other = cucore.ObjectCode.from_bytes(cucore.CodeType.CUBIN, bytes(code.data), name="other").serialize()
    calls = {"serialize": code.serialize, "deserialize, held": lambda: cucore.ObjectCode.deserialize(stored),
             "deserialize": lambda: cucore.ObjectCode.deserialize(other),
             "SHA-256 of one thread": lambda: hashlib.sha256(stored).digest(), "copy": lambda: bytearray(stored)}
    if accepts_machine_code():
        calls["load"] = lambda: cucore.ObjectCode.deserialize(other).load(cucore.Device())
    samples = {name: [] for name in calls}
    for _ in range(RUNS):
        for name, call in calls.items():
            samples[name].append(timed(call))
    return figures(samples)


def accepts_machine_code():
    return "CPU reference" not in cucore.Device().name


def handles(count):
    # A driver has a bound of its own for events and streams, so the handles are those of equal object code.
    code = cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, ptx(1))
    stored, read = code.serialize(), cucore.ObjectCode.deserialize
    gc.disable()  # it visits all lists
    kept = [read(stored) for _ in range(count)]
    samples = [timed(lambda: [read(stored) for _ in range(100)]) / 100 for _ in range(RUNS)]
    del kept
    gc.enable()
    return figures({"object code read and dropped": samples})


def launches(count):
    device = cucore.Device()
    kernel = cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, ptx(1)).kernel("k0")
    streams = [cucore.Stream(device) for _ in range(count)]

    def run(streams_of_threads):
        def work(stream):
            launch = kernel[1, 1, stream]
            barrier.wait()
            for _ in range(LAUNCHES // count):
                launch(1)
        barrier = threading.Barrier(count + 1)
        threads = [threading.Thread(target=work, args=(stream,)) for stream in streams_of_threads]
        for thread in threads:
            thread.start()

        def finish():
            barrier.wait()
            for thread in threads:
                thread.join()
        took = timed(finish) / (LAUNCHES // count * count)
        for stream in streams:
            stream.synchronize()
        return took
    samples = {"one stream": [], "a stream per thread": []}
    for _ in range(RUNS):
        samples["one stream"].append(run(streams[:1] * count))
        samples["a stream per thread"].append(run(streams))
    return figures(samples)


def entries(count):
    with tempfile.TemporaryDirectory() as folder:
        cache = cucore.Cache(folder, max_memory=1, max_entries=2 * count + 10, max_bytes=1 << 40)
        code = cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, ptx(1))
        keys = [os.urandom(32) for _ in range(count)]
        stored = [timed(lambda: cache.put(key, code)) for key in keys]
        assert all(cache.get(key) for key in keys[:10])
        found = [timed(lambda: cache.get(key)) for key in keys[:50 * RUNS]]
        return figures({"store": stored[-50 * RUNS:], "hit on disk": found})


# name: function, unit of x, sizes of a short run, further ones with --full
SERIES = {
    "processes": (processes, "processes that hit one cache", (1, 10), (100, 1000)),
    "kernels": (kernels, "kernels in the object", (1, 10, 100, 1000), (10_000,)),
    "bytes": (sizes, "bytes of object code", (10_000, 100_000, 1_000_000, 4_000_000), (16_000_000, 32_000_000, 100_000_000)),
    "handles": (handles, "handles alive", (0, 100, 1000, 10_000), (100_000, 1_000_000, 10_000_000)),
    "threads": (launches, "threads that launch", (1, 4, 16), (64,)),
    "entries": (entries, "entries of the cache", (10, 100, 1000), (10_000, 100_000, 1_000_000)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--out", default=".")
    parser.add_argument("--only", default=",".join(SERIES))
    parser.add_argument("--draw", help="the folder of a result")
    options = parser.parse_args()
    if options.draw:
        result = json.loads((Path(options.draw) / "scaling.json").read_text())
        print(report.scaling_plot(result, Path(options.draw) / "scaling.svg"))
        return
    series = {}
    for name in options.only.split(","):
        measure, unit, short, more = SERIES[name]
        points = []
        for x in short + (more if options.full else ()):
            points.append((x, measure(x)))
            print(f"{unit} {x}: " + ", ".join(f"{title} {found['median'] / 1000:.3g} µs" for title, found in points[-1][1].items()), flush=True)
        series[name] = {"unit": unit, "points": [{"x": x, "figures": found} for x, found in points]}
    result = {"name": "scaling", "unit": "ns", "series": series,
              "machine": {"device": cucore.Device().name, "cores": os.cpu_count(), "load": os.getloadavg()[0]}}
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "scaling.json").write_text(json.dumps(result, indent=1) + "\n")
    (out / "scaling.md").write_text(report.scaling_table(result))
    print(report.scaling_table(result))
    print(report.scaling_plot(result, out / "scaling.svg"))


if __name__ == "__main__":
    main()
