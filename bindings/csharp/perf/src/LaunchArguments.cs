// SPDX-License-Identifier: Apache-2.0
// The options and arguments of a launch in native memory.
using System;
using System.Collections.Generic;

namespace Cucore.Perf {
internal static class LaunchArguments {
  private const ulong IsObject = ulong.MaxValue;

  internal static NativeLaunchOptions Options(LaunchConfig config) {
    NativeLaunchOptions to = NativeLaunchOptions.Make();
    (to.Grid0, to.Grid1, to.Grid2) = ((uint)config.Grid.X, (uint)config.Grid.Y, (uint)config.Grid.Z);
    (to.Block0, to.Block1, to.Block2) = ((uint)config.Block.X, (uint)config.Block.Y, (uint)config.Block.Z);
    to.DynamicShared = (uint)config.DynamicShared;
    return to;
  }

  internal static NativeArgument[] Write(Frame frame, string kernel, IReadOnlyList<Parameter> parameters, object?[] values) {
    if (parameters.Count != values.Length)
      throw PerfCalls.Refused(Status.InvalidArgument, $"{kernel} has {parameters.Count} parameters, but got {values.Length} arguments");
    NativeArgument[] all = new NativeArgument[values.Length];
    for (int i = 0; i < values.Length; ++i) {
      object? value = values[i];
      if (value == null || value is CudaBuffer) {
        all[i].Data = frame.Object(CudaBuffer.getCPtr((CudaBuffer?)value));
        all[i].Size = IsObject;
        continue;
      }
      byte[] bytes = Converted(value, parameters[i]) ?? throw PerfCalls.Refused(Status.InvalidArgument,
          $"{kernel} argument {i + 1} of {values.Length}: a {value.GetType().Name} does not fit a parameter of the class {parameters[i].Class} and {parameters[i].Size} bytes");
      all[i].Data = frame.Bytes(bytes);
      all[i].Size = (ulong)bytes.Length;
    }
    return all;
  }

  private static byte[]? Converted(object value, Parameter parameter) {
    long size = parameter.Size;
    bool isReal = value is float || value is double;
    if (value is byte[] bytes) return bytes.Length == size ? bytes : null;
    if (value is bool truth) return size == 1 ? new[] { (byte)(truth ? 1 : 0) } : null;
    if (!(value is IConvertible) || value is string || parameter.Class == ParameterClass.Aggregate) return null;
    if (parameter.Class == ParameterClass.Float || (isReal && parameter.Class == ParameterClass.Unknown)) {
      double real = Convert.ToDouble(value);
      return size == sizeof(double) ? BitConverter.GetBytes(real) : size == sizeof(float) ? BitConverter.GetBytes((float)real) : null;
    }
    if (isReal || size > sizeof(long)) return null;
    long whole = value is ulong large ? (long)large : Convert.ToInt64(value);
    long beyond = size == sizeof(long) ? 0 : whole >> (int)(8 * size - 1);  // 0 and -1 fit a signed number, 1 an unsigned one
    if (beyond < -1 || beyond > 1) return null;
    byte[] all = BitConverter.GetBytes(whole);
    Array.Resize(ref all, (int)size);
    return all;
  }
}
}
