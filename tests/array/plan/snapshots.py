# SPDX-License-Identifier: Apache-2.0
"""Plans of named patterns, compared with the recorded ones in snapshots.txt.

    snapshots.py [--write]
"""
import re
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "capi"))
from arrays import Context, apply, call, join  # noqa: E402
from test_explain import explain  # noqa: E402

DATA = Path(__file__).with_name("snapshots.txt")
ROWS, COLUMNS = 300, 500
PATTERNS = {}


def pattern(function):
    PATTERNS[function.__name__.strip("_")] = function
    return function


class World:
    """Named arrays of a context that launches nothing."""

    def __init__(self):
        self.context = Context()

    def array(self, name, shape=(ROWS, COLUMNS), dtype="float32"):
        array = self.context.array(np.zeros(shape, dtype))
        call("cucore_array_set_name", array.handle, name.encode())
        return array

    def arrays(self, names, **options):
        return [self.array(name, **options) for name in names.split()]


def mean(x, axes=(1,)):
    return x.reduce("mean", list(axes), True)


def maximum(x):
    return x.reduce("max", [1], True)


def normalised(x):
    moved = x - mean(x)
    return moved / apply(x.context, "sqrt", mean(moved * moved) + 1e-5)


def sqrt(x): return x.apply("sqrt")
def exp(x): return x.apply("exp")


# ---- maps

@pattern
def add(w):
    x, y = w.arrays("x y")
    return x + y


@pattern
def sample_4(w):
    x, y, z = w.arrays("x y z")
    return sqrt(x.apply("sin") * y.apply("cos") + exp(-z * z) + (x + 1.0).apply("log"))


@pattern
def polynomial(w):
    x, = w.arrays("x")
    return ((x * 2.0 + 3.0) * x + 4.0) * x + 5.0


@pattern
def common_part_once(w):
    x, y = w.arrays("x y")
    part = x * y
    return part + sqrt(part)


@pattern
def two_results_of_one_space(w):
    x, y = w.arrays("x y")
    return [x + y, x - y]


@pattern
def results_without_a_common_input(w):
    x, y = w.arrays("x y")
    return [x + 1.0, y * 2.0]


@pattern
def small_results_together(w):
    x, y = w.arrays("x y", shape=(10,))
    return [x + 1.0, y * 2.0]


@pattern
def casts(w):
    x = w.array("x", dtype="uint8")
    return x.astype("float32") * 0.5


@pattern
def mixed_types(w):
    x, y = w.array("x"), w.array("y", dtype="int32")
    return x + y


@pattern
def half(w):
    x, y = w.arrays("x y", dtype="float16")
    return x * y + 1.0


@pattern
def complex_product(w):
    x, y = w.arrays("x y", dtype="complex64")
    return x * y


@pattern
def two_outputs_of_an_operation(w):
    return w.array("x").apply("modf", results=2)


@pattern
def where(w):
    mask, x, b, c = w.array("mask", dtype="bool"), *w.arrays("x b c")
    return apply(w.context, "where", mask, x + 1.0, b) * c


@pattern
def many_operands(w):
    total, *others = w.arrays(" ".join(f"x{number}" for number in range(40)), shape=(4000,))
    for other in others:
        total = total + other
    return total


@pattern
def long_chain(w):
    x = w.array("x")
    for _ in range(50):
        x = x * 1.5 + 0.5
    return x


@pattern
def named_intermediate_is_not_stored(w):
    x, = w.arrays("x")
    w.middle = x + 1.0
    return w.middle * 2.0


@pattern
def no_elements(w):
    return w.array("x", shape=(0, 3)) + 1.0


@pattern
def no_axes(w):
    return w.array("x", shape=()) + 1.0


@pattern
def constant(w):
    return w.context.full((100,), 3.5, "float32") + 1.0


@pattern
def arange(w):
    return w.context.arange(1000) * 2


# ---- views

@pattern
def row_and_column(w):
    x, row, column = w.array("x"), w.array("row", shape=(COLUMNS,)), w.array("column", shape=(ROWS, 1))
    return x + row * column


@pattern
def transposed_operand(w):
    x, y = w.array("x", shape=(256, 256)), w.array("y", shape=(256, 256))
    return x + y.T


@pattern
def all_operands_transposed(w):
    x, y = w.arrays("x y")
    return x.T + y.T


@pattern
def steps(w):
    x, = w.arrays("x")
    return x[::2, ::-3] + 1.0


@pattern
def neighbours(w):
    x, = w.arrays("x", shape=(1000,))
    return x[1:] - x[:-1]


@pattern
def reshaped(w):
    x, = w.arrays("x")
    return (x + 1.0).reshape(COLUMNS, ROWS) * 2.0


@pattern
def reshaped_transposed(w):
    x, = w.arrays("x")
    return x.T.reshape(ROWS * COLUMNS) * 2.0


@pattern
def parts_of_complex_numbers(w):
    z = w.array("z", dtype="complex64")
    return z.part(1) * z.part(2)


@pattern
def axes_are_joined(w):
    x, y = w.arrays("x y", shape=(4, 5, 6, 7))
    return x + y


# ---- reductions

@pattern
def sum_of_all(w): return w.array("x").reduce("sum")


@pattern
def sum_of_rows(w): return w.array("x").reduce("sum", [1])


@pattern
def sum_of_columns(w): return w.array("x").reduce("sum", [0])


@pattern
def sum_of_long_rows(w): return w.array("x", shape=(4, 100000)).reduce("sum", [1])


@pattern
def dot(w):
    x, y = w.arrays("x y", shape=(10000,))
    return (x * y).reduce("sum")


@pattern
def norm(w):
    x, = w.arrays("x", shape=(10000,))
    return sqrt((x * x).reduce("sum"))


@pattern
def mean_and_variance(w):
    x, = w.arrays("x")
    return [x.reduce("mean", [1]), x.reduce("var", [1])]


@pattern
def mean_and_variance_of_a_long_row(w):
    x, = w.arrays("x", shape=(100000,))
    return [x.reduce("mean"), x.reduce("var")]


@pattern
def mean_and_variance_of_columns(w):
    x, = w.arrays("x")
    return [x.reduce("mean", [0]), x.reduce("var", [0])]


@pattern
def two_reductions_of_one_input(w):
    x, = w.arrays("x")
    return [x.reduce("min", [1]), x.reduce("max", [1])]


@pattern
def argmax(w): return w.array("x").reduce("argmax", [1])


@pattern
def middle_axis(w): return w.array("x", shape=(20, 30, 40)).reduce("sum", [1])


@pattern
def first_and_last_axis(w): return w.array("x", shape=(20, 30, 40)).reduce("sum", [0, 2])


@pattern
def reduced_and_used_again(w):
    x, = w.arrays("x")
    return x * x.reduce("sum")


# ---- rows

@pattern
def softmax(w):
    x, = w.arrays("x")
    power = exp(x - maximum(x))
    return power / power.reduce("sum", [1], True)


@pattern
def log_softmax(w):
    x, = w.arrays("x")
    moved = x - maximum(x)
    return moved - exp(moved).reduce("sum", [1], True).apply("log")


@pattern
def layer_norm(w):
    x, scale, shift = w.array("x"), w.array("scale", shape=(COLUMNS,)), w.array("shift", shape=(COLUMNS,))
    return normalised(x) * scale + shift


@pattern
def standardise(w): return normalised(w.array("x"))


@pattern
def less_the_mean(w):
    x, = w.arrays("x")
    return x - mean(x)


@pattern
def unit_rows(w):
    x, = w.arrays("x")
    return x / sqrt((x * x).reduce("sum", [1], True))


@pattern
def less_the_mean_of_columns(w):
    x, = w.arrays("x")
    return x - mean(x, (0,))


@pattern
def softmax_of_rows_that_are_too_long(w):
    x = w.array("x", shape=(3, 70000))
    power = exp(x - maximum(x))
    return power / power.reduce("sum", [1], True)


# ---- writes

@pattern
def write_of_a_region(w):
    x, y = w.arrays("x y", shape=(1000,))
    x[10:20] = y[30:40] * 2.0
    return x


@pattern
def updates_of_one_view(w):
    x, = w.arrays("x", shape=(1000,))
    part = x[1:3]
    part += 1.0
    part *= 2.0
    return x


@pattern
def overlapping_update(w):
    x, = w.arrays("x", shape=(1000,))
    later = x[1:]
    later += x[:-1]
    return x


@pattern
def reader_before_the_write(w):
    x, = w.arrays("x", shape=(1000,))
    w.copy = x + 1.0
    x[:10] = 0.0
    return x


@pattern
def whole_update(w):
    x, = w.arrays("x")
    x += 1.0
    return x


@pattern
def last_reader_gives_its_memory(w):
    x, = w.arrays("x")
    result = (x + 1.0) * 2.0
    del x
    return result


# ---- indices, joins, order, products

@pattern
def take(w):
    x, at = w.array("x"), w.array("at", shape=(50,), dtype="int64")
    return x.take(at, 0) * 2.0


@pattern
def write_by_indices(w):
    x, at = w.array("x"), w.array("at", shape=(50,), dtype="int64")
    x[at] = 1.0
    return x


@pattern
def concatenation(w):
    x, y = w.arrays("x y")
    return join("concat", [x + 1.0, y * 2.0], 0)


@pattern
def padding(w): return w.array("x").pad(1, 1, 2, 2)


@pattern
def roll(w): return w.array("x", shape=(1000,)).roll([3]) + 1.0


@pattern
def cumulative_sum(w): return (w.array("x") * 2.0).scan("cumulative_sum", 1)


@pattern
def cumulative_sum_of_columns(w): return w.array("x").scan("cumulative_sum", 0)


@pattern
def sort(w): return w.array("x").view("cucore_array_sort", 1, 0)


@pattern
def matmul(w):
    x, y = w.array("x"), w.array("y", shape=(COLUMNS, ROWS))
    return x.view("cucore_array_matmul", y.handle) + 1.0


def plan_of(name):
    world = World()
    results = PATTERNS[name](world)
    text = explain(results if isinstance(results, list) else [results])
    # Neither the digest of the code nor whether it was compiled before is a part of the plan.
    lines = (line.split("  not compiled")[0].split("  from memory")[0].rstrip() for line in text.splitlines())
    return re.sub(r"\b(a_[a-z]+)_[0-9a-f]{16}\b", r"\1", "\n".join(lines))


def recorded():
    plans = {}
    for block in DATA.read_text(encoding="utf-8").split("\n== ")[1:]:
        name, text = block.split("\n", 1)
        plans[name] = text.rstrip("\n")
    return plans


class Snapshots(unittest.TestCase):
    maxDiff = None

    def test_the_data_has_all_patterns(self):
        self.assertGreaterEqual(len(PATTERNS), 60)
        self.assertEqual(list(recorded()), list(PATTERNS))

    def test_plans(self):
        plans = recorded()
        for name in PATTERNS:
            with self.subTest(name):
                self.assertEqual(plan_of(name), plans.get(name))


if __name__ == "__main__":
    if "--write" in sys.argv:
        text = "".join(f"\n== {name}\n{plan_of(name)}\n" for name in PATTERNS)
        DATA.write_text(f"The plans of the patterns in snapshots.py, which writes this file with --write.\n{text}", encoding="utf-8")
    else:
        unittest.main(verbosity=2)
