// SPDX-License-Identifier: Apache-2.0
// Kernels of the corpus with synchronisation: shuffles, votes, atomics, barriers, grids, printf.
#include <algorithm>
#include <bit>

#include "corpus.hpp"

namespace cucore::cpu::test {
namespace {

using SyncKernels = Corpus;

TEST_P(SyncKernels, ShufflesAndVotes) {
  Array<int> o(64);
  run(kernel("06_shfl_all", "k"), shape(1, 64), o);
  for (int warp = 0; warp < 2; ++warp) {
    int v[32], w[32];
    for (int l = 0; l < 32; ++l) v[l] = warp * 32 + l;
    for (int l = 0; l < 32; ++l) w[l] = v[l] + v[3];
    for (int l = 0; l < 32; ++l) v[l] = w[l] + w[l ? l - 1 : 0];
    for (int l = 0; l < 32; ++l) w[l] = v[l] + v[l ^ 8];
    double d[32];
    for (int l = 0; l < 32; ++l) d[l] = double(w[l]) + double(w[l ^ 4]);
    unsigned ballot = 0;
    for (int l = 0; l < 32; ++l) ballot |= unsigned(w[l] & 1) << l;
    const bool any = std::any_of(w, w + 32, [](int x) { return x > 5; });
    const bool all = std::all_of(w, w + 32, [](int x) { return x > 0; });
    for (int& x : w) x += any ? std::popcount(ballot) : 0;
    for (int& x : w) x += all ? (ballot ? std::countr_zero(ballot) + 1 : 0) : 0;
    const bool same = std::all_of(w, w + 32, [&](int x) { return x == w[0]; });
    for (int l = 0; l < 32; ++l) {
      unsigned m = 0;
      for (int k = 0; k < 32; ++k) m |= unsigned(w[k] == w[l]) << k;
      const unsigned match = m + (same ? ~0u : 0);
      const int expected = int(unsigned(w[l]) + match + unsigned(same) + ~0u) + int(d[l]);
      ASSERT_EQ(o[size_t(warp * 32 + l)], expected) << warp << ":" << l;
    }
  }
}

TEST_P(SyncKernels, Atomics) {
  const unsigned threads = 96, blocks = 3, n = threads * blocks;
  Array<int> a(22, 1000);
  Array<unsigned> u(4);
  Array<unsigned long long> l(6);
  Array<float> f(3);
  Array<double> d(2);
  a[3] = -5;
  a[5] = a[6] = 0;
  run(kernel("08_atomics", "k"), shape(blocks, threads), a, u, l, f, d);
  const int sum = int(blocks * threads * (threads - 1) / 2);
  EXPECT_EQ(a[0], 1000 + sum);
  EXPECT_EQ(a[1], 1000 - sum);
  EXPECT_EQ(a[2], 0);
  EXPECT_EQ(a[3], int(threads) - 1);
  EXPECT_EQ(a[4], 0);
  EXPECT_EQ(a[5], 127);
  int x = 0;
  for (unsigned t = 0; t < n; ++t) x ^= int(t % threads);
  EXPECT_EQ(a[6], x);
  EXPECT_TRUE(a[7] >= 0 && a[7] < int(threads));
  EXPECT_EQ(a[10], 1000);
  EXPECT_LT(u[0], threads);
  EXPECT_EQ(l[0], n);
  EXPECT_LT(l[1], n);
  EXPECT_EQ(l[3], 0u);
  EXPECT_EQ(l[5], 7u);
  EXPECT_EQ(f[0], float(n));
  EXPECT_EQ(f[1], float(n));
  EXPECT_EQ(d[0], double(n));
  EXPECT_EQ(a[20], 1000 + int(n));
  EXPECT_EQ(a[21], 1000 + int(n));
}

TEST_P(SyncKernels, Printf) {
  const Kernel& k = kernel("21_printf", "k");
  Array<char> text(std::vector<char>{'a', 'b', 'c', 0});
  Output output;
  Shape s = shape(1, 2);
  s.output = &output;
  testing::internal::CaptureStdout();
  run(k, s, 41, 2.5f, text);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "")
      << "nothing is written before the host synchronises";
  testing::internal::CaptureStdout();
  output.flush();
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "hello 41 2.500000 abc 41\nhello 42 2.500000 abc 41\n");
}

TEST_P(SyncKernels, GridBarrier) {
  const int n = 5000;
  Array<float> x(static_cast<size_t>(n)), y(static_cast<size_t>(n));
  for (size_t i = 0; i < size_t(n); ++i) x[i] = float(i);
  Shape s = shape(40, 64);
  s.cooperative = true;
  run(kernel("25_cg_grid", "k"), s, x, y, n);
  for (size_t i = 0; i < size_t(n); ++i) ASSERT_EQ(y[i], 2.0f * float(size_t(n) - 1 - i)) << i;
}

TEST_P(SyncKernels, GridBarrierNeedsACooperativeLaunch) {
  const int n = 10;
  Array<float> x(10), y(10);
  const auto fault = launch(kernel("25_cg_grid", "k"), shape(2, 32), nullptr, x, y, n);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_NE(fault->text.find("trap"), std::string::npos) << fault->text;
}

TEST_P(SyncKernels, Clocks) {
  Array<long long> o(64);
  run(kernel("47_clock_smid", "k"), shape(1, 64), o);
  // The epoch in nanoseconds dominates.
  for (size_t t = 0; t < 64; ++t) EXPECT_GT(o[t], 1600000000000000000LL) << t;
}

TEST_P(SyncKernels, LibraryAtomics) {
  Array<int> p(2, 1);
  Array<long long> q(1, 9);
  run(kernel("51_libcu_atomic", "k"), shape(2, 64), p, q);
  EXPECT_EQ(p[0], 129);
  EXPECT_EQ(p[1], 3);
  EXPECT_TRUE(q[0] == 3 || q[0] == 4) << q[0];
}

TEST_P(SyncKernels, NamedBarriers) {
  Array<int> x(64);
  for (size_t i = 0; i < 64; ++i) x[i] = int(i) * 10;
  run(kernel("62_named_barrier", "k"), shape(1, 64), x);
  for (size_t t = 0; t < 64; ++t) ASSERT_EQ(x[t], int(t % 32) * 10 + 32 + 0 + 1) << t;
}

TEST_P(SyncKernels, InventedTexturesFaultWhenReached) {
  const Kernel& texture = kernel("28_texture_obj", "k");
  Array<float> o(16);
  Shape s;
  s.block[0] = s.block[1] = 4;
  auto fault = launch(texture, s, nullptr, uint64_t{1}, uint64_t{2}, o, 0, 0);
  EXPECT_FALSE(fault) << "no thread reaches the texture instruction: " << fault->text;
  fault = launch(texture, s, nullptr, uint64_t{1}, uint64_t{2}, o, 4, 4);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(fault->text.find("no texture object"), std::string::npos) << fault->text;
  EXPECT_NE(fault->text.find("PTX line "), std::string::npos) << fault->text;
}

INSTANTIATE_TEST_SUITE_P(Ptx, SyncKernels, testing::Values(75, 90), sm_name);

}  // namespace
}  // namespace cucore::cpu::test
