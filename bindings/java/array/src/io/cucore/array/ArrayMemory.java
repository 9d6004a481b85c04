// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.CudaBuffer;

/** The memory of an array, which others may use. */
public final class ArrayMemory implements AutoCloseable {
  private final CudaBuffer buffer;
  private final long offset;

  ArrayMemory(Object[] made) {
    buffer = (CudaBuffer) made[0];
    offset = (Long) made[1];
  }

  /** Returns the buffer with the elements.
   * @return the buffer, which this object closes */
  public CudaBuffer getBuffer() {
    return buffer;
  }

  /** Returns where the element at index 0 is.
   * @return its first byte in the buffer */
  public long getOffset() {
    return offset;
  }

  /** Releases the buffer. The array keeps its memory. A second call does nothing. */
  @Override
  public void close() {
    buffer.close();
  }

  /** Returns the buffer and the offset. */
  @Override
  public String toString() {
    return "ArrayMemory at byte " + offset + " of " + buffer;
  }
}
