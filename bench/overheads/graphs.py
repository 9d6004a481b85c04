#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures graphs of libcucore together with calls of the driver alone and with cuda.core, if it is installed.

    graphs.py LIBRARY [--out FOLDER] [--rounds N]

All columns of a row take turns in this process, as in overheads.py. In each turn, the first call is not timed, because it
finds the device idle. The bare driver gets the kernel, as from cuda.core. In one more column it gets the function of the
context, which it takes in less time, and which cucore passes. A graph is a row of kernels that do nothing, with three
arguments. LIBRARY is built from calls.c and graphs.c. The result is graphs.json, graphs.md and, if matplotlib is installed,
graphs.svg.
"""
import argparse
from pathlib import Path

import columns
import report
from measure import alternate, loop_of, reason_of
from overheads import machine

MOST = 1000
SIZES = (1, 100, MOST)
# row, title, batch, divisor of the rounds, target in C and in Python: microseconds above the bare call, or in all.
# A batch of launches fits into the driver's queue.
ROWS = [
    ("graph_launch_1", "launch of a graph of 1 kernel", 50, 1, "bare + 0.05", "bare + 0.30"),
    ("graph_launch_100", "launch of a graph of 100 kernels", 20, 1, "bare + 0.05", "bare + 0.30"),
    ("graph_launch_1000", "launch of a graph of 1000 kernels", 4, 1, "bare + 0.05", "bare + 0.30"),
    ("graph_capture", "capture of 1000 kernels", 1, 2, "bare + 8 %", "850"),
    ("graph_build", "1000 kernel nodes by hand", 1, 2, "bare + 15 %", "1000"),
    ("graph_create", "executable of 1000 kernels, made and dropped", 1, 2, "bare + 1 %", ""),
    ("graph_update_1", "update of an executable of 1 kernel", 20, 1, "bare + 0.15", "0.45"),
    ("graph_update_1000", "update of an executable of 1000 kernels", 5, 1, "bare + 5 %", "50"),
    ("graph_plain", "100 kernels one by one, and a wait", 2, 1, "", ""),
    ("graph_whole", "the same kernels as a graph, and a wait", 2, 1, "", ""),
]
NAMES = {row: row for row, *_ in ROWS}
CAPTURE = """with stream.capture() as captured:
   for _ in range(MOST): launch(stream, config, kernel, a, buffer, n)
  captured.close()"""
BUILD = """graph, node = Graph(device), ()
  for _ in range(MOST): node = graph.kernel(kernel, config, a, buffer, n, after=node)
  graph.close()"""


def python(world):
    cucore, device = world.cucore, world.device
    stream = cucore.Stream(device)
    names = {"stream": stream, "config": cucore.LaunchConfig(1, 1), "launch": cucore.launch, "device": device,
             "kernel": cucore.ObjectCode.from_bytes(world.type, world.image).kernel("k"), "MOST": MOST,
             "buffer": cucore.Buffer(device, columns.MIB, stream), "Graph": cucore.Graph, "a": 1.0, "n": 0}
    if columns.numbers():
        names["a"], names["n"] = columns.numbers()
    for size in SIZES:
        graph, node = cucore.Graph(device), ()
        for _ in range(size):
            node = graph.kernel(names["kernel"], names["config"], names["a"], names["buffer"], names["n"], after=node)
        names[f"graph{size}"], names[f"executable{size}"] = graph, graph.executable()
    statements = {
        **{f"graph_launch_{size}": f"executable{size}(stream)" for size in SIZES},
        "graph_capture": CAPTURE,
        "graph_build": BUILD,
        "graph_create": f"graph{MOST}.executable().close()",
        "graph_update_1": "executable1.update(graph1)",
        "graph_update_1000": f"executable{MOST}.update(graph{MOST})",
        "graph_plain": "for _ in range(100): launch(stream, config, kernel, a, buffer, n)\n  stream.synchronize()",
        "graph_whole": "executable100(stream); stream.synchronize()",
    }
    stream.synchronize()
    return {row: loop_of(statement, names, stream.synchronize, untimed=1) for row, statement in statements.items()}


def cuda_core(world):
    from cuda import core
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    names = {"stream": stream, "device": device, "launch": core.launch, "MOST": MOST, "config": core.LaunchConfig(grid=1, block=1),
             "kernel": core.ObjectCode.from_cubin(world.image).get_kernel("k"), "buffer": device.allocate(columns.MIB, stream=stream)}
    names["a"], names["n"] = columns.numbers()

    def captured(size):
        builder = device.create_graph_builder().begin_building()
        for _ in range(size):
            core.launch(builder, names["config"], names["kernel"], names["a"], names["buffer"], names["n"])
        return builder.end_building()
    for size in SIZES:
        names[f"builder{size}"] = captured(size)
        names[f"graph{size}"] = names[f"builder{size}"].complete()
    names["captured"] = captured
    statements = {
        **{f"graph_launch_{size}": f"graph{size}.launch(stream)" for size in SIZES},
        "graph_capture": "captured(MOST).close()",
        "graph_create": f"builder{MOST}.complete().close()",
        "graph_update_1": "graph1.update(builder1)",
        "graph_update_1000": f"graph{MOST}.update(builder{MOST})",
        "graph_plain": "for _ in range(100): launch(stream, config, kernel, a, buffer, n)\n  stream.sync()",
        "graph_whole": "graph100.launch(stream); stream.sync()",
    }
    try:
        from cuda.core.graph import GraphDefinition
        names["GraphDefinition"] = GraphDefinition
        statements["graph_build"] = """node = GraphDefinition()
  for _ in range(MOST): node = node.launch(config, kernel, a, buffer, n)
  node = None"""
    except ImportError:
        pass
    stream.sync()
    return {row: loop_of(statement, names, stream.sync, untimed=1) for row, statement in statements.items()}


def open_columns(world):
    world.calls.graphs_open.restype = int
    if world.calls.graphs_open():
        raise SystemExit(f"graphs: {world.calls.overheads_failure().decode()}")
    opened = {"bare": columns.from_c(world, "bare", NAMES), "bare, function": columns.from_c(world, "function", NAMES), "cucore C": columns.from_c(world, "c", NAMES), "cucore Python": python(world)}
    try:
        return {**opened, "cuda.core": cuda_core(world)}, {}
    except Exception as error:  # a missing peer is a note of the table
        return opened, {"cuda.core": reason_of(error)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--out", default=".")
    parser.add_argument("--rounds", type=int, default=61)
    options = parser.parse_args()
    world = columns.World(str(Path(options.library).resolve()))
    opened, missing = open_columns(world)
    rows = []
    for row, title, batch, divisor, in_c, in_python in ROWS:
        ways = {name: column[row] for name, column in opened.items() if row in column}
        cells = alternate(ways, batch, max(6, options.rounds // divisor))
        rows.append({"row": row, "title": title, "cells": cells, "target": {"C": in_c, "Python": in_python}})
    result = {"name": "graphs", "unit": "ns", "machine": machine(world), "missing": missing, "rows": rows}
    report.write(result, Path(options.out))


if __name__ == "__main__":
    main()
