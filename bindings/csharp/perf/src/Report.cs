// SPDX-License-Identifier: Apache-2.0
// Reports of profiles.
using System;
using System.Collections.Generic;

namespace Cucore.Perf {
/// <summary>Kernels, ranges, other operations and findings of a profiled part of a program. It never changes.</summary>
public sealed class Report : PerfObject {
  internal Report(IntPtr made) : base(made, PerfNative.cucore_report_release) {}

  /// <summary>The origin of the times and amounts.</summary>
  public ProfilerSource Source { get { return (ProfilerSource)PerfNative.cucore_report_source(Handle); } }

  /// <summary>The part of the memory rate of the roof that the kernels reach, from 0 to 1; NaN if it is unknown.</summary>
  public double MemoryEfficiency { get { return Efficiency("").Memory; } }

  /// <summary>The part of the compute rate of the roof that the kernels reach, from 0 to 1; NaN if it is unknown.</summary>
  public double ComputeEfficiency { get { return Efficiency("").Compute; } }

  /// <summary>Returns both parts for a range.</summary>
  /// <param name="range">the name; "" is the whole session</param>
  /// <returns>the parts of the memory rate and of the compute rate</returns>
  public (double Memory, double Compute) Efficiency(string range) {
    byte[]? name = PerfCalls.Bytes(PerfCalls.NotNull(range, nameof(range)));
    PerfCalls.Check(PerfNative.cucore_report_efficiency(Handle, name, out double memory, out double compute, out IntPtr error), error);
    return (memory, compute);
  }

  /// <summary>A row for each kernel and geometry. The longest total time comes first.</summary>
  public IReadOnlyList<KernelRow> Rows { get { return PerfCalls.Each(PerfNative.cucore_report_kernel_count(Handle), RowAt); } }

  private KernelRow RowAt(ulong index) {
    NativeKernelRow row = NativeKernelRow.Make();
    PerfCalls.Check(PerfNative.cucore_report_kernel_at(Handle, index, ref row, out IntPtr error), error);
    return new KernelRow(row);
  }

  /// <summary>Findings about what costs time, with remedies. The most severe come first.</summary>
  public IReadOnlyList<Finding> Findings { get { return PerfCalls.Each(PerfNative.cucore_report_finding_count(Handle), FindingAt); } }

  private Finding FindingAt(ulong index) {
    NativeFinding finding = NativeFinding.Make();
    PerfCalls.Check(PerfNative.cucore_report_finding_at(Handle, index, ref finding, out IntPtr error), error);
    return new Finding(finding);
  }

  /// <summary>Returns a counter of a row, of all calls together.</summary>
  /// <param name="row">the index of the row</param>
  /// <param name="name">of the counter, "cpu.divergent_branches"</param>
  /// <returns>the value</returns>
  public double Counter(int row, string name) {
    byte[]? bytes = PerfCalls.Bytes(PerfCalls.NotNull(name, nameof(name)));
    PerfCalls.Check(PerfNative.cucore_report_counter(Handle, (ulong)PerfCalls.NotNegative(row, nameof(row)), bytes, out double value, out IntPtr error), error);
    return value;
  }

  /// <summary>Returns the report in one of the formats.</summary>
  /// <param name="format">the format</param>
  /// <returns>the text</returns>
  public string Write(ReportFormat format) {
    return PerfCalls.Written((byte[]? buffer, ulong capacity, out ulong size, out IntPtr error) => PerfNative.cucore_report_write(Handle, (int)format, buffer, capacity, out size, out error));
  }

  /// <summary>Returns the report for people.</summary>
  /// <returns>the text</returns>
  public string Text() { return Write(ReportFormat.Text); }

  /// <summary>Returns JSON of the schema cucore.report/1.</summary>
  /// <returns>the text</returns>
  public string Json() { return Write(ReportFormat.Json); }

  /// <summary>Returns one page that needs no network.</summary>
  /// <returns>the page</returns>
  public string Html() { return Write(ReportFormat.Html); }
}
}
