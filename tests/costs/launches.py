# SPDX-License-Identifier: Apache-2.0
"""Repeats operations in Python: launches.py COUNT NAME... count.py counts the instructions of the extension. If
COSTS_PLANTED is set, a launch has further arguments, and the others have a general form, as an extension that became
slower would."""
import functools
import os
import sys

import cucore
from counted import repeat

PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .f32 a, .param .u64 x, .param .u32 n) { ret; }
.visible .entry two(.param .u64 a, .param .u64 b) { ret; }
.visible .entry planted(.param .f32 a, .param .u64 x, .param .u32 n, .param .u64 more, .param .u64 most) { ret; }
"""


def with_numpy(buffer, is_planted):
    import numpy  # only its row needs it

    class Single(numpy.float32):  # not known by its layout
        pass
    return (Single if is_planted else numpy.float32)(1), buffer, numpy.int32(1)


def operation_of(name, device):
    stream, event = cucore.Stream(device), cucore.Event(device)
    buffer = cucore.Buffer(device, 64, stream)
    code = cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, PTX)
    config = cucore.LaunchConfig(1, 1)
    is_planted = "COSTS_PLANTED" in os.environ

    def launches(kernel, arguments):
        if is_planted and name != "python_launch_of_numpy":
            kernel, arguments = "planted", (1.0, buffer, 1, buffer, buffer)
        return functools.partial(cucore.launch, stream, config, code.kernel(kernel), *arguments)

    def without_arguments(method):
        def refused():
            try:
                method(None)
            except TypeError:
                pass
        return refused if is_planted else method

    def node_after_node(kernel, arguments):
        graph, kernel, last = cucore.Graph(device), code.kernel(kernel), []

        def add():
            last[:] = [graph.kernel(kernel, config, *arguments, after=last)]
        return add

    def update_by_itself():
        graph = cucore.Graph(device)
        graph.kernel(code.kernel("k"), config, 1.0, buffer, 1)
        update = functools.partial(graph.executable().update, graph)
        return (lambda: (update(), update())) if is_planted else update

    operations = {
        "python_prepared": lambda: without_arguments(code.kernel("k").prepare(stream, config, 1.0, buffer, 1).run),
        "python_query": lambda: without_arguments(event.query),
        "python_launch": lambda: launches("k", (1.0, buffer, 1)),
        "python_launch_of_buffers": lambda: launches("two", (buffer, buffer)),
        "python_launch_of_numpy": lambda: launches("k", with_numpy(buffer, is_planted)),
        "python_graph_kernel": lambda: node_after_node(*("planted", (1.0, buffer, 1, buffer, buffer)) if is_planted
                                                       else ("k", (1.0, buffer, 1))),
        "python_update": update_by_itself,
        # The general forms are the slow ones.
        "python_record": lambda: functools.partial(stream.record, event, **{"timing": True} if is_planted else {}),
        "python_create_event": lambda: functools.partial(cucore.Event, device, **{"timing": False} if is_planted else {}),
        "python_serialize": lambda: functools.partial(code.serialize, **{"compression": False} if is_planted else {}),
        "python_allocate": lambda: functools.partial(cucore.Buffer, device, 64, *() if is_planted else (stream,)),
    }
    return operations[name]()


def main(count, *names):
    device = cucore.Device()
    for name in names:
        repeat(operation_of(name, device), count)


main(int(sys.argv[1]), *sys.argv[2:])
