// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cucore::perf {
namespace {

constexpr double CONFIDENCE = 0.95;
constexpr double NORMAL_QUANTILE = 1.959964;  // of CONFIDENCE, two-sided
constexpr size_t EXACT_UP_TO = 200;           // beyond, the binomial distribution is a normal one
constexpr double FENCE = 3;                   // interquartile ranges

// The median lies between the order statistics d and n + 1 - d with a probability, the coverage.
// This is the largest d with a coverage of at least CONFIDENCE; 0: no d has it.
struct Ranks {
  size_t d = 0;
  double coverage = 0;
  double next = 0;  // the coverage of d + 1
};

Ranks exact_ranks(size_t n) {
  Ranks result;
  double term = std::pow(0.5, static_cast<double>(n));  // P(k), of a binomial with one half
  double below = 0;                                     // P(at most k)
  for (size_t k = 0; 2 * k < n; ++k) {
    below += term;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    const double coverage = 1 - 2 * below;  // of d = k + 1
    if (coverage < CONFIDENCE) {
      result.next = coverage;
      break;
    }
    result.d = k + 1;
    result.coverage = coverage;
  }
  return result;
}

// Hettmansperger and Sheather, Confidence intervals based on interpolated order statistics, 1986.
Interval exact_interval(std::span<const double> sorted) {
  const size_t n = sorted.size();
  const Ranks ranks = exact_ranks(n);
  if (ranks.d == 0) return {sorted.front(), sorted.back()};
  const double part = (ranks.coverage - CONFIDENCE) / (ranks.coverage - ranks.next);
  const auto d = static_cast<double>(ranks.d), count = static_cast<double>(n);
  const double weight = (count - d) * part / (d + (count - 2 * d) * part);
  const size_t low = ranks.d - 1, high = n - ranks.d;
  return {std::lerp(sorted[low], sorted[low + 1], weight),
          std::lerp(sorted[high], sorted[high - 1], weight)};
}

}  // namespace

double quantile(std::span<const double> sorted, double fraction) {
  const double place = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto index = static_cast<size_t>(place);
  if (index + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[index], sorted[index + 1], place - std::floor(place));
}

Interval median_interval(std::span<const double> sorted) {
  if (sorted.empty()) return {};
  if (sorted.size() <= EXACT_UP_TO) return exact_interval(sorted);
  const double half = NORMAL_QUANTILE / 2 / std::sqrt(static_cast<double>(sorted.size()));
  return {quantile(sorted, 0.5 - half), quantile(sorted, 0.5 + half)};
}

std::vector<double> sorted_copy(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return sorted;
}

double mean_of(std::span<const double> samples) {
  if (samples.empty()) return 0;
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double deviation_of(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const double mean = mean_of(samples);
  double sum = 0;
  for (const double sample : samples) sum += (sample - mean) * (sample - mean);
  return std::sqrt(sum / static_cast<double>(samples.size() - 1));
}

Summary summary_of(std::span<const double> samples) {
  if (samples.empty()) return {};
  const std::vector<double> sorted = sorted_copy(samples);
  Summary result;
  result.median = quantile(sorted, 0.5);
  result.interval = median_interval(sorted);
  result.mean = mean_of(samples);
  result.deviation = deviation_of(samples);
  result.min = sorted.front();
  result.max = sorted.back();
  result.p05 = quantile(sorted, 0.05);
  result.p95 = quantile(sorted, 0.95);
  const double first = quantile(sorted, 0.25), third = quantile(sorted, 0.75);
  const double reach = FENCE * (third - first);
  result.outliers = static_cast<size_t>(std::ranges::count_if(
      sorted, [&](double value) { return value < first - reach || value > third + reach; }));
  return result;
}

}  // namespace cucore::perf
