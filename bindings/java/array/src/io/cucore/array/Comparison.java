// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import java.util.Arrays;

/** Comparisons of whole arrays. */
final class Comparison {
  private Comparison() {}

  /** Closes an array of booleans, and returns whether all of them are true. Waits. */
  static boolean all(NdArray each) {
    try (NdArray mask = each;
        NdArray all = mask.all()) {
      return all.item().booleanValue();
    }
  }

  static boolean arrayEqual(NdArray x, NdArray y) {
    return Arrays.equals(x.getShape(), y.getShape()) && all(x.equal(y));
  }
}
