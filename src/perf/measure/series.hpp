// SPDX-License-Identifier: Apache-2.0
// Takes samples until the criterion is met, without those of a throttled clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perf/measure/criterion.hpp"
#include "perf/measure/shape.hpp"

namespace cucore::perf {

struct Sample {
  double seconds = 0;
  double clock_mhz = 0;  // 0: unknown
};

// Takes the samples of one work.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual Sample take() = 0;
};

// The time of the measurement itself.
class Pace {
 public:
  virtual ~Pace() = default;
  virtual double elapsed() = 0;  // seconds since the measurement began
  virtual void pause(double seconds) = 0;
};

struct Series {
  std::vector<double> samples;  // in the order in which they were taken
  std::vector<double> clocks;   // of the samples, where known
  uint64_t throttled = 0;       // samples dropped
  Shape shape = Shape::NONE;
  StopReason stop = StopReason::NONE;
};

// Takes one sample of each source per round. The order is reversed in each second round, A B B A.
// If one sample of a round has a low clock, the round is dropped and a pause follows. After three
// in a row the samples are kept and the series is THROTTLED.
std::vector<Series> take_series(std::span<SampleSource* const> sources, Pace& pace,
                                const SeriesLimits& limits);

}  // namespace cucore::perf
