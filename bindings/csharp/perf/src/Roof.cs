// SPDX-License-Identifier: Apache-2.0
// Roofs.
using System;
using System.Text;

namespace Cucore.Perf {
/// <summary>The highest rates that a device reaches, which kernels of the library have measured. Perf.Roof opens it.</summary>
public sealed class Roof : PerfObject {
  internal Roof(IntPtr made) : base(made, PerfNative.cucore_roof_release) {}

  /// <summary>Returns one rate in bytes, operations or functions per second; in seconds for Launch and EventOffset.</summary>
  /// <param name="kind">the rate</param>
  /// <returns>the rate; NaN if the device lacks the operation</returns>
  public double Value(RoofKind kind) {
    PerfCalls.Check(PerfNative.cucore_roof_value(Handle, (int)kind, out double rate, out IntPtr error), error);
    return rate;
  }

  /// <summary>Returns the roof as JSON of the schema cucore.roof/1.</summary>
  /// <returns>the text</returns>
  public string Json() {
    return PerfCalls.Written((byte[]? buffer, ulong capacity, out ulong size, out IntPtr error) => PerfNative.cucore_roof_serialize(Handle, buffer, capacity, out size, out error));
  }

  /// <summary>Reads the result of Json, of any machine. It needs no device.</summary>
  /// <param name="json">the text</param>
  /// <returns>the roof</returns>
  public static Roof FromJson(string json) {
    byte[] bytes = Encoding.UTF8.GetBytes(PerfCalls.NotNull(json, nameof(json)));
    PerfCalls.Check(PerfNative.cucore_roof_deserialize(bytes, (ulong)bytes.Length, out IntPtr made, out IntPtr error), error);
    return new Roof(made);
  }
}
}
