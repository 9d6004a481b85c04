// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/series.hpp"

#include <algorithm>
#include <array>

namespace cucore::perf {
namespace {

constexpr double LOW_CLOCK = 0.75;       // of the reference
constexpr std::array PAUSES{0.05, 0.5};  // seconds, after the low samples in a row

// Compares clocks with the highest so far, and paces the rounds that are dropped.
class ClockGuard {
 public:
  explicit ClockGuard(Pace& pace) : pace_(pace) {}

  // Returns whether the round is dropped.
  bool refuses(std::span<const Sample> round) {
    for (const Sample& sample : round) reference_ = std::max(reference_, sample.clock_mhz);
    const bool is_low = std::ranges::any_of(round, [&](const Sample& sample) {
      return sample.clock_mhz > 0 && sample.clock_mhz < LOW_CLOCK * reference_;
    });
    if (!is_low) {
      low_ = 0;
      return false;
    }
    if (low_ == PAUSES.size()) {
      gave_up_ = true;
      return false;
    }
    pace_.pause(PAUSES[low_++]);
    return true;
  }
  bool gave_up() const { return gave_up_; }

 private:
  Pace& pace_;
  double reference_ = 0;
  size_t low_ = 0;  // samples in a row
  bool gave_up_ = false;
};

std::vector<Sample> take_round(std::span<SampleSource* const> sources, bool reversed) {
  std::vector<Sample> round(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    const size_t at = reversed ? sources.size() - 1 - i : i;
    round[at] = sources[at]->take();
  }
  return round;
}

// The series ends when each criterion is met, or when one limit is reached.
StopReason reason_of(std::vector<Criterion>& criteria, double elapsed) {
  auto result = StopReason::CRITERION;
  bool all = true;
  for (Criterion& criterion : criteria) {
    const StopReason reason = criterion.reason(elapsed);
    if (reason == StopReason::MAX_SAMPLES || reason == StopReason::MAX_TIME) result = reason;
    all = all && reason != StopReason::NONE;
  }
  return all || result != StopReason::CRITERION ? result : StopReason::NONE;
}

}  // namespace

std::vector<Series> take_series(std::span<SampleSource* const> sources, Pace& pace,
                                const SeriesLimits& limits) {
  std::vector<Series> series(sources.size());
  std::vector<Criterion> criteria(sources.size(), Criterion(limits));
  ClockGuard guard(pace);
  auto stop = StopReason::NONE;
  for (bool reversed = false; stop == StopReason::NONE; reversed = !reversed) {
    const std::vector<Sample> round = take_round(sources, reversed);
    if (guard.refuses(round)) {
      for (Series& one : series) ++one.throttled;
      continue;
    }
    for (size_t i = 0; i < round.size(); ++i) {
      series[i].samples.push_back(round[i].seconds);
      if (round[i].clock_mhz > 0) series[i].clocks.push_back(round[i].clock_mhz);
      criteria[i].add(round[i].seconds);
    }
    stop = reason_of(criteria, pace.elapsed());
  }
  for (Series& one : series) {
    one.stop = stop;
    one.shape = guard.gave_up() ? Shape::THROTTLED : shape_of(one.samples);
  }
  return series;
}

}  // namespace cucore::perf
