// SPDX-License-Identifier: Apache-2.0
// The structs of cucore_array.h.
using System;
using System.Runtime.InteropServices;

namespace Cucore.Arrays {
// cucore_array_operand
[StructLayout(LayoutKind.Sequential)]
internal struct NativeOperand {
  internal IntPtr Array;
  internal Scalar Scalar;
}

// cucore_array_index
[StructLayout(LayoutKind.Sequential)]
internal struct NativeIndex {
  internal int Kind;
  internal uint Given;
  internal long Start, Stop, Step;
  internal IntPtr Array;
}

// cucore_array_apply_options
[StructLayout(LayoutKind.Sequential)]
internal struct NativeApplyOptions {
  private readonly UIntPtr structSize;
  private readonly DType dtype;
  private readonly int reserved;
  private readonly IntPtr @out, where;

  // The caller keeps the arrays.
  internal NativeApplyOptions(OperationOptions? options) : this() {
    structSize = (UIntPtr)(ulong)Marshal.SizeOf<NativeApplyOptions>();
    dtype = options?.DType ?? DType.Default;
    @out = NdArray.HandleOf(options?.Out, "Out", true).DangerousGetHandle();
    where = NdArray.HandleOf(options?.Where, "Where", true).DangerousGetHandle();
  }
}

// cucore_array_reduce_options
[StructLayout(LayoutKind.Sequential)]
internal struct NativeReduceOptions {
  private readonly UIntPtr structSize;
  private readonly IntPtr axes;
  private readonly UIntPtr axisCount;
  private readonly int axesGiven, keepDims;
  private readonly DType dtype;
  private readonly int reserved;
  private readonly double correction, order;
  private readonly int orderGiven, reserved2;

  // The caller pins the axes.
  internal NativeReduceOptions(Reduction how, IntPtr axes, double order) : this() {
    structSize = (UIntPtr)(ulong)Marshal.SizeOf<NativeReduceOptions>();
    this.axes = axes;
    axisCount = Calls.Count(how.Axes);
    axesGiven = how.Axes == null ? 0 : 1;
    keepDims = how.KeepDims ? 1 : 0;
    dtype = how.DType;
    correction = how.Correction;
    this.order = order;
    orderGiven = 1;
  }
}

// cucore_array_print_options
[StructLayout(LayoutKind.Sequential)]
internal struct NativePrintOptions {
  private readonly UIntPtr structSize;
  private readonly long threshold;
  private readonly int precision, edgeItems, lineWidth, suppressSmall;

  internal NativePrintOptions(PrintOptions? options) : this() {
    structSize = (UIntPtr)(ulong)Marshal.SizeOf<NativePrintOptions>();
    if (options == null) return;
    threshold = options.Threshold;
    precision = options.Precision == 0 ? -1 : options.Precision;
    edgeItems = options.EdgeItems;
    lineWidth = options.LineWidth;
    suppressSmall = options.SuppressSmall ? 1 : 0;
  }
}

// cucore_array_context_options
[StructLayout(LayoutKind.Sequential)]
internal struct NativeContextOptions {
  private readonly UIntPtr structSize;
  private readonly IntPtr stream, cache;
  private readonly Policy policy;
  private readonly MathMode math;
  private readonly DType defaultFloat;
  private readonly int reserved;
  private readonly UIntPtr maxBytes;
  private readonly uint maxPending, maxDepth;
  private readonly UIntPtr maxRetainedBytes;

  // The caller keeps the stream and the cache.
  internal NativeContextOptions(ContextOptions options) : this() {
    structSize = (UIntPtr)(ulong)Marshal.SizeOf<NativeContextOptions>();
    stream = CudaStream.getCPtr(options.Stream).DangerousGetHandle();
    cache = Cache.getCPtr(options.Cache).DangerousGetHandle();
    policy = options.Policy;
    math = options.Math;
    defaultFloat = options.DefaultFloat;
    maxBytes = Checked.Size(options.MaxBytes, nameof(options.MaxBytes));
    maxPending = Checked.Extent(options.MaxPending, nameof(options.MaxPending));
    maxDepth = Checked.Extent(options.MaxDepth, nameof(options.MaxDepth));
    maxRetainedBytes = Checked.Size(options.MaxRetainedBytes, nameof(options.MaxRetainedBytes));
  }
}
}
