// SPDX-License-Identifier: Apache-2.0
// Measurements on the scripted driver, with scripted times of events and scripted clocks.
#include <cmath>
#include <cstring>
#include <vector>

#include "fakes/fake_client.hpp"
#include "measured.hpp"

namespace {

using measured::fill;
using measured::Measured;

constexpr size_t OFFSETS = 11;  // pairs of events around nothing

fake::Client& driver() {
  static fake::Client client(fake::path("fake_driver"));
  return client;
}

class ScriptedMeasurement : public Measured {
 protected:
  void SetUp() override {
    driver().reset();
    driver().set_attribute(0, CUCORE_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 12);
    Measured::SetUp();
    options.batch = CUCORE_TOGGLE_OFF;
  }
  void TearDown() override {
    Measured::TearDown();
    driver().reset();
  }
  // Scripts the offset, the sample that finds out whether the work synchronises, and the samples.
  void script(float offset, const std::vector<float>& samples) {
    std::vector<float> all(OFFSETS, offset);
    all.push_back(samples.front());
    all.insert(all.end(), samples.begin(), samples.end());
    driver().script_elapsed(all.data(), all.size());
    options.min_samples = static_cast<uint32_t>(samples.size());
  }
  // Lets the kernel that reads the clock report these frequencies in turn, then the last one.
  void script_clock(std::vector<double> mhz) {
    static std::vector<double> script;
    static size_t next = 0;
    script = std::move(mhz);
    next = 0;
    const size_t sizes[] = {8};
    driver().define_kernel("cucore_perf_clock", 1, sizes);
    driver().set_launch_hook(
        [](const fake_launch* launch, void*) {
          if (std::strcmp(launch->kernel, "cucore_perf_clock") != 0) return;
          uint64_t* counts = nullptr;
          std::memcpy(&counts, launch->arguments, sizeof counts);
          const double mhz_now = script[std::min(next, script.size() - 1)];
          ++next;
          counts[0] = static_cast<uint64_t>(mhz_now * 20);
          counts[1] = 20'000;
        },
        nullptr);
  }
};

TEST_F(ScriptedMeasurement, SubtractsThePairAroundNothing) {
  script(0.001F, {0.101F, 0.102F, 0.103F, 0.104F, 0.105F});
  ASSERT_EQ(run(fill, buffer), CUCORE_OK) << message();
  const cucore_measurement_info result = info(measurement);
  EXPECT_NEAR(result.event_offset, 1e-6, 1e-12);
  EXPECT_NEAR(result.median, 102e-6, 1e-11);
  EXPECT_NEAR(result.min, 100e-6, 1e-11);
  EXPECT_NEAR(result.max, 104e-6, 1e-11);
  EXPECT_EQ(result.samples, 5U);
  EXPECT_EQ(result.is_flushed, 1);
  EXPECT_EQ(result.is_blocked, 0) << "the scripted driver cannot wait for values";
}

// Other work slowed all pairs around nothing down, until a sample was shorter. The series begins
// again with the new offset.
TEST_F(ScriptedMeasurement, BeginsAgainIfASampleIsShorterThanThePairAroundNothing) {
  std::vector<float> all(OFFSETS, 0.010F);
  all.push_back(0.101F);  // finds out whether the work synchronises
  all.insert(all.end(), {0.012F, 0.009F, 0.012F, 0.012F, 0.012F});
  all.insert(all.end(), OFFSETS, 0.001F);
  all.insert(all.end(), {0.012F, 0.013F, 0.014F, 0.015F, 0.016F});
  driver().script_elapsed(all.data(), all.size());
  options.min_samples = 5;
  ASSERT_EQ(run(fill, buffer), CUCORE_OK) << message();
  const cucore_measurement_info result = info(measurement);
  EXPECT_EQ(result.samples, 5U);
  EXPECT_NEAR(result.event_offset, 1e-6, 1e-12);
  EXPECT_NEAR(result.min, 11e-6, 1e-11);
  EXPECT_NEAR(result.max, 15e-6, 1e-11);
}

// A work that is as short as nothing is measured once.
TEST_F(ScriptedMeasurement, EndsIfThePairAroundNothingStaysAsLong) {
  std::vector<float> all(OFFSETS, 0.010F);
  all.push_back(0.101F);
  all.insert(all.end(), {0.010F, 0.009F, 0.012F, 0.012F, 0.012F});
  all.insert(all.end(), OFFSETS, 0.010F);
  all.insert(all.end(), 5, 0.5F);
  driver().script_elapsed(all.data(), all.size());
  options.min_samples = 5;
  ASSERT_EQ(run(fill, buffer), CUCORE_OK) << message();
  EXPECT_EQ(info(measurement).min, 0);
  EXPECT_NEAR(info(measurement).max, 2e-6, 1e-11);
}

TEST_F(ScriptedMeasurement, FlushesBeforeEachSample) {
  const auto nothing = [](const cucore_stream*, void*, cucore_error**) { return CUCORE_OK; };
  const auto fills = [&](cucore_toggle flush) {
    options.flush = flush;
    script(0, std::vector<float>(20, 0.1F));
    const uint64_t before = driver().call_count("cuMemsetD32Async");
    EXPECT_EQ(run(nothing, nullptr), CUCORE_OK);
    return driver().call_count("cuMemsetD32Async") - before;
  };
  EXPECT_EQ(fills(CUCORE_TOGGLE_OFF), 0U);
  // One for each pair of events: of the offset, of the first sample, and of the samples.
  EXPECT_EQ(fills(CUCORE_TOGGLE_ON), OFFSETS + 1 + 20);
}

TEST_F(ScriptedMeasurement, NamesADriftingSeries) {
  std::vector<float> samples;
  for (int i = 0; i < 100; ++i)
    samples.push_back(0.1F + 0.0001F * static_cast<float>(i) +
                      0.0002F * static_cast<float>(i * 7 % 5));
  script(0, samples);
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  EXPECT_EQ(info(measurement).shape, CUCORE_SERIES_SHAPE_DRIFTING);
  EXPECT_NE(write(CUCORE_REPORT_FORMAT_TEXT).find("  drifting: "), std::string::npos);
}

TEST_F(ScriptedMeasurement, NamesABimodalSeries) {
  std::vector<float> samples;
  for (int i = 0; i < 100; ++i)
    samples.push_back((i * 7 % 10 < 3 ? 0.13F : 0.1F) + 0.0001F * static_cast<float>(i * 3 % 7));
  script(0, samples);
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  EXPECT_EQ(info(measurement).shape, CUCORE_SERIES_SHAPE_BIMODAL);
  EXPECT_NE(write(CUCORE_REPORT_FORMAT_TEXT).find("  bimodal: "), std::string::npos);
}

TEST_F(ScriptedMeasurement, ReadsTheClock) {
  script_clock({1980});
  script(0, std::vector<float>(20, 0.1F));
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  EXPECT_DOUBLE_EQ(info(measurement).clock_mhz, 1980);
  EXPECT_EQ(info(measurement).throttled, 0U);
  options.check_clock = CUCORE_TOGGLE_OFF;
  script(0, std::vector<float>(20, 0.1F));
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  EXPECT_TRUE(std::isnan(info(measurement).clock_mhz));
}

TEST_F(ScriptedMeasurement, DropsASampleOfALowClock) {
  // One reading when the kernel is loaded, and one of the first sample, which is not counted.
  script_clock({1980, 1980, 1980, 1200, 1980});
  std::vector<float> samples(21, 0.1F);
  samples[1] = 0.2F;
  script(0, samples);
  options.min_samples = 20;
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  EXPECT_EQ(info(measurement).throttled, 1U);
  EXPECT_EQ(info(measurement).samples, 20U);
  EXPECT_NEAR(info(measurement).max, 0.1e-3, 1e-9) << "the slow sample was dropped";
  EXPECT_EQ(info(measurement).shape, CUCORE_SERIES_SHAPE_STEADY);
}

TEST_F(ScriptedMeasurement, NamesAThrottledSeries) {
  script_clock({1980, 1980, 1980, 1980, 1200});
  script(0, std::vector<float>(40, 0.1F));
  options.min_samples = 30;
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  EXPECT_EQ(info(measurement).shape, CUCORE_SERIES_SHAPE_THROTTLED);
  EXPECT_EQ(info(measurement).throttled, 2U);
  EXPECT_NE(write(CUCORE_REPORT_FORMAT_TEXT).find("  throttled: "), std::string::npos);
}

TEST_F(ScriptedMeasurement, TakesTheTimeOfOneCallOfABatch) {
  options.batch = CUCORE_TOGGLE_ON;
  std::vector<float> all(OFFSETS + 1 + 20, 0.004F);  // 4 us, so 250 calls take 1 ms
  for (size_t i = 0; i < OFFSETS; ++i) all[i] = 0;
  all.insert(all.end(), 11, 0.5F);
  driver().script_elapsed(all.data(), all.size());
  options.min_samples = 20;
  ASSERT_EQ(run(fill, buffer), CUCORE_OK);
  EXPECT_EQ(info(measurement).batch, 250U);
  EXPECT_NEAR(info(measurement).hot, 2e-6, 1e-11);
}

TEST_F(ScriptedMeasurement, ReportsAFailureOfTheDriver) {
  driver().fail_call("cuEventRecord", 3, 999);
  EXPECT_NE(run(fill, buffer), CUCORE_OK);
  EXPECT_FALSE(message().empty());
}

}  // namespace
