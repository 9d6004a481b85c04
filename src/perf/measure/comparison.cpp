// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cucore::perf {
namespace {

constexpr double NORMAL_QUANTILE_99 = 2.575829;  // of 99 %, two-sided
constexpr size_t MOST_VALUES = 512;              // of a series, of which all pairs are formed
constexpr double LEAST_TIME = 1e-12;             // a clock can return 0

double logarithm(double time) { return std::log(std::max(time, LEAST_TIME)); }

// Returns at most MOST_VALUES quantiles, which stand for the whole series.
std::vector<double> thinned(std::vector<double> values) {
  std::ranges::sort(values);
  if (values.size() <= MOST_VALUES) return values;
  std::vector<double> few;
  few.reserve(MOST_VALUES);
  for (size_t i = 0; i < MOST_VALUES; ++i)
    few.push_back(quantile(values, (static_cast<double>(i) + 0.5) / double{MOST_VALUES}));
  return few;
}

// Interprets the differences: their median is the estimate, and `half` is the part of them on each
// side of it that the interval contains.
Comparison comparison_of(std::vector<double> differences, double half) {
  std::ranges::sort(differences);
  Comparison result;
  result.ratio = std::exp(quantile(differences, 0.5));
  result.interval = {std::exp(quantile(differences, 0.5 - half)),
                     std::exp(quantile(differences, 0.5 + half))};
  if (std::abs(std::log(result.ratio)) < LEAST_DIFFERENCE) return result;
  if (result.interval.high < 1) result.verdict = Verdict::FASTER;
  if (result.interval.low > 1) result.verdict = Verdict::SLOWER;
  return result;
}

std::vector<double> logarithms(std::span<const double> times) {
  std::vector<double> result(times.size());
  std::ranges::transform(times, result.begin(), logarithm);
  return result;
}

}  // namespace

// The interval is that of the Mann-Whitney test.
Comparison compare_series(std::span<const double> first, std::span<const double> second) {
  const std::vector<double> a = thinned(logarithms(first)), b = thinned(logarithms(second));
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double one : a)
    for (const double other : b) differences.push_back(one - other);
  const auto n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  return comparison_of(std::move(differences),
                       NORMAL_QUANTILE_99 * std::sqrt((n + m + 1) / (12 * n * m)));
}

// The interval is that of Wilcoxon's signed-rank test, of the means of all pairs of differences.
Comparison compare_pairs(std::span<const double> first, std::span<const double> second) {
  const size_t count = std::min(first.size(), second.size());
  std::vector<double> differences(count);
  for (size_t i = 0; i < count; ++i) differences[i] = logarithm(first[i]) - logarithm(second[i]);
  const std::vector<double> few = thinned(std::move(differences));
  std::vector<double> means;
  means.reserve(few.size() * (few.size() + 1) / 2);
  for (size_t i = 0; i < few.size(); ++i)
    for (size_t j = i; j < few.size(); ++j) means.push_back((few[i] + few[j]) / 2);
  const auto n = static_cast<double>(count);
  const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  return comparison_of(std::move(means), NORMAL_QUANTILE_99 * deviation / (n * (n + 1) / 2));
}

}  // namespace cucore::perf
