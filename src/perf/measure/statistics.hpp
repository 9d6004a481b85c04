// SPDX-License-Identifier: Apache-2.0
// Statistics of a series of times that assume no distribution.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cucore::perf {

struct Interval {
  double low = 0;
  double high = 0;
};

struct Summary {
  double median = 0;
  Interval interval;  // of the median, 95 %
  double mean = 0;
  double deviation = 0;  // of the population that the samples are from
  double min = 0;
  double max = 0;
  double p05 = 0;
  double p95 = 0;
  size_t outliers = 0;  // outside three interquartile ranges of the quartiles
};

// Returns the value below which the fraction lies, interpolated. `sorted` is not empty.
double quantile(std::span<const double> sorted, double fraction);

// Returns the 95 % interval of the median, from order statistics. Neighbours are interpolated, so
// that the coverage is the same for each number of samples. Below 6 samples it is their range.
Interval median_interval(std::span<const double> sorted);

std::vector<double> sorted_copy(std::span<const double> samples);
double mean_of(std::span<const double> samples);
double deviation_of(std::span<const double> samples);

// All zero without samples.
Summary summary_of(std::span<const double> samples);

}  // namespace cucore::perf
