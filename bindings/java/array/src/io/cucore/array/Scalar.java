// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

/** A number without a dtype of its own: an array that it meets keeps its dtype, as with numbers of Python. */
public final class Scalar extends Operand {
  private static final int BOOL = 1;
  private static final int INT = 2;
  private static final int UINT = 3;
  static final int REAL = 4;
  private static final int COMPLEX = 5;

  private Scalar(int kind, long integer, double real, double imag) {
    super(kind, integer, real, imag);
  }

  /** Makes a number with a fraction.
   * @param value the number
   * @return the scalar */
  public static Scalar of(double value) {
    return new Scalar(REAL, 0, value, 0);
  }

  /** Makes an integer.
   * @param value the number
   * @return the scalar */
  public static Scalar of(long value) {
    return new Scalar(INT, value, 0, 0);
  }

  /** Makes a boolean.
   * @param value the truth value
   * @return the scalar */
  public static Scalar of(boolean value) {
    return new Scalar(BOOL, value ? 1 : 0, 0, 0);
  }

  /** Makes a complex number.
   * @param real the real part
   * @param imag the imaginary part
   * @return the scalar */
  public static Scalar complex(double real, double imag) {
    return new Scalar(COMPLEX, 0, real, imag);
  }

  static Scalar of(long[] item) {
    return new Scalar((int) item[0], item[1], Double.longBitsToDouble(item[2]), Double.longBitsToDouble(item[3]));
  }

  /** Returns the number as a double; of a complex number, the real part.
   * @return the nearest double */
  public double doubleValue() {
    return kind >= REAL ? real : kind == UINT && integer < 0 ? (integer >>> 1 | integer & 1) * 2.0 : integer;
  }

  /** Returns the number as a long; a fraction is cut off.
   * @return the bits of an unsigned integer */
  public long longValue() {
    return kind >= REAL ? (long) real : integer;
  }

  /** Returns whether the number is not 0.
   * @return true also for NaN */
  public boolean booleanValue() {
    return kind >= REAL ? real != 0 || imag != 0 : integer != 0;
  }

  /** Returns the imaginary part.
   * @return 0 for a number that is not complex */
  public double imaginaryValue() {
    return imag;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Scalar)) {
      return false;
    }
    Scalar that = (Scalar) other;
    return kind == that.kind && integer == that.integer && Double.compare(real, that.real) == 0 && Double.compare(imag, that.imag) == 0;
  }

  @Override
  public int hashCode() {
    return Double.hashCode(real) * 31 + Double.hashCode(imag) + Long.hashCode(integer);
  }

  /** Returns the number as text. */
  @Override
  public String toString() {
    switch (kind) {
      case BOOL: return String.valueOf(integer != 0);
      case INT: return String.valueOf(integer);
      case UINT: return Long.toUnsignedString(integer);
      case REAL: return String.valueOf(real);
      default: return real + (imag < 0 || 1 / imag < 0 ? "-" : "+") + Math.abs(imag) + "i";
    }
  }
}
