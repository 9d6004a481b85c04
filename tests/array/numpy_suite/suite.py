# SPDX-License-Identifier: Apache-2.0
"""Runs tests of the installed NumPy on cucore.array, which is put in place of numpy in their modules.

Usage: suite.py tests.txt [--all FILE]

tests.txt has a line per test, below a line [file count] per file of NumPy. A name without brackets contains all cases of the test.
Each case must pass, and must record operations in the library or launch kernels. With --all, every test of the files runs.
FILE gets a line per test with its outcome, its operations and kernels, file, name, seconds, and error.
"""
import pathlib
import re
import signal
import sys
import time
import types
import typing
import warnings

import numpy as np
import pytest

import cucore.array as xp
from arrays import Absent, NdArray, to_numpy
from namespace import drawing, numpy

TESTS = pathlib.Path(np.__file__).parent / "core" / "tests"
FEWEST = 400
LONGEST = 60  # seconds of a test
# Gigabytes, thousands of equal cases, or a million small operations are not a part of --all.
TOO_LARGE = re.compile("huge_array|spurious_fpexception|division_int_boundary|diophantine_fuzz")
#: Assertions of numpy.testing that compare elements. The others call functions, or take a bool.
COMPARING = re.compile("assert_(array_)?(equal|almost_equal|array_almost_equal.*|allclose|array_less|less|max_ulp|approx_equal)")


def reached():
    """The operations that the library recorded for the tests, and the kernels that it launched."""
    return xp.statistics()["kernels_launched"] + NdArray.recorded


class Anything:
    """Stands for hypothesis, which Debian does not install; its tests skip themselves."""

    def __getattr__(self, name):
        return self

    def __call__(self, *arguments, **keywords):
        return self

    __or__ = __call__


def without_hypothesis():
    """Lets test_numeric be imported where hypothesis is missing."""
    def given(*arguments, **keywords):
        return lambda function: lambda *_: pytest.skip("hypothesis is not installed")
    extra = types.ModuleType("hypothesis.extra")
    extra.numpy = Anything()
    main = types.ModuleType("hypothesis")
    main.given, main.strategies, main.extra = given, Anything(), extra
    sys.modules.update({"hypothesis": main, "hypothesis.strategies": main.strategies, "hypothesis.extra": extra,
                        "hypothesis.extra.numpy": extra.numpy})


def comparing(function):
    def call(*arguments, **keywords):
        return function(*map(to_numpy, arguments), **keywords)
    return call


def replacement(name, value):
    """Returns the stand-in of a name in a module of tests, or of a parameter of a test."""
    if value is np or value is np.core.umath:
        return numpy
    if COMPARING.fullmatch(name) and callable(value):
        return comparing(value)
    if name in ("rand", "randint", "randn"):
        return drawing(value)
    if isinstance(value, np.ufunc):
        return getattr(numpy, value.__name__)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc" and value.dtype.isnative and type(value) is np.ndarray:
        return NdArray(xp.asarray(value))
    is_function = isinstance(value, (types.FunctionType, types.BuiltinFunctionType))
    return getattr(numpy, value.__name__) if is_function and getattr(np, value.__name__, None) is value else value


class Result(typing.NamedTuple):
    error: typing.Optional[BaseException]
    reached: int
    seconds: float

    @property
    def counts(self):
        return self.error is None and self.reached > 0


class OnCucore:
    """The plug-in of pytest: replaces numpy, selects tests, and counts the kernels of each."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.results = {}

    def pytest_collection_modifyitems(self, items):
        for module in {item.module for item in items}:
            for name, value in list(vars(module).items()):
                if not name.startswith("__") and not isinstance(value, type):
                    try:
                        setattr(module, name, replacement(name, value))
                    except Absent:
                        pass
        items[:] = [item for item in items if (is_wanted(item, self.wanted) if self.wanted else not TOO_LARGE.search(item.name))]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        for name, value in pyfuncitem.funcargs.items():
            pyfuncitem.funcargs[name] = replacement("", value)
        before, start = reached(), time.monotonic()
        signal.alarm(LONGEST)
        outcome = yield
        signal.alarm(0)
        error = outcome.excinfo and outcome.excinfo[1]
        self.results[name_of(pyfuncitem)] = Result(error, reached() - before, time.monotonic() - start)


def name_of(item):
    return (item.module.__name__.rpartition(".")[2], item.nodeid.partition("::")[2])


def is_wanted(item, wanted):
    file, name = name_of(item)
    return (file, name) in wanted or (file, name.partition("[")[0]) in wanted


def read_list(path):
    """The tests of a list, and how many of each file must pass."""
    tests, counts, file = set(), {}, None
    for line in pathlib.Path(path).read_text().splitlines():
        header = re.fullmatch(r"\[(\w+) (\d+)\]", line)
        if header:
            file = header[1]
            counts[file] = int(header[2])
        elif line and not line.startswith("#"):
            tests.add((file, line))
    return tests, counts


def too_long(*_):
    raise TimeoutError(f"more than {LONGEST} seconds")


def run(files, wanted):
    """Runs the tests, and returns the error or None and the number of kernels of each."""
    without_hypothesis()
    signal.signal(signal.SIGALRM, too_long)
    warnings.simplefilter("ignore")
    plugin = OnCucore(wanted)
    pytest.main(["-q", "--noconftest", "-c", "/dev/null", "--rootdir", str(TESTS), "-p", "no:cacheprovider", "-W", "ignore", "--tb=no",
                 "--no-header", "--disable-warnings", "-o", "console_output_style=none", *(str(TESTS / f"{file}.py") for file in files)], plugins=[plugin])
    return plugin.results


def check(path):
    wanted, counts = read_list(path)
    results = run(counts, wanted)
    faults = [f"{file}::{name}: " + ("neither an operation nor a kernel" if result.error is None else repr(result.error)[:500])
              for (file, name), result in results.items() if not result.counts]
    for file, count in counts.items():
        found = [result for (module, _), result in results.items() if module == file]
        passed = sum(result.counts for result in found)
        print(f"{file}: {passed} tests passed, with {sum(result.reached for result in found)} operations and kernels")
        if passed != count:
            faults.append(f"{file}: {passed} tests passed; the list requires {count}")
    if sum(counts.values()) < FEWEST:
        faults.append(f"the list has {sum(counts.values())} tests; at least {FEWEST} are required")
    print(*faults, sep="\n")
    return 1 if faults else 0


def report(path, out):
    """Runs every test of the files of a list, and writes what happened."""
    with open(out, "w") as file:
        for (module, name), result in run(read_list(path)[1], None).items():
            error = "" if result.error is None else f"{type(result.error).__name__}: {result.error}".replace("\n", " ")[:200]
            print("failed" if error else "passed", result.reached, module, name, f"{result.seconds:.2f}", error, sep="\t", file=file)
    return 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]) if len(sys.argv) == 2 else report(sys.argv[1], sys.argv[3]))
