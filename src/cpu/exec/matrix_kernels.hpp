// SPDX-License-Identifier: Apache-2.0
// The arithmetic of matrix instructions on dense matrices. The model of accumulation has parameters
// per architecture; matrix_model.inc lists them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/matrix.hpp"

namespace cucore::cpu {

// How a device computes products for which it has no unit, see matrix_emulation.cpp.
enum class Emulation : uint8_t { NONE, FUSED, HALVES };

// The summation of a tensor core, after Fasi et al. (2021), "Numerical behavior of NVIDIA tensor
// cores". A block of products and the accumulator are aligned to the largest exponent among them.
// Each addend is cut to `fraction_bits` below that exponent, toward zero, and the sum is exact. The
// sum is cut toward zero to f32, or rounded to the nearest f16. It is the accumulator of the next
// block. The exponent of a product is the sum of the exponents of its factors; a zero has none.
struct Accumulation {
  uint8_t block = 16;          // products in one sum
  uint8_t fraction_bits = 25;  // bits that each addend keeps below the largest exponent
  uint8_t result_bits = 23;    // fraction bits of an f32 result
  Emulation emulation = Emulation::NONE;
};

inline constexpr int32_t NO_EXPONENT = -4096;  // of a zero

// Values of a matrix with their exponents.
struct Reals {
  double* value = nullptr;
  int32_t* exponent = nullptr;
};

// C + A * B. A has m rows of k elements, B has k rows of n, and C has m rows of n. n is a multiple
// of
// 8. With `rows`, element i of A multiplies row rows[i] of B.
struct RealProduct {
  Reals a, b, c;
  double* d = nullptr;
  const uint16_t* rows = nullptr;
  unsigned m = 0, n = 0, k = 0;
  bool to_half = false;
  Accumulation model;
};

struct IntegerProduct {
  const int32_t *a = nullptr, *b = nullptr, *c = nullptr;
  int32_t* d = nullptr;
  const uint16_t* rows = nullptr;
  unsigned m = 0, n = 0, k = 0;
  bool saturates = false;
  bool is_xor = false;  // bits: a ^ b instead of a * b
};

// One instance per instruction set of the host.
struct MatrixKernels {
  // Converts `count` raw elements; count is a multiple of 8.
  void (*to_reals)(ptx::Element element, const uint32_t* raw, size_t count, Reals reals);
  void (*to_integers)(ptx::Element element, const uint32_t* raw, size_t count, int32_t* values);
  void (*multiply_reals)(const RealProduct& product);
  void (*multiply_integers)(const IntegerProduct& product);
};

struct DoubleProduct {
  const double *a = nullptr, *b = nullptr, *c = nullptr;
  double* d = nullptr;
  unsigned m = 0, n = 0, k = 0;
};

}  // namespace cucore::cpu
