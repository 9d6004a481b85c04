// SPDX-License-Identifier: Apache-2.0
// A number of an operation.
using System;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Cucore.Arrays {
/// <summary>A number without a type of its own: an array that it meets keeps its type, as with numbers of Python.</summary>
[StructLayout(LayoutKind.Sequential)]
public readonly struct Scalar : IEquatable<Scalar> {
  private const int Bool = 1, Int = 2, Uint = 3, Floating = 4, ComplexPair = 5;

  // cucore_array_scalar
  private readonly int kind;
  private readonly int reserved;
  private readonly long integer;
  private readonly double real, imag;

  private Scalar(int kind, long integer, double real, double imag) {
    this.kind = kind;
    reserved = 0;
    this.integer = integer;
    this.real = real;
    this.imag = imag;
  }

  /// <summary>Converts a number with a fraction.</summary>
  public static implicit operator Scalar(double value) { return new Scalar(Floating, 0, value, 0); }
  /// <summary>Converts a number with a fraction.</summary>
  public static implicit operator Scalar(float value) { return new Scalar(Floating, 0, value, 0); }
  /// <summary>Converts an integer.</summary>
  public static implicit operator Scalar(int value) { return new Scalar(Int, value, 0, 0); }
  /// <summary>Converts an integer.</summary>
  public static implicit operator Scalar(long value) { return new Scalar(Int, value, 0, 0); }
  // Each unsigned type has its own: of several conversions, none would be the best.
  /// <summary>Converts an unsigned integer.</summary>
  public static implicit operator Scalar(byte value) { return new Scalar(Int, value, 0, 0); }
  /// <summary>Converts an unsigned integer.</summary>
  public static implicit operator Scalar(ushort value) { return new Scalar(Int, value, 0, 0); }
  /// <summary>Converts an unsigned integer.</summary>
  public static implicit operator Scalar(uint value) { return new Scalar(Int, value, 0, 0); }
  /// <summary>Converts an unsigned integer.</summary>
  public static implicit operator Scalar(ulong value) { return new Scalar(Uint, unchecked((long)value), 0, 0); }
  /// <summary>Converts a truth value.</summary>
  public static implicit operator Scalar(bool value) { return new Scalar(Bool, value ? 1 : 0, 0, 0); }

  /// <summary>Makes a complex number.</summary>
  /// <param name="real">the real part</param>
  /// <param name="imaginary">the imaginary part</param>
  /// <returns>the number</returns>
  public static Scalar Complex(double real, double imaginary) { return new Scalar(ComplexPair, 0, real, imaginary); }

  private bool HasFraction { get { return kind >= Floating; } }

  /// <summary>The number as a double; of a complex number, the real part.</summary>
  public double Real { get { return HasFraction ? real : kind == Uint ? (double)unchecked((ulong)integer) : integer; } }
  /// <summary>The imaginary part; 0 for a number that is not complex.</summary>
  public double Imaginary { get { return imag; } }
  /// <summary>Whether the number is not 0; true also for NaN.</summary>
  public bool IsTrue { get { return HasFraction ? real != 0 || imag != 0 : integer != 0; } }
  /// <summary>The number as an integer: a fraction is cut off, and an unsigned number keeps its bits.</summary>
  public long Integer { get { return HasFraction ? (long)real : integer; } }

  /// <summary>Returns Real.</summary>
  public static explicit operator double(Scalar value) { return value.Real; }
  /// <summary>Returns Real in single precision.</summary>
  public static explicit operator float(Scalar value) { return (float)value.Real; }
  /// <summary>Returns Integer.</summary>
  public static explicit operator long(Scalar value) { return value.Integer; }
  /// <summary>Returns Integer, whose upper bits are cut off.</summary>
  public static explicit operator int(Scalar value) { return unchecked((int)value.Integer); }
  /// <summary>Returns IsTrue.</summary>
  public static explicit operator bool(Scalar value) { return value.IsTrue; }

  /// <summary>Returns whether both are of one kind and equal. NaN is equal to NaN.</summary>
  public bool Equals(Scalar other) {
    return kind == other.kind && integer == other.integer && real.Equals(other.real) && imag.Equals(other.imag);
  }
  /// <summary>Returns whether the other object is an equal number.</summary>
  public override bool Equals(object? other) { return other is Scalar that && Equals(that); }
  /// <summary>By the number.</summary>
  public override int GetHashCode() { return integer.GetHashCode() ^ real.GetHashCode() * 31 ^ imag.GetHashCode() * 961; }

  /// <summary>The number, in the format of C# without regard to the culture.</summary>
  public override string ToString() {
    switch (kind) {
      case Bool: return integer != 0 ? "True" : "False";
      case Uint: return unchecked((ulong)integer).ToString(CultureInfo.InvariantCulture);
      case Floating: return real.ToString("R", CultureInfo.InvariantCulture);
      case ComplexPair: return string.Format(CultureInfo.InvariantCulture, imag < 0 ? "{0:R}{1:R}i" : "{0:R}+{1:R}i", real, imag);
      default: return integer.ToString(CultureInfo.InvariantCulture);
    }
  }
}
}
