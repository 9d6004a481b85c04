// SPDX-License-Identifier: Apache-2.0
// A view of a result that is itself computed from a view.
#pragma once

#include <optional>
#include <span>

#include "array/model/view.hpp"

namespace cucore::array {

// `outer` shows elements of a dense array of the shape of `inner`, and `inner` shows these elements
// in a base. Returns the view of that base. It is empty if a step of `outer` passes from the end of
// one axis to the next one. Such a position must be divided by the sizes of the axes.
std::optional<View> composed(const View& outer, const View& inner);

// Drops axes of size 1 and joins neighbours that all views step over as one axis. The views have
// one shape, and so do the results.
void collapse(std::span<View* const> views);

}  // namespace cucore::array
