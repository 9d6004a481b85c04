// SPDX-License-Identifier: Apache-2.0
// Arrays as text, in the format of NumPy's str().
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "array/model/dims.hpp"
#include "array/model/dtype.hpp"

namespace cucore::array {

struct PrintOptions {
  int64_t threshold = 1000;  // longer arrays are shown by their edges
  int32_t precision = 8;
  int32_t edge_items = 3;
  int32_t line_width = 75;
  bool suppress_small = false;
};

// The sizes of the shown part: twice the edge items where an axis is cut.
Dims shown_shape(const Dims& shape, const PrintOptions& options);

// `elements` are those of the shown part, the last axis first.
std::string printed(Dtype dtype, const Dims& shape, std::span<const std::byte> elements,
                    const PrintOptions& options);

}  // namespace cucore::array
