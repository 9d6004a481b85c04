// SPDX-License-Identifier: Apache-2.0
// The choice of the calls that are timed, and the times of a kernel as they arrive.
#pragma once

#include <cstdint>

#include "perf/profile/report_data.hpp"

namespace cucore::perf {

// The first calls of each kernel and geometry, which are all timed.
inline constexpr uint64_t ALWAYS_TIMED = 8;

// The time of the calls of one kernel with one geometry.
class CallTimes {
 public:
  void add(double seconds);

  uint64_t count() const { return count_; }
  double mean() const { return count_ ? mean_ : UNKNOWN; }
  double mean_or_zero() const { return mean_; }
  double max() const { return max_; }  // 0 without a time

  // Scales to all calls. The interval has no width if all of them were timed. `offset` is the time
  // of two events without work between them.
  ReportSeconds seconds(uint64_t calls, double offset) const;

 private:
  uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;  // by Welford
  double min_ = 0, max_ = 0;
};

// Returns a number from 0 to 1, excluding 1, that depends on the sequence alone.
double draw(uint64_t sequence);

}  // namespace cucore::perf
