// SPDX-License-Identifier: Apache-2.0
// Indices of x[...] that make a view: integers, slices, new axes and the ellipsis.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "array/model/view.hpp"

namespace cucore::array {

struct Slice {
  std::optional<int64_t> start, stop, step;  // as in Python
};

enum class IndexKind : uint8_t { INTEGER = 1, SLICE = 2, NEW_AXIS = 3, ELLIPSIS = 4, ARRAY = 5 };

struct Index {
  IndexKind kind;
  int64_t integer = 0;
  Slice slice = {};  // of an ARRAY: the least and the greatest index, if they are known
  size_t axes = 1;   // of the array that an ARRAY consumes: as many as a mask has dimensions
};

// The slice of an axis of `size` elements.
struct Steps {
  int64_t first, step, count;
};
Steps steps_of(const Slice& slice, int64_t size);  // throws INVALID_ARGUMENT if the step is 0

// Replaces an ellipsis by full slices, so that each axis has an index. Throws INDEX if there are
// more indices than axes, or two ellipses.
std::vector<Index> completed(std::span<const Index> indices, size_t ndim);

// The view of indices that have no ARRAY. Throws INDEX if an integer is out of range.
View select(const View& view, std::span<const Index> indices);

}  // namespace cucore::array
