// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/shape.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "perf/measure/statistics.hpp"

namespace cucore::perf {
namespace {

constexpr size_t LEAST_SAMPLES = 30;
constexpr size_t LEAST_PART = 8;        // samples on each side of a step
constexpr double SIGNIFICANT = 4;       // deviations of the estimate, if there is nothing
constexpr double BEST_OF_MANY = 5;      // the same, of the best of all steps
constexpr double LEAST_CHANGE = 0.005;  // of the median
// Of the squares of the ranks. In thousands of samples, the least correlation is significant.
constexpr double LEAST_EXPLAINED = 0.2;
constexpr double LEAST_SHARE = 0.1;   // of the samples, in the smaller mode
constexpr double LEAST_DISTANCE = 5;  // of the modes, in their mean deviations

// Ranks from 0, of which equal values have the mean: outliers have no weight.
std::vector<double> ranks_of(std::span<const double> samples) {
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return samples[i]; });
  std::vector<double> ranks(samples.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && samples[order[end]] == samples[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return ranks;
}

// A model of the ranks: the part of their squares that it explains, and its significance in
// deviations of random ranks.
struct Model {
  double explained = 0;
  double significance = 0;
  size_t split = 0;  // of a step
};

double squares_about_mean(const std::vector<double>& ranks) {
  const double deviation = deviation_of(ranks);
  return deviation * deviation * static_cast<double>(ranks.size() - 1);
}

Model trend_of(const std::vector<double>& ranks, double squares) {
  const auto n = static_cast<double>(ranks.size());
  double xy = 0;
  for (size_t i = 0; i < ranks.size(); ++i)
    xy += (static_cast<double>(i) - (n - 1) / 2) * (ranks[i] - (n - 1) / 2);
  const double xx = n * (n * n - 1) / 12;
  const double correlation = xy / std::sqrt(xx * squares);
  return {correlation * correlation, std::abs(correlation) * std::sqrt(n - 1), 0};
}

// The best place of one step.
Model step_of(const std::vector<double>& ranks, double squares) {
  const auto n = static_cast<double>(ranks.size());
  Model best;
  double sum = 0;
  for (size_t i = 0; i + LEAST_PART < ranks.size(); ++i) {
    sum += ranks[i] - (n - 1) / 2;
    if (i + 1 < LEAST_PART) continue;
    const auto k = static_cast<double>(i + 1);
    const double explained = sum * sum * n / (k * (n - k)) / squares;
    if (explained <= best.explained) continue;
    best = {explained, std::sqrt(explained * (n - 1)), i + 1};
  }
  return best;
}

double median_of(std::span<const double> samples) { return quantile(sorted_copy(samples), 0.5); }

// Two modes: the gap between the groups is wide in comparison with each group.
bool has_two_modes(std::span<const double> samples) {
  const std::vector<double> sorted = sorted_copy(samples);
  const size_t n = sorted.size();
  const auto least =
      std::max<size_t>(LEAST_PART, static_cast<size_t>(LEAST_SHARE * static_cast<double>(n)));
  // The split of Otsu: the groups have the least squares about their means.
  std::vector<double> sums(n + 1);
  std::partial_sum(sorted.begin(), sorted.end(), sums.begin() + 1);
  size_t split = 0;
  double best = -1;
  for (size_t k = least; k + least <= n; ++k) {
    const double left = sums[k] / static_cast<double>(k);
    const double right = (sums[n] - sums[k]) / static_cast<double>(n - k);
    const double between =
        static_cast<double>(k) * static_cast<double>(n - k) * (right - left) * (right - left);
    if (between > best) {
      best = between;
      split = k;
    }
  }
  if (split == 0) return false;
  const auto lower = std::span(sorted).first(split), upper = std::span(sorted).subspan(split);
  // The spread of the middle half, as a deviation: an outlier does not widen a mode.
  const auto spread = [](std::span<const double> group) {
    return (quantile(group, 0.75) - quantile(group, 0.25)) / 1.349;
  };
  const double distance = quantile(upper, 0.5) - quantile(lower, 0.5);
  const double width = std::hypot(spread(lower), spread(upper)) / std::sqrt(2.0);
  return distance > LEAST_CHANGE * quantile(sorted, 0.5) && distance > LEAST_DISTANCE * width;
}

}  // namespace

Shape shape_of(std::span<const double> samples) {
  if (samples.size() < LEAST_SAMPLES) return Shape::STEADY;
  const std::vector<double> ranks = ranks_of(samples);
  const double squares = squares_about_mean(ranks);
  if (squares == 0) return Shape::STEADY;
  const Model trend = trend_of(ranks, squares), step = step_of(ranks, squares);
  const size_t quarter = std::max<size_t>(LEAST_PART, samples.size() / 4);
  const double median = median_of(samples);
  const double change =
      std::abs(median_of(samples.last(quarter)) - median_of(samples.first(quarter)));
  const bool is_step = step.significance > BEST_OF_MANY && step.explained > trend.explained;
  if (std::max(step.explained, trend.explained) < LEAST_EXPLAINED) {
    // The change is less than the noise.
  } else if (is_step) {
    const double height =
        std::abs(median_of(samples.first(step.split)) - median_of(samples.subspan(step.split)));
    if (height > LEAST_CHANGE * median) return Shape::STEPPED;
  } else if (trend.significance > SIGNIFICANT && change > LEAST_CHANGE * median) {
    return Shape::DRIFTING;
  }
  return has_two_modes(samples) ? Shape::BIMODAL : Shape::STEADY;
}

const char* shape_name(Shape shape) {
  switch (shape) {
    case Shape::DRIFTING:
      return "drifting";
    case Shape::STEPPED:
      return "stepped";
    case Shape::BIMODAL:
      return "bimodal";
    case Shape::THROTTLED:
      return "throttled";
    default:
      return "steady";
  }
}

}  // namespace cucore::perf
