// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The range of stream priorities. */
public final class PriorityRange {
  //: fields equal
  private final int least; // The default -> the priority that goes last
  private final int greatest; // A lower number, which goes first -> the priority that goes first

  PriorityRange(long[] both) {
    least = (int) both[0];
    greatest = (int) both[1];
  }

  @Override
  public String toString() {
    return least + " to " + greatest;
  }
}
