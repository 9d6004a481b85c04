// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class CudaBuffer {
  long leaseOrZero() {
    return swigCPtr;
  }

  //: cucore_buffer_write
  // @param source a byte[], short[], char[], int[], long[], float[], double[], a buffer of java.nio, or from Java 22 a MemorySegment. A buffer is copied from its position to its limit, and its position stays. The bytes of a ByteBuffer do not change, whatever its order; the values of a typed buffer arrive in the order of the device. Direct memory in that order is not copied on the way
  public void write(Object source, CudaStream stream) {
    write(source, stream, 0);
  }

  //: cucore_buffer_write
  // @param source as for {@link #write(Object, CudaStream)}; the legacy default stream orders the copy
  public void write(Object source) {
    try (CudaStream stream = defaultStream()) {
      write(source, stream);
    }
  }

  //: cucore_buffer_write
  // @param source as for {@link #write(Object, CudaStream)}
  public void write(Object source, CudaStream stream, long offset) {
    open();
    Given.notNegative(offset, "offset");
    Place from = Place.toRead(Given.notNull(source, "source"));
    Memory.copy(true, this, source, from, stream, offset);
  }

  //: cucore_buffer_write
  // @param source an array of numbers
  // @param first the index of the first element to copy
  // @param count the number of elements to copy
  // @param offset in bytes, in the buffer
  public void write(Object source, int first, int count, CudaStream stream, long offset) {
    open();
    Given.notNegative(offset, "offset");
    Place from = Place.ofRange(Given.notNull(source, "source"), first, count, "source");
    Memory.copy(true, this, source, from, stream, offset);
  }

  //: cucore_buffer_read
  // @param destination as the source of {@link #write(Object, CudaStream)}; all of it is filled
  public void read(Object destination, CudaStream stream) {
    read(destination, stream, 0);
  }

  //: cucore_buffer_read
  // @param destination as for {@link #read(Object, CudaStream)}; the legacy default stream orders the copy
  public void read(Object destination) {
    try (CudaStream stream = defaultStream()) {
      read(destination, stream);
    }
  }

  //: cucore_buffer_read
  // @param destination as for {@link #read(Object, CudaStream)}
  public void read(Object destination, CudaStream stream, long offset) {
    open();
    Given.notNegative(offset, "offset");
    Place to = Place.toFill(Given.notNull(destination, "destination"));
    Memory.copy(false, this, destination, to, stream, offset);
    to.finish(destination);
  }

  //: cucore_buffer_read
  // @param destination an array of numbers
  // @param first the index of the first element to fill
  // @param count the number of elements to fill
  // @param offset in bytes, in the buffer
  public void read(Object destination, int first, int count, CudaStream stream, long offset) {
    open();
    Given.notNegative(offset, "offset");
    Place to = Place.ofRange(Given.notNull(destination, "destination"), first, count, "destination");
    Memory.copy(false, this, destination, to, stream, offset);
  }

  //: cucore_buffer_fill
  // @param value as for {@link #fill(Object, CudaStream)}; the legacy default stream orders the call
  public void fill(Object value) {
    try (CudaStream stream = defaultStream()) {
      fill(value, stream);
    }
  }

  private CudaStream defaultStream() {
    try (CudaDevice device = getDevice()) {
      return device.defaultStream();
    }
  }

  //: cucore_buffer_fill
  // @param value a Byte, Short, Character, Integer, Float, Long or Double
  public void fill(Object value, CudaStream stream) {
    fill(value, stream, 0, getSize());
  }

  //: cucore_buffer_fill
  // @param value a Byte, Short, Character, Integer, Float, Long or Double
  // @param length in bytes, a multiple of the value's size
  public void fill(Object value, CudaStream stream, long offset, long length) {
    open();
    Given.notNull(stream, "stream");
    fillNow(Memory.pattern(value), length, stream, offset);
  }

  /** The bytes of pinned or managed memory, without a copy, in the machine's byte order. The memory
   * stays while the view or a slice of it is in use, also after {@link #close()}.
   * @return the view
   * @throws InvalidStateException this is device memory, which the host does not see
   * @throws UnsupportedException the buffer is larger than a ByteBuffer can be */
  public java.nio.ByteBuffer asByteBuffer() {
    return Memory.view(open(), this);
  }

  //: said Said.of("CudaBuffer", this::isClosed, () -> "of " + Said.counted(getSize(), "byte"))
}
