// SPDX-License-Identifier: Apache-2.0
// The numbers in the bytes of elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "array/model/dtype.hpp"

namespace cucore::array {

// Of a floating type, or the real part of a complex one. Exact.
double real_at(Dtype dtype, const std::byte* bytes) noexcept;
double imag_at(Dtype dtype, const std::byte* bytes) noexcept;
// Of a bool or an integer; the bits of a uint64.
int64_t integer_at(Dtype dtype, const std::byte* bytes) noexcept;

}  // namespace cucore::array
