// SPDX-License-Identifier: Apache-2.0
// A device with a stream and a buffer, for tests of measurements.
#pragma once

#include <cucore_perf.h>
#include <gtest/gtest.h>

#include <string>

namespace measured {

constexpr size_t BYTES = 1 << 20;

class Measured : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cucore_device_open(0, &device, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_stream_create(device, nullptr, &stream, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_buffer_create(device, BYTES, stream, &buffer, nullptr), CUCORE_OK);
    options.stream = stream;
    options.criterion = CUCORE_CRITERION_COUNT;
    options.min_samples = 30;
  }
  void TearDown() override {
    cucore_measurement_release(measurement);
    cucore_measurement_release(other);
    cucore_error_release(error);
    cucore_buffer_release(buffer);
    cucore_stream_release(stream);
    cucore_device_release(device);
  }

  cucore_status run(cucore_work_fn work, void* data) {
    cucore_measurement_release(measurement);
    cucore_error_release(error);
    measurement = reinterpret_cast<cucore_measurement*>(this);  // an old value
    const cucore_status status =
        cucore_measurement_run(device, work, data, &options, &measurement, &error);
    EXPECT_EQ(measurement != nullptr, status == CUCORE_OK) << message();
    EXPECT_EQ(cucore_error_status(error), status);
    return status;
  }
  cucore_measurement_info info(const cucore_measurement* of) {
    cucore_measurement_info result = CUCORE_MEASUREMENT_INFO_INIT;
    EXPECT_EQ(cucore_measurement_query(of, &result, nullptr), CUCORE_OK);
    return result;
  }
  std::string message() const { return cucore_error_message(error); }
  std::string log() const { return cucore_error_log(error); }
  std::string write(cucore_report_format format) {
    size_t size = 0;
    EXPECT_EQ(cucore_measurement_write(&measurement, 1, format, nullptr, 0, &size, nullptr),
              CUCORE_OK);
    std::string text(size, 'x');
    EXPECT_EQ(cucore_measurement_write(&measurement, 1, format, text.data(), size, &size, nullptr),
              CUCORE_OK);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
  }

  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  cucore_buffer* buffer = nullptr;
  cucore_measurement* measurement = nullptr;
  cucore_measurement* other = nullptr;
  cucore_error* error = nullptr;
  cucore_measurement_options options = CUCORE_MEASUREMENT_OPTIONS_INIT;
};

// Fills the buffer that is the user data.
inline cucore_status fill(const cucore_stream* stream, void* buffer, cucore_error** error) {
  const uint32_t zero = 0;
  auto* const self = static_cast<cucore_buffer*>(buffer);
  return cucore_buffer_fill(self, 0, cucore_buffer_size(self), &zero, sizeof zero, stream, error);
}

}  // namespace measured
