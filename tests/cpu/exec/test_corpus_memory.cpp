// SPDX-License-Identifier: Apache-2.0
// Kernels of the corpus that move and reduce data, against host loops.
#include <cmath>
#include <numeric>

#include "corpus.hpp"

namespace cucore::cpu::test {
namespace {

using MemoryKernels = Corpus;

std::vector<float> ramp(int n, int period) {
  std::vector<float> v(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) v[size_t(i)] = float(i % period) * 0.37f - 1.0f;
  return v;
}

TEST_P(MemoryKernels, Saxpy) {
  const int n = 1000;
  const auto x = ramp(n, 97), y = ramp(n, 31);
  Array<float> dx(x), dy(y);
  run(kernel("01_saxpy", "saxpy"), shape(4, 256), 3.5f, dx, dy, n);
  for (size_t i = 0; i < size_t(n); ++i) ASSERT_EQ(dy[i], std::fma(x[i], 3.5f, y[i])) << i;
}

TEST_P(MemoryKernels, SaxpyGridStride) {
  const size_t n = 10007;
  const auto x = ramp(int(n), 97), y = ramp(int(n), 31);
  Array<float> dx(x), dy(y);
  run(kernel("02_saxpy_gridstride_restrict", "k"), shape(3, 96), -0.25f, dx, dy, n);
  for (size_t i = 0; i < n; ++i) ASSERT_EQ(dy[i], std::fma(x[i], -0.25f, y[i])) << i;
}

TEST_P(MemoryKernels, ReduceShared) {
  const int n = 5000;
  Array<float> x(static_cast<size_t>(n)), o(4);
  double total = 0;
  for (int i = 0; i < n; ++i) total += x[size_t(i)] = float(i % 13);
  run(kernel("04_reduce_shared", "reduce"), shape(4, 256), x, o, n);
  EXPECT_EQ(double(o[0]) + o[1] + o[2] + o[3], total);
}

TEST_P(MemoryKernels, ReduceShuffle) {
  const int n = 5000;
  Array<float> x(static_cast<size_t>(n)), o(1);
  double total = 0;
  for (int i = 0; i < n; ++i) total += x[size_t(i)] = float(i % 13);
  run(kernel("05_reduce_shfl", "k"), shape(5, 256), x, o, n);
  EXPECT_EQ(o[0], total);
}

TEST_P(MemoryKernels, Histogram) {
  const int n = 100000;
  Array<unsigned char> x(static_cast<size_t>(n));
  Array<unsigned> h(256);
  std::vector<unsigned> expected(256);
  for (int i = 0; i < n; ++i)
    expected[x[size_t(i)] = static_cast<unsigned char>(unsigned(i) * 2654435761u >> 13)]++;
  run(kernel("09_hist_shared", "hist"), shape(7, 256), x, h, n);
  EXPECT_EQ(h.values(), expected);
}

TEST_P(MemoryKernels, MatrixProduct) {
  const int n = 64;
  const auto a = ramp(n * n, 23), b = ramp(n * n, 41);
  Array<float> da(a), db(b), dc(size_t(n) * n);
  Shape s;
  s.grid[0] = s.grid[1] = n / 16;
  s.block[0] = s.block[1] = 16;
  run(kernel("11_matmul_tiled", "mm"), s, da, db, dc, n);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum = std::fma(a[size_t(r * n + k)], b[size_t(k * n + c)], sum);
      ASSERT_EQ(dc[size_t(r * n + c)], sum) << r << "," << c;
    }
}

TEST_P(MemoryKernels, Transpose) {
  const int w = 70, h = 45;
  const auto in = ramp(w * h, 1009);
  Array<float> di(in), out(size_t(w) * h);
  Shape s;
  s.grid[0] = 3;
  s.grid[1] = 3;
  s.block[0] = 32;
  s.block[1] = 8;
  run(kernel("12_transpose", "k"), s, di, out, w, h);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) ASSERT_EQ(out[size_t(x * h + y)], in[size_t(y * w + x)]);
}

TEST_P(MemoryKernels, Templates) {
  const int n = 100;
  Array<float> a(ramp(n * 4, 17)), b(ramp(n * 4, 29)), o(static_cast<size_t>(n));
  run(kernel("23_template", "_Z1kIfLi4EEvPK1VIT_XT0_EES4_PS1_i"), shape(4, 32), a, b, o, n);
  for (size_t i = 0; i < size_t(n); ++i) {
    float s = 0;
    for (size_t k = 0; k < 4; ++k) s = std::fma(a[i * 4 + k], b[i * 4 + k], s);
    ASSERT_EQ(o[i], s);
  }
  Array<double> da(size_t(n) * 3), db(size_t(n) * 3), od(static_cast<size_t>(n));
  for (size_t i = 0; i < size_t(n) * 3; ++i) db[i] = 1.0 / (1.0 + (da[i] = 0.1 * double(i)));
  run(kernel("23_template", "_Z1kIdLi3EEvPK1VIT_XT0_EES4_PS1_i"), shape(4, 32), da, db, od, n);
  for (size_t i = 0; i < size_t(n); ++i) {
    double s = 0;
    for (size_t k = 0; k < 3; ++k) s = std::fma(da[i * 3 + k], db[i * 3 + k], s);
    ASSERT_EQ(od[i], s);
  }
  Array<int> ia(size_t(n) * 8), ib(size_t(n) * 8), oi(static_cast<size_t>(n));
  for (size_t i = 0; i < size_t(n) * 8; ++i) ib[i] = 7 - (ia[i] = int(i) * 3 - 50);
  run(kernel("23_template", "_Z1kIiLi8EEvPK1VIT_XT0_EES4_PS1_i"), shape(4, 32), ia, ib, oi, n);
  for (size_t i = 0; i < size_t(n); ++i) {
    int s = 0;
    for (size_t k = 0; k < 8; ++k) s += ia[i * 8 + k] * ib[i * 8 + k];
    ASSERT_EQ(oi[i], s);
  }
}

struct StructParameter {
  float a[16];
  int n;
  double d;
  uint64_t p;
  uint64_t q;
  short s;
  char c;
};

TEST_P(MemoryKernels, StructParameters) {
  const auto in = ramp(64, 11);
  Array<float> p(in), q(64);
  StructParameter v{};
  for (int i = 0; i < 16; ++i) v.a[i] = float(i) + 0.5f;
  v.n = 40;
  v.d = 1.25;
  v.p = p.address();
  v.q = q.address();
  v.s = -7;
  v.c = 5;
  run(kernel("24_struct_param", "k"), shape(1, 64), v, 19);
  for (size_t i = 0; i < 64; ++i) {
    const float expected = float(double(v.a[3] * in[i]) + 1.25 - 7 + 5);
    ASSERT_EQ(q[i], i < 40 ? expected : 0.0f) << i;
  }
  run(kernel("24_struct_param", "k2"), shape(1, 64), v, 18);
  for (size_t i = 0; i < 40; ++i) ASSERT_EQ(q[i], (i & 15) == 2 ? 3.0f : v.a[i & 15]) << i;
}

TEST_P(MemoryKernels, DynamicShared) {
  const int n = 96;
  Array<double> x(static_cast<size_t>(n)), y(static_cast<size_t>(n));
  for (size_t i = 0; i < size_t(n); ++i) x[i] = 0.5 * double(i);
  run(kernel("27_dynshared", "k"), shape(1, unsigned(n), unsigned(n) * 12), x, y, n);
  for (size_t t = 0; t < size_t(n); ++t)
    ASSERT_EQ(y[t], x[size_t(n) - 1 - t] + double((t + 1) % size_t(n) * 3));
}

TEST_P(MemoryKernels, CubBlockReduceAndScan) {
  Array<int> x(128), o(129);
  for (size_t i = 0; i < 128; ++i) x[i] = int(i * i % 17) - 5;
  run(kernel("32_cub_block_reduce", "k"), shape(1, 128), x, o);
  int sum = 0;
  for (size_t i = 0; i < 128; ++i) {
    ASSERT_EQ(o[i], sum) << i;
    sum += x[i];
  }
  EXPECT_EQ(o[128], sum);
}

TEST_P(MemoryKernels, AsynchronousCopies) {
  const int n = 5;
  Array<float> x(ramp(n * 128 * 4, 1021)), o(size_t(n) * 128 * 4, -1.0f);
  run(kernel("34_cp_async", "k"), shape(1, 128), x, o, n);
  for (size_t i = 0; i + 1 < size_t(n); ++i)
    for (size_t t = 0; t < 128; ++t)
      for (size_t c = 0; c < 4; ++c)
        ASSERT_EQ(o[(i * 128 + t) * 4 + c], x[(i * 128 + 127 - t) * 4 + c]);
}

TEST_P(MemoryKernels, ConstantsAndGlobals) {
  const Kernel& k = kernel("37_const_global", "k");
  auto& space = AddressSpace::instance();
  auto* coef = static_cast<float*>(space.host(global("coef"), 256));
  for (int i = 0; i < 64; ++i) coef[i] = float(i % 5);
  *static_cast<int*>(space.host(global("mg"), 4)) = 1000;
  EXPECT_EQ(space.find(global("mg"))->kind, MemoryKind::MANAGED);
  const auto x = ramp(128, 16);
  Array<float> dx(x), y(64);
  run(k, shape(1, 64), dx, y, 64);
  const char msg[] = "hi";
  for (size_t i = 0; i < 64; ++i) {
    float s = 0;
    for (size_t j = 0; j < 64; ++j) s = std::fma(coef[j], x[i + j], s);
    const float expected = s + float((i & 3) + 1) + float(msg[i & 1]) + 1000.0f;
    ASSERT_EQ(y[i], expected) << i;
  }
  EXPECT_EQ(*static_cast<int*>(space.host(global("counter"), 4)), 64);
}

TEST_P(MemoryKernels, LocalArrays) {
  Array<int> x(1024), o(64);
  for (size_t i = 0; i < 1024; ++i) x[i] = int(i * 7919 % 1024);
  run(kernel("45_local_array", "k"), shape(1, 64), x, o, 37);
  for (size_t t = 0; t < 64; ++t) {
    std::vector<int> b;
    for (size_t i = 0; i < 64; ++i) b.push_back(x[(i * t) & 1023]);
    std::sort(b.begin(), b.end());
    ASSERT_EQ(o[t], b[37]) << t;
  }
}

TEST_P(MemoryKernels, LaunchBounds) {
  const Kernel& k = kernel("55_launch_bounds", "k");
  EXPECT_EQ(k.info().max_threads, 256u);
  EXPECT_EQ(k.info().min_ctas, 2u);
  Array<float> x(256, 9.0f);
  run(k, shape(1, 256), x);
  EXPECT_EQ(x.values(), std::vector<float>(256, 0.0f));
  Array<float> y(32, 9.0f);
  const Kernel& k2 = kernel("55_launch_bounds", "k2");
  EXPECT_LE(k2.info().registers, 64u);
  run(k2, shape(1, 32), y);
  EXPECT_EQ(y[31], 0.0f);
}

INSTANTIATE_TEST_SUITE_P(Ptx, MemoryKernels, testing::Values(75, 90), sm_name);

}  // namespace
}  // namespace cucore::cpu::test
