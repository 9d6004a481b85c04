// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Native memory with the fields of one struct. */
final class Memory {
  private static final int ON = 1;
  private static final int OFF = 2;

  final long address;
  private final ByteBuffer bytes;

  Memory(int size) {
    bytes = ByteBuffer.allocateDirect(Math.max(size, 1)).order(ByteOrder.nativeOrder());
    address = Natives.address(bytes);
  }

  Memory putBytes(byte[] data) {
    bytes.duplicate().put(data);
    return this;
  }

  Memory putLong(int at, long value) {
    bytes.putLong(at, value);
    return this;
  }

  Memory putInt(int at, int value) {
    bytes.putInt(at, value);
    return this;
  }

  Memory putDouble(int at, double value) {
    bytes.putDouble(at, value);
    return this;
  }

  /** Null is the default. */
  Memory putToggle(int at, Boolean value) {
    return putInt(at, value == null ? 0 : value ? ON : OFF);
  }

  int getInt(int at) {
    return bytes.getInt(at);
  }

  long getLong(int at) {
    return bytes.getLong(at);
  }

  double getDouble(int at) {
    return bytes.getDouble(at);
  }

  String getText(int at) {
    return Natives.text(getLong(at));
  }
}
