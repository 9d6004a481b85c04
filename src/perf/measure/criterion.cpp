// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/criterion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "perf/measure/statistics.hpp"

namespace cucore::perf {
namespace {

constexpr double LEAST_WIDTH = 20e-9;     // seconds; no clock is better
constexpr size_t CHECK_EACH_UP_TO = 100;  // samples; beyond, at each twentieth part more
constexpr size_t LEAST_NOISES = 64;
constexpr double STABLE_NOISE = 0.05;
constexpr size_t MOST_ENTROPIES = 300;
constexpr double MOST_SLOPE = 0.048;  // degrees per sample
constexpr double LEAST_FIT = 0.36;    // r squared

struct Line {
  double slope = 0;
  double fit = 1;  // r squared
};

// Least squares over 0, 1, 2 ... Equal values lie on their line.
Line line_of(const std::deque<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean_x = (n - 1) / 2;
  double mean_y = 0;
  for (const double value : values) mean_y += value / n;
  double xx = 0, xy = 0, yy = 0, x = 0;
  for (const double value : values) {
    xx += (x - mean_x) * (x - mean_x);
    xy += (x - mean_x) * (value - mean_y);
    yy += (value - mean_y) * (value - mean_y);
    ++x;
  }
  if (yy < 1e-18 || xx == 0) return {};
  return {xy / xx, xy * xy / (xx * yy)};
}

double weight_of(size_t count) {
  return count == 0 ? 0 : static_cast<double>(count) * std::log2(static_cast<double>(count));
}

}  // namespace

void Criterion::add(double seconds) {
  samples_.push_back(seconds);
  total_ += seconds;
  const double step = seconds - mean_;
  mean_ += step / static_cast<double>(samples_.size());
  squares_ += step * (seconds - mean_);
  if (limits_.criterion == CriterionKind::DEVIATION && samples_.size() > 1 && mean_ > 0)
    noises_.push_back(std::sqrt(squares_ / static_cast<double>(samples_.size() - 1)) / mean_);
  if (limits_.criterion == CriterionKind::ENTROPY) track_entropy(seconds);
}

StopReason Criterion::reason(double elapsed) {
  if (samples_.size() >= limits_.max_samples) return StopReason::MAX_SAMPLES;
  if (limits_.criterion == CriterionKind::COUNT) {
    if (samples_.size() >= limits_.min_samples) return StopReason::CRITERION;
  } else if (samples_.size() >= limits_.min_samples && total_ >= limits_.min_time && is_met()) {
    return StopReason::CRITERION;
  }
  return elapsed >= limits_.max_time && !samples_.empty() ? StopReason::MAX_TIME : StopReason::NONE;
}

bool Criterion::is_met() {
  if (samples_.size() < next_check_) return false;
  if (samples_.size() >= CHECK_EACH_UP_TO) next_check_ = samples_.size() + samples_.size() / 20;
  switch (limits_.criterion) {
    case CriterionKind::INTERVAL:
      return interval_is_narrow();
    case CriterionKind::DEVIATION:
      return deviation_is_small();
    case CriterionKind::ENTROPY:
      return entropy_is_stable();
    case CriterionKind::COUNT:
      break;
  }
  return true;
}

bool Criterion::interval_is_narrow() const {
  const std::vector<double> sorted = sorted_copy(samples_);
  const Interval interval = median_interval(sorted);
  return interval.high - interval.low <=
         std::max(LEAST_WIDTH, limits_.noise * quantile(sorted, 0.5));
}

bool Criterion::deviation_is_small() {
  if (mean_ <= 0 || (!noises_.empty() && noises_.back() <= limits_.noise)) return true;
  if (noises_.size() < LEAST_NOISES) return false;
  const auto trailing = std::span(noises_).last(noises_.size() / 2);
  return deviation_of(trailing) <= STABLE_NOISE * mean_of(trailing);
}

void Criterion::track_entropy(double seconds) {
  size_t& count = counts_[seconds];
  weighted_ += weight_of(count + 1) - weight_of(count);
  ++count;
  const auto n = static_cast<double>(samples_.size());
  entropies_.push_back(std::log2(n) - weighted_ / n);
  if (entropies_.size() > MOST_ENTROPIES) entropies_.pop_front();
}

bool Criterion::entropy_is_stable() const {
  const Line line = line_of(entropies_);
  return std::abs(std::atan(line.slope)) * 180 / std::numbers::pi < MOST_SLOPE &&
         line.fit >= LEAST_FIT;
}

}  // namespace cucore::perf
