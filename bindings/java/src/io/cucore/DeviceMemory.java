// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/**
 * An object with device memory, which a launch takes as an argument for a pointer: an {@code NdArray} of
 * {@code io.cucore.array}, or an array of another library.
 */
public interface DeviceMemory {
  /**
   * Makes the memory ready for a launch in a stream.
   *
   * @param stream the stream of the launch, which first waits for what fills the memory
   * @return the memory, which the launch closes when the kernel is queued
   */
  Loan lend(CudaStream stream);

  /** Memory for one launch. */
  interface Loan extends AutoCloseable {
    /**
     * Returns the buffer. The launch records that its stream uses it.
     *
     * @return an open buffer
     */
    CudaBuffer getBuffer();

    /**
     * Returns where the elements begin.
     *
     * @return the first byte in the buffer
     */
    long getOffset();

    /** Ends the loan, also after a launch that failed. Later work of the owner waits for the stream of the launch. */
    @Override
    void close();
  }
}
