// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Moves memory between the Java heap, direct buffers and the device. */
final class Memory {
  private Memory() {}

  /** Writes the bytes of a place to the buffer, or fills the place from there. */
  static void copy(boolean isWrite, CudaBuffer buffer, Object host, Place place, CudaStream stream, long offset) {
    long on = CudaStream.getCPtr(Given.notNull(stream, "stream"));
    Natives.copy(isWrite, CudaBuffer.getCPtr(buffer), on, offset, place.array, place.start, place.size);
    Reference.reachabilityFence(buffer);
    Reference.reachabilityFence(host);
    Reference.reachabilityFence(stream);
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
    return kept(CucoreNativeJNI.CudaBuffer_shareNow(lease, buffer), false);
  }

  static ByteBuffer view(long lease, ObjectCode code) {
    return kept(CucoreNativeJNI.ObjectCode_shareNow(lease, code), true).asReadOnlyBuffer().order(ByteOrder.nativeOrder());
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
