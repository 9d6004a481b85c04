// SPDX-License-Identifier: Apache-2.0
// Decides when a series has enough samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace cucore::perf {

// As cucore_criterion.
enum class CriterionKind { INTERVAL = 1, DEVIATION = 2, ENTROPY = 3, COUNT = 4 };

// As cucore_stop_reason.
enum class StopReason { NONE, CRITERION, MAX_SAMPLES, MAX_TIME };

struct SeriesLimits {
  CriterionKind criterion = CriterionKind::INTERVAL;
  uint32_t min_samples = 10;
  uint32_t max_samples = 1'000'000;
  double min_time = 0.1;  // of the work, in seconds
  double max_time = 15;   // of the measurement, in seconds
  double noise = 0.005;   // of INTERVAL and DEVIATION
};

class Criterion {
 public:
  explicit Criterion(const SeriesLimits& limits) : limits_(limits) {}

  void add(double seconds);
  // `elapsed` is the time since the measurement began.
  StopReason reason(double elapsed);

 private:
  bool is_met();
  bool interval_is_narrow() const;
  bool deviation_is_small();
  bool entropy_is_stable() const;
  void track_entropy(double seconds);

  const SeriesLimits limits_;
  std::vector<double> samples_;
  double total_ = 0;
  size_t next_check_ = 0;
  double mean_ = 0, squares_ = 0;    // Welford
  std::vector<double> noises_;       // of DEVIATION
  std::map<double, size_t> counts_;  // of ENTROPY
  double weighted_ = 0;              // sum of count * log2(count)
  std::deque<double> entropies_;     // the last ones
};

}  // namespace cucore::perf
