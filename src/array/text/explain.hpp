// SPDX-License-Identifier: Apache-2.0
// Descriptions of an evaluation that would begin now.
#pragma once

#include <span>
#include <string>

#include "array/run/context.hpp"

namespace cucore::array {

// The numbers are those of cucore_array_explanation.
enum class Explanation : uint8_t { PLAN = 1, GRAPH = 2, SOURCE = 3, PTX = 4, COUNTS = 5 };

// Launches nothing. PTX compiles the kernels, without the context's lock.
std::string explained(Context& context, std::span<const Ref<Cell>> cells, Explanation what);

}  // namespace cucore::array
