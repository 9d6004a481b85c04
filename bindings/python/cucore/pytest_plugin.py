# SPDX-License-Identifier: Apache-2.0
"""The plugin for pytest: marks of tests that the CPU device checks.

    @pytest.mark.cucore_checks               # the test has no reports of checks
    @pytest.mark.cucore_no_leaks             # the test releases all memory and objects
    @pytest.mark.cucore_fails_allocation(3)  # the test passes although the third allocation fails

An installed wheel registers it. Elsewhere, ``pytest -p cucore.pytest_plugin`` loads it. The option
``--cucore-checks`` checks all tests.
"""
from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional

import pytest

import cucore

MARKS = {
    "cucore_checks(kinds='all', **options)": "the test fails if the checks have reports; the options are those of cucore.checks",
    "cucore_no_leaks": "the test fails if memory or objects that it made are alive at its end",
    "cucore_fails_allocation(number, once=False)": "this allocation and all later ones fail, or with once=True this one; "
                                                   "the test must pass",
}


def pytest_configure(config: pytest.Config) -> None:
    for mark, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{mark}: {meaning}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("cucore").addoption(
        "--cucore-checks", nargs="?", const="all", default=None, metavar="KINDS",
        help="check the kernels of all tests on the CPU device: all, or a list of memory, init, race, barrier, host and leak")


def _faults(number: int, once: bool = False) -> str:
    return f"allocation@{number}{'' if once else '+'}=2"


def _kinds(given: Any) -> List[str]:
    return given.split(",") if isinstance(given, str) else list(given)


def options_of(item: pytest.Item) -> Optional[Dict[str, Any]]:
    """The options of the checks of a test; None if no mark requires checks."""
    kinds: List[str] = []
    options: Dict[str, Any] = {}
    everywhere = item.config.getoption("--cucore-checks")
    if everywhere:
        kinds += _kinds(everywhere)
    for mark in item.iter_markers("cucore_checks"):
        given = {**mark.kwargs}
        kinds += _kinds(mark.args[0] if mark.args else given.pop("kinds", "all"))
        options = {**given, **options}
    if item.get_closest_marker("cucore_no_leaks"):
        kinds.append("leak")
    allocation = item.get_closest_marker("cucore_fails_allocation")
    if allocation:
        options["faults"] = _faults(*allocation.args, **allocation.kwargs)
    if not kinds and not options:
        return None
    return {"kinds": ",".join(kinds) or "none", **options}


def _checked_call(pyfuncitem: pytest.Function) -> Generator[None, Any, None]:
    options = options_of(pyfuncitem)
    if options is None:
        yield
        return
    block = cucore.checks(**options)
    checks = block.__enter__()
    outcome = yield
    kind, error, traceback = outcome.excinfo or (None, None, None)
    reports = ""
    try:
        block.__exit__(kind, error, traceback)
    except cucore.ChecksError as found:
        reports = str(found)
    if reports:  # outside of the handler: pytest prints the exception that is being handled
        pytest.fail(reports, pytrace=False)
    if error is None and "faults" in options and checks.fault_count == 0:
        pytest.fail(f"no fault was injected: the test has fewer calls than {options['faults']!r} names", pytrace=False)


pytest_pyfunc_call = pytest.hookimpl(hookwrapper=True)(_checked_call)
