// SPDX-License-Identifier: Apache-2.0
// Messages about arguments that a kernel does not accept: the position, the given value, the expected one, the remedy.
using System;

namespace Cucore {
internal static class Arguments {
  private const int SizeBits = 24;

  // The range of an integer of so many bytes, signed or not.
  internal static long Least(int size) { return size >= 8 ? long.MinValue : -(1L << (8 * size - 1)); }
  internal static ulong Greatest(int size) { return size >= 8 ? ulong.MaxValue : (1UL << (8 * size)) - 1; }

  internal static string Signed(int size) { return size == 1 ? "sbyte" : size == 2 ? "short" : size == 4 ? "int" : "long"; }
  internal static string Unsigned(int size) { return size == 1 ? "byte" : size == 2 ? "ushort" : size == 4 ? "uint" : "ulong"; }

  /// <summary>The C# name of the values that a parameter of this class and size accepts.</summary>
  internal static string Expected(ParameterClass parameterClass, int size) {
    switch (parameterClass) {
      case ParameterClass.Integer: return $"an integer from {Least(size)} to {Greatest(size)} ({Signed(size)} or {Unsigned(size)})";
      case ParameterClass.Float: return size == 4 ? "a float" : "a double";
      case ParameterClass.Pointer: return "a pointer (CudaBuffer or Arg.Address)";
      case ParameterClass.Aggregate: return $"a struct of {Describe.Bytes(size)} (Arg.Of)";
      default: return $"a value of {Describe.Bytes(size)}";
    }
  }

  private static string Advice(in Arg given, ParameterClass parameterClass, int size) {
    if (given.IsNone) return parameterClass == ParameterClass.Pointer ? "pass Arg.Address(0) for a null pointer" : "pass a value";
    switch (parameterClass) {
      case ParameterClass.Integer:
        return given.IsPointer ? "pass a number" : given.IsFloat ? "convert it to an integer" : given.IsStruct ? "pass a number" : "pass a value in this range";
      case ParameterClass.Float:
        return given.IsPointer || given.IsStruct ? "pass a number" : given.IsFloat ? "cast it to float" : size == 4 ? "pass a number that is exact as a float, or cast it" : "pass a number that is exact as a double, or cast it";
      case ParameterClass.Pointer: return "pass the CudaBuffer, or Arg.Address(address)";
      case ParameterClass.Aggregate: return given.IsStruct ? "declare the struct as the kernel does" : "pass Arg.Of(a struct)";
      default: return "pass a value of this size";
    }
  }

  internal static Exception Refused(Kernel kernel, int index, in Arg given, int wanted) {
    ParameterClass parameterClass = (ParameterClass)(wanted >> SizeBits);
    int size = wanted & ((1 << SizeBits) - 1);
    string expected = wanted == 0 ? "a value" : Expected(parameterClass, size);
    string message = $"argument {index} of kernel {kernel.Label} is {given.Description}; expected {expected}; {Advice(given, parameterClass, size)}";
    return given.IsNone ? new ArgumentException(message) : Invalid(message);
  }

  internal static Exception WrongCount(Kernel kernel, int count, int wanted) {
    return Invalid($"kernel {kernel.Label} is launched with {Describe.Counted(count, "argument")}; expected {wanted}; pass one for each parameter");
  }

  internal static Exception Disposed(Kernel kernel, int index) {
    return new ObjectDisposedException(nameof(CudaBuffer),
        $"argument {index} of kernel {kernel.Label} is a CudaBuffer that was disposed; expected one in use; dispose of it after the launch");
  }

  private static Exception Invalid(string message) {
    return new InvalidArgumentException(new Failure(Status.InvalidArgument, message));
  }
}
}
