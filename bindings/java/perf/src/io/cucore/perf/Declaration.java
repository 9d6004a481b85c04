// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

/** The amounts of one launch; 0 is unknown. */
public final class Declaration {
  private final double bytesRead;
  private final double bytesWritten;
  private final double operations;

  private Declaration(double bytesRead, double bytesWritten, double operations) {
    this.bytesRead = bytesRead;
    this.bytesWritten = bytesWritten;
    this.operations = operations;
  }

  /**
   * Makes a declaration.
   *
   * @param bytesRead from device memory
   * @param bytesWritten to device memory
   * @param operations arithmetic operations
   * @return the declaration
   */
  public static Declaration of(double bytesRead, double bytesWritten, double operations) {
    return new Declaration(bytesRead, bytesWritten, operations);
  }

  /**
   * Returns the bytes that are read.
   *
   * @return bytes
   */
  public double bytesRead() {
    return bytesRead;
  }

  /**
   * Returns the bytes that are written.
   *
   * @return bytes
   */
  public double bytesWritten() {
    return bytesWritten;
  }

  /**
   * Returns the operations.
   *
   * @return the number
   */
  public double operations() {
    return operations;
  }

  @Override
  public String toString() {
    return "Declaration[" + bytesRead + ", " + bytesWritten + ", " + operations + "]";
  }
}
