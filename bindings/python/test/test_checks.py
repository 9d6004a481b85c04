# SPDX-License-Identifier: Apache-2.0
"""Checks of kernels: reports, options, and the plugin for pytest with tests that must fail."""
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import cucore
from conftest import ON_GPU, reset

pytestmark = pytest.mark.skipif(ON_GPU, reason="needs the CPU device")

KERNELS = """
extern "C" __global__ void past_end(int *p) { p[256 + threadIdx.x] = 1; }
extern "C" __global__ void inside(int *p) { p[threadIdx.x] = 1; }
extern "C" __global__ void reverse(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  p[threadIdx.x] = s[63 - threadIdx.x];
}
"""


@pytest.fixture(scope="module")
def kernels():
    return cucore.Program(KERNELS, name="checks.cu", lineinfo=True).compile()


def run(kernels, name, stream, threads=32):
    with cucore.Buffer(stream.device, 1024, stream) as data:
        kernels.kernel(name)[1, threads, stream](data)
        stream.synchronize()


def test_a_block_without_reports_passes(kernels, stream):
    with cucore.checks() as checks:
        assert checks.is_running
        run(kernels, "inside", stream)
    assert not checks.is_running
    assert checks.reports == ()


def test_a_block_with_reports_raises(kernels, stream):
    with pytest.raises(cucore.ChecksError, match=r"(?s)1 report.*out-of-bounds.*checks\.cu:2") as raised:
        with cucore.checks("memory"):
            run(kernels, "past_end", stream)
    assert isinstance(raised.value, AssertionError)
    assert "checks.cu:2" in raised.value.log
    assert str(raised.value).count("out-of-bounds") == 1


def test_a_random_schedule_names_its_seed(kernels, stream):
    with cucore.checks("race", collect=True, schedule="random") as found:
        assert found.schedule.startswith("random:")
        run(kernels, "reverse", stream, 64)
    assert {report.schedule for report in found.reports} == {found.schedule}


def test_reports_are_collected(kernels, stream):
    with cucore.checks(["memory", "race"], collect=True) as found:
        run(kernels, "past_end", stream)
    report, = found.reports
    assert (report.kind, report.kernel, report.file, report.line) == ("out-of-bounds", "past_end", "checks.cu", 2)
    assert report.block == (0, 0, 0) and report.thread[1:] == (0, 0) and 0 <= report.thread[0] < 32
    assert report.address == report.allocation + 1024 + 4 * report.thread[0]
    assert report.allocation_size == 1024 and "cuMemAlloc" in report.allocated_by
    assert str(report) == report.text and report.text + "\n" == found.text
    assert report.json in found.json


def test_a_race_has_two_places_and_a_seed(kernels, stream):
    with cucore.checks("race", schedule="random", seed=5, collect=True) as found:
        run(kernels, "reverse", stream, 64)
    report = found.reports[0]
    assert report.kind == "shared-race" and report.seed == 5 and report.schedule == "random:5"
    assert {report.line, report.other_line} == {6, 7} and report.other


def test_an_exception_of_the_block_has_the_reports_as_a_note(kernels, stream):
    with pytest.raises(KeyError) as raised:
        with cucore.checks():
            run(kernels, "past_end", stream)
            raise KeyError("own")
    if sys.version_info >= (3, 11):
        assert "out-of-bounds" in raised.value.__notes__[0]


def test_suppressions(kernels, stream, tmp_path):
    with cucore.checks(suppressions="out-of-bounds past_end checks.cu:2"):
        run(kernels, "past_end", stream)
    file = tmp_path / "known.txt"
    file.write_text("# known\n* past_*\n")
    with cucore.checks(suppression_files=[file]):
        run(kernels, "past_end", stream)


def test_leaks(device, stream):
    with pytest.raises(cucore.ChecksError, match="leak: cuMemAlloc"):
        with cucore.checks("leak"):
            kept = cucore.Buffer(device, 64, stream)
    kept.close()
    with cucore.checks("leak"):
        with cucore.Buffer(device, 64, stream), cucore.Stream(device), cucore.Event(device):
            pass
    with pytest.raises(cucore.ChecksError, match="leak: cuGraphCreate: graph 0x.* was not destroyed"):
        with cucore.checks("leak"):
            graph = cucore.Graph(device)
    graph.close()


def test_faults_and_counts(device):
    with cucore.checks("none", faults="allocation@3+=2") as checks:
        kept = [cucore.Buffer.pinned(device, 64) for _ in range(2)]
        with pytest.raises(cucore.OutOfDeviceMemoryError):
            cucore.Buffer.pinned(device, 64)
    assert checks.fault_count >= 1
    assert checks.call_count("cuMemHostAlloc") + checks.call_count("cuMemAllocHost") >= 3
    for buffer in kept:
        buffer.close()


def test_trace(device, tmp_path):
    with cucore.checks("none", trace_file=tmp_path / "trace"):
        cucore.Event(device).close()
    assert '"call":"cuEventCreate"' in (tmp_path / "trace").read_text()


def test_wrong_options_name_the_keyword():
    with pytest.raises(cucore.InvalidArgumentError, match=r"Checks\(kinds=...\) is 'rice'; expected all"):
        cucore.Checks(kinds="rice")
    with pytest.raises(TypeError, match="suppresions"):
        cucore.Checks(suppresions="")


def test_one_at_a_time():
    with cucore.checks():
        with pytest.raises(cucore.InvalidStateError, match="other checks are running"):
            cucore.Checks()


def pytest_of(tmp_path, text, *options):
    """Runs pytest with the plugin on one file; returns (exit code, output)."""
    (tmp_path / "test_marked.py").write_text("import cucore, pytest\n" + textwrap.dedent(text))
    ran = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "cucore.pytest_plugin", "--strict-markers",
         *options, "test_marked.py"], cwd=tmp_path, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, timeout=250)
    return ran.returncode, ran.stdout + ran.stderr


MARKED = """
    KERNEL = 'extern "C" __global__ void store(int *p, int at) { p[at] = 1; }'

    def store(at):
        device = cucore.Device()
        with cucore.Stream(device) as stream, cucore.Buffer(device, 64, stream) as data:
            cucore.Program(KERNEL).compile().kernel("store")[1, 1, stream](data, at)
            stream.synchronize()

    kept = []

    @pytest.mark.cucore_checks
    def test_checked_good(): store(0)

    @pytest.mark.cucore_checks("memory")
    def test_checked_bad(): store(16)

    @pytest.mark.cucore_checks(suppressions="out-of-bounds store")
    def test_checked_suppressed(): store(16)

    @pytest.mark.cucore_no_leaks
    def test_leaks_good(): store(0)

    @pytest.mark.cucore_no_leaks
    def test_leaks_bad(): kept.append(cucore.Event(cucore.Device()))

    @pytest.mark.cucore_fails_allocation(1)
    def test_survive_good():
        with pytest.raises(MemoryError):
            store(0)

    @pytest.mark.cucore_fails_allocation(1)
    def test_survive_bad(): store(0)

    @pytest.mark.cucore_fails_allocation(99)
    def test_survive_without_a_fault(): store(0)
"""


def test_the_plugin_lets_wrong_tests_fail(tmp_path):
    code, output = pytest_of(tmp_path, MARKED, "-rfE", "--tb=short")
    assert code == 1, output
    assert "4 failed, 4 passed" in output
    for name, reason in (("checked_bad", "out-of-bounds"), ("leaks_bad", "leak: cuEventCreate"),
                         ("survive_bad", "OutOfDeviceMemoryError"), ("survive_without_a_fault", "no fault was injected")):
        assert f"FAILED test_marked.py::test_{name}" in output
        assert reason in output
    assert output.split("short test summary")[0].count("out-of-bounds") == 1, output
    assert "During handling" not in output


def test_the_option_checks_all_tests(tmp_path):
    bad = """
        def test_unmarked():
            device = cucore.Device()
            with cucore.Stream(device) as stream, cucore.Buffer(device, 64, stream) as data:
                code = cucore.Program('extern "C" __global__ void store(int *p) { p[16] = 1; }').compile()
                code.kernel("store")[1, 1, stream](data)
                stream.synchronize()
    """
    code, output = pytest_of(tmp_path, bad, "--cucore-checks=memory")
    assert code == 1 and "out-of-bounds" in output, output


def test_the_block_of_the_page_passes(tmp_path):
    page = (Path(__file__).parents[3] / "docs/python.md").read_text(encoding="utf-8")
    block = page.split("<!-- run by: bindings/python/test/test_checks.py -->\n```python\n")[1].split("```")[0]
    code, output = pytest_of(tmp_path, block)
    assert code == 0 and "2 passed" in output, output


# The last test, because it resets the device.
def test_launches_have_budgets(kernels):
    device = cucore.Device(0)
    with cucore.checks("none", launch_memory=1024), pytest.raises(
            cucore.KernelFaultError, match=r"a launch has 1024 bytes.*launch_memory=\.\.\.\) sets this budget"):
        run(kernels, "inside", cucore.Stream(device))
    reset(device)
