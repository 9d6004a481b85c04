// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

/** An operand of an operation: an {@link NdArray}, or a {@link Scalar}. */
public abstract class Operand {
  static final int ARRAY = 0;

  // Native code reads these fields.
  volatile long lease; // of an array; 0 once it is closed
  final int kind; // ARRAY, or that of the number
  final long integer;
  final double real;
  final double imag;

  Operand(int kind, long integer, double real, double imag) {
    this.kind = kind;
    this.integer = integer;
    this.real = real;
    this.imag = imag;
  }
}
