// SPDX-License-Identifier: Apache-2.0
// Clusters, distributed shared memory and bulk copies, by cooperative groups and cuda::ptx.
#include <numeric>

#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

using Clusters = Kernels;

Shape cluster_shape(unsigned grid, unsigned block, unsigned cluster, unsigned shared = 0) {
  Shape shape{grid, block, shared};
  shape.cluster = cluster;
  return shape;
}

TEST_P(Clusters, ShareAHistogram) {
  const auto program = compiled(R"cuda(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void histogram(const unsigned* in, unsigned n, unsigned* out, unsigned bins) {
  extern __shared__ unsigned part[];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned own = bins / cluster.num_blocks();
  for (unsigned i = threadIdx.x; i < own; i += blockDim.x) part[i] = 0;
  cluster.sync();
  for (unsigned i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) {
    unsigned bin = in[i] % bins;
    atomicAdd(cluster.map_shared_rank(part, bin / own) + bin % own, 1);
  }
  cluster.sync();
  for (unsigned i = threadIdx.x; i < own; i += blockDim.x)
    atomicAdd(&out[cluster.block_rank() * own + i], part[i]);
  if (cluster.thread_rank() == 0)
    atomicAdd(&out[bins], cluster.num_threads() + 1000 * cluster.dim_blocks().x + cluster.query_shared_rank(part));
})cuda");
  constexpr unsigned COUNT = 5000, BINS = 128;
  const auto words = random_words(COUNT);
  const Buffer<unsigned> in(words), out(BINS + 1);
  program->run("histogram", cluster_shape(8, 96, 4, BINS), in, COUNT, out, BINS);
  std::vector<unsigned> expected(BINS + 1);
  for (unsigned word : words) ++expected[word % BINS];
  expected[BINS] = 2 * (4 * 96 + 4000);
  EXPECT_EQ(out.read(), expected);
}

TEST_P(Clusters, HaveFixedDimensions) {
  const auto program = compiled(R"cuda(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 2, 1) k(unsigned* out) {
  __shared__ unsigned mine;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = blockIdx.y * 100 + blockIdx.x;
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(static_cast<decltype(token)&&>(token));
  unsigned rank = (cluster.block_rank() + 1) % cluster.num_blocks();
  dim3 place = cluster.block_index(), size = cluster.dim_blocks();
  unsigned got = *cluster.map_shared_rank(&mine, rank);
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.y * gridDim.x + blockIdx.x] = got * 10000 + place.y * 1000 + place.x * 100 + size.y * 10 + size.x;
})cuda");
  const Buffer<unsigned> out(8);
  Shape shape{4, 32};
  shape.grid_y = 2;
  program->run("k", shape, out);
  const auto got = out.read();
  for (unsigned y = 0; y < 2; ++y)
    for (unsigned x = 0; x < 4; ++x) {
      const unsigned next = (y * 2 + x % 2 + 1) % 4, from = next / 2 * 100 + x / 2 * 2 + next % 2;
      EXPECT_EQ(got[y * 4 + x], from * 10000 + y * 1000 + x % 2 * 100 + 22) << x << "," << y;
    }
}

// One block loads a tile for the whole cluster; every block adds to it and sends it to the next.
TEST_P(Clusters, CopyInBulk) {
  const auto program = compiled(R"cuda(
#include <cuda/ptx>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ void tiles(const int* in, int* out, int* sums) {
  __shared__ alignas(128) int tile[256], next[256];
  __shared__ unsigned long long full, sent;
  auto cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), count = cluster.num_blocks();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&sent, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &sent, sizeof next);
  }
  cluster.sync();
  if (rank == 0 && threadIdx.x == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1], %2, [%3], %4;"
                 :: "r"((unsigned)__cvta_generic_to_shared(tile)), "l"(__cvta_generic_to_global(in)), "r"((unsigned)sizeof tile),
                    "r"((unsigned)__cvta_generic_to_shared(&full)), "h"((unsigned short)((1 << count) - 1)) : "memory");
  while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
  tile[threadIdx.x] += rank * 1000;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned to = (rank + 1) % count;
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(next, to), tile, sizeof next, cluster.map_shared_rank(&sent, to));
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + rank * 256, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
  }
  while (!ptx::mbarrier_try_wait_parity(&sent, 0)) {}
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  __syncthreads();
  out[(count + rank) * 256 + threadIdx.x] = next[255 - threadIdx.x];
  cluster.sync();
})cuda");
  std::vector<int> values(256);
  std::iota(values.begin(), values.end(), 10);
  const Buffer<int> in(values), out(8 * 256), sums(size_t{256});
  program->run("tiles", cluster_shape(4, 256, 4), in, out, sums);
  const auto got = out.read(), total = sums.read();
  for (int i = 0; i < 256; ++i) {
    for (int rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(got[size_t(rank * 256 + i)], 10 + i + rank * 1000);
      EXPECT_EQ(got[size_t((4 + rank) * 256 + i)], 10 + 255 - i + (rank + 3) % 4 * 1000);
    }
    EXPECT_EQ(total[size_t(i)], 4 * (10 + i) + 6000);
  }
}

TEST_P(Clusters, StoreAsynchronously) {
  const auto program = compiled(R"cuda(
#include <cuda/ptx>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ void k(int* out) {
  __shared__ int received[64];
  __shared__ unsigned total;
  __shared__ unsigned long long bar;
  auto cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), other = rank ^ 1;
  if (threadIdx.x == 0) {
    total = 5;
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof received + 4 * 64);
  }
  cluster.sync();
  auto remote = cluster.map_shared_rank(&bar, other);
  ptx::st_async(cluster.map_shared_rank(received, other) + threadIdx.x, int(rank * 100 + threadIdx.x), remote);
  ptx::red_async(ptx::op_add, cluster.map_shared_rank(&total, other), threadIdx.x, remote);
  while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cluster, &bar, 0ull)) {}
  out[rank * 64 + threadIdx.x] = received[threadIdx.x] + total * 1000;
  cluster.sync();
})cuda");
  const Buffer<int> out(size_t{128});
  program->run("k", cluster_shape(2, 64, 2), out);
  const auto got = out.read();
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(got[size_t(i)], (i / 64 ^ 1) * 100 + i % 64 + (63 * 32 + 5) * 1000);
}

// Earlier architectures have no clusters.
INSTANTIATE_TEST_SUITE_P(Builds, Clusters, testing::Values(BUILDS[0], BUILDS[5]), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
