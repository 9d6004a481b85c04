// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.IntFunction;

/** The buffers of java.nio, by their elements. A copy through an array has the values in the machine's order. */
enum NioKind {
  BYTE(Byte.BYTES, ByteBuffer.class, b -> ByteOrder.nativeOrder(), byte[]::new, // bytes are copied unchanged
      (b, array) -> b.duplicate().get((byte[]) array), (b, array) -> b.duplicate().put((byte[]) array)),
  SHORT(Short.BYTES, ShortBuffer.class, ShortBuffer::order, short[]::new,
      (b, array) -> b.duplicate().get((short[]) array), (b, array) -> b.duplicate().put((short[]) array)),
  CHAR(Character.BYTES, CharBuffer.class, CharBuffer::order, char[]::new,
      (b, array) -> b.duplicate().get((char[]) array), (b, array) -> b.duplicate().put((char[]) array)),
  INT(Integer.BYTES, IntBuffer.class, IntBuffer::order, int[]::new,
      (b, array) -> b.duplicate().get((int[]) array), (b, array) -> b.duplicate().put((int[]) array)),
  LONG(Long.BYTES, LongBuffer.class, LongBuffer::order, long[]::new,
      (b, array) -> b.duplicate().get((long[]) array), (b, array) -> b.duplicate().put((long[]) array)),
  FLOAT(Float.BYTES, FloatBuffer.class, FloatBuffer::order, float[]::new,
      (b, array) -> b.duplicate().get((float[]) array), (b, array) -> b.duplicate().put((float[]) array)),
  DOUBLE(Double.BYTES, DoubleBuffer.class, DoubleBuffer::order, double[]::new,
      (b, array) -> b.duplicate().get((double[]) array), (b, array) -> b.duplicate().put((double[]) array));

  private static final NioKind[] ALL = values();

  final int size;
  private final Class<? extends Buffer> type;
  private final Function<Buffer, ByteOrder> order;
  private final IntFunction<Object> newArray;
  private final BiConsumer<Buffer, Object> get;
  private final BiConsumer<Buffer, Object> put;

  <B extends Buffer> NioKind(int size, Class<B> type, Function<B, ByteOrder> order, IntFunction<Object> newArray,
      BiConsumer<B, Object> get, BiConsumer<B, Object> put) {
    this.size = size;
    this.type = type;
    this.order = buffer -> order.apply(type.cast(buffer));
    this.newArray = newArray;
    this.get = (buffer, array) -> get.accept(type.cast(buffer), array);
    this.put = (buffer, array) -> put.accept(type.cast(buffer), array);
  }

  static NioKind of(Buffer buffer) {
    for (NioKind each : ALL) {
      if (each.type.isInstance(buffer)) {
        return each;
      }
    }
    throw new AssertionError(buffer.getClass()); // the classes are sealed in the JDK
  }

  /** Returns whether its memory has the values in the machine's order. */
  boolean isNative(Buffer buffer) {
    return order.apply(buffer) == ByteOrder.nativeOrder();
  }

  Object arrayFor(Buffer buffer) {
    return newArray.apply(buffer.remaining());
  }

  /** Copies from the position to the limit; the position stays. */
  Object copyOf(Buffer buffer) {
    Object array = arrayFor(buffer);
    get.accept(buffer, array);
    return array;
  }

  void fill(Buffer buffer, Object array) {
    put.accept(buffer, array);
  }
}
