// SPDX-License-Identifier: Apache-2.0
// Comparisons: the interval covers the true ratio, and two runs of one comparison agree.
#include <gtest/gtest.h>

#include "perf/measure/comparison.hpp"
#include "synthetic.hpp"

namespace {

using namespace cucore::perf;
using synthetic::Random;

constexpr int RUNS = 1'000;

struct Pair {
  std::vector<double> first, second;
};

// Both drift together by 10 %, as works whose samples are taken in turn do.
Pair pair_of(Random& random, double ratio, double noise, size_t count, double drift = 0.1) {
  const auto level = [=](double place) { return drift * place; };
  Pair pair{synthetic::series(random, count, level, noise),
            synthetic::series(random, count, level, noise)};
  for (double& sample : pair.first) sample *= ratio;
  return pair;
}

TEST(Comparison, OfPairsCoversTheRatio) {
  Random random(3);
  int covered = 0;
  for (int i = 0; i < RUNS; ++i) {
    const Pair pair = pair_of(random, 1.05, 0.01, 40);
    const Interval interval = compare_pairs(pair.first, pair.second).interval;
    covered += interval.low <= 1.05 && 1.05 <= interval.high;
  }
  EXPECT_GE(covered, RUNS * 98 / 100);
  EXPECT_LE(covered, RUNS * 999 / 1000);
}

TEST(Comparison, OfSeriesCoversTheRatio) {
  Random random(4);
  int covered = 0;
  for (int i = 0; i < RUNS; ++i) {
    const Pair pair = pair_of(random, 0.9, 0.01, 40, 0);
    const Interval interval = compare_series(pair.first, pair.second).interval;
    covered += interval.low <= 0.9 && 0.9 <= interval.high;
  }
  EXPECT_GE(covered, RUNS * 98 / 100);
  EXPECT_LE(covered, RUNS * 999 / 1000);
}

TEST(Comparison, OfTwoRunsAgrees) {
  for (const double ratio : {1.0, 0.98, 1.02, 1.05, 1.3, 0.7})
    for (const double noise : {0.002, 0.01}) {
      Random random(5);
      int equal_pairs = 0, equal_series = 0;
      for (int i = 0; i < RUNS; ++i) {
        const Pair one = pair_of(random, ratio, noise, 100),
                   other = pair_of(random, ratio, noise, 100);
        equal_pairs += compare_pairs(one.first, one.second).verdict ==
                       compare_pairs(other.first, other.second).verdict;
        const Pair still = pair_of(random, ratio, noise, 100, 0);
        const Pair again = pair_of(random, ratio, noise, 100, 0);
        equal_series += compare_series(still.first, still.second).verdict ==
                        compare_series(again.first, again.second).verdict;
      }
      EXPECT_GE(equal_pairs, RUNS * 19 / 20) << ratio << " " << noise;
      EXPECT_GE(equal_series, RUNS * 19 / 20) << ratio << " " << noise;
    }
}

TEST(Comparison, HasTheVerdictOfTheFirst) {
  Random random(6);
  const Pair slower = pair_of(random, 1.1, 0.01, 60);
  EXPECT_EQ(compare_pairs(slower.first, slower.second).verdict, Verdict::SLOWER);
  EXPECT_EQ(compare_pairs(slower.second, slower.first).verdict, Verdict::FASTER);
  EXPECT_NEAR(compare_pairs(slower.first, slower.second).ratio, 1.1, 0.01);
  const Pair equal = pair_of(random, 1.0, 0.01, 60);
  EXPECT_EQ(compare_pairs(equal.first, equal.second).verdict, Verdict::NO_DIFFERENCE);
}

TEST(Comparison, OfAVeryShortDifferenceIsNone) {
  // The interval excludes 1, but a difference of 0.1 % is not one.
  const std::vector<double> one(100, 1.001e-4), other(100, 1e-4);
  EXPECT_EQ(compare_series(one, other).verdict, Verdict::NO_DIFFERENCE);
  EXPECT_NEAR(compare_series(one, other).ratio, 1.001, 1e-9);
}

TEST(Comparison, OfFewSamplesIsUndecided) {
  const std::vector<double> one = {1e-4, 1.3e-4}, other = {2e-4, 1.1e-4};
  EXPECT_EQ(compare_pairs(one, other).verdict, Verdict::NO_DIFFERENCE);
  EXPECT_EQ(compare_series(one, other).verdict, Verdict::NO_DIFFERENCE);
}

TEST(Comparison, OfLongSeries) {
  Random random(8);
  const Pair pair = pair_of(random, 1.02, 0.05, 20'000);
  const Comparison comparison = compare_pairs(pair.first, pair.second);
  EXPECT_NEAR(comparison.ratio, 1.02, 0.004);
  EXPECT_LT(comparison.interval.high - comparison.interval.low, 0.01);
  EXPECT_EQ(comparison.verdict, Verdict::SLOWER);
}

}  // namespace
