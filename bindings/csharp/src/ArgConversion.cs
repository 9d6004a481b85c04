// SPDX-License-Identifier: Apache-2.0
// Converts an argument to the type of the kernel's parameter, where that loses nothing.
using System;

namespace Cucore {
public readonly partial struct Arg {
  private const ulong FloatLimit = 1UL << 24, DoubleLimit = 1UL << 53;  // integers below are exact

  // None if it cannot be converted.
  private Arg Converted(int wanted) {
    int size = wanted & SizeMask;
    ulong value = 0;
    switch ((ParameterClass)(wanted >> SizeBits)) {
      case ParameterClass.Integer:
        if (TryInteger(size, ref value)) return new Arg(value, Kind.Signed, wanted);
        break;
      case ParameterClass.Float:
        if (TryFloat(size, ref value)) return new Arg(value, Kind.Float, wanted);
        break;
      case ParameterClass.Pointer:
        break;
      case ParameterClass.Aggregate:
        if (isBytes && Size == size) return this;
        break;
      default:  // not known: any value of this size
        if (form != 0 && Size == size) return this;
        break;
    }
    return default(Arg);
  }

  private bool IsInteger { get { return kind == Kind.Bool || kind == Kind.Signed || kind == Kind.Unsigned; } }
  private bool IsNegative { get { return kind == Kind.Signed && (long)bits < 0; } }
  private unsafe double AsDouble { get { ulong copy = bits; return Size == 4 ? *(float*)&copy : *(double*)&copy; } }

  // PTX does not record signs: what an integer of this size can be, with a sign or without, fits.
  private bool TryInteger(int size, ref ulong value) {
    if (kind == Kind.Float) return TryIntegral(AsDouble, size, ref value);
    value = bits;
    return IsInteger && (IsNegative ? (long)bits >= Arguments.Least(size) : bits <= Arguments.Greatest(size));
  }

  private static bool TryIntegral(double number, int size, ref ulong value) {
    if (!(number >= Arguments.Least(size) && number < Arguments.Greatest(size) + 1.0) || number != Math.Floor(number)) return false;
    value = number < 0 ? (ulong)(long)number : (ulong)number;
    return true;
  }

  private unsafe bool TryFloat(int size, ref ulong value) {
    double number = 0;
    if (kind == Kind.Float)
      number = AsDouble;
    else if (!IsExact(size == 4 ? FloatLimit : DoubleLimit))
      return false;
    else
      number = IsNegative ? (long)bits : (double)bits;
    if (size == 8) {
      value = *(ulong*)&number;
      return true;
    }
    float narrow = (float)number;
    value = *(uint*)&narrow;
    return narrow == number || double.IsNaN(number);
  }

  private bool IsExact(ulong limit) {
    if (kind != Kind.Signed && kind != Kind.Unsigned) return false;
    ulong digits = IsNegative ? (ulong)-(long)bits : bits;
    while (digits != 0 && (digits & 1) == 0) digits >>= 1;
    return digits < limit;
  }

  // "the int 5".
  internal string Description {
    get {
      switch (kind) {
        case Kind.None: return "null";
        case Kind.Bool: return "the bool " + (bits != 0 ? "true" : "false");
        case Kind.Signed: return $"the {Arguments.Signed(Size)} {(long)bits}";
        case Kind.Unsigned: return $"the {Arguments.Unsigned(Size)} {bits}";
        case Kind.Float: return Size == 4 ? FormattableString.Invariant($"the float {(float)AsDouble}") : FormattableString.Invariant($"the double {AsDouble}");
        case Kind.Address: return $"the address 0x{bits:x}";
        case Kind.Buffer: return "a CudaBuffer";
        case Kind.Memory: return $"an {other!.GetType().Name}";
        default: return $"a struct of {Describe.Bytes(Size)}";
      }
    }
  }

  internal bool IsNone { get { return kind == Kind.None; } }
  internal bool IsPointer { get { return kind == Kind.Address || kind == Kind.Buffer || kind == Kind.Memory; } }
  internal bool IsStruct { get { return kind == Kind.Bytes; } }
  internal bool IsFloat { get { return kind == Kind.Float; } }
}
}
