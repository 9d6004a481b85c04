// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class CudaMemoryPool {
  //: cucore_pool_query
  public PoolStatistics getStatistics() {
    return new PoolStatistics(statisticsNow());
  }
}
