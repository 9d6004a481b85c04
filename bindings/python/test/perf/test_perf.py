# SPDX-License-Identifier: Apache-2.0
"""cucore.perf: what the calls return, how they fail, and what they keep. Profiles are exact on the CPU device; on a GPU
they have times, and the bytes of the model."""
import gc
import json
import math
import os
import subprocess
import sys
import threading
import weakref

import pytest

import cucore
from cucore import perf

ON_GPU = not cucore.Device().is_emulated
BLOCKS, THREADS = 4, 64
BYTES = BLOCKS * THREADS * 4

# y[i] = 2 x[i], with 13 instructions per thread.
PTX = """.version 7.0
.target sm_52
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  mul.f32 %f2, %f1, 0f40000000;
  st.global.f32 [%rd5], %f2;
  ret;
}
"""
QUICK = {"criterion": "count", "min_samples": 5, "batch": False}


@pytest.fixture(scope="module")
def code():
    return cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, PTX)


@pytest.fixture(scope="module")
def launch(code):
    device = cucore.Device()
    kernel, stream = code.kernel("twice"), cucore.Stream(device)
    x, y = cucore.Buffer(device, BYTES, stream), cucore.Buffer(device, BYTES, stream)

    def add(order=stream):
        kernel[BLOCKS, THREADS, order](x, y)
    add.kernel, add.stream, add.x, add.y = kernel, stream, x, y
    return add


# == Measurements ==

def test_measures_a_callable_on_the_stream_that_it_gets(launch):
    seen = []

    def work(stream):
        seen.append(stream)
        launch(stream)
    measurement = perf.measure(work, name="twice", bytes=2 * BYTES, **QUICK)
    assert measurement.samples == 5 == len(measurement.times) and measurement.name == "twice"
    assert 0 < measurement.min <= measurement.median <= measurement.max
    assert measurement.min == min(measurement.times) and measurement.clock == perf.Clock.EVENTS
    assert measurement.bytes_per_second == pytest.approx(2 * BYTES / measurement.median)
    assert measurement.stop_reason == perf.StopReason.CRITERION
    assert len(seen) > 5 and all(isinstance(each, cucore.Stream) for each in seen)
    assert set(perf.Statistics._fields) <= set(dir(measurement))
    with pytest.raises(AttributeError):
        measurement.speed


def test_measures_a_callable_without_a_parameter_and_a_setup(launch):
    calls = []
    measurement = perf.measure(launch, stream=launch.stream, setup=lambda: calls.append(1), **QUICK)
    assert measurement.samples == 5 and len(calls) >= 5 and measurement.name == "work"
    assert perf.measure(launch, clock=perf.Clock.HOST, **QUICK).clock == perf.Clock.HOST


def test_measures_the_launch_of_a_kernel(launch):
    config = cucore.LaunchConfig(BLOCKS, THREADS)
    measurement = perf.measure(launch.kernel, config, launch.x, launch.y, **QUICK)
    assert measurement.name == "twice" and measurement.samples == 5
    with pytest.raises(TypeError, match="twice argument 1 of 2"):
        perf.measure(launch.kernel, config, "x", launch.y, **QUICK)
    with pytest.raises(TypeError, match="LaunchConfig"):
        perf.measure(launch.kernel, **QUICK)
    with pytest.raises(TypeError, match="only the measurement of a Kernel"):
        perf.measure(launch, config, **QUICK)


def test_writes_measurements(launch):
    measurement = perf.measure(launch, name="one", **QUICK)
    assert "one" in measurement.text() and str(measurement) == measurement.text() and "one" in repr(measurement)
    [parsed] = json.loads(measurement.json())
    assert parsed["schema"] == "cucore.measurement/1" and parsed["name"] == "one"
    assert len(perf.write([measurement, measurement], "csv").splitlines()) == 3 == len(measurement.csv().splitlines()) + 1
    assert "plot" in measurement.gnuplot()
    with pytest.raises(cucore.InvalidArgumentError):
        perf.write([])
    with pytest.raises(cucore.InvalidArgumentError):
        perf.write([measurement], perf.ReportFormat.HTML)


def test_compares_works_and_measurements(launch):
    def three(stream):
        for _ in range(3):
            launch(stream)
    pair = perf.compare(launch, three, names=("one", "three"), criterion="count", min_samples=20, batch=False)
    assert pair.a.name == "one" and pair.b.name == "three" and pair.a.samples == 20 == pair.b.samples
    assert 0 < pair.low <= pair.ratio <= pair.high
    again = perf.compare(pair.a, pair.a)
    assert again.ratio == 1 and again.verdict == perf.ComparisonVerdict.NO_DIFFERENCE and "not different" in str(again)
    with pytest.raises(TypeError, match="one of each"):
        perf.compare(pair.a, three)


class Stop(BaseException):
    pass


@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyboardInterrupt, Stop])
def test_an_exception_of_a_work_is_raised_again(launch, kind):
    calls = []

    def work(stream):
        calls.append(stream)
        if len(calls) == 3:
            raise kind("third")
        launch(stream)
    with pytest.raises(kind, match="third"):
        perf.measure(work, **QUICK)
    assert len(calls) == 3  # no further call
    with pytest.raises(kind):
        calls.clear()
        perf.compare(lambda stream: launch(stream), work, **QUICK)
    failing = [kind("setup")]

    def setup():
        raise failing[0]
    with pytest.raises(kind, match="setup"):
        perf.measure(launch, setup=setup, **QUICK)


def test_an_error_of_a_work_keeps_its_class(launch):
    def work():
        launch.kernel[BLOCKS, 2048](launch.x, launch.y)
    with pytest.raises(cucore.Error) as caught:
        perf.measure(work, **QUICK)
    assert "2048" in str(caught.value)


@pytest.mark.parametrize("options, kind, text", [
    ({"noise": -1}, cucore.InvalidArgumentError, "noise is -1"),
    ({"clock": "activity"}, cucore.UnsupportedError, "clock is ACTIVITY"),
    ({"clock": "sun"}, ValueError, "'sun' is not a Clock; expected one of auto"),
    ({"criterion": 99}, cucore.InvalidArgumentError, "criterion is 99"),
    ({"min_samples": 1 << 32}, OverflowError, "min_samples"),
    ({"min_samples": 1.5}, TypeError, "min_samples"),
    ({"name": "a\0b"}, ValueError, "NUL"),
    ({"colour": 1}, TypeError, "colour"),
])
def test_refuses_options_by_their_names(launch, options, kind, text):
    with pytest.raises(kind) as caught:
        perf.measure(launch, **options)
    assert text in str(caught.value) and "cucore_" not in str(caught.value)


@pytest.mark.parametrize("work", [3, lambda a, b: None, lambda *, key: None])
def test_refuses_works_that_cannot_be_called(work):
    with pytest.raises(TypeError):
        perf.measure(work)


# == Profiles ==

def test_profiles_a_block_exactly(launch):
    with perf.profile() as p:
        with p.range("part"):
            for _ in range(3):
                launch()
        launch()
    [row] = p.rows
    assert (row.name, row.grid, row.block, row.calls) == ("twice", (BLOCKS, 1, 1), (THREADS, 1, 1), 4)
    assert row.bytes_read == 4 * BYTES == row.bytes_written and row.sectors_per_request == 4
    instructions = "model.instructions" if ON_GPU else "cpu.instructions"
    assert p.counter(0, instructions) == 4 * BLOCKS * THREADS * 13
    if ON_GPU:
        assert p.source == perf.ProfilerSource.EVENTS and row.bytes_source == perf.AmountSource.MODEL
        assert row.timed == 4 and 0 <= row.min <= row.mean <= row.max and row.total == pytest.approx(4 * row.mean)
    else:
        assert p.source == perf.ProfilerSource.EMULATED and row.bytes_source == perf.AmountSource.COUNTER
        assert row.timed == 0 and math.isnan(row.total) and math.isnan(p.memory_efficiency) and math.isnan(p.compute_efficiency)
        assert all(math.isnan(each) for each in p.efficiency("part"))
    parsed = json.loads(p.json())
    assert parsed["schema"] == "cucore.report/1" and [each["name"] for each in parsed["ranges"]] == ["", "part"]
    assert p.report._repr_html_().startswith("<iframe srcdoc=\"") and "twice" in p._repr_html_()
    assert "twice" in p.text() and str(p) == p.text() and "<html" in p.html() and len(p.csv().splitlines()) == 2
    with pytest.raises(cucore.NotFoundError, match="cpu.sneezes"):
        p.counter(0, "cpu.sneezes")
    with pytest.raises(cucore.InvalidArgumentError):
        p.counter(1, instructions)
    with pytest.raises(cucore.NotFoundError, match="no_such"):
        p.efficiency("no_such")


def test_saves_files_by_their_endings(launch, tmp_path):
    with perf.profile(timeline=True) as p:
        launch()
    for name in ("a.html", "a.json", "a.csv", "a.trace", "a.gp", "a.txt"):
        p.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8")
    assert json.loads((tmp_path / "a.trace").read_text())
    with pytest.raises(ValueError, match="png"):
        p.save(tmp_path / "a.png")


def test_decorates_functions(launch):
    @perf.profile
    def step(count):
        "Launches."
        for _ in range(count):
            launch()
        return count
    assert step(2) == 2 and step.__doc__ == "Launches." and step.profile.rows[0].calls == 2
    assert step(count=3) == 3 and step.profile.rows[0].calls == 3

    @perf.profile(source="events", overhead=0.5)
    def deep(count):
        launch()
        return deep(count - 1) if count else 0
    deep(4)
    assert deep.profile.rows[0].calls == 5 and deep.profile.source == perf.ProfilerSource.EVENTS


def test_a_block_that_raises_has_a_report(launch):
    p = perf.profile()
    with pytest.raises(ZeroDivisionError):
        with p:
            launch()
            1 / 0
    assert p.rows[0].calls == 1
    with p:  # again
        pass
    assert p.rows == ()


def test_a_profile_has_no_report_before_its_end(launch):
    p = perf.profile()
    for read in (lambda: p.rows, lambda: p.memory_efficiency, p.text, p.html, p.json):
        with pytest.raises(cucore.InvalidStateError, match="leave its block first"):
            read()
    assert p._repr_html_() is None and "without a report" in repr(p) == str(p)


def test_profiler_by_hand(launch):
    source = perf.ProfilerSource.EVENTS if ON_GPU else perf.ProfilerSource.EMULATED
    with perf.Profiler(source=source, device=0) as profiler:
        with pytest.raises(cucore.InvalidStateError, match=r"Profiler.begin\(\)"):
            profiler.end()
        profiler.begin()
        with pytest.raises(cucore.InvalidStateError):
            profiler.begin()
        profiler.begin_range("outer")
        profiler.run("inner", launch)
        profiler.run("inner", lambda stream: launch(stream))
        profiler.end_range()
        with pytest.raises(cucore.InvalidStateError, match="no range"):
            profiler.end_range()
        with pytest.raises(ZeroDivisionError):
            profiler.run("bad", lambda: 1 / 0)
        report = profiler.end()
    assert report.rows[0].calls == 2 and report.source == source
    with pytest.raises(cucore.InvalidHandleError):
        profiler.begin()
    profiler.close()


@pytest.mark.parametrize("options, kind", [({"overhead": 2}, cucore.InvalidArgumentError), ({"source": "magic"}, ValueError), ({"metrics": "one"}, TypeError)])
def test_refuses_options_of_profilers(options, kind):
    with pytest.raises(kind):
        perf.Profiler(**options)


def test_declares_amounts(launch):
    seen = []

    def amounts(each):
        seen.append(each)
        return perf.Declaration(1000, 500, 300)
    profiler = perf.Profiler(source="events")
    profiler.declare(launch.kernel, amounts)
    profiler.begin()
    launch()
    [row] = profiler.end().rows
    assert (row.bytes_read, row.bytes_written, row.operations, row.bytes_source) == (1000, 500, 300, perf.AmountSource.DECLARED)
    [each] = seen
    assert each.kernel.name == "twice" and each.grid == (BLOCKS, 1, 1) and each.block == (THREADS, 1, 1) and each.arguments == (None, None)
    with pytest.raises(TypeError, match="amounts"):
        profiler.declare("twice", 3)
    kept = weakref.ref(amounts)
    profiler.close()
    del amounts, profiler, each
    seen.clear()
    gc.collect()
    assert kept() is None  # the library no longer calls it


def test_an_exception_of_declared_amounts_is_reported(launch, monkeypatch):
    caught = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: caught.append(each.exc_type))
    profiler = perf.Profiler(source="events", model=False)
    profiler.declare("twice", lambda each: 1 / 0)
    profiler.begin()
    launch()
    assert profiler.end().rows[0].bytes_source == perf.AmountSource.NONE
    assert caught and set(caught) == {ZeroDivisionError}
    profiler.close()


# == Analyses ==

def test_analyses_ptx(code, tmp_path):
    analysis = perf.analyze(code, block=THREADS)
    [kernel] = analysis.kernels
    assert kernel.name == "twice" and kernel.level == perf.CodeLevel.PTX and kernel.parameters == 16 and kernel.registers == -1
    assert kernel.instructions == 13 == kernel.instruction_counts().count and kernel.instruction_counts("load_global").widths == (0, 0, 1, 0, 0, 0)
    [finding] = analysis.findings
    assert finding.id == "A116" and finding.kernel == "twice" and finding.severity == perf.FindingSeverity.NOTE and finding.ptx_line == 4
    assert perf.analyze(code, allow=["A116"]).findings == ()
    assert json.loads(analysis.json())["schema"] == "cucore.analysis/1" and "A116" in str(analysis)
    with pytest.raises(cucore.InvalidStateError):
        kernel.occupancy()
    with pytest.raises(cucore.NotFoundError):
        kernel.instruction_counts(level="machine")
    with pytest.raises(cucore.NotFoundError, match="it has twice"):
        analysis.kernel("thrice")
    with pytest.raises(cucore.InvalidArgumentError, match="A999"):
        perf.analyze(code, allow=["A999"])
    path = tmp_path / "twice.ptx"
    path.write_text(PTX)
    assert perf.analyze(path).kernel("twice")[:2] == kernel[:2]


def test_models_a_launch(code, launch):
    kernel = perf.analyze(code, archs=["sm_90"]).kernels[0]
    for arguments in ((None, None), (launch.x, launch.y), (0x1000, 0x9000)):
        model = kernel.model(cucore.LaunchConfig(BLOCKS, THREADS), *arguments)
        assert model.quality == perf.ModelQuality.EXACT and model.blocks == BLOCKS == model.blocks_run
        assert model.requested_read == BYTES == model.bytes_written and model.operations_f32 == BLOCKS * THREADS
        assert model.thread_instructions == BLOCKS * THREADS * 13 and model.bound == perf.ModelBound.MEMORY and model.device
    with pytest.raises(TypeError, match="twice"):
        kernel.model(cucore.LaunchConfig(1, 1), None)
    with pytest.raises(TypeError, match="argument 2 of 2"):
        kernel.model(cucore.LaunchConfig(1, 1), None, "text")
    with pytest.raises(cucore.InvalidArgumentError):
        kernel.model(cucore.LaunchConfig(1, 4096), None, None)


def test_models_a_launch_at_the_rates_of_a_roof(code):
    roof = perf.Roof.from_json('{"schema": "cucore.roof/1", "machine": {"device": "mine"}, "values": {"copy": 1e9, "read": 1e9, "write": 1e9}}')
    kernel = perf.analyze(code, roof=roof, disassembler=True).kernels[0]
    del roof
    gc.collect()
    model = kernel.model(cucore.LaunchConfig(BLOCKS, THREADS), None, None)
    assert model.is_measured and model.device == "mine" and model.least_seconds == pytest.approx(2 * BYTES / 1e9)
    assert not perf.analyze(code, archs=["sm_90"]).kernels[0].model(cucore.LaunchConfig(BLOCKS, THREADS), None, None).is_measured
    with pytest.raises(TypeError, match="roof: a Roof is needed"):
        perf.analyze(code, roof="roof.json")


def test_an_analysis_outlives_its_code():
    kernel = perf.analyze(cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, PTX)).kernels[0]
    gc.collect()
    assert kernel.instruction_counts().count == 13


# == The machine ==

def test_occupancy():
    found = perf.occupancy("sm_90", 256, registers=64)
    assert found == perf.Occupancy(4, 32, 0.5, perf.OccupancyLimiter.REGISTERS, 48, -1)
    with pytest.raises(cucore.UnsupportedError, match="sm_90"):
        perf.occupancy("sm_35", 256)
    with pytest.raises(cucore.InvalidArgumentError):
        perf.occupancy("sm_90", 4096)
    with pytest.raises(TypeError):
        perf.occupancy("sm_90", "many")


def test_roofs_are_kept_and_read(tmp_path):
    roof = perf.roof(0, directory=tmp_path, max_time_ms=1)
    assert roof.value("copy") > 0 and roof.value(perf.RoofKind.F32) > 0 and list(tmp_path.iterdir())
    again = perf.Roof.from_json(roof.json())
    same = [a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(roof.values().values(), again.values().values())]
    assert all(same) and len(same) == len(perf.RoofKind) - 1 and "GB/s" in repr(again)
    with pytest.raises(cucore.InvalidArgumentError):
        roof.value(0)
    with pytest.raises(cucore.InvalidArgumentError, match="JSON"):
        perf.Roof.from_json("no")


def test_presets_and_environment():
    with pytest.raises(cucore.InvalidArgumentError, match="magic"):
        perf.preset_passes("GH100", "magic")
    perf.start_from_environment()  # nothing without the variable
    assert perf.version() == cucore.version_number()


# == The package ==

def test_the_core_does_not_load_the_library():
    program = ("import cucore, sys; maps = lambda: 'libcucore-perf' in open('/proc/self/maps').read()\n"
               "assert not maps() and 'cucore.perf' not in sys.modules and 'ctypes' not in sys.modules\n"
               "import cucore.perf; assert maps()")
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ, timeout=120)


def test_objects_end_with_their_last_reference(launch):
    p = perf.profile()
    with p:
        launch()
    measurement = perf.measure(launch, **QUICK)
    alive = [weakref.ref(each) for each in (p, p.report, measurement)]
    finalizers = [measurement._ending, p.report._ending]
    del p, measurement
    gc.collect()
    assert [each() for each in alive] == [None] * 3 and not any(each.alive for each in finalizers)


def test_64_threads_share_a_session(launch):
    failed = []

    def work(number):
        try:
            with profiler.range(f"range {number % 4}"):
                for _ in range(4):
                    launch()
            perf.analyze(cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, PTX)).findings
        except BaseException as error:
            failed.append(error)
    with perf.Profiler() as profiler:
        profiler.begin()
        threads = [threading.Thread(target=work, args=(i,)) for i in range(64)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        report = profiler.end()
    instructions = report.counter(0, "model.instructions" if ON_GPU else "cpu.instructions")
    assert not failed and report.rows[0].calls == 256 and instructions == 256 * BLOCKS * THREADS * 13
    assert {each["name"] for each in json.loads(report.json())["ranges"]} == {"", *(f"range {i}" for i in range(4))}


def test_every_public_object_is_documented():
    for name in perf.__all__:
        value = getattr(perf, name)
        members = [m for m in vars(value) if not m.startswith("_")] if isinstance(value, type) else []
        for text in [value.__doc__] + [getattr(value, m).__doc__ for m in members if callable(getattr(value, m)) or isinstance(getattr(value, m), property)]:
            assert text and "cucore_" not in text and "NULL" not in text, (name, text)


def test_plots(launch):
    class Axes:
        def __init__(self):
            self.calls = []

        def __getattr__(self, name):
            return lambda *args, **named: self.calls.append((name, args, named))
    axes = Axes()
    measurement = perf.measure(launch, **QUICK)
    assert measurement.plot(axes) is axes and axes.calls[0][0] == "plot" and len(axes.calls[0][1][0]) == 5
    with perf.profile() as p:
        launch()
    axes = Axes()
    expected = p.rows[0].memory_percent if ON_GPU else float(BYTES)
    assert p.plot(axes) is axes and axes.calls[0][:2] == ("barh", (["twice"], [expected]))
    assert ("set", (), {"xlabel": "percent of the roof" if ON_GPU else "bytes"}) in axes.calls
