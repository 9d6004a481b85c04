// SPDX-License-Identifier: Apache-2.0
// Native objects of arrays, and those that a call uses.
using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Cucore.Arrays {
/// <summary>A native object, which is not released while a call uses it.</summary>
internal sealed class ArrayHandle : SafeHandle {
  // A call takes it in the place of an object that is not given.
  internal static readonly ArrayHandle Null = new ArrayHandle(IntPtr.Zero, each => {});

  private static long released;

  private readonly Action<IntPtr> release;
  private long pressure;

  /// <summary>The number of objects released so far.</summary>
  internal static long Released { get { return Interlocked.Read(ref released); } }

  internal ArrayHandle(IntPtr made, Action<IntPtr> release) : base(IntPtr.Zero, true) {
    this.release = release;
    SetHandle(made);
  }

  internal void AddPressure(long bytes) {
    GC.AddMemoryPressure(bytes);
    pressure = bytes;
  }

  public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

  protected override bool ReleaseHandle() {
    release(handle);
    if (pressure != 0) GC.RemoveMemoryPressure(pressure);
    Interlocked.Increment(ref released);
    return true;
  }
}

/// <summary>The native arrays of a list, until disposed of.</summary>
internal struct Handles : IDisposable {
  private readonly Use[] uses;
  internal readonly IntPtr[] Pointers;

  internal Handles(NdArray[] arrays, string parameter) {
    uses = new Use[Calls.NotNull(arrays, parameter).Length];
    Pointers = new IntPtr[arrays.Length];
    try {
      for (int i = 0; i < arrays.Length; ++i) {
        SafeHandle handle = NdArray.HandleOf(arrays[i], $"{parameter}[{i}]");
        uses[i] = new Use(handle);
        Pointers[i] = handle.DangerousGetHandle();
      }
    } catch {
      Dispose();  // "using" does not see what a constructor leaves
      throw;
    }
  }

  public void Dispose() {
    foreach (Use each in uses) each.Dispose();
  }
}

/// <summary>The operands of a call, until disposed of. A number stays a number, unless no operand is an array.</summary>
internal struct Operands : IDisposable {
  private static readonly string[] names = { "x", "y", "z" };

  private readonly Use[] uses;
  internal readonly NativeOperand[] All;

  internal Operands(NdArray value, string parameter) : this(new[] { Calls.NotNull(value, parameter) }, isAlone: false) {}

  internal Operands(NdArray[] operands, bool isAlone) {
    uses = new Use[operands.Length];
    All = new NativeOperand[operands.Length];
    for (int i = 0; i < operands.Length; ++i) Calls.NotNull(operands[i], i < names.Length ? names[i] : $"operands[{i}]");
    bool hasArray = !isAlone || Array.Exists(operands, each => !each.IsNumber);
    try {
      for (int i = 0; i < operands.Length; ++i) {
        NdArray each = operands[i];
        if (each.IsNumber && (hasArray || i != 0)) {
          All[i].Scalar = each.Number;
        } else {
          ArrayHandle handle = each.Handle;
          uses[i] = new Use(handle);
          All[i].Array = handle.DangerousGetHandle();
        }
      }
    } catch {
      Dispose();
      throw;
    }
  }

  public void Dispose() {
    foreach (Use each in uses) each.Dispose();
  }
}
}
