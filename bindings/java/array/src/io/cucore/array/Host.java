// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.Status;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
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

  /** Refuses what would make the product wrap, because native code copies as many bytes. */
  static long bytes(DType dtype, long... shape) {
    long size = dtype.size();
    for (long each : Calls.notNull(shape, "shape")) {
      if (each < 0) {
        Calls.refuse(Status.SHAPE, "the size of a dimension is " + each + "; expected 0 or more");
      }
      if (each != 0 && size > Long.MAX_VALUE / each) {
        Calls.refuse(Status.SHAPE, "the shape " + Arrays.toString(shape) + " of " + dtype + " has more than 2^63 - 1 bytes");
      }
      size *= each;
    }
    return size;
  }

  /** Returns a number of elements, of an array or of one of its axes, that an array of Java holds. */
  static int length(long count) {
    if (count > MOST) {
      Calls.refuse(Status.INVALID_ARGUMENT, "the array has " + count + " elements; an array of Java holds " + MOST);
    }
    return (int) count;
  }

  static NdArray toArray(Object data, DType dtype, long... shape) {
    long length = Array.getLength(Calls.notNull(data, "data"));
    long[] sizes = Calls.notNull(shape, "shape").length == 0 ? new long[] {length} : shape;
    if (count(sizes) != length) {
      Calls.refuse(Status.INVALID_ARGUMENT, "data has " + length + " elements; the shape " + Arrays.toString(sizes) + " has " + count(sizes));
    }
    return new NdArray(Natives.fromHost(Context.current(), dtype.getValue(), data, 0, length * dtype.size(), sizes, null));
  }

  static void write(NdArray x, Object data, DType dtype) {
    long length = Array.getLength(Calls.notNull(data, "data"));
    if (x.getDType() != dtype || length != x.getSize()) {
      Calls.refuse(Status.INVALID_ARGUMENT, "data has " + length + " elements of " + dtype + "; the array has " + x.getSize() + " of " + x.getDType());
    }
    Natives.write(x, data, 0, length * dtype.size());
  }

  /** The bytes of a buffer from its position on. */
  static final class Region {
    final Object memory;
    final long offset;

    Region(ByteBuffer data, long size) {
      if (size > Calls.notNull(data, "data").remaining()) {
        Calls.refuse(Status.INVALID_ARGUMENT, "data has " + data.remaining() + " bytes; the array needs " + size);
      }
      memory = data.hasArray() ? data.array() : data.isDirect() ? data : copyOf(data);
      offset = data.hasArray() ? data.arrayOffset() + data.position() : data.isDirect() ? data.position() : 0;
    }

    /** A read-only buffer does not show its array. */
    private static byte[] copyOf(ByteBuffer data) {
      byte[] copy = new byte[data.remaining()];
      data.duplicate().get(copy);
      return copy;
    }
  }

  /** Throws what the kernels of an evaluated array found late. Waits for no later work. */
  static void check(NdArray x) {
    if (x.getRank() > 0) {
      checkRows(x);
      return;
    }
    try (NdArray row = x.get(Slice.newAxis())) {
      checkRows(row);
    }
  }

  /** A view without elements reports what its array does. */
  private static void checkRows(NdArray x) {
    try (NdArray none = x.get(Slice.to(0))) {
      Natives.read(none, new byte[0], 0, 0);
    }
  }

  /** Fills a new array of Java, of a class for the elements. Waits. */
  static <T> T read(NdArray x, DType dtype, Class<?> element, Class<T> type) {
    int count = length(x.getSize());
    Object data = Array.newInstance(element, count);
    if (x.getDType() == dtype) {
      Natives.read(x, data, 0, (long) count * dtype.size());
    } else {
      try (NdArray converted = x.as(dtype)) {
        Natives.read(converted, data, 0, (long) count * dtype.size());
      }
    }
    return type.cast(data);
  }
}
