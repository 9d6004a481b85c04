// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.Arrays;

/** The settings of a node of a graph. Those that its kind does not have are 0 or "". */
public final class NodeInfo {
  private final long[] numbers;
  private final String label;
  private final String kernel;

  /** From the numbers in the order of node_info.hpp, and the two texts. */
  NodeInfo(Object[] parts) {
    numbers = (long[]) parts[0];
    label = (String) parts[1];
    kernel = (String) parts[2];
  }

  private int[] extents(int at) {
    return new int[] {(int) numbers[at], (int) numbers[at + 1], (int) numbers[at + 2]};
  }

  /** The work of the node.
   * @return the kind */
  public NodeKind kind() {
    return NodeKind.of((int) numbers[0]);
  }

  /** The label.
   * @return the text */
  public String label() {
    return label;
  }

  /** The name of the kernel.
   * @return the name */
  public String kernel() {
    return kernel;
  }

  /** Blocks of the kernel.
   * @return three extents */
  public int[] grid() {
    return extents(1);
  }

  /** Threads per block.
   * @return three extents */
  public int[] block() {
    return extents(4);
  }

  /** Blocks per cluster; all 0: none, or the kernel's.
   * @return three extents */
  public int[] cluster() {
    return extents(7);
  }

  /** The dynamic shared memory of a block.
   * @return bytes */
  public long dynamicShared() {
    return numbers[10];
  }

  /** The address that a copy or a fill writes.
   * @return the address */
  public long destination() {
    return numbers[11];
  }

  /** The address that a copy reads.
   * @return the address */
  public long source() {
    return numbers[12];
  }

  /** The size of a copy or a fill.
   * @return bytes */
  public long size() {
    return numbers[13];
  }

  /** The pattern of a fill; the first byte is the lowest.
   * @return the pattern */
  public long pattern() {
    return numbers[14];
  }

  /** The size of the pattern.
   * @return bytes */
  public long patternSize() {
    return numbers[15];
  }

  /** How many nodes it comes directly after.
   * @return the number */
  public long dependencyCount() {
    return numbers[16];
  }

  /** How many nodes come directly after it.
   * @return the number */
  public long dependentCount() {
    return numbers[17];
  }

  /** The number that profilers show for the node.
   * @return the number; 0: not known */
  public long toolsId() {
    return numbers[18];
  }

  /** The CUevent that it records or waits for. {@link GraphNode#getEvent()} returns its object.
   * @return the handle */
  public long event() {
    return numbers[19];
  }

  /** The CUgraphNode, for other libraries.
   * @return the handle */
  public long nativeHandle() {
    return numbers[20];
  }

  /** The condition of a conditional node.
   * @return the number that {@link Graph#condition(int)} returned */
  public long condition() {
    return numbers[21];
  }

  /** The comparison of a node that waits for a word.
   * @return the comparison; UNKNOWN for a node that writes */
  public Comparison comparison() {
    return Comparison.of((int) numbers[22]);
  }

  /** Bytes per row of the box that a copy copies; all bytes without a box.
   * @return bytes */
  public long width() {
    return numbers[23];
  }

  /** Rows per slice of the box.
   * @return rows; 1 without a box */
  public long height() {
    return numbers[24];
  }

  /** Slices of the box.
   * @return slices; 1 without a box */
  public long depth() {
    return numbers[25];
  }

  /** The bytes from a row of the destination to the next.
   * @return bytes; 0 without a box */
  public long destinationRowBytes() {
    return numbers[26];
  }

  /** The rows from a slice of the destination to the next.
   * @return rows; 0 without a box */
  public long destinationSliceRows() {
    return numbers[27];
  }

  /** The bytes from a row of the source to the next.
   * @return bytes; 0 without a box */
  public long sourceRowBytes() {
    return numbers[28];
  }

  /** The rows from a slice of the source to the next.
   * @return rows; 0 without a box */
  public long sourceSliceRows() {
    return numbers[29];
  }

  @Override
  public String toString() {
    return kind() + (kernel.isEmpty() ? "" : " " + kernel + " " + Arrays.toString(grid()) + " x " + Arrays.toString(block()))
        + (label.isEmpty() ? "" : " \"" + label + "\"");
  }
}
