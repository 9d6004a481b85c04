// SPDX-License-Identifier: Apache-2.0
// The budget of timing, on loops of launches whose times are simulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "perf/profile/timing_budget.hpp"

namespace {

using namespace cucore::perf;

constexpr double BUDGET = 0.01, HOST_COST = 4e-6, LAUNCH = 3.5e-6;
constexpr size_t STREAMS = 4;

// A loop of launches on streams in turn. The host is at most QUEUE launches ahead of a stream.
struct Loop {
  double kernel;  // seconds
  size_t streams;
  int launches;
  bool waits;  // for each launch
  friend std::ostream& operator<<(std::ostream& out, const Loop& loop) {
    return out << loop.kernel * 1e6 << " us on " << loop.streams << (loop.waits ? ", waits" : "");
  }
};

struct Outcome {
  double seconds = 0;
  int timed = 0;
};

Outcome simulate(const Loop& loop, bool has_session) {
  constexpr double QUEUE = 1000;
  Outcome outcome;
  TimingBudget budget(BUDGET);
  std::array<double, STREAMS> ends{};
  double host = 0;
  Spacing spacing;
  uint32_t countdown = 1;
  for (int i = 0; i < loop.launches; ++i) {
    double& end = ends[static_cast<size_t>(i) % loop.streams];
    host = std::max(host + LAUNCH, end - QUEUE * loop.kernel);
    end = std::max(end, host) + loop.kernel;
    if (has_session && --countdown == 0) {
      budget.add_work(&end, spacing.drawn * loop.kernel, host);
      const double chance = spacing.mean * budget.probability(loop.kernel);
      const bool is_first = outcome.timed < static_cast<int>(ALWAYS_TIMED);
      if (is_first || (draw(static_cast<uint64_t>(i)) < chance && budget.pays())) {
        ++outcome.timed;
        host += HOST_COST;
        end += DEVICE_COST;
        budget.add_timing(HOST_COST);
      }
      spacing = draw_spacing(std::min(512.0, 1 / budget.probability(loop.kernel)),
                             static_cast<uint64_t>(i));
      countdown = spacing.drawn;
    }
    if (loop.waits) host = std::max(host, end);
  }
  outcome.seconds = std::max(host, *std::max_element(ends.begin(), ends.end()));
  return outcome;
}

class TimingBudgets : public testing::TestWithParam<Loop> {};

TEST_P(TimingBudgets, KeepToTheWallTime) {
  const Outcome plain = simulate(GetParam(), false), timed = simulate(GetParam(), true);
  const double first = ALWAYS_TIMED * (HOST_COST + DEVICE_COST);
  EXPECT_LE(timed.seconds - plain.seconds, BUDGET * plain.seconds + first)
      << timed.timed << " timed";
  EXPECT_GE(timed.timed, 2 * static_cast<int>(ALWAYS_TIMED)) << "the budget is of use";
}

INSTANTIATE_TEST_SUITE_P(Loops, TimingBudgets,
                         testing::Values(Loop{5e-6, 4, 12000, false}, Loop{5e-6, 1, 12000, false},
                                         Loop{20e-6, 4, 8000, false}, Loop{100e-6, 4, 1600, false},
                                         Loop{1e-3, 4, 160, false}, Loop{20e-6, 1, 8000, true},
                                         Loop{1e-3, 1, 400, true}));

// The first program is idle for a second before it is busy.
TEST(TimingBudget, SavesLittleOfIdleTime) {
  TimingBudget budget(BUDGET);
  budget.add_work(&budget, 0, 0);
  budget.add_work(&budget, 0, 1);
  int timed = 0;
  for (; budget.pays(); ++timed) budget.add_timing(HOST_COST);
  EXPECT_GT(timed, 8);
  EXPECT_LT(timed, 64);
}

TEST(TimingBudget, DropsByTheNumberOfBusyStreams) {
  std::array<int, STREAMS> streams{};
  TimingBudget one(BUDGET), four(BUDGET);
  one.add_work(&streams[0], 1e-3, 1e-3);
  for (const int& stream : streams) four.add_work(&stream, 1e-3, 1e-3);
  EXPECT_GT(one.probability(1e-4), 0);
  EXPECT_NEAR(one.probability(1e-4), 4 * four.probability(1e-4), 1e-9);
}

TEST(TimingBudget, GrowsWithTheTimeOfTheKernel) {
  TimingBudget budget(BUDGET);
  for (int i = 0; i < 100; ++i) budget.add_timing(HOST_COST);
  EXPECT_NEAR(budget.probability(1e-5), BUDGET * 1e-5 / (HOST_COST + DEVICE_COST), 1e-6);
  EXPECT_EQ(budget.probability(1), 1);
  EXPECT_EQ(budget.probability(NAN), 0) << "no time has arrived";
  for (int i = 0; i < 100; ++i) budget.add_timing(4 * HOST_COST);
  EXPECT_NEAR(budget.probability(1e-5), BUDGET * 1e-5 / (4 * HOST_COST + DEVICE_COST), 1e-6);
}

TEST(TimingBudget, IsNothingOnRequest) {
  TimingBudget budget(0);
  budget.add_work(&budget, 1, 1);
  EXPECT_EQ(budget.probability(1), 0);
  EXPECT_FALSE(budget.pays());
}

TEST(Spacings, HaveTheirMean) {
  for (const double mean : {1.0, 2.5, 16.0, 128.0, 512.0}) {
    double sum = 0;
    constexpr int COUNT = 20000;
    for (uint64_t i = 1; i <= COUNT; ++i) {
      const Spacing spacing = draw_spacing(mean, i);
      EXPECT_EQ(spacing.mean, mean);
      ASSERT_GE(spacing.drawn, 1u);
      ASSERT_LE(spacing.drawn, 2 * mean);
      sum += spacing.drawn;
    }
    EXPECT_NEAR(sum / COUNT, mean, 0.02 * mean);
  }
  EXPECT_EQ(draw_spacing(0.1, 5).drawn, 1u);
}

}  // namespace
