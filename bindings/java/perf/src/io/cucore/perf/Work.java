// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.CudaStream;

/** A work that is measured or profiled. It adds its work to a stream and returns without a wait. */
@FunctionalInterface
public interface Work {
  /**
   * Adds the work. An exception ends the call of the library, which throws it again.
   *
   * @param stream the stream of the measurement
   * @throws Exception any failure of the work
   */
  void run(CudaStream stream) throws Exception;
}
