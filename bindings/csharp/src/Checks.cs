// SPDX-License-Identifier: Apache-2.0
// Checks of kernels: their reports.
using System;
using System.Collections.Generic;

namespace Cucore {
/// <summary>One report of the checks of kernels.</summary>
public sealed class CheckReport {
  //: fields internal (Checks checks, int index)
  /// <summary>Its kind, "shared-race" or "out-of-bounds".</summary>
  public string Kind { get; } = checks.RawReportKind(index);
  /// <summary>Its name, "reverse"; or the work of the driver.</summary>
  public string Kernel { get; } = checks.RawReportKernel(index);
  /// <summary>The access or the event.</summary>
  public string Message { get; } = checks.RawReportMessage(index);
  /// <summary>The source file; "" without line information.</summary>
  public string File { get; } = checks.RawReportFile(index);
  /// <summary>The line in the source; 0 without line information.</summary>
  public int Line { get; } = checks.RawReportLine(index);
  /// <summary>The line in the PTX; 0 if unknown.</summary>
  public int PtxLine { get; } = checks.RawReportPtxLine(index);
  /// <summary>The index of the block, x, y and z; null if the report is not of one thread.</summary>
  public IReadOnlyList<int>? Block { get; } = Indices(checks.RawReportHasThread(index), checks.RawReportBlock(index));
  /// <summary>The index of the thread in its block, x, y and z; null if the report is not of one thread.</summary>
  public IReadOnlyList<int>? Thread { get; } = Indices(checks.RawReportHasThread(index), checks.RawReportThread(index));
  /// <summary>The memory, "global", "shared" or "local"; "" without an access.</summary>
  public string Space { get; } = checks.RawReportSpace(index);
  /// <summary>The address of the access.</summary>
  public long Address { get; } = checks.RawReportAddress(index);
  /// <summary>The size of the access, in bytes.</summary>
  public long Size { get; } = checks.RawReportSize(index);
  /// <summary>The address of the allocation; 0 without one.</summary>
  public long Allocation { get; } = checks.RawReportAllocation(index);
  /// <summary>The size of the allocation, in bytes.</summary>
  public long AllocationSize { get; } = checks.RawReportAllocationSize(index);
  /// <summary>The call of the driver that made the allocation; "" if unknown.</summary>
  public string AllocatedBy { get; } = checks.RawReportAllocatedBy(index);
  /// <summary>The call of the driver that freed the allocation; "" if unknown.</summary>
  public string FreedBy { get; } = checks.RawReportFreedBy(index);
  /// <summary>The other access of a race; "" without one.</summary>
  public string Other { get; } = checks.RawReportOther(index);
  /// <summary>The source file of the other access.</summary>
  public string OtherFile { get; } = checks.RawReportOtherFile(index);
  /// <summary>The line of the other access; 0 if unknown.</summary>
  public int OtherLine { get; } = checks.RawReportOtherLine(index);
  /// <summary>The line of the other access in the PTX; 0 if unknown.</summary>
  public int OtherPtxLine { get; } = checks.RawReportOtherPtxLine(index);
  /// <summary>The random schedule, "random:7"; "" under other schedules.</summary>
  public string Schedule { get; } = checks.RawReportSchedule(index);
  /// <summary>The seed of the schedule.</summary>
  public long Seed { get; } = checks.RawReportSeed(index);
  /// <summary>The number of times that it happened.</summary>
  public long Times { get; } = checks.RawReportTimes(index);
  /// <summary>The whole report in one line.</summary>
  public string Text { get; } = checks.RawReportText(index);
  /// <summary>The whole report as a JSON object.</summary>
  public string Json { get; } = checks.RawReportJson(index);

  private static IReadOnlyList<int>? Indices(bool known, byte[] xyz) {
    return known ? new[] { BitConverter.ToInt32(xyz, 0), BitConverter.ToInt32(xyz, 4), BitConverter.ToInt32(xyz, 8) } : null;
  }

  /// <summary>The whole report in one line.</summary>
  public override string ToString() { return Text; }
}

public partial class Checks {
  //: also cucore_checks_report_at
  /// <summary>The reports that were read last, without suppressed ones.</summary>
  public IReadOnlyList<CheckReport> Reports {
    get {
      CheckReport[] all = new CheckReport[ReportCount];
      for (int i = 0; i < all.Length; ++i) all[i] = new CheckReport(this, i);
      return all;
    }
  }
}
}
