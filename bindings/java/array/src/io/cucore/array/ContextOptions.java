// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.Cache;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.Status;

/** The settings of a {@link Context}. Each method returns a changed copy. */
public final class ContextOptions implements Cloneable {
  /** The settings of a context without any. */
  public static final ContextOptions DEFAULT = new ContextOptions();

  private CudaStream stream;
  private Cache cache;
  private Policy policy = Policy.LAZY;
  private MathMode math = MathMode.ACCURATE;
  private DType defaultFloat = DType.DEFAULT;
  private long maxBytes;
  private int maxPending;
  private int maxDepth;
  private long maxRetainedBytes;

  private ContextOptions() {}

  private ContextOptions copy() {
    try {
      return (ContextOptions) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  private static int positive(int number, String name) {
    if (number < 0) {
      Calls.refuse(Status.INVALID_ARGUMENT, name + " is " + number + ", below 0");
    }
    return number;
  }

  long create(CudaDevice device) {
    return Natives.contextCreate(device, stream, cache, policy.getValue(), math.getValue(), defaultFloat.getValue(), maxBytes, maxPending,
        maxDepth, maxRetainedBytes);
  }

  /** Sets the stream that orders the work.
   * @param stream the stream; without one, the context has its own
   * @return changed settings */
  public ContextOptions withStream(CudaStream stream) {
    ContextOptions changed = copy();
    changed.stream = Calls.notNull(stream, "stream");
    return changed;
  }

  /** Sets the cache of kernels.
   * @param cache the cache; without one, it is that of the user
   * @return changed settings */
  public ContextOptions withCache(Cache cache) {
    ContextOptions changed = copy();
    changed.cache = Calls.notNull(cache, "cache");
    return changed;
  }

  /** Sets when operations are computed.
   * @param policy when
   * @return changed settings */
  public ContextOptions withPolicy(Policy policy) {
    ContextOptions changed = copy();
    changed.policy = Calls.notNull(policy, "policy");
    return changed;
  }

  /** Sets how exactly operations are computed.
   * @param math how exactly
   * @return changed settings */
  public ContextOptions withMath(MathMode math) {
    ContextOptions changed = copy();
    changed.math = Calls.notNull(math, "math");
    return changed;
  }

  /** Sets the type of numbers with a fraction that have no other type.
   * @param dtype the type; {@link DType#DEFAULT}: FLOAT64
   * @return changed settings */
  public ContextOptions withDefaultFloat(DType dtype) {
    ContextOptions changed = copy();
    changed.defaultFloat = Calls.notNull(dtype, "dtype");
    return changed;
  }

  /** Limits the bytes of arrays and temporary ones.
   * @param bytes 0: no limit
   * @return changed settings */
  public ContextOptions withMaxBytes(long bytes) {
    ContextOptions changed = copy();
    changed.maxBytes = bytes;
    return changed;
  }

  /** Limits the operations that wait.
   * @param count 0: 2048
   * @return changed settings */
  public ContextOptions withMaxPending(int count) {
    ContextOptions changed = copy();
    changed.maxPending = positive(count, "count");
    return changed;
  }

  /** Limits the operations that wait for one another.
   * @param count 0: 64
   * @return changed settings */
  public ContextOptions withMaxDepth(int count) {
    ContextOptions changed = copy();
    changed.maxDepth = positive(count, "count");
    return changed;
  }

  /** Limits the bytes that waiting operations alone keep.
   * @param bytes 0: a quarter of the device memory
   * @return changed settings */
  public ContextOptions withMaxRetainedBytes(long bytes) {
    ContextOptions changed = copy();
    changed.maxRetainedBytes = bytes;
    return changed;
  }

  /** Returns the policy and the exactness. */
  @Override
  public String toString() {
    return "ContextOptions " + policy + ", " + math;
  }
}
