// SPDX-License-Identifier: Apache-2.0
// Synthetic series of times, whose true medians are computed from their distributions.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace synthetic {

constexpr double TIME = 1e-4;       // seconds
constexpr double DEVIATION = 0.01;  // of the noise, as a part of TIME

using Random = std::mt19937_64;

// A series: `level` maps the place in the series, 0 to 1, to the part that is added to the time.
// Each sample has normal noise.
template <class Level>
std::vector<double> series(Random& random, size_t count, Level&& level, double noise = DEVIATION) {
  std::normal_distribution<double> normal(0, noise);
  std::vector<double> samples(count);
  for (size_t i = 0; i < count; ++i)
    samples[i] = TIME * (1 + level((static_cast<double>(i) + 0.5) / static_cast<double>(count)) +
                         normal(random));
  return samples;
}

inline std::vector<double> normal(Random& random, size_t count) {
  return series(random, count, [](double) { return 0.0; });
}

// A third of the samples is 10 % slower.
inline std::vector<double> bimodal(Random& random, size_t count) {
  std::bernoulli_distribution slow(1.0 / 3);
  return series(random, count, [&](double) { return slow(random) ? 0.1 : 0.0; });
}

// The series becomes slower by one and a half deviations in all.
inline double drift_at(double place) { return 1.5 * DEVIATION * place; }
inline std::vector<double> drift(Random& random, size_t count) {
  return series(random, count, drift_at);
}

// One step of one deviation.
inline double steps_at(double place) { return place < 0.4 ? 0 : DEVIATION; }
inline std::vector<double> steps(Random& random, size_t count) {
  return series(random, count, steps_at);
}

inline double normal_below(double value, double mean) {
  return 0.5 * std::erfc(-(value - mean) / DEVIATION / std::sqrt(2.0));
}

// The median of a distribution function of values as parts of TIME.
inline double median_of(const std::function<double(double)>& below) {
  double low = 0.5, high = 2;
  for (int i = 0; i < 80; ++i) (below((low + high) / 2) < 0.5 ? low : high) = (low + high) / 2;
  return TIME * low;
}

// The median of a mixture of the levels of a series of `count` samples.
inline double median_of_levels(double (*level)(double), size_t count) {
  return median_of([=](double value) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
      sum += normal_below(value,
                          1 + level((static_cast<double>(i) + 0.5) / static_cast<double>(count)));
    return sum / static_cast<double>(count);
  });
}

}  // namespace synthetic
