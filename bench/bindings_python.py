# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of Python's binding above the same calls in C, and above the same calls through ctypes.

    bindings_python.py LIBCUCORE LIBBENCH [--limits]

Each figure is the median of many short batches in turn, C, Python and ctypes, so that all three see the
same machine. With --limits it fails if a figure exceeds its limit.
"""
import ctypes
import statistics
import sys
import time

import cucore

SOURCE = """.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .f32 a, .param .u64 x, .param .u32 n) { ret; }
.visible .entry four(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) { ret; }
"""
BATCH, ROUNDS = 200, 401

library, c = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(sys.argv[2])
for name in ("bench_property", "bench_event", "bench_launch", "bench_launch_buffers"):
    getattr(c, name).restype = ctypes.c_double
if c.bench_open(SOURCE.encode(), len(SOURCE)):
    sys.exit("the benchmark's objects could not be made")

device = cucore.Device()
stream = cucore.Stream(device)
buffer = cucore.Buffer(device, 64, stream)
binary = cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, SOURCE)
kernel, four = binary.kernel("k"), binary.kernel("four")
config = cucore.LaunchConfig(1, 1)
bound, bound_four = kernel[1, 1, stream], four[1, 1, stream]
Event, launch = cucore.Event, cucore.launch

# The same through ctypes, with everything prepared in advance.
library.cucore_device_ordinal.argtypes = [ctypes.c_void_p]
native = ctypes.c_void_p()
library.cucore_device_open(0, ctypes.byref(native), None)
native_stream, native_kernel, native_four, native_buffer, code, event = (ctypes.c_void_p() for _ in range(6))
library.cucore_stream_create(native, None, ctypes.byref(native_stream), None)
library.cucore_objectcode_create(1, SOURCE.encode(), ctypes.c_size_t(len(SOURCE)), None, ctypes.byref(code), None)
library.cucore_objectcode_find_kernel(code, b"k", ctypes.byref(native_kernel), None)
library.cucore_objectcode_find_kernel(code, b"four", ctypes.byref(native_four), None)
library.cucore_buffer_create(native, ctypes.c_size_t(64), native_stream, ctypes.byref(native_buffer), None)


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extents", ctypes.c_uint32 * 9), ("rest", ctypes.c_uint32 * 5)]


class Argument(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


options = Options(ctypes.sizeof(Options), (1, 1, 1, 1, 1, 1, 0, 0, 0))


def ctypes_event():
    library.cucore_event_create(native, None, ctypes.byref(event), None)
    library.cucore_event_release(event)


def ctypes_launch():
    a, address, n = ctypes.c_float(1.0), ctypes.c_uint64(buffer.address), ctypes.c_int32(1)
    values = (Argument * 3)((ctypes.addressof(a), 4), (ctypes.addressof(address), 8), (ctypes.addressof(n), 4))
    library.cucore_kernel_launch(native_kernel, native_stream, ctypes.byref(options), values, ctypes.c_size_t(3), None)


def ctypes_launch_buffers():
    values = (Argument * 4)(*[(native_buffer, ctypes.c_size_t(-1).value)] * 4)
    library.cucore_kernel_launch(native_four, native_stream, ctypes.byref(options), values, ctypes.c_size_t(4), None)


def timed(call):
    began = time.perf_counter_ns()
    for _ in range(BATCH):
        call()
    took = (time.perf_counter_ns() - began) / BATCH
    stream.synchronize()
    library.cucore_stream_synchronize(native_stream, None)
    return took


def inline(statement):
    """A loop around a statement, without a call of a Python function in each round."""
    space = {**globals(), "now": time.perf_counter_ns}
    exec(f"def loop(count):\n  began = now()\n  for _ in count:\n    {statement}\n  return now() - began", space)
    loop = space["loop"]

    def run():
        took = loop(range(BATCH)) / BATCH
        stream.synchronize()
        return took
    return run


empty = inline("pass")
rows = [
    ("property", 20, c.bench_property, [("device.ordinal", inline("device.ordinal"))],
     inline("library.cucore_device_ordinal(native)")),
    ("event, made and released", 150, c.bench_event, [("Event(device)", inline("Event(device)"))],
     lambda: timed(ctypes_event)),
    ("launch of three arguments", 250, c.bench_launch,
     [("launch(...)", inline("launch(stream, config, kernel, 1.0, buffer, 1)")),
      ("kernel[...](...)", inline("bound(1.0, buffer, 1)")),
      ("kernel[1, 1, stream](...)", inline("kernel[1, 1, stream](1.0, buffer, 1)"))],
     lambda: timed(ctypes_launch)),
    ("launch of four buffers", 250, c.bench_launch_buffers,
     [("launch(...), 4 buffers", inline("launch(stream, config, four, buffer, buffer, buffer, buffer)")),
      ("kernel[...](...), 4 buffers", inline("bound_four(buffer, buffer, buffer, buffer)"))],
     lambda: timed(ctypes_launch_buffers)),
]
print(f"{'ns per call':28}{'C':>8}{'Python':>9}{'above C':>9}{'limit':>7}{'ctypes':>9}   on {device.name}")
failed = False
for title, limit, in_c, forms, in_ctypes in rows:
    for form, in_python in forms:
        samples = []
        for _ in range(ROUNDS):
            base = empty()
            samples.append((in_c(BATCH), in_python() - base, in_ctypes() - base))
        c_ns, python_ns, ctypes_ns = (statistics.median(column) for column in zip(*samples))
        above = statistics.median(python - in_c_ for in_c_, python, _ in samples)
        # The limit of a launch excludes objects that each launch creates.
        over = above > limit and "1, 1, stream" not in form
        failed |= over
        print(f"{form:28}{c_ns:8.1f}{python_ns:9.1f}{above:9.1f}{limit:7}{ctypes_ns:9.1f}{'  above the limit' * over}")
sys.exit(failed and "--limits" in sys.argv)
