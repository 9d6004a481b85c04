package io.cucore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** One argument of a launch, with the size that its C type has. */
public final class Arg {
  private static final int WORD = 8;

  private final byte[] bytes; // of a struct; null where the value says it all
  private final long bits;
  private final int size;

  private Arg(long bits, int size) {
    this.bytes = null;
    this.bits = bits;
    this.size = size;
  }

  private Arg(byte[] bytes) {
    this.bytes = bytes;
    this.bits = 0;
    this.size = bytes.length;
  }

  /**
   * A char, int8_t or uint8_t.
   *
   * @param value the value
   * @return the argument, 1 byte
   */
  public static Arg of(byte value) {
    return new Arg(value, Byte.BYTES);
  }

  /**
   * A short, int16_t or uint16_t.
   *
   * @param value the value
   * @return the argument, 2 bytes
   */
  public static Arg of(short value) {
    return new Arg(value, Short.BYTES);
  }

  /**
   * A char16_t.
   *
   * @param value the value
   * @return the argument, 2 bytes
   */
  public static Arg of(char value) {
    return new Arg(value, Character.BYTES);
  }

  /**
   * An int or unsigned.
   *
   * @param value the value
   * @return the argument, 4 bytes
   */
  public static Arg of(int value) {
    return new Arg(value, Integer.BYTES);
  }

  /**
   * A long, size_t, int64_t or an address.
   *
   * @param value the value
   * @return the argument, 8 bytes
   */
  public static Arg of(long value) {
    return new Arg(value, Long.BYTES);
  }

  /**
   * A float.
   *
   * @param value the value
   * @return the argument, 4 bytes
   */
  public static Arg of(float value) {
    return new Arg(Float.floatToRawIntBits(value), Float.BYTES);
  }

  /**
   * A double.
   *
   * @param value the value
   * @return the argument, 8 bytes
   */
  public static Arg of(double value) {
    return new Arg(Double.doubleToRawLongBits(value), Double.BYTES);
  }

  /**
   * A bool.
   *
   * @param value the value
   * @return the argument, 1 byte
   */
  public static Arg of(boolean value) {
    return new Arg(value ? 1 : 0, 1);
  }

  /**
   * A pointer to a buffer's memory.
   *
   * @param buffer the buffer, which must stay open until the launch; null for a null pointer
   * @return the argument, 8 bytes
   */
  public static Arg of(CudaBuffer buffer) {
    return of(buffer == null ? 0 : buffer.getAddress());
  }

  /**
   * A struct by its bytes, laid out as in C.
   *
   * @param struct the bytes from its position to its limit, copied; the position stays
   * @return the argument, of so many bytes
   */
  public static Arg of(ByteBuffer struct) {
    return new Arg(Memory.bytesOf(Given.notNull(struct, "struct")));
  }

  /**
   * A struct by its bytes, laid out as in C.
   *
   * @param struct the bytes, copied
   * @return the argument, of so many bytes
   */
  public static Arg of(byte[] struct) {
    return new Arg(Given.notNull(struct, "struct").clone());
  }

  /**
   * How large it is.
   *
   * @return the size in bytes
   */
  public int size() {
    return size;
  }

  void put(LaunchBlock block) {
    if (bytes != null) {
      block.add(bytes);
    } else {
      block.add(bits, size);
    }
  }

  @Override
  public String toString() {
    return "argument of " + size + " bytes";
  }

  /** A value's bits where they lie in a word of memory, whatever the machine's byte order. */
  static long inMemory(long bits, int size) {
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? bits : bits << (WORD - size) * 8;
  }
}
