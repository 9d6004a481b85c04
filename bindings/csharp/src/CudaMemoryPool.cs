// SPDX-License-Identifier: Apache-2.0
// The numbers of pools.
namespace Cucore {
public partial class CudaMemoryPool {
  //: cucore_pool_query
  public PoolStatistics Statistics { get { return new PoolStatistics(RawStatistics()); } }
}
}
