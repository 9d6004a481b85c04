// SPDX-License-Identifier: Apache-2.0
// The occupancy functions.
#include <algorithm>

#include "cpu/driver/api.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/function_attributes.hpp"
#include "cpu/driver/launch.hpp"
#include "cpu/driver/occupancy.hpp"

namespace cucore::cpu::api {
namespace {

const Multiprocessor& sm_of(const Function& f) { return f.device().profile().multiprocessor(); }

void require_occupancy_flags(unsigned flags) {
  require((flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) == 0);
}

int max_threads(const Function& f) {
  return function_attribute(f.info(), f.attributes(), f.device().profile(),
                            CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

// A block that no launch could have has zero active blocks. The bounds of the compile do not count.
int active_blocks(const Function& f, int block, size_t dynamic_shared) {
  const Profile& profile = f.device().profile();
  bool fits = block <= profile.value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) &&
              dynamic_shared <= static_cast<size_t>(f.attributes().max_dynamic_shared.load());
  if (!fits) return 0;
  const BlockNeeds needs = needs_of(f, block, dynamic_shared);
  Multiprocessor sm = profile.multiprocessor();
  sm.shared =
      static_cast<int>(shared_for_blocks(profile, needs.shared, f.attributes().carveout.load()));
  return blocks_per_multiprocessor(sm, needs);
}

unsigned cluster_of(const Function& f, const CUlaunchConfig& config, LaunchRequest& request) {
  apply_attributes(request, config.attrs, config.numAttrs);
  unsigned size = 1;
  for (int i = 0; i < 3; ++i) {
    auto required = static_cast<unsigned>(f.attributes().cluster[i].load());
    size *= std::max(1u, request.cluster[i] ? request.cluster[i] : required);
  }
  return size;
}

int block_of(const CUlaunchConfig& c) {
  uint64_t threads = uint64_t{c.blockDimX} * c.blockDimY * c.blockDimZ;
  require(threads > 0 && threads <= 1024);
  return static_cast<int>(threads);
}

}  // namespace

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, CUfunction func,
                                                              int blockSize, size_t dynamicSMemSize,
                                                              unsigned int flags) {
  require(numBlocks && blockSize > 0);
  require_occupancy_flags(flags);
  *numBlocks = active_blocks(*find_function(func), blockSize, dynamicSMemSize);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
  return api::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
                                                                   dynamicSMemSize, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize,
                                                   CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit,
                                                   unsigned int flags) {
  require(minGridSize && blockSize && blockSizeLimit >= 0);
  require_occupancy_flags(flags);
  auto f = find_function(func);
  int most = max_threads(*f);
  if (blockSizeLimit) most = std::min(most, blockSizeLimit);
  int best = 0, best_threads = 0, best_blocks = 0;
  for (int block = most; block > 0; block = (block - 1) / 32 * 32) {
    size_t shared =
        blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(block) : dynamicSMemSize;
    int blocks = active_blocks(*f, block, shared);
    if (blocks * block <= best_threads) continue;
    best = block;
    best_blocks = blocks;
    best_threads = blocks * block;
  }
  *blockSize = best;
  *minGridSize =
      best_blocks * f->device().profile().value(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                          size_t dynamicSMemSize, int blockSizeLimit) {
  return api::cuOccupancyMaxPotentialBlockSizeWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func,
                                                 int numBlocks, int blockSize) {
  require(dynamicSmemSize && numBlocks > 0 && blockSize > 0);
  auto f = find_function(func);
  require(numBlocks <= active_blocks(*f, blockSize, 0));
  const size_t share = shared_per_block(sm_of(*f), numBlocks), fixed = f->info().static_shared;
  const auto most = static_cast<size_t>(f->attributes().max_dynamic_shared.load());
  *dynamicSmemSize = share > fixed ? std::min(share - fixed, most) : 0;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int* numClusters, CUfunction func,
                                      const CUlaunchConfig* config) {
  require(numClusters && config);
  auto f = find_function(func);
  const Multiprocessor& sm = sm_of(*f);
  require(sm.max_cluster > 0, CUDA_ERROR_NOT_SUPPORTED);
  LaunchRequest request{};
  unsigned cluster = cluster_of(*f, *config, request);
  require(cluster <= static_cast<unsigned>(largest_cluster(*f)), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  int count = f->device().profile().value(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  *numClusters = active_clusters(sm, count, static_cast<int>(cluster),
                                 needs_of(*f, block_of(*config), config->sharedMemBytes));
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialClusterSize(int* clusterSize, CUfunction func,
                                            const CUlaunchConfig* config) {
  require(clusterSize && config);
  auto f = find_function(func);
  const Multiprocessor& sm = sm_of(*f);
  require(sm.max_cluster > 0, CUDA_ERROR_NOT_SUPPORTED);
  BlockNeeds needs = needs_of(*f, block_of(*config), config->sharedMemBytes);
  int most = largest_cluster(*f);
  while (most > 1 && active_clusters(sm, sm.gpc, most, needs) == 0) most /= 2;
  *clusterSize = most;
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
