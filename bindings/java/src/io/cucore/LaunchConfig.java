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
  /** In the number of arguments: a tail follows the head. */
  private static final int HAS_TAIL = 1 << 31;

  private final int[] words;
  private final LaunchTail tail; // null if none of its settings is set

  private LaunchConfig(int[] words, LaunchTail tail) {
    this.words = words;
    this.tail = tail;
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

  /** Writes all of the options but the number of arguments. */
  void put(ByteBuffer to) {
    putHead(to);
    if (tail != null) {
      tail.put(to, HEAD, true);
    }
  }

  private void putHead(ByteBuffer to) {
    for (int i = 0; i < COUNT; ++i) {
      to.putInt(i * 4, words[i]);
    }
  }

  /** Writes the number of arguments. */
  void putCount(ByteBuffer to, int count) {
    to.putInt(HEAD - Integer.BYTES, tail == null ? count : count | HAS_TAIL);
  }

  /** The bytes of the options in a block. */
  int size() {
    return tail == null ? HEAD : HEAD + tail.size();
  }

  /** Null if none of its settings is set. */
  LaunchTail tail() {
    return tail;
  }

  /**
   * Returns the blocks of the grid; 0 in the second or third is 1.
   *
   * @return three numbers
   */
  public int[] getGrid() {
    return Arrays.copyOf(words, 3);
  }

  /**
   * Returns the threads of a block; 0 in the second or third is 1.
   *
   * @return three numbers
   */
  public int[] getBlock() {
    return Arrays.copyOfRange(words, 3, 6);
  }

  /**
   * Returns the blocks of a cluster.
   *
   * @return three numbers, all 0 without a cluster
   */
  public int[] getCluster() {
    return Arrays.copyOfRange(words, 6, 9);
  }

  /**
   * Returns the dynamic shared memory of a block.
   *
   * @return bytes
   */
  public int getDynamicShared() {
    return words[9];
  }

  /** Returns the options as separate bytes, without their objects. */
  byte[] withoutObjects() {
    byte[] bytes = new byte[size()];
    ByteBuffer to = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    putHead(to);
    putCount(to, 0);
    if (tail != null) {
      tail.put(to, HEAD, false);
    }
    return bytes;
  }

  /** Returns whether all settings are the same. */
  @Override
  public boolean equals(Object other) {
    return other instanceof LaunchConfig && Arrays.equals(words, ((LaunchConfig) other).words)
        && java.util.Objects.equals(tail, ((LaunchConfig) other).tail);
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
    private static final int MORE = 10; // words of the tail

    private final int[] words = new int[COUNT + MORE];
    private final java.util.TreeMap<Integer, byte[]> attributes = new java.util.TreeMap<>();
    private CudaEvent programmaticEvent;
    private CudaEvent completionEvent;
    private AccessWindow window;

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
    //: word preferredCluster 13 (int x, int y, int z): The cluster where it fits, a multiple of the cluster; default: none -> blocks -> blocks -> blocks
    //: signed sharedCarveout 17 (int percent): The part of the L1 cache that is preferred as shared memory; default: the kernel's -> 1 to 100, or -1 for none
    //: word memoryDomain 18 (int domain): The domain of the kernel's accesses; default: the stream's -> 1 is the remote domain
    //: signed memoryDomainMap 19 (int map): The domains; default: the stream's -> the number of the default domain, and that of the remote one in the bits from 8 on
    //: word deviceUpdatable 20 (boolean value): Whether kernels may update the node; the stream must be captured -> the choice
    //: word nvlinkScheduling 21 (boolean value): Whether it is scheduled for the use of NVLink -> the choice

    /** The placement of the blocks of a cluster.
     * @param value the choice
     * @return this */
    public Builder clusterScheduling(ClusterScheduling value) {
      words[16] = ClusterScheduling.number(value, "clusterScheduling");
      return this;
    }

    /** An event that is recorded when all blocks have triggered the start of dependent kernels. It has no timing, and stays open.
     * @param value the event
     * @param atStart whether each block triggers it when it begins
     * @return this */
    public Builder programmaticEvent(CudaEvent value, boolean atStart) {
      programmaticEvent = Given.notNull(value, "programmaticEvent");
      words[22] = atStart ? 1 : 0;
      return this;
    }

    /** An event that is recorded when all blocks have begun. It has no timing, and stays open.
     * @param value the event
     * @return this */
    public Builder completionEvent(CudaEvent value) {
      completionEvent = Given.notNull(value, "completionEvent");
      return this;
    }

    /** How the L2 cache treats accesses; default: the stream's window. Its buffer stays open.
     * @param value the window
     * @return this */
    public Builder accessWindow(AccessWindow value) {
      window = Given.notNull(value, "accessWindow");
      return this;
    }

    /** A further attribute of the driver. The last value of a number counts.
     * @param id a CUlaunchAttributeID
     * @param value at most 64 bytes of its CUlaunchAttributeValue
     * @return this */
    public Builder attribute(int id, byte[] value) {
      if (Given.notNull(value, "attribute").length > 64) {
        throw CucoreException.invalid("value has " + Said.counted(value.length, "byte") + "; expected at most 64");
      }
      attributes.put(id, value.clone());
      return this;
    }

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
      return new LaunchConfig(Arrays.copyOf(words, COUNT), LaunchTail.of(
          Arrays.copyOfRange(words, COUNT, words.length), programmaticEvent, completionEvent, window, attributes));
    }
  }
}
