// SPDX-License-Identifier: Apache-2.0
// libcu++ (cuda::std, cuda::atomic and friends) and CUB from the toolkit's headers.
#include <algorithm>
#include <complex>
#include <numeric>

#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

using Library = Kernels;

TEST_P(Library, AtomicsOfEveryKind) {
  const auto program = compiled(R"cuda(
#include <cuda/atomic>
#include <cuda/std/cstdint>
using cuda::std::memory_order_relaxed; using cuda::std::memory_order_acq_rel; using cuda::std::memory_order_seq_cst;
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> total;
__device__ cuda::atomic<unsigned long long, cuda::thread_scope_system> wide;
__device__ cuda::atomic<float, cuda::thread_scope_device> real;
__device__ cuda::std::atomic<cuda::std::uint8_t> byte;
__device__ cuda::std::atomic<short> narrow;
__device__ cuda::atomic<double, cuda::thread_scope_block> deep;
struct Pair { unsigned a, b; };
__device__ cuda::atomic<Pair, cuda::thread_scope_device> pair;
__device__ unsigned plain[4];
__device__ cuda::std::atomic_flag flag;
__device__ unsigned guarded;
extern "C" __global__ void k(unsigned* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  total.fetch_add(i, memory_order_relaxed);
  total ^= 0;
  wide.fetch_add(1ull << (i % 40), memory_order_seq_cst);
  real.fetch_add(0.5f);
  if (blockIdx.x == 0) deep.fetch_add(0.25);
  byte.fetch_add(3, memory_order_acq_rel);
  narrow.fetch_sub(2);
  Pair old = pair.load(), next;
  do { next = {old.a + 1, old.b + i}; } while (!pair.compare_exchange_weak(old, next));
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> r(plain[i % 4]);
  r.fetch_max(i); if (i % 4 == 3) r.fetch_or(1u << 20);
  while (flag.test_and_set(cuda::std::memory_order_acquire)) {}
  guarded += i;
  flag.clear(cuda::std::memory_order_release);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> turn;
  if (threadIdx.x == 0) turn.store(0);
  __syncthreads();
  if (threadIdx.x % 32 == 0) {  // each warp waits for the one before it
    int warp = threadIdx.x / 32;
    for (int seen; (seen = turn.load()) != warp;) turn.wait(seen);
    turn.store(warp + 1); turn.notify_all();
  }
  __syncthreads();
  if (threadIdx.x == 0 && turn.load() != (int)(blockDim.x / 32)) out[15] = 1;
}
extern "C" __global__ void read(unsigned* out) {
  out[0] = total; out[1] = (unsigned)wide.load(); out[2] = (unsigned)(wide.load() >> 32);
  out[3] = (unsigned)real.load(); out[4] = byte.load(); out[5] = (unsigned short)narrow.load();
  out[6] = (unsigned)deep.load(); out[7] = pair.load().a; out[8] = pair.load().b;
  for (int k = 0; k < 4; ++k) out[9 + k] = plain[k];
  out[13] = guarded;
})cuda");
  constexpr unsigned BLOCKS = 5, THREADS = 128, ALL = BLOCKS * THREADS;
  const Buffer<unsigned> out(16);
  program->run("k", {BLOCKS, THREADS}, out);
  program->run("read", {1, 1}, out);
  const auto got = out.read();
  unsigned long long wide = 0;
  for (unsigned i = 0; i < ALL; ++i) wide += 1ull << (i % 40);
  const unsigned sum = ALL * (ALL - 1) / 2;
  EXPECT_EQ(got[0], sum);
  EXPECT_EQ(got[1], unsigned(wide));
  EXPECT_EQ(got[2], unsigned(wide >> 32));
  EXPECT_EQ(got[3], ALL / 2);
  EXPECT_EQ(got[4], ALL * 3 % 256);
  EXPECT_EQ(got[5], (65536 - 2 * ALL) % 65536);
  EXPECT_EQ(got[6], THREADS / 4);
  EXPECT_EQ(got[7], ALL);
  EXPECT_EQ(got[8], sum);
  for (unsigned k = 0; k < 3; ++k) EXPECT_EQ(got[9 + k], ALL - 4 + k);
  EXPECT_EQ(got[12] & 1u << 20, 1u << 20);
  EXPECT_EQ(got[13], sum);
  EXPECT_EQ(got[15], 0u);
}

TEST_P(Library, BarriersLatchesSemaphores) {
  const auto program = compiled(R"cuda(
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
extern "C" __global__ void blocks(unsigned* data, unsigned* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  unsigned v = data[threadIdx.x];
  __shared__ unsigned room[128];
  for (int round = 0; round < 5; ++round) {
    room[threadIdx.x] = v;
    auto token = barrier.arrive();
    unsigned extra = round * 3;
    barrier.wait(cuda::std::move(token));
    v = room[(threadIdx.x + 1) % 128] * 5 + extra;
    barrier.arrive_and_wait();
  }
  if (threadIdx.x >= 64) { barrier.arrive_and_drop(); }
  else { room[threadIdx.x] = v; barrier.arrive_and_wait(); v += room[63 - threadIdx.x]; }
  out[threadIdx.x] = v;
}
__device__ cuda::latch<cuda::thread_scope_device>* latch_of(void* p) { return (cuda::latch<cuda::thread_scope_device>*)p; }
__device__ __align__(16) char room_of_latch[64], room_of_semaphore[64];
__device__ unsigned ready, inside, most, done;
extern "C" __global__ void prepare() {
  new (room_of_latch) cuda::latch<cuda::thread_scope_device>(4);
  new (room_of_semaphore) cuda::counting_semaphore<cuda::thread_scope_device, 8>(2);
}
extern "C" __global__ void across(unsigned* out) {
  if (threadIdx.x == 0) {
    atomicAdd(&ready, 1);
    latch_of(room_of_latch)->arrive_and_wait();
    out[blockIdx.x] = *(volatile unsigned*)&ready;
    auto* s = (cuda::counting_semaphore<cuda::thread_scope_device, 8>*)room_of_semaphore;
    s->acquire();
    unsigned now = atomicAdd(&inside, 1) + 1;
    atomicMax(&most, now);
    for (int k = 0; k < 50; ++k) __nanosleep(10);
    atomicSub(&inside, 1);
    s->release();
    atomicAdd(&done, 1);
  }
}
extern "C" __global__ void read(unsigned* out) { out[8] = most; out[9] = done; out[10] = inside; }
)cuda");
  const auto words = random_words(128);
  const Buffer<unsigned> in(words), out(128);
  program->run("blocks", {1, 128}, in, out);
  std::vector<unsigned> v = words;
  for (unsigned round = 0; round < 5; ++round) {
    const auto before = v;
    for (unsigned i = 0; i < 128; ++i) v[i] = before[(i + 1) % 128] * 5 + round * 3;
  }
  const auto got = out.read();
  for (unsigned i = 0; i < 128; ++i) ASSERT_EQ(got[i], i < 64 ? v[i] + v[63 - i] : v[i]) << i;
  program->run("prepare", {1, 1});
  program->run("across", {4, 32}, out);
  program->run("read", {1, 1}, out);
  const auto after = out.read();
  for (unsigned b = 0; b < 4; ++b) EXPECT_EQ(after[b], 4u);
  EXPECT_GE(after[8], 1u);
  EXPECT_LE(after[8], 2u);
  EXPECT_EQ(after[9], 4u);
  EXPECT_EQ(after[10], 0u);
}

TEST_P(Library, ContainersAndNumbers) {
  const auto program = compiled(R"cuda(
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>
namespace std_ = cuda::std;
struct Visitor {
  __device__ unsigned operator()(int v) const { return unsigned(v) * 2; }
  __device__ unsigned operator()(float v) const { return (unsigned)(v * 4); }
  __device__ unsigned operator()(std_::array<short, 3> v) const { return unsigned(v[0] + v[1] * v[2]); }
};
extern "C" __global__ void k(unsigned* in, unsigned* out) {
  unsigned i = threadIdx.x, x = in[i];
  std_::span<unsigned> all(in, blockDim.x);
  unsigned* o = out + 8 * i;
  unsigned sum = 0;
  for (unsigned v : all.subspan(i / 2, 4)) sum += v;
  o[0] = sum;
  std_::tuple<unsigned, short, double> t(x, short(x), x * 0.5);
  auto [a, b, c] = t;
  o[1] = a + unsigned(b) + unsigned(c / 4) + std_::get<0>(std_::tuple_cat(t, std_::make_tuple(1)));
  std_::optional<unsigned> maybe;
  if (x & 1) maybe = x * 3;
  o[2] = maybe.value_or(17);
  std_::variant<int, float, std_::array<short, 3>> v;
  if (i % 3 == 0) v = int(x & 0xFFFF); else if (i % 3 == 1) v = float(x & 255) * 0.5f; else v = std_::array<short, 3>{1, short(x & 63), 3};
  o[3] = std_::visit(Visitor{}, v) + unsigned(v.index()) * 1000000;
  o[4] = std_::popcount(x) + 100 * std_::countl_zero(x) + 10000 * std_::countr_one(x) + std_::bit_ceil(x >> 3);
  std_::complex<double> z(double(int(x)) / 3, double(i)), w(1.25, -2.5);
  z = z * w + std_::conj(w) / std_::complex<double>(2, 1);
  o[5] = (unsigned)(long long)(z.real() * 1024); o[6] = (unsigned)(long long)(z.imag() * 1024);
  o[7] = std_::rotl(x, int(i)) ^ std_::numeric_limits<unsigned>::max();
})cuda");
  auto words = random_words(64);
  const Buffer<unsigned> in(words), out(64 * 8);
  program->run("k", {1, 62}, in, out);
  const auto got = out.read();
  for (unsigned i = 0; i < 62; ++i) {
    const unsigned x = words[i], *o = &got[8 * i];
    EXPECT_EQ(o[0], words[i / 2] + words[i / 2 + 1] + words[i / 2 + 2] + words[i / 2 + 3]);
    EXPECT_EQ(o[1], x + unsigned(short(x)) + unsigned(x * 0.5 / 4) + x);
    EXPECT_EQ(o[2], x & 1 ? x * 3 : 17);
    const unsigned visited[] = {(x & 0xFFFF) * 2, (x & 255) * 2, 1 + (x & 63) * 3};
    EXPECT_EQ(o[3], visited[i % 3] + i % 3 * 1000000);
    const unsigned ones = unsigned(__builtin_popcount(x)),
                   leading = x ? unsigned(__builtin_clz(x)) : 32,
                   trailing = ~x ? unsigned(__builtin_ctz(~x)) : 32;
    unsigned ceiling = 1;
    while (ceiling < x >> 3) ceiling *= 2;
    EXPECT_EQ(o[4], ones + 100 * leading + 10000 * trailing + ceiling);
    std::complex<double> z(double(int(x)) / 3, double(i)), w(1.25, -2.5);
    z = z * w + std::conj(w) / std::complex<double>(2, 1);
    EXPECT_NEAR(int(o[5] - unsigned((long long)(z.real() * 1024))), 0, 1);
    EXPECT_NEAR(int(o[6] - unsigned((long long)(z.imag() * 1024))), 0, 1);
    EXPECT_EQ(o[7], ~(x << (i & 31) | (i & 31 ? x >> (32 - (i & 31)) : 0)));
  }
}

TEST_P(Library, BlockPrimitives) {
  const auto program = compiled(R"cuda(
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
constexpr int N = 128, I = 4;
template <cub::BlockReduceAlgorithm A> __device__ unsigned reduced(unsigned v) {
  using R = cub::BlockReduce<unsigned, N, A>; __shared__ typename R::TempStorage t;
  unsigned r = R(t).Sum(v); __syncthreads(); return r;
}
template <cub::BlockScanAlgorithm A> __device__ void scanned(unsigned* items, unsigned& sum) {
  using S = cub::BlockScan<unsigned, N, A>; __shared__ typename S::TempStorage t;
  S(t).ExclusiveSum(*(unsigned(*)[I])items, *(unsigned(*)[I])items, sum); __syncthreads();
}
struct Less { __device__ bool operator()(const unsigned& a, const unsigned& b) const { return a < b; } };
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  unsigned i = threadIdx.x, items[I], keys[I], values[I], sum = 0;
  for (int k = 0; k < I; ++k) items[k] = in[i * I + k] >> 16;
  unsigned one = items[0];
  unsigned r0 = reduced<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(one), r1 = reduced<cub::BLOCK_REDUCE_RAKING>(one),
           r2 = reduced<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(one);
  if (i == 0) { out[0] = r0; out[1] = r1; out[2] = r2; }
  unsigned copy[I];
  for (int k = 0; k < I; ++k) copy[k] = items[k];
  scanned<cub::BLOCK_SCAN_WARP_SCANS>(copy, sum);
  for (int k = 0; k < I; ++k) out[16 + i * I + k] = copy[k];
  if (i == 0) out[3] = sum;
  for (int k = 0; k < I; ++k) copy[k] = items[k];
  scanned<cub::BLOCK_SCAN_RAKING>(copy, sum);
  if (i == N - 1) out[4] = copy[I - 1];
  { using S = cub::BlockRadixSort<unsigned, N, I, unsigned>; __shared__ typename S::TempStorage t;
    for (int k = 0; k < I; ++k) { keys[k] = in[i * I + k]; values[k] = i * I + k; }
    S(t).Sort(keys, values); __syncthreads();
    for (int k = 0; k < I; ++k) { out[1024 + i * I + k] = keys[k]; out[2048 + i * I + k] = values[k]; } }
  { using S = cub::BlockMergeSort<unsigned, N, I>; __shared__ typename S::TempStorage t;
    for (int k = 0; k < I; ++k) keys[k] = in[i * I + k] * 7;
    // The sort also reads, and drops, a key behind its last one. The check `init` reports such reads.
    for (unsigned k = i; k < sizeof t / 4; k += N) ((unsigned*)&t)[k] = 0;
    __syncthreads();
    S(t).Sort(keys, Less()); __syncthreads();
    for (int k = 0; k < I; ++k) out[3072 + i * I + k] = keys[k]; }
  { using H = cub::BlockHistogram<unsigned char, N, I, 64>; __shared__ typename H::TempStorage t; __shared__ unsigned h[64];
    unsigned char bins[I]; for (int k = 0; k < I; ++k) bins[k] = in[i * I + k] & 63;
    H(t).Histogram(bins, h); __syncthreads();
    if (i < 64) out[4096 + i] = h[i]; __syncthreads(); }
  { using E = cub::BlockExchange<unsigned, N, I>; __shared__ typename E::TempStorage t;
    for (int k = 0; k < I; ++k) keys[k] = i * I + k;
    E(t).BlockedToStriped(keys, keys); __syncthreads();
    for (int k = 0; k < I; ++k) out[4200 + i * I + k] = keys[k]; }
  { using W = cub::WarpReduce<unsigned>; __shared__ typename W::TempStorage t[N / 32];
    unsigned m = W(t[i / 32]).Reduce(one, [] (unsigned a, unsigned b) { return a > b ? a : b; });
    if (i % 32 == 0) out[5 + i / 32] = m; }
  { using W = cub::WarpScan<unsigned, 16>; __shared__ typename W::TempStorage t[N / 16];
    unsigned s; W(t[i / 16]).InclusiveSum(one, s); out[4800 + i] = s; }
})cuda");
  constexpr unsigned N = 128, ITEMS = 4, ALL = N * ITEMS;
  const auto words = random_words(ALL, 9);
  const Buffer<unsigned> in(words), out(5120);
  program->run("k", {1, N}, in, out);
  const auto got = out.read();
  unsigned first = 0, sum = 0;
  for (unsigned i = 0; i < N; ++i) first += words[i * ITEMS] >> 16;
  for (unsigned k = 0; k < 3; ++k) EXPECT_EQ(got[k], first) << k;
  for (unsigned i = 0; i < ALL; ++i) {
    ASSERT_EQ(got[16 + i], sum) << i;
    if (i == ALL - 1) {
      EXPECT_EQ(got[4], sum);
    }
    sum += words[i] >> 16;
  }
  EXPECT_EQ(got[3], sum);
  std::vector<unsigned> order(ALL), by7 = words, bins(64);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return words[a] < words[b]; });
  for (unsigned& w : by7) w *= 7;
  std::sort(by7.begin(), by7.end());
  for (unsigned w : words) ++bins[w & 63];
  for (unsigned i = 0; i < ALL; ++i) {
    ASSERT_EQ(got[1024 + i], words[order[i]]) << i;
    ASSERT_EQ(got[2048 + i], order[i]) << i;
    ASSERT_EQ(got[3072 + i], by7[i]) << i;
    ASSERT_EQ(got[4200 + i], i % ITEMS * N + i / ITEMS) << i;
  }
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(got[4096 + i], bins[i]);
  for (unsigned w = 0; w < 4; ++w) {
    unsigned most = 0;
    for (unsigned l = 0; l < 32; ++l) most = std::max(most, words[(w * 32 + l) * ITEMS] >> 16);
    EXPECT_EQ(got[5 + w], most);
  }
  for (unsigned i = 0; i < N; ++i) {
    unsigned running = 0;
    for (unsigned k = i / 16 * 16; k <= i; ++k) running += words[k * ITEMS] >> 16;
    EXPECT_EQ(got[4800 + i], running) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, Library, testing::ValuesIn(FEW_BUILDS), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
