# SPDX-License-Identifier: Apache-2.0
"""The operations of the table: a new record becomes a function, a docstring and a stub."""
import importlib.util
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import cucore.array as xp

ROOT = Path(__file__).parents[4]
FOLDER = ROOT / "bindings/python/array"
RECORDS = json.loads((ROOT / "src/array/ops/ops.json").read_text())


def names(record):
    return [name for name in [record["name"], *(record.get("numpy") or []), record.get("standard", "")] if name.isidentifier()]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["name"])
def test_each_record_is_a_documented_function(record):
    for name in names(record):
        function = getattr(xp, name)
        assert inspect.getdoc(function)
        assert inspect.signature(function)
    if record["family"] in ("reduce", "scan"):
        assert callable(getattr(xp.Array, record["name"]))


def test_a_new_record_is_enough(tmp_path):
    record = {"number": 53, "name": "cube", "family": "unary", "rule": "arithmetic", "text": {"f": "x * x * x"}, "numpy": ["cubed"],
              "doc": "the number multiplied twice by itself"}
    total = {"number": 315, "name": "range_of", "family": "reduce", "rule": "same", "text": {"f": "x"}, "doc": "the greatest less the least element"}
    (tmp_path / "ops.json").write_text(json.dumps([*RECORDS, record, total]))
    subprocess.run([sys.executable, "-B", FOLDER / "generate.py", tmp_path / "ops.json", ROOT / "include/cucore_array.h", FOLDER / "_array.pyi",
                    tmp_path], check=True)
    spec = importlib.util.spec_from_file_location("cucore.array._new_operations", tmp_path / "_operations.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.cube.number == 53 and made.cubed is made.cube
    assert made.cube.__doc__ == "Computes for each element: the number multiplied twice by itself."
    assert made.METHODS["range_of"].__doc__ == "The greatest less the least element, along axes of the array."
    stub = (tmp_path / "_operations.pyi").read_text()
    assert "def cube(x: _Operand, /," in stub and "def range_of(x: Array, /, axis: Axes = ...," in stub
    assert "    def range_of(self, /, axis: Axes = ...," in (tmp_path / "_array.pyi").read_text()
