// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The corner of a box in a buffer, whose bytes are rows and slices. It does not keep the buffer open. */
public final class Box {
  //: fields equal private ()
  private final CudaBuffer buffer; // The buffer -> the buffer
  private final long offset; // The begin of row 0 of slice 0 -> bytes
  private final long rowBytes; // The bytes from a row to the next; 0: no gaps -> bytes
  private final long sliceRows; // The rows from a slice to the next; 0: no gaps -> rows
  private final long x; // The bytes before the box in each row -> bytes
  private final long y; // The rows before the box in each slice -> rows
  private final long z; // The slices before the box -> slices

  /**
   * A box at the start of a buffer, whose rows and slices have no gaps.
   *
   * @param buffer the buffer
   * @return the box
   */
  public static Box in(CudaBuffer buffer) {
    return new Box(Given.notNull(buffer, "buffer"), 0, 0, 0, 0, 0, 0);
  }

  /**
   * The same box in memory that begins later in the buffer.
   *
   * @param bytes the begin of row 0 of slice 0
   * @return a new box
   */
  public Box from(long bytes) {
    return new Box(buffer, Given.notNegative(bytes, "bytes"), rowBytes, sliceRows, x, y, z);
  }

  /**
   * The same box in memory with other distances.
   *
   * @param rowBytes the bytes from a row to the next; 0: no gaps
   * @param sliceRows the rows from a slice to the next; 0: no gaps
   * @return a new box
   */
  public Box shape(long rowBytes, long sliceRows) {
    return new Box(buffer, offset, Given.notNegative(rowBytes, "rowBytes"), Given.notNegative(sliceRows, "sliceRows"), x, y, z);
  }

  /**
   * A box with another corner.
   *
   * @param x the bytes before the box in each row
   * @param y the rows before the box in each slice
   * @param z the slices before the box
   * @return a new box
   */
  public Box at(long x, long y, long z) {
    return new Box(
        buffer, offset, rowBytes, sliceRows, Given.notNegative(x, "x"), Given.notNegative(y, "y"), Given.notNegative(z, "z"));
  }

  //: said "box at (" + x + ", " + y + ", " + z + ") of " + buffer
}
