// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** One argument of a launch, prepared in advance. It keeps its buffer alive. */
public final class Arg {
  private static final int WORD = 8;

  /** A number of a boxed type, a CudaBuffer, null, a byte[] or a Struct.Value for a struct, or an Address. */
  final Object value;
  private final int size;

  private Arg(Object value, int size) {
    this.value = value;
    this.size = size;
  }

  /** An explicit address. */
  static final class Address {
    final long value;
    private final String owner;

    Address(long value, String owner) {
      this.value = value;
      this.owner = owner;
    }

    @Override
    public String toString() {
      return "the " + owner + " 0x" + Long.toHexString(value);
    }
  }

  //: arg byte 1: A char, int8_t or uint8_t
  //: arg short 2: A short, int16_t or uint16_t
  //: arg char 2: A char16_t
  //: arg int 4: An int or unsigned
  /**
   * A long, size_t or int64_t. A pointer takes {@link #address(long)}.
   *
   * @param value the value
   * @return the argument, 8 bytes
   */
  public static Arg of(long value) {
    return new Arg(value, Long.BYTES);
  }

  //: arg float 4: A float
  //: arg double 8: A double
  //: arg boolean 1: A bool
  /**
   * A pointer to a buffer's memory. The argument keeps the buffer alive, but does not keep it open.
   *
   * @param buffer the buffer, open until the launch returns; null for a null pointer
   * @return the argument, 8 bytes
   * @throws InvalidHandleException the buffer has been closed
   */
  public static Arg of(CudaBuffer buffer) {
    CudaBuffer.getCPtr(buffer);
    return new Arg(buffer, Long.BYTES);
  }

  /**
   * A pointer to memory that no {@link CudaBuffer} has. The library cannot check the address, and
   * cannot keep the memory: it must stay until the kernel has ended.
   *
   * @param address on the device
   * @return the argument, 8 bytes
   */
  public static Arg address(long address) {
    return address(address, "address");
  }

  /** An address whose owner is named in messages: "the address 0x10", "the NdArray 0x10". */
  static Arg address(long address, String owner) {
    return new Arg(new Address(address, owner), Long.BYTES);
  }

  /**
   * A struct by its bytes, laid out as in C. A new ByteBuffer is in BIG_ENDIAN order, and so is each
   * slice and duplicate, while devices are little endian: call {@code order(ByteOrder.nativeOrder())}
   * before putting values.
   *
   * @param struct the bytes from its position to its limit, copied; the position stays
   * @return the argument, of so many bytes
   * @throws InvalidArgumentException the order of struct is not that of the device
   */
  public static Arg of(ByteBuffer struct) {
    if (!Memory.isInOrder(Given.notNull(struct, "struct"))) {
      throw Memory.wrongOrder(struct, "struct");
    }
    return ofBytes(Memory.bytesOf(struct));
  }

  /**
   * A struct by its bytes, laid out as in C.
   *
   * @param struct the bytes, copied
   * @return the argument, of so many bytes
   */
  public static Arg of(byte[] struct) {
    return ofBytes(Given.notNull(struct, "struct").clone());
  }

  /**
   * A struct by a record, in the layout of the C struct with the same members in the same order.
   * The members are numbers, booleans, chars, and records of these. The launch compares the size with
   * that of the parameter.
   *
   * @param record the values, copied
   * @return the argument, of the size that the struct has in C
   * @throws InvalidArgumentException record is not a record, or a component has another type; the
   *     message names it
   */
  public static Arg struct(Object record) {
    Struct.Value struct = Struct.valueOf(record);
    return new Arg(struct, struct.bytes.length);
  }

  private static Arg ofBytes(byte[] struct) {
    return new Arg(struct, struct.length);
  }

  /**
   * How large it is.
   *
   * @return the size in bytes
   */
  public int size() {
    return size;
  }

  @Override
  public String toString() {
    return "argument of " + Said.counted(size, "byte");
  }

  /** Returns a value's bits at their position in a word of memory, whatever the machine's byte order. */
  static long inMemory(long bits, int size) {
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? bits : bits << (WORD - size) * 8;
  }
}
