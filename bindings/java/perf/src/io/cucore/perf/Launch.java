// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.Kernel;
import java.util.Arrays;

/** A launch whose amounts a function computes: see {@link Profiler#declare}. */
public final class Launch {
  private final Kernel kernel;
  private final int[] numbers;

  Launch(Kernel kernel, int[] numbers) {
    this.kernel = kernel;
    this.numbers = numbers;
  }

  /**
   * Returns the kernel, which is open during the call.
   *
   * @return the kernel
   */
  public Kernel kernel() {
    return kernel;
  }

  /**
   * Returns the blocks.
   *
   * @return three numbers
   */
  public int[] grid() {
    return extent(0);
  }

  /**
   * Returns the threads of a block.
   *
   * @return three numbers
   */
  public int[] block() {
    return extent(3);
  }

  private int[] extent(int from) {
    return Arrays.stream(numbers, from, from + 3).map(each -> Math.max(each, 1)).toArray();
  }

  /**
   * Returns the dynamic shared memory of a block.
   *
   * @return bytes
   */
  public int dynamicShared() {
    return numbers[6];
  }

  @Override
  public String toString() {
    return "Launch[grid=" + Arrays.toString(grid()) + ", block=" + Arrays.toString(block()) + "]";
  }
}
