// SPDX-License-Identifier: Apache-2.0
// Products for which a tensor core has no unit. The order of the operations is the one that an H200
// shows: the recorded results of tests/cpu/matrix agree with it in every bit.
#include <algorithm>
#include <bit>
#include <cmath>

#include "cpu/exec/halves.hpp"
#include "cpu/exec/matrix_access.hpp"

namespace cucore::cpu {
namespace {

// The factors are numbers of f16, of which those of 8-bit floats are normal numbers.
int32_t exponent_of(double value) {
  constexpr int32_t LEAST = -14;
  const int32_t exponent = int32_t(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff) - 1023;
  return value == 0 ? NO_EXPONENT : std::max(exponent, LEAST);
}

// Words of four 8-bit floats become two words of f16. The first product takes the first pair of
// each word, and the second product takes the other pair.
unsigned place_in_halves(unsigned i, unsigned k) { return i % 4 / 2 * (k / 2) + i / 4 * 2 + i % 2; }

// The largest shapes are m16n8k32, and m16n8k64 with a sparse A.
constexpr size_t MAX_LEFT = 16 * 32, MAX_RIGHT = 64 * 8, MAX_RESULT = 16 * 8;

struct Ordered {
  alignas(64) double a[MAX_LEFT];
  alignas(64) int32_t ax[MAX_LEFT], bx[MAX_RIGHT];
  uint16_t rows[MAX_LEFT];
};

void order(const RealProduct& p, unsigned b_rows, Ordered& o) {
  const size_t left = size_t{p.m} * p.k;
  for (size_t i = 0; i < left; ++i) {
    const unsigned column = unsigned(i % p.k);
    const size_t to = i - column + place_in_halves(column, p.k);
    o.a[to] = p.a.value[i];
    o.ax[to] = exponent_of(p.a.value[i]);
    o.rows[to] = p.rows ? p.rows[i] : uint16_t(column);
  }
  for (size_t i = 0; i < size_t{b_rows} * p.n; ++i) o.bx[i] = exponent_of(p.b.value[i]);
}

double added(bool to_half, double sum, double c) {
  if (to_half) return Half::to(Half::from(sum + c));
  return double{float(sum) + float(c)};
}

}  // namespace

void multiply_in_halves(const RealProduct& p, unsigned b_rows, const MatrixKernels& kernels) {
  Ordered o;
  order(p, b_rows, o);
  const size_t results = size_t{p.m} * p.n;
  alignas(64) double zero[MAX_RESULT] = {};
  alignas(64) int32_t none[MAX_RESULT];
  std::fill_n(none, results, NO_EXPONENT);
  RealProduct halves = p;
  halves.a = {o.a, o.ax};
  halves.b.exponent = o.bx;
  halves.c = {zero, none};
  halves.rows = o.rows;
  halves.model.block = uint8_t(p.k / 2);
  kernels.multiply_reals(halves);
  for (size_t i = 0; i < results; ++i) p.d[i] = added(p.to_half, p.d[i], p.c.value[i]);
}

void multiply_fused(const RealProduct& p) {
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned column = 0; column < p.n; ++column) {
      const double* a = p.a.value + size_t{row} * p.k;
      const double* b = p.b.value + column;
      float sum = float(a[0]) * float(b[0]);
      for (unsigned i = 1; i < p.k; ++i)
        sum = std::fma(float(a[i]), float(b[size_t{i} * p.n]), sum);
      const size_t at = size_t{row} * p.n + column;
      p.d[at] = double{sum + float(p.c.value[at])};
    }
}

}  // namespace cucore::cpu
