// SPDX-License-Identifier: Apache-2.0
// Products of matrices on tensor cores: the wmma API of CUDA C++, and mma with ldmatrix as inline
// assembly. Small integers make all sums exact.
#include <cstdlib>

#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

class Matrices : public Kernels {
 protected:
  void SetUp() override {
    Kernels::SetUp();
    if (!IsSkipped() && target_of(GetParam()) < 80) GTEST_SKIP() << "needs sm_80";
  }
};

unsigned short half_of(int value) {  // of -4 to 4
  static constexpr unsigned short SIZES[] = {0, 0x3C00, 0x4000, 0x4200, 0x4400};
  return static_cast<unsigned short>(SIZES[std::abs(value)] | (value < 0 ? 0x8000 : 0));
}

struct Operands {
  std::vector<int> a, b;
  std::vector<unsigned short> a_halves, b_halves;
};

Operands operands(unsigned rows_of_a, unsigned columns_of_b, unsigned k) {
  Operands o;
  auto fill = [](size_t count, unsigned seed, std::vector<int>& values,
                 std::vector<unsigned short>& halves) {
    for (unsigned word : random_words(count, seed)) {
      values.push_back(static_cast<int>(word % 9) - 4);
      halves.push_back(half_of(values.back()));
    }
  };
  fill(size_t{rows_of_a} * k, 1, o.a, o.a_halves);
  fill(size_t{columns_of_b} * k, 2, o.b, o.b_halves);
  return o;
}

// A in rows, B in columns.
int element(const Operands& o, unsigned row, unsigned column, unsigned k) {
  int sum = 0;
  for (unsigned i = 0; i < k; ++i) sum += o.a[size_t{row} * k + i] * o.b[size_t{column} * k + i];
  return sum;
}

TEST_P(Matrices, WmmaOfHalves) {
  const auto program = compiled(R"cuda(
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const half* a, const half* b, float* c, unsigned n, unsigned depth) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> A;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> B;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> C;
  wmma::fill_fragment(C, 0.f);
  a += blockIdx.y * 16 * depth; b += blockIdx.x * 16 * depth;
  for (unsigned i = 0; i < depth; i += 16) {
    wmma::load_matrix_sync(A, a + i, depth); wmma::load_matrix_sync(B, b + i, depth);
    wmma::mma_sync(C, A, B, C);
  }
  for (int i = 0; i < C.num_elements; ++i) C.x[i] = 2 * C.x[i];
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, C, n, wmma::mem_row_major);
})cuda");
  constexpr unsigned N = 48, K = 64;
  const Operands o = operands(N, N, K);
  const Buffer<unsigned short> a(o.a_halves), b(o.b_halves);
  const Buffer<float> c(N * N);
  Shape shape{N / 16, 32};
  shape.grid_y = N / 16;
  program->run("k", shape, a, b, c, N, K);
  const auto got = c.read();
  for (unsigned i = 0; i < N * N; ++i)
    ASSERT_EQ(got[i], static_cast<float>(2 * element(o, i / N, i % N, K))) << i;
}

TEST_P(Matrices, WmmaOfIntegersAndDoubles) {
  const auto program = compiled(R"cuda(
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const signed char* a, const signed char* b, int* c, const double* x, const double* y, double* z) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> A;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::col_major> B;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> C;
  wmma::fill_fragment(C, 5);
  wmma::load_matrix_sync(A, a, 16); wmma::load_matrix_sync(B, b, 16);
  wmma::mma_sync(C, A, B, C);
  wmma::store_matrix_sync(c, C, 32, wmma::mem_col_major);
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> X;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> Y;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> Z;
  wmma::fill_fragment(Z, 0.5);
  wmma::load_matrix_sync(X, x, 4); wmma::load_matrix_sync(Y, y, 4);
  wmma::mma_sync(Z, X, Y, Z);
  wmma::store_matrix_sync(z, Z, 8, wmma::mem_row_major);
})cuda");
  const Operands o = operands(32, 8, 16), p = operands(8, 8, 4);
  auto bytes = [](const std::vector<int>& v) {
    return std::vector<signed char>(v.begin(), v.end());
  };
  auto doubles = [](const std::vector<int>& v) { return std::vector<double>(v.begin(), v.end()); };
  const Buffer<signed char> a(bytes(o.a)), b(bytes(o.b));
  const Buffer<int> c(32 * 8);
  const Buffer<double> x(doubles(p.a)), y(doubles(p.b)), z(64);
  program->run("k", {1, 32}, a, b, c, x, y, z);
  const auto sums = c.read();
  for (unsigned i = 0; i < 256; ++i) ASSERT_EQ(sums[i], 5 + element(o, i % 32, i / 32, 16)) << i;
  const auto reals = z.read();
  for (unsigned i = 0; i < 64; ++i) ASSERT_EQ(reals[i], 0.5 + element(p, i / 8, i % 8, 4)) << i;
}

// A block of four warps computes 64 x 64 elements from tiles in shared memory.
const char* const GEMM = R"cuda(
extern "C" __global__ void __launch_bounds__(128) k(const uint4* a, const uint4* b, float* c, unsigned n, unsigned depth) {
  __shared__ uint4 sa[64 * 4], sb[64 * 4];
  unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sum[8][4] = {};
  unsigned at = (unsigned)__cvta_generic_to_shared(sa) + ((warp * 16 + lane % 16) * 4 + lane / 16) * 16;
  unsigned bt = (unsigned)__cvta_generic_to_shared(sb) + ((lane % 8) * 4 + lane / 8 % 2) * 16;
  for (unsigned i = 0; i < depth; i += 32) {
    for (unsigned j = t; j < 256; j += 128) {
      sa[j] = a[((row0 + j / 4) * depth + i) / 8 + j % 4];
      sb[j] = b[((col0 + j / 4) * depth + i) / 8 + j % 4];
    }
    __syncthreads();
    for (unsigned h = 0; h < 2; ++h) {
      unsigned x[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at + h * 32));
      #pragma unroll
      for (unsigned j = 0; j < 8; ++j) {
        unsigned y[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(bt + j * 8 * 64 + h * 32));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
          : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
      }
    }
    __syncthreads();
  }
  for (unsigned j = 0; j < 8; ++j)
    for (unsigned e = 0; e < 4; ++e)
      c[(row0 + warp * 16 + lane / 4 + e / 2 * 8) * n + col0 + j * 8 + lane % 4 * 2 + e % 2] = sum[j][e];
})cuda";

void multiply(const Program& program, unsigned n, unsigned k, unsigned step) {
  const Operands o = operands(n, n, k);
  const Buffer<unsigned short> a(o.a_halves), b(o.b_halves);
  const Buffer<float> c(size_t{n} * n);
  Shape shape{n / 64, 128};
  shape.grid_y = n / 64;
  program.run("k", shape, a, b, c, n, k);
  const auto got = c.read();
  for (unsigned i = 0; i < n * n; i += step)
    ASSERT_EQ(got[i], static_cast<float>(element(o, i / n, i % n, k))) << i;
}

TEST_P(Matrices, MmaOfTilesInSharedMemory) {
  const auto program = compiled(GEMM);
  multiply(*program, 128, 96, 1);
}

TEST_P(Matrices, MmaOfLargeMatrices) {
  const auto program = compiled(GEMM);
  const unsigned size = std::getenv("CUCORE_TEST_LONG") ? 1024 : 256;
  multiply(*program, size, size, 97);
}

TEST_P(Matrices, TransposesOfTiles) {
  const auto program = compiled(R"cuda(
extern "C" __global__ void k(const uint4* in, unsigned* out) {
  __shared__ uint4 tile[8];
  if (threadIdx.x < 8) tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  unsigned p = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x % 8), x, y, z;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(y) : "r"(p));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(z) : "r"(x));
  out[threadIdx.x] = y == z; out[32 + threadIdx.x] = y;
})cuda");
  std::vector<unsigned short> values(64);
  for (unsigned i = 0; i < 64; ++i) values[i] = static_cast<unsigned short>(i);
  const Buffer<unsigned short> in(values);
  const Buffer<unsigned> out(64);
  program->run("k", {1, 32}, in, out);
  const auto got = out.read();
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[lane], 1u);
    const unsigned column = lane / 4, row = lane % 4 * 2;
    EXPECT_EQ(got[32 + lane], (row * 8 + column) | (row * 8 + 8 + column) << 16);
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, Matrices, testing::ValuesIn(FEW_BUILDS), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
