// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class CudaBuffer {
  long leaseOrZero() {
    return swigCPtr;
  }

  //: cucore_buffer_write
  // @param source a byte[], short[], char[], int[], long[], float[], double[], or a ByteBuffer. Its bytes from the position to the limit are copied unchanged, whatever its order; its position stays. A direct ByteBuffer is not copied on the way
  public void write(Object source, CudaStream stream) {
    write(source, stream, 0);
  }

  //: cucore_buffer_write
  // @param source as for {@link #write(Object, CudaStream)}
  public void write(Object source, CudaStream stream, long offset) {
    Memory.write(open(), this, source, CudaStream.getCPtr(Given.notNull(stream, "stream")), stream, offset);
  }

  //: cucore_buffer_read
  // @param destination as the source of {@link #write(Object, CudaStream)}; all of it is filled
  public void read(Object destination, CudaStream stream) {
    read(destination, stream, 0);
  }

  //: cucore_buffer_read
  // @param destination as for {@link #read(Object, CudaStream)}
  public void read(Object destination, CudaStream stream, long offset) {
    Memory.read(open(), this, destination, CudaStream.getCPtr(Given.notNull(stream, "stream")), stream, offset);
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

  //: said Said.of("CudaBuffer", this::isClosed, () -> "of " + getSize() + " bytes")
}
