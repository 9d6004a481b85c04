// SPDX-License-Identifier: Apache-2.0
// Random numbers: operations on the position of an element, which fuse as all others.
#pragma once

#include "array/ir/build.hpp"

namespace cucore::array {

// The numbers are those of cucore_array_distribution.
enum class Distribution : uint8_t {
  BITS = 1,
  UNIFORM = 2,
  NORMAL = 3,
  INTEGERS = 4,
  BERNOULLI = 5,
  EXPONENTIAL = 6,
};
std::string_view name_of(Distribution distribution) noexcept;
size_t parameters_of(Distribution distribution) noexcept;

struct Stream {
  uint64_t seed = 0;
  uint64_t first = 0;  // the number of element 0
};

// `parameters` broadcast to the shape. UNIFORM and INTEGERS have a low and a high end, which is not
// reached. NORMAL has a mean and a deviation, BERNOULLI a probability, EXPONENTIAL a mean. Without
// parameters they are 0 and 1.
Array random(Graph& graph, Distribution distribution, Dtype dtype, const Stream& stream,
             std::span<const Input> parameters, const Dims& shape);

}  // namespace cucore::array
