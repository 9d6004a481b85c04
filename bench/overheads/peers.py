# SPDX-License-Identifier: Apache-2.0
"""The columns of other libraries of Python, in the form of columns.py. A library that is missing, or that refuses a
call, becomes the text of its exception."""
import pickle

from columns import MIB, SOURCE, numbers
from measure import loop_of

KERNEL = "k"


def cuda_core(world):
    try:
        from cuda import core
        core.Program
    except (ImportError, AttributeError):
        from cuda.core import experimental as core
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    names = {"core": core, "device": device, "stream": stream, "launch": core.launch, "pickle": pickle,
             "event": device.create_event(), "config": core.LaunchConfig(grid=1, block=1), "Program": core.Program,
             "LaunchConfig": core.LaunchConfig, "SOURCE": SOURCE, "new": world.new_source, "image": world.image,
             "options": core.ProgramOptions(arch=world.arch), "ObjectCode": core.ObjectCode}
    names["stored"] = core.Program(SOURCE, "c++", options=names["options"]).compile("cubin")
    names["kernel"] = names["stored"].get_kernel(KERNEL)
    names["buffer"] = device.allocate(MIB, stream=stream)
    names["a"], names["n"] = numbers()
    stream.record(names["event"])
    stream.sync()
    statements = {
        "launch": "launch(stream, config, kernel, a, buffer, n)",
        "launch_whole": "launch(stream, LaunchConfig(grid=1, block=1), kernel, a, buffer, n)",
        "launch_synchronize": "launch(stream, config, kernel, a, buffer, n); stream.sync()",
        "event_create": "device.create_event()",
        "event_record": "stream.record(event)",
        "event_query": "event.is_done",
        "allocate": "device.allocate(1048576, stream=stream).close(stream)",
        "pickle": "pickle.loads(pickle.dumps(stored))",
        "load": "ObjectCode.from_cubin(image).get_kernel('k')",
        "compile_new": "Program(new(), 'c++', options=options).compile('cubin')",
        "compile_again": "Program(SOURCE, 'c++', options=options).compile('cubin')",
    }
    return {row: loop_of(statement, names, stream.sync) for row, statement in statements.items()}


def cupy(world):
    import cupy
    stream = cupy.cuda.Stream(non_blocking=True)
    event = cupy.cuda.Event(disable_timing=True)
    names = {"cupy": cupy, "stream": stream, "event": event, "Event": cupy.cuda.Event, "RawKernel": cupy.RawKernel,
             "new": world.new_source, "alloc": cupy.cuda.alloc, "grid": (1,), "kernel": cupy.RawKernel(SOURCE, KERNEL)}
    names["a"], names["n"] = numbers()
    with stream:
        names["x"] = cupy.zeros(MIB // 4, dtype=cupy.float32)
        names["kernel"](names["grid"], names["grid"], (names["a"], names["x"], names["n"]))
        event.record(stream)
    stream.synchronize()
    statements = {
        "launch": "kernel(grid, grid, (a, x, n))",
        "launch_python": None,  # a Python float is a double for CuPy, so the kernel would get another type
        "launch_synchronize": "kernel(grid, grid, (a, x, n)); stream.synchronize()",
        "event_create": "Event(disable_timing=True)",
        "event_record": "event.record(stream)",
        "event_query": "event.done",
        "allocate": "alloc(1048576)",
        "allocate_pool": "alloc(1048576)",  # its pool keeps what is freed
    }

    def on_stream(statement):
        run = loop_of(statement, names, stream.synchronize)

        def way(count):
            with stream:
                return run(count)
        return way
    return {row: on_stream(statement) for row, statement in statements.items() if statement}


def torch(world):
    import torch
    stream = torch.cuda.Stream()
    event = torch.cuda.Event()
    event.record(stream)
    names = {"torch": torch, "stream": stream, "event": event, "Event": torch.cuda.Event, "empty": torch.empty,
             "device": torch.device("cuda", 0), "uint8": torch.uint8}
    statements = {
        "event_create": "Event()",  # PyTorch creates the event of CUDA at its first record
        "event_record": "event.record(stream)",
        "event_query": "event.query()",
        "allocate": "empty(1048576, dtype=uint8, device=device)",
        "allocate_pool": "empty(1048576, dtype=uint8, device=device)",  # as above
    }
    return {row: loop_of(statement, names, stream.synchronize) for row, statement in statements.items()}


def numba(world):
    from numba import cuda, float32, int32

    @cuda.jit((float32, float32[:], int32))
    def kernel(a, x, n):
        if n > 0:
            x[0] = a

    stream, event = cuda.stream(), cuda.event(timing=False)
    names = {"kernel": kernel, "stream": stream, "event": event, "bound": kernel[1, 1, stream], "make": cuda.event,
             "x": cuda.device_array(MIB // 4, "float32")}
    names["a"], names["n"] = numbers()
    event.record(stream)
    stream.synchronize()
    statements = {
        "launch": "bound(a, x, n)",
        "launch_python": "bound(1.0, x, 0)",
        "launch_whole": "kernel[1, 1, stream](a, x, n)",
        "launch_synchronize": "bound(a, x, n); stream.synchronize()",
        "event_create": "make(timing=False)",
        "event_record": "event.record(stream)",
        "event_query": "event.query()",
    }
    return {row: loop_of(statement, names, stream.synchronize) for row, statement in statements.items()}


def triton(world):
    import torch
    import triton_kernel
    x = torch.zeros(MIB // 4, dtype=torch.float32, device="cuda")
    names = {"kernel": triton_kernel.k, "x": x, "bound": triton_kernel.k[(1,)]}
    triton_kernel.k[(1,)](1.0, x, 0)
    torch.cuda.synchronize()
    statements = {
        "launch_python": "bound(1.0, x, 0)",
        "launch_whole": "kernel[(1,)](1.0, x, 0)",
        "launch_synchronize": "bound(1.0, x, 0); synchronize()",
    }
    names["synchronize"] = torch.cuda.current_stream().synchronize
    return {row: loop_of(statement, names, torch.cuda.synchronize) for row, statement in statements.items()}


# title: column and imported module
PEERS = {"cuda.core": (cuda_core, "cuda.core"), "CuPy": (cupy, "cupy"), "Triton": (triton, "triton"),
         "PyTorch": (torch, "torch"), "Numba": (numba, "numba.cuda")}
