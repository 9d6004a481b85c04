# SPDX-License-Identifier: Apache-2.0
"""Measurements and comparisons."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_double, c_size_t, c_void_p
from typing import Any, Callable, Iterable, Optional, Union

import cucore
from cucore import _cucore

from . import _native
from ._calls import Handle, Options, address, c, call, chosen, device_of, encoded, filled, made, text
from ._enums import Clock, ComparisonVerdict, Criterion, OperationType, ReportFormat
from ._records import Comparison, Statistics, to_comparison_info, to_measurement_info
from ._work import Works, takes_stream

_Work = Callable[..., Any]
_DeviceLike = Union[cucore.Device, int, None]


class Measurement(Handle):
    """The times of one work, with the fields of Statistics as attributes. perf.measure() returns it."""

    #: The statistics, in seconds.
    statistics: Statistics

    def __init__(self, handle: int) -> None:
        super().__init__(handle, c.cucore_measurement_release)
        #: cucore_measurement_query
        self.statistics = to_measurement_info(filled(_native.MeasurementInfo, c.cucore_measurement_query, handle))

    def __getattr__(self, name: str) -> Any:
        if name in Statistics._fields:
            return getattr(self.statistics, name)
        raise AttributeError(f"'Measurement' object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *Statistics._fields]

    #: cucore_measurement_samples
    @property
    def times(self) -> list[float]:
        """The samples in seconds, in the order in which they were taken."""
        count = c_size_t()
        data = c.cucore_measurement_samples(self._handle, byref(count))
        return list(ctypes.cast(data, POINTER(c_double))[:count.value])

    def text(self) -> str:
        """Returns the measurement for people."""
        return write([self])

    def json(self) -> str:
        """Returns an array with one object of the schema cucore.measurement/1."""
        return write([self], ReportFormat.JSON)

    def csv(self) -> str:
        """Returns a line of names and one of values."""
        return write([self], ReportFormat.CSV)

    def gnuplot(self) -> str:
        """Returns a script of gnuplot with its data."""
        return write([self], ReportFormat.GNUPLOT)

    def plot(self, axes: Any = None) -> Any:
        """Draws the samples with matplotlib, and returns the axes."""
        axes = axes if axes is not None else _new_axes()
        axes.plot([time * 1e6 for time in self.times], ".", label=self.statistics.name)
        axes.axhline(self.statistics.median * 1e6, linewidth=1)
        axes.set(xlabel="sample", ylabel="time in µs")
        axes.legend()
        return axes

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<cucore.perf.Measurement {self.statistics.name!r}: {self.statistics.median * 1e6:.3f} µs, {self.statistics.samples} samples>"


def _new_axes() -> Any:
    import matplotlib.pyplot  # type: ignore[import]  # only plots need it
    return matplotlib.pyplot.subplots()[1]


class Pair(Comparison):
    """A comparison with its two measurements. perf.compare() returns it."""

    #: The measurement of the first work.
    a: Measurement

    #: That of the second.
    b: Measurement

    def __str__(self) -> str:
        words = {ComparisonVerdict.FASTER: "faster", ComparisonVerdict.SLOWER: "slower"}.get(self.verdict, "not different")
        return f"{self.a.statistics.name} is {words}: {self.ratio:.4f} of the time of {self.b.statistics.name} ({self.low:.4f} to {self.high:.4f})"


#: cucore_measurement_write
def write(measurements: Iterable[Measurement], format: Union[ReportFormat, str] = ReportFormat.TEXT) -> str:
    """Returns measurements as a text.

    - measurements: at least one
    - format: TEXT, JSON, CSV or GNUPLOT
    - raises InvalidArgumentError: the list is empty, or the format is another one
    """
    kept = list(measurements)
    handles = (c_void_p * len(kept))(*(each._handle for each in kept))
    return text(c.cucore_measurement_write, handles, len(kept), chosen(ReportFormat, format))


def _place(device: _DeviceLike, stream: Optional[cucore.Stream], needs_stream: bool) -> tuple[cucore.Device, Optional[cucore.Stream]]:
    """A work that takes no stream uses that of the caller, else the default stream."""
    owner = stream.device if stream is not None and device is None else device_of(device)
    return owner, stream if stream is not None or needs_stream else owner.default_stream()


def _options(stream: Optional[cucore.Stream], setup: Optional[_Work], calls: Works, **given: Any) -> Options:
    options = Options(_native.MeasurementOptions, **given)
    if stream is not None:
        options.native.stream = address(stream, cucore.Stream)
    if setup is not None:
        options.native.setup = ctypes.cast(calls.add(setup), c_void_p)
    return options


def measure(work: Union[_Work, cucore.Kernel], config: Optional[cucore.LaunchConfig] = None, /, *args: Any,
            device: _DeviceLike = None, stream: Optional[cucore.Stream] = None, setup: Optional[_Work] = None,
            # keywords: cucore_measurement_options
            ) -> Measurement:
    """Measures how long a callable, or the launch of a kernel, takes on a device.

        perf.measure(lambda stream: kernel[grid, block, stream](*args))
        perf.measure(kernel, cucore.LaunchConfig(grid, block), *args)

    The work is called until two successive times differ by less than 10 %. Then samples are taken until the criterion is met.
    An exception of the work ends the measurement.

    - work: a callable that adds its work to the stream that it is called with. Without a parameter it uses the stream of
        the option, by default the legacy default stream. Or a Kernel, with the arguments of its launch
    - config: of the launch of a Kernel
    - device: the device or its number; None is that of the stream, else device 0
    - stream: the stream of the work; None is a new one
    - setup: called before each sample, and not timed
    - options: cucore_measurement_options
    - raises InvalidArgumentError: an option is out of its range
    - raises InvalidStateError: the stream is captured
    - raises UnsupportedError: the clock is ACTIVITY, and CUPTI does not record the device or the work
    - raises LibraryMissingError: the clock is ACTIVITY, and CUPTI is missing
    - raises KernelFaultError: a kernel of the work failed
    """
    given = dict(
        # given: cucore_measurement_options
    )
    if isinstance(work, cucore.Kernel):
        if config is None:
            raise TypeError("a Kernel is measured with a LaunchConfig: measure(kernel, config, *args)")
        return _measure_kernel(work, config, args, device, stream, setup, given)
    if config is not None:
        raise TypeError("only the measurement of a Kernel takes arguments of a launch")
    owner, order = _place(device, stream, takes_stream(work))
    calls = Works()
    options = _options(order, setup, calls, **given)
    native = ctypes.cast(calls.add(work), c_void_p)
    #: cucore_measurement_run
    return Measurement(calls.run(lambda: made(c.cucore_measurement_run, address(owner, cucore.Device), native, None, byref(options.native))))


#: cucore_measurement_run_kernel
def _measure_kernel(kernel: cucore.Kernel, config: cucore.LaunchConfig, args: tuple[Any, ...], device: _DeviceLike,
                    stream: Optional[cucore.Stream], setup: Optional[_Work], given: dict[str, Any]) -> Measurement:
    order = stream if stream is not None else cucore.Stream(device_of(device))
    calls = Works()
    options = _options(order, setup, calls, **given)

    def run(launch: int, arguments: int, count: int) -> int:
        return made(c.cucore_measurement_run_kernel, address(kernel, cucore.Kernel), launch, arguments, count, byref(options.native))
    return Measurement(calls.run(lambda: _cucore._with_arguments(run, config, kernel, order, *args)))


def compare(a: Union[_Work, Measurement], b: Union[_Work, Measurement], *, names: tuple[str, str] = ("a", "b"), device: _DeviceLike = None,
            stream: Optional[cucore.Stream] = None, setup: Optional[_Work] = None,
            # keywords: cucore_measurement_options
            ) -> Pair:
    """Compares two works, with their samples in turn, or two measurements. The ratio is the time of the first by that of the second.

    - a: a callable as for measure(), or a Measurement
    - b: the same
    - names: of two callables, in reports
    - device: the device or its number; None is that of the stream, else device 0
    - stream: the stream of the works; None is a new one
    - setup: called before each sample, and not timed
    - options: cucore_measurement_options
    - raises InvalidArgumentError: an option is out of its range
    - raises KernelFaultError: a kernel of a work failed
    """
    given = dict(
        # given: cucore_measurement_options
    )
    if isinstance(a, Measurement) and isinstance(b, Measurement):
        #: cucore_measurement_compare
        return _pair(filled(_native.ComparisonInfo, c.cucore_measurement_compare, a._handle, b._handle), a, b)
    if isinstance(a, Measurement) or isinstance(b, Measurement):
        raise TypeError("compare() takes two callables or two measurements, not one of each")
    owner, order = _place(device, stream, takes_stream(a) and takes_stream(b))
    calls = Works()
    options = _options(order, setup, calls, **given)
    pair = [_native.Work(ctypes.sizeof(_native.Work), encoded(name), ctypes.cast(calls.add(work), c_void_p), None)
            for name, work in zip(names, (a, b))]
    first, second = c_void_p(), c_void_p()
    out = _native.ComparisonInfo(ctypes.sizeof(_native.ComparisonInfo))
    #: cucore_measurement_run_pair
    calls.run(lambda: call(c.cucore_measurement_run_pair, address(owner, cucore.Device), byref(pair[0]), byref(pair[1]), byref(options.native),
                           byref(first), byref(second), byref(out)))
    return _pair(out, Measurement(first.value or 0), Measurement(second.value or 0))


def _pair(native: Any, a: Measurement, b: Measurement) -> Pair:
    pair = Pair(*to_comparison_info(native))
    pair.a, pair.b = a, b
    return pair
