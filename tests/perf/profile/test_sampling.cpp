// SPDX-License-Identifier: Apache-2.0
// The choice of timed calls, the scaling of their times, and ranges.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "perf/profile/range_table.hpp"
#include "perf/profile/sampling.hpp"
#include "support/error.hpp"

namespace {

using namespace cucore::perf;

CallTimes times_of(std::initializer_list<double> seconds) {
  CallTimes times;
  for (const double one : seconds) times.add(one);
  return times;
}

TEST(CallTimes, AreScaledToAllCalls) {
  const ReportSeconds seconds = times_of({1, 2, 3}).seconds(6, 0);
  EXPECT_DOUBLE_EQ(seconds.mean, 2);
  EXPECT_DOUBLE_EQ(seconds.min, 1);
  EXPECT_DOUBLE_EQ(seconds.max, 3);
  EXPECT_DOUBLE_EQ(seconds.total, 12);
  // 1.96 * 6 * sqrt(1 / 3 * (1 - 3 / 6))
  EXPECT_NEAR(seconds.low, 12 - 4.801, 1e-3);
  EXPECT_NEAR(seconds.high, 12 + 4.801, 1e-3);
}

TEST(CallTimes, OfAllCallsHaveNoInterval) {
  const ReportSeconds seconds = times_of({1, 2, 3}).seconds(3, 0);
  EXPECT_DOUBLE_EQ(seconds.total, 6);
  EXPECT_DOUBLE_EQ(seconds.low, 6);
  EXPECT_DOUBLE_EQ(seconds.high, 6);
}

TEST(CallTimes, LoseTheOffsetOfEvents) {
  const ReportSeconds seconds = times_of({1, 2, 3}).seconds(3, 1.5);
  EXPECT_DOUBLE_EQ(seconds.mean, 0.5);
  EXPECT_DOUBLE_EQ(seconds.min, 0);
  EXPECT_DOUBLE_EQ(seconds.max, 1.5);
  EXPECT_DOUBLE_EQ(seconds.total, 1.5);
}

TEST(CallTimes, AreUnknownWithoutACall) {
  EXPECT_TRUE(std::isnan(CallTimes().seconds(5, 0).total));
  EXPECT_TRUE(std::isnan(times_of({1}).seconds(5, 0).high)) << "one call has no deviation";
}

TEST(Sampling, DrawsEvenly) {
  double sum = 0;
  int below = 0;
  constexpr int COUNT = 100000;
  for (uint64_t i = 1; i <= COUNT; ++i) {
    const double one = draw(i);
    ASSERT_GE(one, 0);
    ASSERT_LT(one, 1);
    sum += one;
    below += one < 0.02;
  }
  EXPECT_NEAR(sum / COUNT, 0.5, 0.01);
  EXPECT_NEAR(below, 0.02 * COUNT, 200);
}

TEST(Ranges, NestByThread) {
  RangeTable table;
  table.begin("epoch", 1);
  table.add_calls(table.innermost(), 7, 1);
  table.begin("step", 2);
  table.add_calls(table.innermost(), 7, 1);
  std::thread([&] {
    table.add_calls(table.innermost(), 8, 1);  // in the session alone
    EXPECT_THROW(table.end(2), cucore::Error);
  }).join();
  const std::optional<TimelineRecord> record = table.end(5);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->name, "step");
  EXPECT_DOUBLE_EQ(record->start, 2);
  EXPECT_DOUBLE_EQ(record->duration, 3);
  table.begin("step", 6);
  table.end_all(10);
  const std::vector<ReportRange>& ranges = table.ranges();
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].name, "");
  EXPECT_DOUBLE_EQ(ranges[0].seconds, 10);
  EXPECT_EQ(ranges[0].parent, NO_INDEX);
  EXPECT_EQ(ranges[1].name, "epoch");
  EXPECT_EQ(ranges[1].parent, 0u);
  EXPECT_DOUBLE_EQ(ranges[1].seconds, 9);
  EXPECT_EQ(ranges[2].parent, 1u);
  EXPECT_EQ(ranges[2].calls, 2u);
  EXPECT_DOUBLE_EQ(ranges[2].seconds, 7);
  const auto calls = table.calls();
  EXPECT_EQ(calls[0], (std::map<size_t, uint64_t>{{7, 2}, {8, 1}}));
  EXPECT_EQ(calls[1], (std::map<size_t, uint64_t>{{7, 2}}));
  EXPECT_EQ(calls[2], (std::map<size_t, uint64_t>{{7, 1}}));
}

// A search among all ranges for each one would take many minutes.
TEST(RangeTable, HasManyRanges) {
  constexpr size_t MANY = 200'000;
  RangeTable table;
  table.begin("epoch", 0);
  for (size_t i = 0; i < MANY; ++i) {
    table.begin("step " + std::to_string(i), 1);
    table.end(2);
  }
  table.end_all(3);
  EXPECT_EQ(table.ranges().size(), MANY + 2);
  EXPECT_EQ(table.calls().size(), MANY + 2);
  EXPECT_EQ(table.dropped(), 0u);
}

TEST(RangeTable, KeepsAtMostTheRangesOfItsLimit) {
  RangeTable table(2);
  table.begin("epoch", 0);
  for (int i = 0; i < 3; ++i) {
    table.begin("step " + std::to_string(i), 1);
    table.add_calls(table.innermost(), 7, 1);
    table.begin("inner", 1);
    EXPECT_FALSE(table.end(2).has_value()) << "the limit is reached";
    EXPECT_EQ(table.end(3).has_value(), i == 0);
  }
  table.begin("step 0", 3);  // has a row already
  EXPECT_TRUE(table.end(4).has_value());
  table.end_all(5);
  const std::vector<ReportRange>& ranges = table.ranges();
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[2].name, "step 0");
  EXPECT_EQ(ranges[2].calls, 2u);
  EXPECT_DOUBLE_EQ(ranges[2].seconds, 3);
  EXPECT_DOUBLE_EQ(ranges[1].seconds, 5) << "the range around the others";
  EXPECT_EQ(table.dropped(), 5u) << "two steps, and three ranges inside of steps";
  EXPECT_FALSE(table.add(1, "of NVTX", 1, 1, 2).has_value());
  EXPECT_EQ(table.dropped(), 6u);
  EXPECT_TRUE(table.add(1, "step 0", 1, 1, 2).has_value());
  EXPECT_EQ(table.calls()[1], (std::map<size_t, uint64_t>{{7, 3}}));
  EXPECT_EQ(table.calls()[2], (std::map<size_t, uint64_t>{{7, 1}}));
}

}  // namespace
