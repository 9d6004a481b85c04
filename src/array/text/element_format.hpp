// SPDX-License-Identifier: Apache-2.0
// The text of each element of an array. All texts have one width, as in NumPy.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "array/text/print.hpp"

namespace cucore::array {

using ElementFormat = std::function<std::string(const std::byte*)>;

// For these elements.
ElementFormat format_of(Dtype dtype, std::span<const std::byte> elements,
                        const PrintOptions& options);
// An element of an array without axes, as Python prints a number.
std::string scalar_text(Dtype dtype, const std::byte* element);

}  // namespace cucore::array
