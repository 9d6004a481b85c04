// SPDX-License-Identifier: Apache-2.0
#include "array/text/element.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cucore::array {
namespace {

template <class T>
T taken(const std::byte* bytes) noexcept {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

double half_value(uint16_t bits) noexcept {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1.0 : 1.0;
  if (exponent == 31)
    return sign * (fraction ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity());
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

}  // namespace

double real_at(Dtype dtype, const std::byte* bytes) noexcept {
  switch (real_of(dtype)) {
    case Dtype::FLOAT16:
      return half_value(taken<uint16_t>(bytes));
    case Dtype::BFLOAT16:
      return double(std::bit_cast<float>(uint32_t{taken<uint16_t>(bytes)} << 16));
    case Dtype::FLOAT32:
      return double(taken<float>(bytes));
    default:
      return taken<double>(bytes);
  }
}

double imag_at(Dtype dtype, const std::byte* bytes) noexcept {
  return real_at(dtype, bytes + size_of(dtype) / 2);
}

int64_t integer_at(Dtype dtype, const std::byte* bytes) noexcept {
  switch (dtype) {
    case Dtype::BOOL:
    case Dtype::UINT8:
      return taken<uint8_t>(bytes);
    case Dtype::INT8:
      return taken<int8_t>(bytes);
    case Dtype::INT16:
      return taken<int16_t>(bytes);
    case Dtype::UINT16:
      return taken<uint16_t>(bytes);
    case Dtype::INT32:
      return taken<int32_t>(bytes);
    case Dtype::UINT32:
      return taken<uint32_t>(bytes);
    default:
      return taken<int64_t>(bytes);
  }
}

}  // namespace cucore::array
