// SPDX-License-Identifier: Apache-2.0
// Roofs on the scripted driver: rates from scripted times, and a device without free memory.
#include <cmath>
#include <vector>

#include "fakes/fake_client.hpp"
#include "opened.hpp"

namespace {

constexpr size_t OFFSETS = 11;  // pairs of events around nothing

fake::Client& driver() {
  static fake::Client client(fake::path("fake_driver"));
  return client;
}

class ScriptedRoof : public opened::Opened {
 protected:
  void SetUp() override {
    driver().reset();
    driver().set_attribute(0, CUCORE_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 10);
    driver().set_memory(64U << 20);
    driver().set_attribute(0, CUCORE_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20);
    Opened::SetUp();
    options.directory = "";
  }
  void TearDown() override {
    Opened::TearDown();
    driver().reset();
  }
  // All launches take this time, after an offset.
  static void script(float offset, float milliseconds) {
    std::vector<float> all(OFFSETS, offset);
    all.resize(4000, milliseconds);
    driver().script_elapsed(all.data(), all.size());
  }
};

TEST_F(ScriptedRoof, RatesAreWorkByTime) {
  script(0.001F, 2.001F);
  ASSERT_EQ(open(), CUCORE_OK) << cucore_error_message(error);
  const double seconds = 2e-3;
  EXPECT_NEAR(value(CUCORE_ROOF_KIND_EVENT_OFFSET), 1e-6, 1e-12);
  // 128 operations of each thread, 8 blocks per multiprocessor of 256 threads.
  const double threads = 10.0 * 8 * 256;
  EXPECT_NEAR(value(CUCORE_ROOF_KIND_F32) / (128 * threads / seconds), 1, 1e-5);
  EXPECT_NEAR(value(CUCORE_ROOF_KIND_F16) / (256 * threads / seconds), 1, 1e-5);
  EXPECT_NEAR(value(CUCORE_ROOF_KIND_SPECIAL) / (64 * threads / seconds), 1, 1e-5);
  EXPECT_NEAR(value(CUCORE_ROOF_KIND_SHARED) / (128.0 * 10 * 4 * 256 / seconds), 1, 1e-5);
  // A quarter of the cache, once.
  EXPECT_NEAR(value(CUCORE_ROOF_KIND_L2) / ((1 << 18) / seconds), 1, 1e-5);
  EXPECT_NEAR(value(CUCORE_ROOF_KIND_LAUNCH) / (seconds / 200), 1, 1e-5);
  size_t free_bytes = 0, all = 0;
  ASSERT_EQ(cucore_device_memory(device, &free_bytes, &all, nullptr), CUCORE_OK);
  const double buffer = std::min<double>(static_cast<double>(all) / 8, 2.0 * (1U << 30));
  for (const auto kind : {CUCORE_ROOF_KIND_COPY, CUCORE_ROOF_KIND_READ, CUCORE_ROOF_KIND_WRITE})
    EXPECT_NEAR(value(kind) / (buffer / seconds), 1, 1e-5) << kind;
}

TEST_F(ScriptedRoof, ShortKernelsRunMoreRounds) {
  // Rounds grow 16 times per trial until a launch is long enough; the scripted time never is.
  script(0, 0.001F);
  ASSERT_EQ(open(), CUCORE_OK) << cucore_error_message(error);
  const double rounds = 1U << 28;
  EXPECT_NEAR(value(CUCORE_ROOF_KIND_F32) / (128.0 * 10 * 8 * 256 * rounds / 1e-6), 1, 1e-5);
}

TEST_F(ScriptedRoof, TimesOfZeroAreUnknownRates) {
  script(0.5F, 0.5F);
  ASSERT_EQ(open(), CUCORE_OK);
  EXPECT_TRUE(std::isnan(value(CUCORE_ROOF_KIND_COPY)));
  EXPECT_TRUE(std::isnan(value(CUCORE_ROOF_KIND_F32)));
  EXPECT_TRUE(std::isnan(value(CUCORE_ROOF_KIND_LAUNCH)));
}

TEST_F(ScriptedRoof, ADeviceInUseHasASmallerBuffer) {
  script(0, 2);
  cucore_stream* stream = nullptr;
  ASSERT_EQ(cucore_stream_create(device, nullptr, &stream, nullptr), CUCORE_OK);
  cucore_buffer* buffer = nullptr;  // leaves 3 MiB of the 8 MiB of a roof
  ASSERT_EQ(cucore_buffer_create(device, 61U << 20, stream, &buffer, nullptr), CUCORE_OK);
  EXPECT_EQ(open(), CUCORE_OK) << cucore_error_message(error);
  EXPECT_NEAR(value(CUCORE_ROOF_KIND_READ) / ((2U << 20) / 2e-3), 1, 1e-5);
  cucore_buffer_release(buffer);
  cucore_stream_release(stream);
}

TEST_F(ScriptedRoof, ADeviceWithoutFreeMemoryIsAnError) {
  cucore_stream* stream = nullptr;
  ASSERT_EQ(cucore_stream_create(device, nullptr, &stream, nullptr), CUCORE_OK);
  cucore_buffer* buffer = nullptr;
  ASSERT_EQ(cucore_buffer_create(device, (64U << 20) - 4096, stream, &buffer, nullptr), CUCORE_OK);
  EXPECT_EQ(open(), CUCORE_ERROR_OUT_OF_DEVICE_MEMORY);
  cucore_buffer_release(buffer);
  cucore_stream_release(stream);
}

TEST_F(ScriptedRoof, AFailureOfTheDriverIsReported) {
  driver().fail_call("cuLaunchKernelEx", 1, 719);
  EXPECT_EQ(open(), CUCORE_ERROR_KERNEL_FAULT);
  EXPECT_EQ(driver().failures_used(), 1);
  EXPECT_NE(std::string(cucore_error_message(error)).find("the roof of the device is measured"),
            std::string::npos)
      << cucore_error_message(error);
}

}  // namespace
