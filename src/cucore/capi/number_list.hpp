// SPDX-License-Identifier: Apache-2.0
// A list of nodes as the output of a call.
#pragma once

#include <cucore.h>

#include <algorithm>
#include <vector>

#include "core/graph/graph.hpp"
#include "support/concat.hpp"

namespace cucore::capi {

// Writes the count, and the numbers if there is an array for them.
inline void write_numbers(const std::vector<core::NodeNumber>& numbers, cucore_node* nodes,
                          size_t capacity, size_t* count) {
  *count = numbers.size();
  if (!nodes) return;
  if (capacity < numbers.size())
    throw Error(Status::BUFFER_TOO_SMALL, concat("capacity is ", capacity, "; expected at least ",
                                                 numbers.size(), ", the number of nodes"));
  std::ranges::copy(numbers, nodes);
}

}  // namespace cucore::capi
