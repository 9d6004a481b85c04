// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

namespace cucore::cpu {

// Returns the smallest multiple of `align` that is not less than `value`.
template <std::unsigned_integral T>
constexpr T round_up(T value, std::type_identity_t<T> align) {
  return (value + align - 1) / align * align;
}

}  // namespace cucore::cpu
