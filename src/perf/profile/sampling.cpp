// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace cucore::perf {
namespace {

// Of the normal distribution: 95 % are within so many deviations.
constexpr double DEVIATIONS_OF_95_PERCENT = 1.96;

}  // namespace

void CallTimes::add(double seconds) {
  min_ = count_ == 0 ? seconds : std::min(min_, seconds);
  max_ = count_ == 0 ? seconds : std::max(max_, seconds);
  ++count_;
  const double distance = seconds - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (seconds - mean_);
}

ReportSeconds CallTimes::seconds(uint64_t calls, double offset) const {
  ReportSeconds out;
  if (count_ == 0) return out;
  const auto less = [&](double seconds) { return std::max(0.0, seconds - offset); };
  const auto all = static_cast<double>(std::max(calls, count_));
  const auto timed = static_cast<double>(count_);
  out.mean = less(mean_);
  out.min = less(min_);
  out.max = less(max_);
  out.total = out.mean * all;
  out.low = out.high = out.total;
  if (all == timed) return out;
  if (count_ < 2) {
    out.low = 0;
    out.high = UNKNOWN;
    return out;
  }
  const double variance = squares_ / (timed - 1);
  const double error = all * std::sqrt(variance / timed * (1 - timed / all));
  out.low = std::max(0.0, out.total - DEVIATIONS_OF_95_PERCENT * error);
  out.high = out.total + DEVIATIONS_OF_95_PERCENT * error;
  return out;
}

// The mixing function of SplitMix64.
double draw(uint64_t sequence) {
  uint64_t z = sequence * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

}  // namespace cucore::perf
