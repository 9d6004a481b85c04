// SPDX-License-Identifier: Apache-2.0
// Numbers that take part in operations: of the caller, without a type, and constants, which have
// one.
#pragma once

#include <cstdint>
#include <string_view>

#include "array/model/dtype.hpp"

namespace cucore::array {

// The kinds of cucore_array_scalar, in its order.
enum class NumberKind : uint8_t { BOOL = 1, INT = 2, UINT = 3, REAL = 4, COMPLEX = 5 };

struct Number {
  NumberKind kind = NumberKind::INT;
  int64_t integer = 0;  // the bits of a UINT too
  double real = 0, imag = 0;

  static Number of(int64_t value) { return {.integer = value}; }
  static Number of(double value) { return {.kind = NumberKind::REAL, .real = value}; }
};

Weak weak_of(const Number& number) noexcept;

// A value of a type: an integer, or real and imaginary part. Both parts are rounded to the type.
struct Constant {
  Dtype dtype = Dtype::INT64;
  int64_t integer = 0;  // bool and integers; the bits of a uint64
  double real = 0, imag = 0;

  friend bool operator==(const Constant& a, const Constant& b) noexcept;  // by bits
};

// Throws INVALID_ARGUMENT if an integer does not fit an integer type. `what` begins the message.
Constant constant_of(const Number& number, Dtype dtype, std::string_view what);

// Writes the bytes of the type in which a kernel computes: a float32 of a float16. Returns their
// number, at most 16.
size_t encode(const Constant& constant, Dtype as, void* out) noexcept;

// Rounds to the nearest number of a floating type; half to even.
double rounded(double value, Dtype dtype) noexcept;

}  // namespace cucore::array
