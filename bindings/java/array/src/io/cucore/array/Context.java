// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import java.lang.ref.WeakReference;
import java.util.LinkedHashMap;
import java.util.Map;

/** The place where arrays are computed: a device and a stream. */
public final class Context extends Handle {
  // A strong reference would keep the class loader: the cleaner's thread holds what is not released.
  private static WeakReference<Context> shared = new WeakReference<>(null);

  private Context(long lease) {
    super(lease);
  }

  static Context of(long lease) {
    return new Context(lease);
  }

  /** Makes a context with a stream of its own.
   * @param device the device */
  public Context(CudaDevice device) {
    this(device, ContextOptions.DEFAULT);
  }

  /** Makes a context.
   * @param device the device
   * @param stream orders the work
   * @param policy when operations are computed
   * @param math how exactly */
  public Context(CudaDevice device, CudaStream stream, Policy policy, MathMode math) {
    this(device, ContextOptions.DEFAULT.withStream(stream).withPolicy(policy).withMath(math));
  }

  /** Makes a context.
   * @param device the device
   * @param options the settings */
  public Context(CudaDevice device, ContextOptions options) {
    this(Calls.notNull(options, "options").create(device));
  }

  /** Returns the default context of a device, which the whole process shares.
   * @param device the device
   * @return a context that can be closed; the default one stays */
  public static Context ofDevice(CudaDevice device) {
    return new Context(Natives.contextDefault(Calls.notNull(device, "device")));
  }

  /** Returns the context of the innermost {@link Scope}, or the default one of device 0. */
  static Context current() {
    Context inner = Scope.context();
    return inner == null ? shared() : inner;
  }

  private static synchronized Context shared() {
    Context known = shared.get();
    if (known == null) {
      known = new Context(Natives.contextDefault(null));
      shared = new WeakReference<>(known);
    }
    return known;
  }

  /** Returns the number of the device.
   * @return the ordinal */
  public int getDevice() {
    try (CudaDevice device = Natives.contextDevice(this)) {
      return device.getOrdinal();
    }
  }

  /** Returns the stream that orders the work.
   * @return a stream to close */
  public CudaStream getStream() {
    return Natives.contextStream(this);
  }

  /** Queues the kernels of all pending arrays. Does not wait. */
  public void evaluate() {
    Natives.contextEvaluate(this);
  }

  /** Evaluates all pending arrays and waits. */
  public void synchronize() {
    Natives.contextSynchronize(this);
  }

  /** Gives back cached plans, working memory, and memory of the pool without use. Waits for the stream.
   * @param keepBytes the bytes of the pool that may stay reserved */
  public void trim(long keepBytes) {
    Natives.contextTrim(this, keepBytes);
  }

  /** Returns statistics: kernels, compiles, bytes and the causes of evaluations.
   * @return numbers by name, as in "kernels_launched" */
  public Map<String, Long> getStatistics() {
    long[] numbers = Natives.contextQuery(this);
    Map<String, Long> all = new LinkedHashMap<>();
    for (int i = 0; i < numbers.length; ++i) {
      all.put(StatisticNames.ALL[i], numbers[i]);
    }
    return all;
  }

  /** Returns the device. */
  @Override
  public String toString() {
    return lease == 0 ? "Context (closed)" : "Context of device " + getDevice();
  }
}
