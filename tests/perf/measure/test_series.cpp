// SPDX-License-Identifier: Apache-2.0
// Series of scripted samples: the order of pairs, and clocks that fall.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "perf/measure/series.hpp"

namespace {

using namespace cucore::perf;

class ScriptedSource final : public SampleSource {
 public:
  explicit ScriptedSource(std::function<Sample()> script) : script_(std::move(script)) {}
  Sample take() override { return script_(); }

 private:
  std::function<Sample()> script_;
};

// Time passes in pauses, and by 1 ms for each look at it.
class ScriptedPace final : public Pace {
 public:
  double elapsed() override { return now_ += 1e-3; }
  void pause(double seconds) override {
    pauses.push_back(seconds);
    now_ += seconds;
  }
  std::vector<double> pauses;

 private:
  double now_ = 0;
};

SeriesLimits count_of(uint32_t samples) {
  SeriesLimits limits;
  limits.criterion = CriterionKind::COUNT;
  limits.min_samples = samples;
  return limits;
}

TEST(SeriesOfPairs, AlternateTheOrder) {
  std::string order;
  ScriptedSource a([&] {
    order += 'A';
    return Sample{1e-3, 0};
  });
  ScriptedSource b([&] {
    order += 'B';
    return Sample{2e-3, 0};
  });
  SampleSource* const both[] = {&a, &b};
  ScriptedPace pace;
  const std::vector<Series> series = take_series(both, pace, count_of(6));
  EXPECT_EQ(order, "ABBAABBAABBA");
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].samples, std::vector<double>(6, 1e-3));
  EXPECT_EQ(series[1].samples, std::vector<double>(6, 2e-3));
  EXPECT_EQ(series[0].stop, StopReason::CRITERION);
  EXPECT_TRUE(pace.pauses.empty());
}

TEST(SeriesOfAClock, DropASampleOfALowClockAndPause) {
  int at = 0;
  ScriptedSource source([&] {
    const bool is_low = at == 3 || at == 7 || at == 8;
    ++at;
    return Sample{is_low ? 9e-3 : 1e-3, is_low ? 1400.0 : 1980.0};  // 71 %
  });
  SampleSource* const one[] = {&source};
  ScriptedPace pace;
  const Series series = take_series(one, pace, count_of(20)).front();
  EXPECT_EQ(series.samples, std::vector<double>(20, 1e-3));
  EXPECT_EQ(series.throttled, 3U);
  EXPECT_EQ(series.shape, Shape::STEADY);
  EXPECT_EQ(pace.pauses, (std::vector<double>{0.05, 0.05, 0.5}));
}

TEST(SeriesOfAClock, KeepSamplesJustAboveTheBound) {
  int at = 0;
  ScriptedSource source([&] { return Sample{1e-3, ++at == 1 ? 2000.0 : 1501.0}; });
  SampleSource* const one[] = {&source};
  ScriptedPace pace;
  const Series series = take_series(one, pace, count_of(20)).front();
  EXPECT_EQ(series.throttled, 0U);
  EXPECT_EQ(series.shape, Shape::STEADY);
}

TEST(SeriesOfAClock, AreThrottledAfterThreeInARow) {
  int at = 0;
  ScriptedSource source([&] { return Sample{1e-3, ++at < 5 ? 1980.0 : 900.0}; });
  SampleSource* const one[] = {&source};
  ScriptedPace pace;
  const Series series = take_series(one, pace, count_of(30)).front();
  EXPECT_EQ(series.shape, Shape::THROTTLED);
  EXPECT_EQ(series.samples.size(), 30U);
  EXPECT_EQ(series.throttled, 2U);
  EXPECT_EQ(pace.pauses, (std::vector<double>{0.05, 0.5}));
}

TEST(SeriesOfPairs, DropBothSamplesOfAThrottledRound) {
  int at = 0;
  ScriptedSource a([&] { return Sample{1e-3, ++at == 4 ? 1000.0 : 2000.0}; });
  ScriptedSource b([&] { return Sample{2e-3, 2000.0}; });
  SampleSource* const both[] = {&a, &b};
  ScriptedPace pace;
  const std::vector<Series> series = take_series(both, pace, count_of(10));
  EXPECT_EQ(series[0].samples.size(), series[1].samples.size());
  EXPECT_EQ(series[0].throttled, 1U);
  EXPECT_EQ(series[1].throttled, 1U);
}

}  // namespace
