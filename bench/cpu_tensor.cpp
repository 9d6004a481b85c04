// SPDX-License-Identifier: Apache-2.0
// The processor time of products by tensor-core instructions of the CPU device: one product by mma
// with ldmatrix, one by wgmma. The command is cpu_tensor_bench [ROWS], with 1024 rows by default.
// Checks each element. Returns 1 if one is wrong, or if a product takes longer than a few seconds.
// CUCORE_CPU_SIMD chooses the handlers.
#include <cstdio>
#include <cstdlib>

#include <algorithm>
#include <cmath>

#include "../tests/cpu/exec/device.hpp"
#include "cpu_settings.hpp"
#include "figures.hpp"

namespace {

using namespace cucore::cpu;
using namespace cucore::cpu::test;

constexpr int TILE = 64;  // a block computes TILE x TILE elements
constexpr int THREADS = 128;
constexpr int ROUNDS = 3;
constexpr double MOST_SECONDS = 5;

// Small integers, whose sums f32 has exactly, so that the order of the additions changes nothing.
int element(int row, int column) { return (row * 7 + column * 3) % 9 - 4; }

uint16_t half_of(int small) {
  if (small == 0) return 0;
  const int size = std::abs(small), exponent = std::ilogb(size);
  const int fraction = (size << (10 - exponent)) & 0x3ff;
  return uint16_t((small < 0) << 15 | (exponent + 15) << 10 | fraction);
}

int expected(int n, int row, int column) {
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += element(row, k) * element(column, k + 1);
  return sum;
}

int wrong_elements(const Array<float>& product, int n) {
  // elements repeat, so that the expected products do
  int table[9][9];
  for (int row = 0; row < 9; ++row)
    for (int column = 0; column < 9; ++column) table[row][column] = expected(n, row, column);
  int wrong = 0;
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column)
      wrong += product[size_t(row) * n + column] != float(table[row % 9][column % 9]);
  return wrong;
}

// Returns whether the product is right and fast.
bool measure(const LoadedModule& module, const char* name, int n) {
  const size_t count = size_t(n) * n;
  Array<uint16_t> a(count), b(count);
  Array<float> c(count);
  for (int row = 0; row < n; ++row)
    for (int k = 0; k < n; ++k) {
      a[size_t(row) * n + k] = half_of(element(row, k));
      b[size_t(row) * n + k] = half_of(element(row, k + 1));
    }
  Shape shape;
  shape.grid[0] = shape.grid[1] = unsigned(n / TILE);
  shape.block[0] = THREADS;
  double least = HUGE_VAL;
  for (int round = 0; round < ROUNDS; ++round) {
    const double begin = processor_seconds();
    if (const auto fault = launch(*module.find_kernel(name), shape, nullptr, a, b, c, n)) {
      std::printf("%s: %s\n", name, fault->text.c_str());
      return false;
    }
    least = std::min(least, processor_seconds() - begin);
  }
  const int wrong = wrong_elements(c, n);
  std::printf("%-8s %d x %d x %d  %.2f s of processor time, %d wrong elements\n", name, n, n, n,
              least, wrong);
  return wrong == 0 && least <= MOST_SECONDS;
}

}  // namespace

int main(int count, char** arguments) {
  const int n = count > 1 ? std::atoi(arguments[1]) : 1024;
  if (n < TILE || n % TILE != 0) {
    std::fprintf(stderr, "usage: cpu_tensor_bench [ROWS], a multiple of %d\n", TILE);
    return 2;
  }
  configure(read_settings());
  const auto module = load_text(read_file(CUCORE_BENCH_PTX));
  const bool is_good = measure(*module, "by_mma", n);
  return measure(*module, "by_wgmma", n) && is_good ? 0 : 1;
}
