// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;

/** Moves memory between the Java heap, direct buffers and the device. */
final class Memory {
  /** The arrays that a copy accepts, and the bytes per element. */
  private static final Map<Class<?>, Integer> ELEMENTS = Map.of(byte[].class, Byte.BYTES, short[].class, Short.BYTES,
      char[].class, Character.BYTES, int[].class, Integer.BYTES, long[].class, Long.BYTES, float[].class, Float.BYTES,
      double[].class, Double.BYTES);

  private Memory() {}

  /** The location of bytes: in the heap, or in native memory if array is null. */
  private static final class Place {
    final Object array;
    final long start;
    final long size;

    Place(Object array, long start, long size) {
      this.array = array;
      this.start = start;
      this.size = size;
    }
  }

  static void write(
      long buffer, CudaBuffer owner, Object source, long stream, CudaStream in, long offset) {
    Given.notNegative(offset, "offset");
    Given.notNull(source, "source");
    Place from = source instanceof ByteBuffer ? place(readable((ByteBuffer) source)) : place(source, "source");
    if (from.array == null) {
      Natives.writeMemory(buffer, stream, offset, from.start, from.size);
    } else {
      Natives.writeArray(buffer, stream, offset, from.array, from.start, from.size);
    }
    fence(owner, source, in);
  }

  static void read(
      long buffer, CudaBuffer owner, Object destination, long stream, CudaStream in, long offset) {
    Given.notNegative(offset, "offset");
    Given.notNull(destination, "destination");
    Place to = destination instanceof ByteBuffer
        ? place(writable((ByteBuffer) destination))
        : place(destination, "destination");
    if (to.array == null) {
      Natives.readMemory(buffer, stream, offset, to.start, to.size);
    } else {
      Natives.readArray(buffer, stream, offset, to.array, to.start, to.size);
    }
    fence(owner, destination, in);
  }

  private static void fence(Object owner, Object memory, Object stream) {
    Reference.reachabilityFence(owner);
    Reference.reachabilityFence(memory);
    Reference.reachabilityFence(stream);
  }

  /** A heap buffer that hides its array is copied. */
  private static ByteBuffer readable(ByteBuffer buffer) {
    return buffer.isDirect() || buffer.hasArray() ? buffer : ByteBuffer.wrap(bytesOf(buffer));
  }

  private static ByteBuffer writable(ByteBuffer buffer) {
    if (buffer.isReadOnly()) {
      throw CucoreException.invalid("destination is a ByteBuffer that is read-only");
    }
    return buffer;
  }

  private static Place place(ByteBuffer buffer) {
    return buffer.isDirect()
        ? new Place(null, Natives.addressOf(buffer) + buffer.position(), buffer.remaining())
        : new Place(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
  }

  private static Place place(Object array, String name) {
    Integer size = ELEMENTS.get(array.getClass());
    if (size != null) {
      return new Place(array, 0, (long) size * Array.getLength(array));
    }
    throw CucoreException.invalid(
        name + " is a " + array.getClass().getTypeName() + ", neither an array of numbers nor a ByteBuffer");
  }

  /** A copy from the position to the limit; the position stays. */
  static byte[] bytesOf(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** Returns whether a struct has the byte order of the device. */
  static boolean isInOrder(ByteBuffer struct) {
    return struct.order() == ByteOrder.nativeOrder();
  }

  static CucoreException wrongOrder(ByteBuffer struct, String name) {
    return CucoreException.invalid(name + " is a ByteBuffer in " + struct.order() + " order; expected " + ByteOrder.nativeOrder()
        + "; call order(ByteOrder.nativeOrder()) before its values are put, and on each slice and duplicate");
  }

  /** Returns the bytes of a value for a fill. */
  static byte[] pattern(Object value) {
    int size = value instanceof Boolean ? 0 : Conversion.sizeOf(Given.notNull(value, "value"));
    if (size == 0) {
      throw CucoreException.invalid("value is a " + value.getClass().getTypeName()
          + "; expected a Byte, Short, Character, Integer, Float, Long or Double");
    }
    byte[] word = new byte[Long.BYTES];
    ByteBuffer.wrap(word).order(ByteOrder.nativeOrder()).putLong(Arg.inMemory(Conversion.bits(value), size));
    return Arrays.copyOf(word, size);
  }

  static ByteBuffer view(long lease, CudaBuffer buffer) {
    check(buffer.getSize(), "the buffer");
    if (buffer.getSize() != 0 && buffer.getHostPointer() == 0) {
      throw Exceptions.of(new Failure(Status.INVALID_STATE,
          "the host does not see this buffer: it is device memory, neither pinned nor managed"));
    }
    ByteBuffer view = kept(Natives.shareBuffer(lease), false);
    Reference.reachabilityFence(buffer);
    return view;
  }

  static ByteBuffer view(long lease, ObjectCode code) {
    ByteBuffer view = kept(Natives.shareCode(lease), true);
    Reference.reachabilityFence(code);
    return view.asReadOnlyBuffer().order(ByteOrder.nativeOrder());
  }

  /** The view has a separate lease, which is closed once the view and all its slices are unreachable. */
  private static ByteBuffer kept(long lease, boolean ofCode) {
    try {
      ByteBuffer view = ofCode ? Natives.viewOfCode(lease) : Natives.viewOfBuffer(lease);
      if (view != null) {
        Cleaning.register(view, lease);
        return view.order(ByteOrder.nativeOrder());
      }
    } catch (RuntimeException e) {
      Natives.close(lease);
      throw e;
    }
    Natives.close(lease);
    return ByteBuffer.allocateDirect(0);
  }

  private static void check(long size, String what) {
    if (size > Integer.MAX_VALUE) {
      throw Exceptions.of(new Failure(Status.UNSUPPORTED,
          what + " has " + size + " bytes; a ByteBuffer holds 2147483647 at most"));
    }
  }
}
