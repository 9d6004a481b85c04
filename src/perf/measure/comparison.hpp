// SPDX-License-Identifier: Apache-2.0
// The ratio of two series of times, from Hodges-Lehmann differences of their logarithms.
#pragma once

#include <span>

#include "perf/measure/statistics.hpp"

namespace cucore::perf {

// As cucore_comparison_verdict.
enum class Verdict { NONE, NO_DIFFERENCE, FASTER, SLOWER };

struct Comparison {
  double ratio = 1;   // first / second
  Interval interval;  // of the ratio, 99 %
  Verdict verdict = Verdict::NO_DIFFERENCE;
};

// Two ratios closer to 1 than this are not a difference: a second run of the same work reaches it.
inline constexpr double LEAST_DIFFERENCE = 0.005;

// Compares series that were measured one after the other. Neither is empty; all times are positive.
Comparison compare_series(std::span<const double> first, std::span<const double> second);

// Compares series of one length whose samples were taken in turn: drift cancels out.
Comparison compare_pairs(std::span<const double> first, std::span<const double> second);

}  // namespace cucore::perf
