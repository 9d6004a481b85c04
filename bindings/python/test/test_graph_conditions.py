# SPDX-License-Identifier: Apache-2.0
"""Conditions of graphs: IF, WHILE and SWITCH, and their values."""
import numpy as np
import pytest

import cucore
from graph_testing import ONE, memory, run


@pytest.mark.parametrize("value, expected", [(0, 100.0), (1, 1.0), (7, 1.0)])
def test_if_runs_one_of_two_graphs(device, stream, graph, graph_code, add, value, expected):
    x, view = memory(device)
    condition = graph.condition()
    decide = graph.kernel(graph_code.kernel("decide"), ONE, condition, value)
    with graph.if_(condition, after=decide) as (then, else_):
        then.kernel(add, ONE, x, 1.0)
        else_.kernel(add, ONE, x, 100.0)
    node = graph.nodes[1]
    assert node.kind == cucore.NodeKind.CONDITIONAL and node.dependencies == (decide,) and node.info.condition == condition
    executable = graph.executable()
    run(executable, stream)
    assert view[0] == expected
    (inside,) = node.body(0).nodes
    inside.update(args=(x, 50.0))
    executable.update(graph)
    run(executable, stream)
    assert view[0] == expected + (50 if value else 100)
    assert node.body(1).node_count == 1


def test_a_condition_has_a_value_at_each_launch(device, stream, graph, graph_code, add):
    x, view = memory(device)
    condition = graph.condition(1)
    with graph.if_(condition, has_else=False) as bodies:
        (then,) = bodies
        then.kernel(add, ONE, x, 1.0)
        then.kernel(graph_code.kernel("decide"), ONE, condition, 0)
    executable = graph.executable()
    run(executable, stream)
    run(executable, stream)
    assert view[0] == 2


def test_a_condition_keeps_its_value_between_launches(device, stream, graph, graph_code, add):
    x, view = memory(device)
    condition = graph.condition(0, reset_at_launch=False)
    with graph.if_(condition) as (then, else_):
        then.kernel(add, ONE, x, 100.0)
        then.kernel(graph_code.kernel("decide"), ONE, condition, 0)
        else_.kernel(add, ONE, x, 1.0)
        else_.kernel(graph_code.kernel("decide"), ONE, condition, 1)
    executable = graph.executable()
    # The value of the first launch is not defined. From then on, each launch decides the next one.
    for expected in (101, 202):
        run(executable, stream)
        run(executable, stream)
        assert view[0] == expected


def test_while_runs_until_the_condition_is_zero(device, stream, graph, graph_code, add):
    x, view = memory(device)
    left, _ = memory(device, 5, np.uint32)
    condition = graph.condition(1)
    with graph.while_(condition) as body:
        step = body.kernel(add, ONE, x, 2.0)
        body.kernel(graph_code.kernel("count_down"), ONE, condition, left, after=step)
    run(graph.executable(), stream)
    assert view[0] == 10


@pytest.mark.parametrize("value, expected", [(0, 1), (2, 3), (3, 0)])
def test_switch_runs_the_graph_at_the_index(device, stream, graph, add, value, expected):
    x, view = memory(device)
    node = graph.switch(graph.condition(value), 3)
    with node as bodies:
        for i, body in enumerate(bodies):
            body.kernel(add, ONE, x, float(i + 1))
    assert node.bodies == bodies and len(bodies) == 3
    run(graph.executable(), stream)
    assert view[0] == expected


def test_mistakes_about_conditions_are_refused(graph):
    condition = graph.condition()
    graph.while_(condition)
    for wrong in (lambda: graph.while_(condition), lambda: graph.switch(graph.condition(), 0)):
        with pytest.raises(cucore.InvalidArgumentError):
            wrong()
    for count in (65537, 2**31, 2**62, 2**64 - 1):
        with pytest.raises(cucore.InvalidArgumentError, match=f"is {count}; expected 1 to 65536 for SWITCH"):
            graph.switch(graph.condition(), count)
    for value in (-1, 2**32):
        with pytest.raises(OverflowError, match=r"is not between 0 and 2\*\*32 - 1"):
            graph.condition(value)
    assert graph.node_count == 1
