// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The range of stream priorities. */
public final class PriorityRange {
  //: fields equal (long[] both)
  private final int least = (int) both[0]; // The default -> the priority that goes last
  private final int greatest = (int) both[1]; // A lower number, which goes first -> the priority that goes first

  //: said least + " to " + greatest
}
