// SPDX-License-Identifier: Apache-2.0
#include "array/ir/number.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

struct Format {
  int precision;  // bits of the significand
  int least;      // exponent of the smallest normal number, as of frexp
  double most;
};

constexpr Format HALF{11, -13, 65504.0};
constexpr Format BFLOAT{8, -125, 0x1.FEp127};

// A double has more than twice the precision, so scaling by powers of two is exact and one rounding
// is left.
double rounded_to(double value, const Format& format) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = std::max(exponent, format.least) - format.precision;
  const double result = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  return std::abs(result) > format.most
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : result;
}

struct Bounds {
  int64_t least;
  uint64_t most;
};

Bounds bounds_of(Dtype dtype) {
  const auto bits = static_cast<int>(size_of(dtype) * 8);
  if (kind_of(dtype) == Kind::UNSIGNED) return {0, ~uint64_t{0} >> (64 - bits)};
  return {std::numeric_limits<int64_t>::min() >> (64 - bits), ~uint64_t{0} >> (65 - bits)};
}

bool is_large(const Number& number) {
  return number.kind == NumberKind::UINT && number.integer < 0;
}

std::string text_of(const Number& number) {
  return is_large(number) ? concat(static_cast<uint64_t>(number.integer)) : concat(number.integer);
}

int64_t checked_integer(const Number& number, Dtype dtype, std::string_view what) {
  const Bounds bounds = bounds_of(dtype);
  const bool fits = is_large(number) || number.integer >= 0
                        ? static_cast<uint64_t>(number.integer) <= bounds.most
                        : number.integer >= bounds.least;
  if (!fits)
    throw Error(Status::INVALID_ARGUMENT, concat(what, ": the integer ", text_of(number),
                                                 " is out of range for ", name_of(dtype)));
  return number.integer;
}

double real_part(const Number& number) {
  if (number.kind >= NumberKind::REAL) return number.real;
  return is_large(number) ? double(static_cast<uint64_t>(number.integer)) : double(number.integer);
}

template <class T>
size_t put(T value, void* out) {
  std::memcpy(out, &value, sizeof value);
  return sizeof value;
}

}  // namespace

Weak weak_of(const Number& number) noexcept {
  switch (number.kind) {
    case NumberKind::BOOL:
      return Weak::BOOL;
    case NumberKind::REAL:
      return Weak::REAL;
    case NumberKind::COMPLEX:
      return Weak::COMPLEX;
    default:
      return Weak::INT;
  }
}

bool operator==(const Constant& a, const Constant& b) noexcept {
  return a.dtype == b.dtype && a.integer == b.integer &&
         std::memcmp(&a.real, &b.real, sizeof a.real) == 0 &&
         std::memcmp(&a.imag, &b.imag, sizeof a.imag) == 0;
}

double rounded(double value, Dtype dtype) noexcept {
  switch (real_of(dtype)) {
    case Dtype::FLOAT16:
      return rounded_to(value, HALF);
    case Dtype::BFLOAT16:
      return rounded_to(value, BFLOAT);
    case Dtype::FLOAT32:
      return double(static_cast<float>(value));
    default:
      return value;
  }
}

Constant constant_of(const Number& number, Dtype dtype, std::string_view what) {
  Constant constant{.dtype = dtype};
  const double real = real_part(number);
  const Kind kind = kind_of(dtype);
  if (kind == Kind::BOOL) {
    constant.integer =
        number.kind < NumberKind::REAL ? number.integer != 0 : real != 0 || number.imag != 0;
  } else if (is_inexact(kind)) {
    constant.real = rounded(real, dtype);
    if (number.kind == NumberKind::COMPLEX) constant.imag = rounded(number.imag, dtype);
  } else if (number.kind >= NumberKind::REAL) {
    throw Error(Status::DTYPE, concat(what, ": a number with a fraction for ", name_of(dtype)));
  } else {
    constant.integer = checked_integer(number, dtype, what);
  }
  return constant;
}

size_t encode(const Constant& constant, Dtype as, void* out) noexcept {
  switch (as) {
    case Dtype::FLOAT16:
    case Dtype::BFLOAT16:
    case Dtype::FLOAT32:
      return put(static_cast<float>(constant.real), out);
    case Dtype::FLOAT64:
      return put(constant.real, out);
    case Dtype::COMPLEX64: {
      const float parts[] = {static_cast<float>(constant.real), static_cast<float>(constant.imag)};
      std::memcpy(out, parts, sizeof parts);
      return sizeof parts;
    }
    case Dtype::COMPLEX128: {
      const double parts[] = {constant.real, constant.imag};
      std::memcpy(out, parts, sizeof parts);
      return sizeof parts;
    }
    default:
      std::memcpy(out, &constant.integer, size_of(as));
      return size_of(as);
  }
}

}  // namespace cucore::array
