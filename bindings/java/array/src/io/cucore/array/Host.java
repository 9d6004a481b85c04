// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.Status;
import java.lang.reflect.Array;
import java.util.Arrays;

/** Elements in arrays of Java. */
final class Host {
  private static final long MOST = Integer.MAX_VALUE - 8;

  private Host() {}

  static long count(long... shape) {
    long count = 1;
    for (long each : Calls.notNull(shape, "shape")) {
      count *= each;
    }
    return count;
  }

  static NdArray toArray(Object data, DType dtype, long... shape) {
    long length = Array.getLength(Calls.notNull(data, "data"));
    long[] sizes = Calls.notNull(shape, "shape").length == 0 ? new long[] {length} : shape;
    if (count(sizes) != length) {
      Calls.refuse(Status.INVALID_ARGUMENT, "data has " + length + " elements; the shape " + Arrays.toString(sizes) + " has " + count(sizes));
    }
    return new NdArray(Natives.fromHost(Context.current(), dtype.getValue(), data, 0, length * dtype.size(), sizes));
  }

  /** Fills a new array of Java, of a class for the elements. Waits. */
  static <T> T read(NdArray x, DType dtype, Class<?> element, Class<T> type) {
    long count = x.getSize();
    if (count > MOST) {
      Calls.refuse(Status.INVALID_ARGUMENT, "the array has " + count + " elements; an array of Java holds " + MOST);
    }
    Object data = Array.newInstance(element, (int) count);
    if (x.getDType() == dtype) {
      Natives.read(x, data, count * dtype.size());
    } else {
      try (NdArray converted = x.as(dtype)) {
        Natives.read(converted, data, count * dtype.size());
      }
    }
    return type.cast(data);
  }
}
