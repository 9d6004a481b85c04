// SPDX-License-Identifier: Apache-2.0
// Kernels of the corpus, compiled at run time and launched on the device. Each result is compared
// with the same computation on the host.
#include <cmath>
#include <numeric>

#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

class Kernels : public OnGpu {};

std::vector<float> ramp(size_t n, float scale) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = scale * static_cast<float>(i % 97);
  return values;
}

TEST_F(Kernels, Saxpy) {
  const int n = 100000;
  const float a = 2.5f;
  const auto x = ramp(n, 0.5f), y = ramp(n, 0.25f);
  const Array<float> dx(*this, x), dy(*this, y);
  run(kernel("01_saxpy", "saxpy"), grid((n + 255) / 256, 256), a, dx, dy, n);
  const auto result = dy.read();
  for (size_t i = 0; i < n; ++i) ASSERT_EQ(result[i], std::fma(a, x[i], y[i])) << i;
}

TEST_F(Kernels, GridStrideWithSizes) {
  const size_t n = 12345;
  const auto x = ramp(n, 1), y = ramp(n, 2);
  const Array<float> dx(*this, x), dy(*this, y);
  run(kernel("02_saxpy_gridstride_restrict", "k"), grid(7, 96), 3.0f, dx, dy, n);
  const auto result = dy.read();
  for (size_t i = 0; i < n; ++i) ASSERT_EQ(result[i], 3 * x[i] + y[i]) << i;
}

TEST_F(Kernels, ReduceInSharedMemory) {
  const int n = 10000;
  const auto x = ramp(n, 1);
  const Array<float> dx(*this, x), out(*this, std::vector<float>(8));
  run(kernel("04_reduce_shared", "reduce"), grid(8, 256), dx, out, n);
  const auto sums = out.read();
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0),
            std::accumulate(x.begin(), x.end(), 0.0));
}

TEST_F(Kernels, ReduceByShuffles) {
  const int n = 10000;
  const auto x = ramp(n, 1);
  const Array<float> dx(*this, x), out(*this, std::vector<float>(1));
  run(kernel("05_reduce_shfl", "k"), grid(4, 256), dx, out, n);
  EXPECT_EQ(out.read()[0], std::accumulate(x.begin(), x.end(), 0.0f));
}

TEST_F(Kernels, Histogram) {
  const int n = 1 << 16;
  std::vector<uint8_t> x(n);
  std::vector<unsigned> expected(256);
  for (size_t i = 0; i < x.size(); ++i) ++expected[x[i] = static_cast<uint8_t>(i * i >> 3)];
  const Array<uint8_t> dx(*this, x);
  const Array<unsigned> bins(*this, std::vector<unsigned>(256));
  run(kernel("09_hist_shared", "hist"), grid(16, 256), dx, bins, n);
  EXPECT_EQ(bins.read(), expected);
}

TEST_F(Kernels, MatrixProduct) {
  const int n = 64;
  const auto a = ramp(n * n, 1), b = ramp(n * n, 2);
  const Array<float> da(*this, a), db(*this, b), dc(*this, std::vector<float>(n * n));
  cucore_launch_options options = grid(4, 16);
  options.grid[1] = 4;
  options.block[1] = 16;
  run(kernel("11_matmul_tiled", "mm"), options, da, db, dc, n);
  const auto c = dc.read();
  for (size_t r = 0; r < n; ++r)
    for (size_t k = 0; k < n; ++k) {
      float sum = 0;
      for (size_t i = 0; i < n; ++i) sum += a[r * n + i] * b[i * n + k];
      ASSERT_EQ(c[r * n + k], sum) << r << ", " << k;
    }
}

TEST_F(Kernels, Transpose) {
  const int w = 70, h = 45;
  const auto in = ramp(size_t{w} * h, 1);
  const Array<float> from(*this, in), to(*this, std::vector<float>(in.size()));
  cucore_launch_options options = grid(3, 32);
  options.grid[1] = 3;
  options.block[1] = 8;
  run(kernel("12_transpose", "k"), options, from, to, w, h);
  const auto out = to.read();
  for (size_t y = 0; y < h; ++y)
    for (size_t x = 0; x < w; ++x) ASSERT_EQ(out[x * h + y], in[y * w + x]);
}

TEST_F(Kernels, TemplatesByTheirExpressions) {
  const int n = 100;
  const auto x = ramp(4 * n, 1), y = ramp(4 * n, 0.5f);
  const Array<float> dx(*this, x), dy(*this, y), out(*this, std::vector<float>(n));
  run(kernel("23_template", "k<float, 4>", {"k<float, 4>", "k<double, 3>"}), grid(1, 128), dx, dy,
      out, n);
  const auto dots = out.read();
  for (size_t i = 0; i < n; ++i) {
    float sum = 0;
    for (size_t j = 0; j < 4; ++j) sum += x[4 * i + j] * y[4 * i + j];
    ASSERT_EQ(dots[i], sum);
  }
}

struct Parameters {
  float a[16];
  int n;
  double d;
  uint64_t p, q;
  short s;
  char c;
};

TEST_F(Kernels, StructsAsParameters) {
  const int j = 5;
  const auto x = ramp(32, 1);
  const Array<float> in(*this, x), out(*this, std::vector<float>(32));
  Parameters p{{}, 32, 0.5, in.address(), out.address(), 3, 4};
  p.a[j] = 2;
  run(kernel("24_struct_param", "k"), grid(1, 32), p, j);
  const auto result = out.read();
  for (size_t i = 0; i < 32; ++i) ASSERT_EQ(result[i], 2 * x[i] + 7.5f);
}

// The limit is reported, and a grid of exactly that many blocks runs.
TEST_F(Kernels, CooperativeGridThatIsTooLarge) {
  const Kernel cooperative = kernel("25_cg_grid", "k");
  int32_t each = 0, processors = 0;
  SUCCEEDS(cucore_kernel_occupancy, cooperative, device_, 256, 1024, &each);
  SUCCEEDS(cucore_device_attribute, device_, CUCORE_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
           &processors);
  const auto most = static_cast<uint32_t>(each * processors);
  const Array<float> x(*this, std::vector<float>(16)), y(*this, std::vector<float>(16));
  const uint64_t in = x.address(), out = y.address();
  const int32_t n = 16;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(in), CUCORE_ARGUMENT(out),
                                       CUCORE_ARGUMENT(n)};
  cucore_launch_options options = grid(most + 1, 256);
  options.cooperative = 1;
  options.dynamic_shared = 1024;
  const std::string limit =
      "grid is " + std::to_string(most + 1) + " blocks; at most " + std::to_string(most) +
      " blocks (" + std::to_string(each) + " per multiprocessor x " + std::to_string(processors) +
      " multiprocessors) of this kernel with 256 threads and 1024 bytes of shared memory can run "
      "at once on device 0; use a smaller grid";
  FAILS(CUCORE_ERROR_LAUNCH, limit, cucore_kernel_launch, cooperative, stream_, &options, arguments,
        3);
  options.grid[0] = most;
  SUCCEEDS(cucore_kernel_launch, cooperative, stream_, &options, arguments, 3);
  SUCCEEDS(cucore_stream_synchronize, stream_);
}

TEST_F(Kernels, CooperativeGrid) {
  const int n = 5000;
  const auto x = ramp(n, 1);
  const Array<float> dx(*this, x), dy(*this, std::vector<float>(n));
  cucore_launch_options options = grid(8, 128);
  options.cooperative = 1;
  run(kernel("25_cg_grid", "k"), options, dx, dy, n);
  const auto y = dy.read();
  for (size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], 2 * x[n - 1 - i]);
}

TEST_F(Kernels, DynamicSharedMemoryBeyondTheDefault) {
  const int n = 256;
  std::vector<double> x(n);
  std::iota(x.begin(), x.end(), 1.0);
  const Array<double> dx(*this, x), dy(*this, std::vector<double>(n));
  cucore_launch_options options = grid(1, n);
  options.dynamic_shared = 64 * 1024;
  run(kernel("27_dynshared", "k"), options, dx, dy, n);
  const auto y = dy.read();
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(y[static_cast<size_t>(i)], x[static_cast<size_t>(n - 1 - i)] + (i + 1) % n * 3);
}

TEST_F(Kernels, Recursion) {
  const Array<int> out(*this, std::vector<int>(32));
  run(kernel("30_recursion", "k"), grid(1, 32), out);
  const auto result = out.read();
  int fib[16] = {0, 1};
  for (int i = 2; i < 16; ++i) fib[i] = fib[i - 1] + fib[i - 2];
  for (int i = 0; i < 32; ++i)
    ASSERT_EQ(result[static_cast<size_t>(i)], fib[i & 15] + 2 * (i & 3) + 3) << i;  // ack(2, n)
}

TEST_F(Kernels, ConstantsAndVariables) {
  const Code code = compile_file("37_const_global");
  const Kernel found = capi_test::find_kernel(code, "k");
  const auto x = ramp(96, 1);
  std::vector<float> coefficients(64, 0.5f);
  const Array<float> dx(*this, x), dy(*this, std::vector<float>(32));
  const Buffer constants = global(code, "coef");
  MUST(cucore_buffer_write, constants, 0, coefficients.data(), 256, stream_);
  run(found, grid(1, 32), dx, dy, 32);
  const auto y = dy.read();
  for (size_t i = 0; i < 32; ++i) {
    const float sum = 0.5f * std::accumulate(x.begin() + long(i), x.begin() + long(i) + 64, 0.0f);
    ASSERT_EQ(y[i], sum + static_cast<float>(i & 3) + 1 + static_cast<float>("hi"[i & 1])) << i;
  }
  int counted = 0;
  MUST(cucore_buffer_read, global(code, "counter"), 0, &counted, sizeof counted, stream_);
  EXPECT_EQ(counted, 32);
}

TEST_F(Kernels, DivergentLoops) {
  const int n = 200;
  std::vector<uint64_t> x(n);
  std::iota(x.begin(), x.end(), 1);
  const Array<uint64_t> dx(*this, x);
  const Array<int> out(*this, std::vector<int>(n));
  run(kernel("48_divergent_loop", "collatz"), grid(4, 64), dx, out, n);
  const auto steps = out.read();
  for (size_t i = 0; i < n; ++i) {
    int count = 0;
    for (uint64_t v = x[i]; v != 1; ++count) v = v & 1 ? 3 * v + 1 : v / 2;
    ASSERT_EQ(steps[i], count) << x[i];
  }
}

TEST_F(Kernels, Clusters) {
  int32_t clusters = 0;
  MUST(cucore_device_attribute, device_, CUCORE_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &clusters);
  if (!clusters) GTEST_SKIP() << "the device has no clusters";
  const Array<float> out(*this, std::vector<float>(4 * 32));
  const Kernel found = kernel("53_cluster", "k");
  cucore_launch_options options = grid(4, 32);
  options.cluster[0] = 2;
  run(found, options, out);
  const auto ranks = out.read();
  for (size_t i = 0; i < ranks.size(); ++i) ASSERT_EQ(ranks[i], i / 32 % 2 == 0 ? 1 : 0) << i;
  int32_t active = 0;
  MUST(cucore_kernel_max_active_clusters, found, device_, &options, &active);
  EXPECT_GT(active, 0);
}

TEST_F(Kernels, SortsInLocalMemory) {
  std::vector<int> x(1024);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919 % 1021);
  const Array<int> dx(*this, x), out(*this, std::vector<int>(64));
  const int n = 31;
  run(kernel("45_local_array", "k"), grid(1, 64), dx, out, n);
  const auto result = out.read();
  for (size_t t = 0; t < 64; ++t) {
    std::vector<int> row(64);
    for (size_t i = 0; i < 64; ++i) row[i] = x[i * t & 1023];
    std::sort(row.begin(), row.end());
    ASSERT_EQ(result[t], row[31]) << t;
  }
}

TEST_F(Kernels, MachineCodeRunsAsItsPtxDoes) {
  const int n = 1000;
  const auto x = ramp(n, 1), y = ramp(n, 3);
  for (const cucore_code_type target : {CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN}) {
    if (target == CUCORE_CODE_TYPE_CUBIN && cucore_device_is_emulated(device_)) continue;
    const Code code = compile_file("01_saxpy", {}, target);
    const Array<float> dx(*this, x), dy(*this, y);
    run(capi_test::find_kernel(code, "saxpy"), grid(8, 128), 2.0f, dx, dy, n);
    const auto result = dy.read();
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(result[i], 2 * x[i] + y[i]) << i;
  }
}

}  // namespace
}  // namespace gpu_test
