# SPDX-License-Identifier: Apache-2.0
"""The ways to do each row of overheads.py. A column is a function that returns {row: way}, and a way is a function of
a count that returns the nanoseconds of one operation."""
import ctypes
import os
import pickle
import tempfile

from measure import loop_of

MIB = 1 << 20
SOURCE = """extern "C" __global__ void k(float a, float *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = a * x[i] + sinf(x[i]);
}
"""
PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .f32 a, .param .u64 x, .param .u32 n) { ret; }
"""
C_ROWS = {"launch": "launch", "launch_python": "launch", "launch_whole": "launch", "launch_prepared": "launch_prepared", "launch_synchronize": "launch_synchronize", "event_create": "event_create",
          "event_record": "event_record", "event_query": "event_query", "allocate": "allocate", "allocate_pool": "allocate_pool", "load": "load",
          "bytes": "bytes", "bytes_new": "bytes_new"}
COMPILE_ROWS = {name: name for name in ("compile_new", "compile_again", "hit_same", "hit_new")}


class World:
    """The code that all columns use, and a number that makes each source new."""

    def __init__(self, library):
        import cucore
        self.cucore, self.sources = cucore, 0
        self.device = cucore.Device()
        self.name = self.device.name
        major, minor = self.device.compute_capability
        self.arch = f"sm_{major}{minor}"
        self.is_gpu = "libcuda.so" in (cucore.library_query(cucore.Library.DRIVER).path or "")
        self.compile_failure = None
        try:
            self.code = cucore.Program(SOURCE, arch=self.arch if self.is_gpu else "sm_90").compile("cubin")
        except cucore.Error as error:
            self.compile_failure, self.code = str(error), None
        # The CPU device and the scripted driver load PTX.
        if self.is_gpu and self.code:
            self.image, self.type = bytes(self.code.data), cucore.CodeType.CUBIN
        else:
            self.image, self.type = PTX.encode(), cucore.CodeType.PTX
        self.stored_type = cucore.CodeType.CUBIN if self.code else self.type
        self.stored = bytes(self.code.data) if self.code else self.image
        self.compile_arch = self.arch if self.is_gpu else "sm_90"
        self.calls = self.open_calls(library)

    def open_calls(self, library):
        calls = ctypes.CDLL(library)
        calls.overheads_failure.restype = ctypes.c_char_p
        self.kept = ctypes.create_string_buffer(self.image)
        if calls.overheads_open(self.kept, ctypes.c_size_t(len(self.image)), int(self.type)):
            raise SystemExit(f"overheads: {calls.overheads_failure().decode()}")
        if calls.overheads_store(self.stored, ctypes.c_size_t(len(self.stored)), int(self.stored_type)):
            raise SystemExit(f"overheads: {calls.overheads_failure().decode()}")
        self.folder = tempfile.TemporaryDirectory()  # removed with the world
        self.texts = [text.encode() for text in (SOURCE, self.compile_arch, self.folder.name)]
        if not self.compile_failure and calls.compiles_open(*self.texts):
            self.compile_failure = "NVRTC cannot be opened"
        return calls

    def new_source(self):
        """Returns a source that no compiler has seen: its kernel has a constant of its own."""
        self.sources += 1
        return SOURCE.replace("sinf(x[i])", f"sinf(x[i] + {os.getpid() % 1024 * 8192 + 2 * self.sources}.0f)")


def from_c(world, prefix, names=None):
    def way(name):
        function = getattr(world.calls, f"{prefix}_{name}")
        function.restype = ctypes.c_double

        def run(count):
            took = function(count)
            if took < 0:
                raise RuntimeError(world.calls.overheads_failure().decode())
            return took
        return run
    names = names or {**C_ROWS, **({} if world.compile_failure else COMPILE_ROWS)}
    return {row: way(name) for row, name in names.items() if hasattr(world.calls, f"{prefix}_{name}")}


def bare(world):
    return from_c(world, "bare")


def c(world):
    return from_c(world, "c")


def numbers():
    """The two scalars of a launch, as NumPy's if it is installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy.float32(1), numpy.int32(0)


def python(world):
    cucore, device = world.cucore, world.device
    stream, event = cucore.Stream(device), cucore.Event(device)
    code = cucore.ObjectCode.from_bytes(world.type, world.image)
    kernel, buffer = code.kernel("k"), cucore.Buffer(device, MIB, stream)
    stream.record(event)
    stream.synchronize()
    names = {"cucore": cucore, "device": device, "stream": stream, "event": event, "kernel": kernel, "buffer": buffer,
             "prepared": kernel.prepare(stream, cucore.LaunchConfig(1, 1), 1.0, buffer, 0),
             "config": cucore.LaunchConfig(1, 1), "launch": cucore.launch, "Event": cucore.Event, "Buffer": cucore.Buffer,
             "from_pool": cucore.Buffer.from_pool, "pool": cucore.MemoryPool(device),
             "pickle": pickle, "ObjectCode": cucore.ObjectCode, "type": world.type, "image": world.image,
             "unheld": cucore.ObjectCode.from_bytes(world.stored_type, world.stored, name="other").serialize(),
             "stored": cucore.ObjectCode.from_bytes(world.stored_type, world.stored), "a": 1.0, "n": 0}
    if numbers():
        names["a"], names["n"] = numbers()
    statements = {
        "launch": "launch(stream, config, kernel, a, buffer, n)",
        "launch_python": "launch(stream, config, kernel, 1.0, buffer, 0)",
        "launch_whole": "kernel[1, 1, stream](a, buffer, n)",
        "launch_prepared": "prepared.run()",
        "launch_synchronize": "launch(stream, config, kernel, a, buffer, n); stream.synchronize()",
        "event_create": "Event(device)",
        "event_record": "stream.record(event)",
        "event_query": "event.query()",
        "allocate": "Buffer(device, 1048576, stream)",
        "allocate_pool": "from_pool(pool, 1048576, stream)",
        "pickle": "pickle.loads(pickle.dumps(stored))",
        "bytes": "ObjectCode.deserialize(stored.serialize())",
        "bytes_new": "ObjectCode.deserialize(unheld)",
        "load": "ObjectCode.from_bytes(type, image).kernel('k').native",
    }
    ways = {row: loop_of(statement, names, stream.synchronize) for row, statement in statements.items()}
    return {**ways, **compiles(world)}


def compiles(world):
    """Compiles need NVRTC but no device."""
    if world.compile_failure:
        return {}
    cucore, arch = world.cucore, world.compile_arch
    cache = cucore.Cache(world.folder.name)
    program = cucore.Program(SOURCE, arch=arch)
    program.compile("cubin", cache=cache)
    names = {"Program": cucore.Program, "new": world.new_source, "SOURCE": SOURCE, "arch": arch, "cache": cache,
             "program": program}
    statements = {
        "compile_new": "Program(new(), arch=arch).compile('cubin')",
        "compile_again": "Program(SOURCE, arch=arch).compile('cubin')",
        "hit_same": "program.compile('cubin', cache=cache)",
        "hit_new": "Program(SOURCE, arch=arch).compile('cubin', cache=cache)",
    }
    return {row: loop_of(statement, names) for row, statement in statements.items()}
