// SPDX-License-Identifier: Apache-2.0
// Whether two views of one base show a common element.
#pragma once

#include <cstdint>

#include "array/model/view.hpp"

namespace cucore::array {

enum class Overlap : uint8_t { NONE, SOME, UNDECIDED };

// Searches integers that solve position_a(i) = position_b(j) inside the shapes. The problem is
// NP-hard: after `work` steps the answer is UNDECIDED; 0 permits any number.
Overlap overlap_of(const View& a, const View& b, uint64_t work);

// The bound for decisions of the planner, which treats UNDECIDED as SOME.
constexpr uint64_t PLANNER_WORK = 1000;

}  // namespace cucore::array
