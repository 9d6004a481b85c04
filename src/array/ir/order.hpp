// SPDX-License-Identifier: Apache-2.0
// The order in which the memory of a result runs over its axes.
#pragma once

#include <span>

#include "array/ir/value.hpp"

namespace cucore::array {

// The axes from the slowest to the fastest one, so that the result is in memory as the operands are
// (NumPy's order "K"). All views have `ndim` axes.
Dims memory_order(size_t ndim, std::span<const View* const> views);
bool is_standard(const Dims& order) noexcept;  // 0, 1, 2, ...

// Axis `k` of the result is axis order[k]. Axes that `order` lacks have size 1.
View reordered(const View& view, const Dims& order);
// The view of a dense value whose axis `k` is axis order[k] of the result.
View unordered(const Dims& shape, const Dims& order);

}  // namespace cucore::array
