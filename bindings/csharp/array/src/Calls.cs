// SPDX-License-Identifier: Apache-2.0
// The calls of arrays: checks of arguments and results, and the operations of the table.
using System;
using System.Runtime.InteropServices;

namespace Cucore.Arrays {
internal static class Calls {
  private const double Euclidean = 2;

  /// <summary>Throws the exception of a failed call.</summary>
  internal static void Check(int status, IntPtr error) {
    if (status != 0) throw CucoreNativePINVOKE.Raised(status, error);
  }

  internal static Exception Refused(Status status, string message) { return CucoreException.Of(new Failure(status, message)); }

  internal static T NotNull<T>(T? given, string parameter) where T : class { return given ?? throw new ArgumentNullException(parameter); }

  internal static UIntPtr Count(Array? all) { return (UIntPtr)(ulong)(all?.Length ?? 0); }

  internal static int Toggled(bool? given) { return (int)Fields.ToToggle(given); }

  // == Operations ==

  internal static NdArray Unary(int op, NdArray x) {
    Check(ArrayNative.cucore_array_unary(op, NdArray.HandleOf(x, nameof(x)), out IntPtr made, out IntPtr error), error);
    return new NdArray(made);
  }

  internal static NdArray Binary(int op, NdArray x, NdArray y) {
    if (NotNull(x, nameof(x)).IsNumber || NotNull(y, nameof(y)).IsNumber) return Apply(op, null, x, y);
    Check(ArrayNative.cucore_array_binary(op, x.Handle, y.Handle, out IntPtr made, out IntPtr error), error);
    return new NdArray(made);
  }

  internal static NdArray More(int op, NdArray x, NdArray y, NdArray z) { return Apply(op, null, x, y, z); }

  internal static (NdArray, NdArray) Two(int op, params NdArray[] operands) {
    IntPtr[] made = Several(op, null, 2, operands);
    return (new NdArray(made[0]), new NdArray(made[1]));
  }

  /// <summary>Returns the one result, which is options.Out if that is given.</summary>
  internal static NdArray Apply(int op, OperationOptions? options, params NdArray[] operands) {
    IntPtr[] made = Several(op, options, 1, operands);
    return options?.Out ?? new NdArray(made[0]);
  }

  internal static IntPtr[] Several(int op, OperationOptions? options, int results, NdArray[] operands) {
    using (Operands held = new Operands(operands, isAlone: true))
    using (Use use = new Use(NdArray.HandleOf(options?.Out, "Out", true)))
    using (Use where = new Use(NdArray.HandleOf(options?.Where, "Where", true))) {
      NativeApplyOptions native = new NativeApplyOptions(options);
      IntPtr[] made = new IntPtr[results];
      int count = options?.Out == null ? results : 0;
      Check(ArrayNative.cucore_array_apply(op, held.All, Count(operands), ref native, made, (UIntPtr)(ulong)count, out IntPtr error), error);
      return made;
    }
  }

  internal static NdArray Reduce(int op, NdArray x, int[] axes) {
    NotNull(axes, nameof(axes));
    return Reduce(op, x, new Reduction { Axes = axes.Length == 0 ? null : axes });
  }

  internal static unsafe NdArray Reduce(int op, NdArray x, Reduction how) {
    int[]? axes = NotNull(how, nameof(how)).Axes;
    fixed (int* first = axes) {
      NativeReduceOptions native = new NativeReduceOptions(how, (IntPtr)first, how.Order ?? Euclidean);
      Check(ArrayNative.cucore_array_reduce(op, x.Handle, ref native, out IntPtr made, out IntPtr error), error);
      return new NdArray(made);
    }
  }

  internal static NdArray Scan(int op, NdArray x, int axis, DType dtype, bool includeInitial, bool reverse) {
    Check(ArrayNative.cucore_array_scan(op, x.Handle, axis, dtype, includeInitial ? 1 : 0, reverse ? 1 : 0, out IntPtr made, out IntPtr error), error);
    return new NdArray(made);
  }

  internal static NdArray[] Arrays(IntPtr[] made) { return Array.ConvertAll(made, each => new NdArray(each)); }

  // == Texts and bytes ==

  internal delegate int Filling(IntPtr buffer, UIntPtr capacity, out UIntPtr size, out IntPtr error);

  /// <summary>Returns what a call writes into a buffer, whose size is asked for until it fits.</summary>
  internal static unsafe byte[] Filled(Filling fill, int room) {
    byte[] buffer = new byte[room];
    while (true) {
      UIntPtr size, capacity = (UIntPtr)(ulong)buffer.Length;
      int status;
      IntPtr error;
      fixed (byte* first = buffer) status = fill((IntPtr)first, capacity, out size, out error);
      if (status != (int)Status.BufferTooSmall) Check(status, error);
      if (status == 0 && (ulong)size <= (ulong)capacity) {
        if ((ulong)size != (ulong)buffer.Length) Array.Resize(ref buffer, checked((int)(ulong)size));
        return buffer;
      }
      ArrayNative.cucore_error_release(error);  // null if the call was a query
      buffer = new byte[checked((int)(ulong)size)];
    }
  }

  internal static string Text(Filling fill) {
    byte[] bytes = Filled(fill, 512);
    return System.Text.Encoding.UTF8.GetString(bytes, 0, bytes.Length - 1);  // without the NUL
  }
}
}
