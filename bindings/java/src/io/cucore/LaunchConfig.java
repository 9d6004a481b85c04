// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The configuration of a launch: grid, block and other settings. It never changes. */
public final class LaunchConfig {
  /** Bytes of the head of a launch's block; the last four are the number of arguments. */
  static final int HEAD = 56;

  private static final int COUNT = 13;

  private final int[] words;

  private LaunchConfig(int[] words) {
    this.words = words;
  }

  /**
   * A grid and a block of one dimension.
   *
   * @param grid blocks
   * @param block threads a block
   * @return the configuration
   */
  public static LaunchConfig of(int grid, int block) {
    return builder().grid(grid).block(block).build();
  }

  /**
   * The least grid of one dimension that has a thread for each of so many elements.
   *
   * @param elements how many
   * @param block threads a block
   * @return the configuration
   * @throws InvalidArgumentException no thread a block, less than no elements, or too many of them
   */
  public static LaunchConfig covering(long elements, int block) {
    if (block <= 0 || elements < 0 || elements / block >= Integer.MAX_VALUE) {
      throw CucoreException.invalid(
          "no grid covers " + Said.counted(elements, "element") + " with blocks of " + Said.counted(block, "thread"));
    }
    return of((int) (elements / block + (elements % block == 0 ? 0 : 1)), block);
  }

  /**
   * Begins with nothing set.
   *
   * @return a builder; grid and block must be set
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Writes all of the head but the number of arguments. */
  void put(ByteBuffer to) {
    for (int i = 0; i < COUNT; ++i) {
      to.putInt(i * 4, words[i]);
    }
  }

  /** Returns the head as separate bytes, with more after it. */
  byte[] head(byte[] tail) {
    byte[] bytes = new byte[HEAD + tail.length];
    put(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
    System.arraycopy(tail, 0, bytes, HEAD, tail.length);
    return bytes;
  }

  /** Returns whether all settings are the same. */
  @Override
  public boolean equals(Object other) {
    return other instanceof LaunchConfig && Arrays.equals(words, ((LaunchConfig) other).words);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(words);
  }

  @Override
  public String toString() {
    return "grid " + words[0] + " x " + words[1] + " x " + words[2]
        + ", block " + words[3] + " x " + words[4] + " x " + words[5];
  }

  /** Collects the settings of a launch. Not for several threads at a time. */
  public static final class Builder {
    private final int[] words = new int[COUNT];

    private Builder() {}

    private Builder set(int at, String name, int... values) {
      for (int value : values) {
        Given.notNegative(value, name);
      }
      System.arraycopy(values, 0, words, at, values.length);
      return this;
    }

    //: extents grid 0 blocks: The grid, also with a cluster
    //: extents block 3 threads: The block
    //: word cluster 6 (int x, int y, int z): The cluster; default: none, or what the kernel was compiled with -> blocks -> blocks -> blocks
    //: word dynamicShared 9 (int bytes): Dynamic shared memory. Above 48 KiB the kernel's attribute is raised -> of a block
    //: word cooperative 10 (boolean value): Whether all blocks run at once and may synchronise -> the choice
    //: word programmaticSerialization 11 (boolean value): Whether it may start before the kernel before it ends -> the choice
    //: signed priority 12 (int value): The priority, of which a lower one goes first; default: the stream's -> see {@link CudaDevice#getStreamPriorities()}

    @Override
    public String toString() {
      return build().toString();
    }

    /**
     * Returns the present settings.
     *
     * @return the configuration
     */
    public LaunchConfig build() {
      return new LaunchConfig(words.clone());
    }
  }
}
