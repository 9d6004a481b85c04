// SPDX-License-Identifier: Apache-2.0
// Threads that cooperate: warps, cooperative groups, grids.
#include <algorithm>
#include <map>
#include <numeric>

#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

using Groups = Kernels;

TEST_P(Groups, WarpFunctions) {
  const auto program = compiled(R"cuda(
extern "C" __global__ void votes(const unsigned* in, unsigned* out) {
  unsigned i = threadIdx.x, x = in[i] & 7, m = ~0u;
  unsigned* o = out + i * 12;
  o[0] = __ballot_sync(m, x & 1);
  o[1] = __any_sync(m, x == 9) * 2 + __all_sync(m, x < 8);
  o[2] = __match_any_sync(m, x);
  int all = 7;
  o[3] = __match_all_sync(m, 5, &all) + (all ? 1000 : 0);
  o[4] = __popc(__match_any_sync(m, (unsigned long long)x << 40));
  o[5] = (unsigned)__shfl_sync(m, (long long)in[i] << 20, (i + 5) & 31);
  o[6] = __float_as_uint(__shfl_xor_sync(m, (float)x, 3));
  o[7] = (unsigned)__shfl_up_sync(m, (double)in[i], 2, 8);
  o[8] = __shfl_down_sync(m, in[i], 7, 16);
  if (x & 1) o[9] = __ballot_sync(__activemask(), x & 2); else o[9] = __popc(__activemask());
  unsigned mine = __match_any_sync(m, x >> 1);
  o[10] = __shfl_sync(mine, i, __ffs(mine) - 1);
  __syncwarp(mine);
  o[11] = __fns(in[i], 0, 3);
})cuda");
  const auto words = random_words(32);
  const Buffer<unsigned> in(words), out(32 * 12);
  program->run("votes", {1, 32}, in, out);
  const auto got = out.read();
  auto x = [&](unsigned l) { return words[l] & 7; };
  for (unsigned i = 0; i < 32; ++i) {
    unsigned odd = 0, second = 0, same = 0, near = 0;
    for (unsigned l = 0; l < 32; ++l) {
      odd |= (x(l) & 1) << l;
      second |= unsigned((x(l) & 3) == 3) << l;
      same |= unsigned(x(l) == x(i)) << l;
      near |= unsigned(x(l) >> 1 == x(i) >> 1) << l;
    }
    const unsigned* o = &got[i * 12];
    EXPECT_EQ(o[0], odd);
    EXPECT_EQ(o[1], 1u);
    EXPECT_EQ(o[2], same);
    EXPECT_EQ(o[3], ~0u + 1000);
    EXPECT_EQ(o[4], unsigned(__builtin_popcount(same)));
    EXPECT_EQ(o[5], words[(i + 5) & 31] << 20);
    float expected = float(x(i ^ 3));
    unsigned bits;
    std::memcpy(&bits, &expected, 4);
    EXPECT_EQ(o[6], bits);
    EXPECT_EQ(o[7], i % 8 >= 2 ? words[i - 2] : words[i]);
    EXPECT_EQ(o[8], i % 16 + 7 < 16 ? words[i + 7] : words[i]);
    EXPECT_EQ(o[9], x(i) & 1 ? second : 32u - unsigned(__builtin_popcount(odd)));
    EXPECT_EQ(o[10], unsigned(__builtin_ctz(near)));
    unsigned rest = words[i], place = ~0u;
    for (int k = 0; k < 3 && rest; ++k, rest &= rest - 1) place = unsigned(__builtin_ctz(rest));
    EXPECT_EQ(o[11], __builtin_popcount(words[i]) >= 3 ? place : ~0u);
  }
}

TEST_P(Groups, TilesAndCoalescedThreads) {
  const auto program = compiled(R"cuda(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
template <int N> __device__ unsigned tile(unsigned v) {
  auto t = cg::tiled_partition<N>(cg::this_thread_block());
  unsigned r = cg::reduce(t, v, cg::plus<unsigned>()) + cg::reduce(t, v, cg::less<unsigned>()) * 3;
  r ^= cg::inclusive_scan(t, v) + cg::exclusive_scan(t, v, cg::bit_xor<unsigned>());
  t.sync();
  return r + t.thread_rank() * 7 + t.meta_group_rank() * 1000 + t.meta_group_size() + t.shfl(v, 1 % N);
}
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  auto block = cg::this_thread_block();
  unsigned i = block.thread_rank(), v = in[i] & 0xFFFF;
  unsigned* o = out + i * 8;
  o[0] = tile<32>(v); o[1] = tile<16>(v); o[2] = tile<4>(v); o[3] = tile<1>(v);
  auto warp = cg::tiled_partition<32>(block);
  o[4] = 0;
  if (v % 3 == 1) {
    cg::coalesced_group g = cg::coalesced_threads();
    o[4] = cg::reduce(g, v, cg::greater<unsigned>()) * 64 + g.thread_rank() + g.size() * 100000;
    g.sync();
  }
  auto labeled = cg::labeled_partition(warp, v & 3);
  o[5] = cg::reduce(labeled, v, cg::plus<unsigned>()) + labeled.thread_rank();
  auto halves = cg::binary_partition(warp, v & 1);
  o[6] = halves.size() * 100 + halves.thread_rank();
  o[7] = cg::reduce(warp, (double)v, cg::plus<double>());
})cuda");
  constexpr unsigned THREADS = 96;
  const auto words = random_words(THREADS, 5);
  const Buffer<unsigned> in(words), out(THREADS * 8);
  program->run("k", {1, THREADS}, in, out);
  const auto got = out.read();
  std::vector<unsigned> v;
  for (unsigned w : words) v.push_back(w & 0xFFFF);
  for (unsigned i = 0; i < THREADS; ++i) {
    const unsigned* o = &got[i * 8];
    const unsigned sizes[] = {32, 16, 4, 1};
    for (unsigned s = 0; s < 4; ++s) {
      const unsigned n = sizes[s], base = i / n * n, rank = i % n;
      const auto first = v.begin() + base, last = first + n;
      const unsigned sum = std::accumulate(first, last, 0u);
      const unsigned inclusive = std::accumulate(first, first + rank + 1, 0u);
      unsigned exclusive = 0;
      for (unsigned l = 0; l < rank; ++l) exclusive ^= v[base + l];
      const unsigned r = (sum + *std::min_element(first, last) * 3) ^ (inclusive + exclusive);
      EXPECT_EQ(o[s], r + rank * 7 + i / n * 1000 + THREADS / n + v[base + 1 % n]) << n;
    }
    const unsigned base = i / 32 * 32;
    auto members = [&](auto same) {
      std::vector<unsigned> lanes;
      for (unsigned l = base; l < base + 32; ++l)
        if (same(v[l])) lanes.push_back(l);
      return lanes;
    };
    auto rank = [&](const std::vector<unsigned>& lanes) {
      return unsigned(std::find(lanes.begin(), lanes.end(), i) - lanes.begin());
    };
    if (v[i] % 3 == 1) {
      const auto lanes = members([](unsigned x) { return x % 3 == 1; });
      unsigned most = 0;
      for (unsigned l : lanes) most = std::max(most, v[l]);
      EXPECT_EQ(o[4], most * 64 + rank(lanes) + unsigned(lanes.size()) * 100000);
    }
    const auto label = members([&](unsigned x) { return (x & 3) == (v[i] & 3); });
    unsigned sum = rank(label);
    for (unsigned l : label) sum += v[l];
    EXPECT_EQ(o[5], sum);
    const auto half = members([&](unsigned x) { return (x & 1) == (v[i] & 1); });
    EXPECT_EQ(o[6], unsigned(half.size()) * 100 + rank(half));
    EXPECT_EQ(o[7], std::accumulate(v.begin() + base, v.begin() + base + 32, 0u));
  }
}

TEST_P(Groups, GridsSynchronise) {
  const auto program = compiled(R"cuda(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void prefix(unsigned* a, unsigned* b, unsigned n) {
  cg::grid_group grid = cg::this_grid();
  for (unsigned step = 1; step < n; step *= 2) {
    for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) b[i] = a[i] + (i >= step ? a[i - step] : 0);
    grid.sync();
    unsigned* t = a; a = b; b = t;
  }
  if (grid.thread_rank() == 0) b[0] = grid.num_blocks() * 1000 + grid.is_valid();
})cuda");
  constexpr unsigned COUNT = 1024;  // ten steps: the result ends in a
  const auto words = random_words(COUNT);
  const Buffer<unsigned> a(words), b(COUNT);
  Shape shape{7, 96};
  shape.cooperative = true;
  program->run("prefix", shape, a, b, COUNT);
  const auto got = a.read();
  unsigned sum = 0;
  for (unsigned i = 0; i < COUNT; ++i) ASSERT_EQ(got[i], sum += words[i]) << i;
  EXPECT_EQ(b.read()[0], 7001u);
}

TEST_P(Groups, AsynchronousCopies) {
  const auto program = compiled(R"cuda(
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda/barrier>
namespace cg = cooperative_groups;
extern "C" __global__ void whole(const int4* in, int* out, unsigned n) {
  extern __shared__ int4 room[];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, room, in + blockIdx.x * n, sizeof(int4) * n);
  cg::wait(block);
  const int* p = (const int*)room;
  for (unsigned i = threadIdx.x; i < 4 * n; i += blockDim.x) out[blockIdx.x * 4 * n + i] = p[4 * n - 1 - i];
}
extern "C" __global__ void staged(const int* in, int* out, unsigned batches) {
  constexpr int STAGES = 2;
  __shared__ int room[STAGES][64];
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (unsigned next = 0, b = 0; b < batches; ++b) {
    for (; next < batches && next < b + STAGES; ++next) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, room[next % STAGES], in + next * 64, sizeof(int) * 64, pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += room[b % STAGES][63 - threadIdx.x] * int(b + 1);
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void by_barrier(const int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int room[128];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    cuda::memcpy_async(cg::this_thread_block(), room, in + round * 128, sizeof room, barrier);
    barrier.arrive_and_wait();
    out[round * 128 + threadIdx.x] = room[threadIdx.x ^ 37];
    barrier.arrive_and_wait();
  }
})cuda");
  const auto words = random_words(1024);
  const Buffer<unsigned> in(words), out(1024);
  program->run("whole", {2, 64, 96 * 16}, in, out, 96u);
  auto got = out.read();
  for (unsigned i = 0; i < 768; ++i) ASSERT_EQ(got[i], words[i / 384 * 384 + 383 - i % 384]) << i;
  program->run("staged", {1, 64}, in, out, 9u);
  got = out.read();
  for (unsigned i = 0; i < 64; ++i) {
    unsigned sum = 0;
    for (unsigned b = 0; b < 9; ++b) sum += words[b * 64 + 63 - i] * (b + 1);
    ASSERT_EQ(got[i], sum) << i;
  }
  program->run("by_barrier", {1, 128}, in, out);
  got = out.read();
  for (unsigned i = 0; i < 384; ++i) ASSERT_EQ(got[i], words[i / 128 * 128 + (i % 128 ^ 37)]) << i;
}

INSTANTIATE_TEST_SUITE_P(Builds, Groups, testing::ValuesIn(BUILDS), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
