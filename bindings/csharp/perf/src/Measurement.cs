// SPDX-License-Identifier: Apache-2.0
// Measurements and pairs of them.
using System;
using System.Runtime.InteropServices;

namespace Cucore.Perf {
/// <summary>The times of one work. Perf.Measure returns it.</summary>
public sealed class Measurement : PerfObject {
  internal Measurement(IntPtr made) : base(made, PerfNative.cucore_measurement_release) {
    NativeMeasurementInfo info = NativeMeasurementInfo.Make();
    PerfCalls.Check(PerfNative.cucore_measurement_query(Handle, ref info, out IntPtr error), error);
    Statistics = new Statistics(info);
  }

  /// <summary>The statistics, with times in seconds.</summary>
  public Statistics Statistics { get; }

  /// <summary>The samples in seconds, in the order in which they were taken.</summary>
  public double[] Times {
    get {
      IntPtr data = PerfNative.cucore_measurement_samples(Handle, out ulong count);
      double[] times = new double[count];
      Marshal.Copy(data, times, 0, times.Length);
      GC.KeepAlive(this);
      return times;
    }
  }

  /// <summary>Returns the measurement for people.</summary>
  /// <returns>the text</returns>
  public string Text() { return Perf.Write(ReportFormat.Text, this); }

  /// <summary>Returns an array with one object of the schema cucore.measurement/1.</summary>
  /// <returns>the text</returns>
  public string Json() { return Perf.Write(ReportFormat.Json, this); }
}

/// <summary>A comparison with its two measurements. Perf.Compare returns it.</summary>
public sealed class Pair : Comparison, IDisposable {
  internal Pair(NativeComparisonInfo from, Measurement first, Measurement second) : base(from) {
    First = first;
    Second = second;
  }

  /// <summary>The measurement of the first work.</summary>
  public Measurement First { get; }

  /// <summary>The measurement of the second work.</summary>
  public Measurement Second { get; }

  /// <summary>Disposes of both measurements.</summary>
  public void Dispose() {
    First.Dispose();
    Second.Dispose();
  }
}
}
