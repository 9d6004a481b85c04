// SPDX-License-Identifier: Apache-2.0
// The criteria end a series when its samples are enough, and the limits end it in any case.
#include <gtest/gtest.h>

#include "perf/measure/criterion.hpp"
#include "perf/measure/statistics.hpp"
#include "synthetic.hpp"

namespace {

using namespace cucore::perf;
using synthetic::Random;

struct End {
  size_t samples = 0;
  StopReason reason = StopReason::NONE;
};

// Adds samples until the criterion ends the series. Time passes as the samples need it.
template <class Make>
End run(const SeriesLimits& limits, Make&& make) {
  Criterion criterion(limits);
  double elapsed = 0;
  for (End end;; ++end.samples) {
    end.reason = criterion.reason(elapsed);
    if (end.reason != StopReason::NONE) return end;
    const double sample = make();
    elapsed += sample;
    criterion.add(sample);
  }
}

class Criteria : public testing::Test {
 protected:
  double noisy(double noise) {
    return synthetic::TIME * (1 + noise * std::normal_distribution<double>()(random_));
  }
  Random random_{11};
};

TEST_F(Criteria, NeedTheLeastNumberAndTime) {
  SeriesLimits limits;
  EXPECT_EQ(run(limits, [] { return 1.0; }).samples, 10U);
  EXPECT_NEAR(static_cast<double>(run(limits, [] { return 1e-3; }).samples), 100, 1) << "0.1 s";
  limits.min_samples = 40;
  EXPECT_EQ(run(limits, [] { return 1.0; }).reason, StopReason::MAX_TIME);
  limits.max_time = 100;
  EXPECT_EQ(run(limits, [] { return 1.0; }).samples, 40U);
}

TEST_F(Criteria, EndAtTheLimits) {
  SeriesLimits limits;
  limits.noise = 1e-9;
  limits.max_samples = 50;
  const End many = run(limits, [&] { return noisy(0.2); });
  EXPECT_EQ(many.samples, 50U);
  EXPECT_EQ(many.reason, StopReason::MAX_SAMPLES);
  limits.max_samples = 1'000'000;
  limits.max_time = 0.2;
  EXPECT_EQ(run(limits, [&] { return noisy(0.2); }).reason, StopReason::MAX_TIME);
}

TEST_F(Criteria, OfTheIntervalNeedMoreSamplesOfMoreNoise) {
  SeriesLimits limits;
  limits.min_time = 0;
  // The interval is about 2 * 1.96 * 1.25 * noise / sqrt(n) wide.
  const End quiet = run(limits, [&] { return noisy(0.001); });
  const End loud = run(limits, [&] { return noisy(0.02); });
  EXPECT_EQ(quiet.reason, StopReason::CRITERION);
  EXPECT_EQ(quiet.samples, 10U);
  EXPECT_EQ(loud.reason, StopReason::CRITERION);
  EXPECT_NEAR(static_cast<double>(loud.samples), 385, 200);
}

TEST_F(Criteria, OfTheIntervalAcceptTheClock) {
  SeriesLimits limits;
  limits.min_time = 0;
  bool odd = false;
  // Two times 10 ns apart, of 1 microsecond: 1 %, but below 20 ns.
  const End end = run(limits, [&] { return (odd = !odd) ? 1e-6 : 1.01e-6; });
  EXPECT_EQ(end.samples, 10U);
}

TEST_F(Criteria, OfTheDeviation) {
  SeriesLimits limits;
  limits.criterion = CriterionKind::DEVIATION;
  limits.min_time = 0;
  EXPECT_EQ(run(limits, [&] { return noisy(0.001); }).samples, 10U);
  const End loud = run(limits, [&] { return noisy(0.02); });
  EXPECT_EQ(loud.reason, StopReason::CRITERION) << "the deviation stays the same";
  EXPECT_GT(loud.samples, 60U);
}

TEST_F(Criteria, OfTheEntropy) {
  SeriesLimits limits;
  limits.criterion = CriterionKind::ENTROPY;
  limits.min_time = 0;
  limits.max_time = 1e9;
  limits.max_samples = 100'000;
  EXPECT_EQ(run(limits, [] { return 1e-5; }).samples, 10U) << "one time has no entropy";
  // Ten times with equal probability: the entropy approaches log2(10) and then stays.
  std::uniform_int_distribution<int> ticks(0, 9);
  const End end = run(limits, [&] { return 1e-5 + 1e-7 * ticks(random_); });
  EXPECT_EQ(end.reason, StopReason::CRITERION);
  EXPECT_GT(end.samples, 100U);
}

TEST_F(Criteria, OfTheCount) {
  SeriesLimits limits;
  limits.criterion = CriterionKind::COUNT;
  limits.min_samples = 33;
  EXPECT_EQ(run(limits, [&] { return noisy(0.5); }).samples, 33U);
}

}  // namespace
