// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Map;

/** The location of bytes on the host: in the heap, or in native memory if array is null. */
final class Place {
  /** The arrays that a copy accepts, and the bytes per element. */
  private static final Map<Class<?>, Integer> ELEMENTS = Map.of(byte[].class, Byte.BYTES, short[].class, Short.BYTES,
      char[].class, Character.BYTES, int[].class, Integer.BYTES, long[].class, Long.BYTES, float[].class, Float.BYTES,
      double[].class, Double.BYTES);

  final Object array;
  final long start;
  final long size;

  Place(Object array, long start, long size) {
    this.array = array;
    this.start = start;
    this.size = size;
  }

  /** Returns the bytes of an array, a buffer or a segment, of a copy if they are in another order or hidden. */
  static Place toRead(Object source) {
    if (source instanceof Buffer) {
      Place direct = ofMemory((Buffer) source);
      return direct != null ? direct : ofArray(NioKind.of((Buffer) source).copyOf((Buffer) source));
    }
    return Segments.isSegment(source) ? Segments.place(source, "source", false) : ofArray(source, "source");
  }

  /** Returns the bytes to fill; a copy's values are moved to the destination afterwards by {@link #finish}. */
  static Place toFill(Object destination) {
    if (destination instanceof Buffer) {
      Buffer buffer = (Buffer) destination;
      if (buffer.isReadOnly()) {
        throw CucoreException.invalid("destination is a " + name(buffer) + " that is read-only");
      }
      Place direct = ofMemory(buffer);
      return direct != null ? direct : ofArray(NioKind.of(buffer).arrayFor(buffer));
    }
    return Segments.isSegment(destination) ? Segments.place(destination, "destination", true)
        : ofArray(destination, "destination");
  }

  void finish(Object destination) {
    if (destination instanceof Buffer && array != null) {
      Buffer buffer = (Buffer) destination;
      if (!buffer.hasArray() || buffer.array() != array) {
        NioKind.of(buffer).fill(buffer, array);
      }
    }
  }

  /** Returns a part of an array. */
  static Place ofRange(Object array, int first, int count, String name) {
    Place all = ofArray(array, name);
    Given.notNegative(first, "first");
    Given.notNegative(count, "count");
    int length = Array.getLength(array);
    if (first > length - count) {
      throw CucoreException.invalid("the range of " + count + " elements from " + first + " ends after " + name
          + ", which has " + length + "; pass a range inside the array");
    }
    int size = ELEMENTS.get(array.getClass());
    return new Place(all.array, (long) size * first, (long) size * count);
  }

  /** Null if the bytes cannot be copied unchanged, from their present place. */
  private static Place ofMemory(Buffer buffer) {
    NioKind kind = buffer instanceof ByteBuffer ? null : NioKind.of(buffer); // its class takes milliseconds to load
    if (kind != null && !kind.isNative(buffer) || !buffer.isDirect() && !buffer.hasArray()) {
      return null;
    }
    int unit = kind == null ? 1 : kind.size;
    long position = (long) unit * buffer.position();
    long size = (long) unit * buffer.remaining();
    if (buffer.isDirect()) {
      long address = Natives.addressOf(buffer);
      return address == 0 ? null : new Place(null, address + position, size); // 0: a view that hides its memory
    }
    return new Place(buffer.array(), (long) unit * buffer.arrayOffset() + position, size);
  }

  private static Place ofArray(Object array) {
    return new Place(array, 0, (long) ELEMENTS.get(array.getClass()) * Array.getLength(array));
  }

  private static Place ofArray(Object array, String name) {
    if (!ELEMENTS.containsKey(array.getClass())) {
      throw CucoreException.invalid(name + " is a " + array.getClass().getTypeName()
          + "; expected an array of numbers, a buffer of java.nio or a MemorySegment");
    }
    return ofArray(array);
  }

  private static String name(Buffer buffer) {
    String kind = NioKind.of(buffer).name();
    return kind.charAt(0) + kind.substring(1).toLowerCase(java.util.Locale.ROOT) + "Buffer";
  }
}
