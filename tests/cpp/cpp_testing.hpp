// SPDX-License-Identifier: Apache-2.0
// Common code for the tests of cucore.hpp: one source serves calls that throw and calls that return
// results.
#pragma once

#include <gtest/gtest.h>
#include <cucore.hpp>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cpp_test {

#if CUCORE_HPP_EXCEPTIONS
template <class Value>
Value must(Value value) {
  return value;
}

// The outcome of a call.
template <class Call>
cucore::Error outcome(Call&& call) {
  try {
    static_cast<void>(call());
  } catch (const cucore::Error& error) {
    return error;
  }
  return {};
}
#else
template <class Value>
Value must(cucore::Result<Value> result) {
  EXPECT_TRUE(result.has_value()) << result.error().message();
  return std::move(result).value();
}

template <class Call>
cucore::Error outcome(Call&& call) {
  return call().error();
}
#endif

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// Whether the tests run on the CPU device; else they run on a GPU.
inline bool is_on_cpu() {
  const char* const driver = std::getenv("CUCORE_DRIVER");
  return driver && std::string_view(driver) == "cpu";
}

// The call succeeds.
#define SUCCEEDS(...)                                                                         \
  do {                                                                                        \
    const cucore::Error error_ = cpp_test::outcome([&] { return __VA_ARGS__; });              \
    ASSERT_FALSE(error_) << cucore::status_name(error_.status()) << ": " << error_.message(); \
  } while (0)

// The call fails with this status, and its message has this part.
#define FAILS(expected, part, ...)                                               \
  do {                                                                           \
    const cucore::Error error_ = cpp_test::outcome([&] { return __VA_ARGS__; }); \
    EXPECT_EQ(error_.status(), cucore::Status::expected) << error_.message();    \
    EXPECT_PRED2(cpp_test::contains, error_.message(), part);                    \
  } while (0)

// saxpy(float, const float*, float*, unsigned), empty(), point(struct of 12 bytes), many(33 floats)
// and the variable counter.
extern const std::string PTX;

inline cucore::ObjectCode make_code() {
  return must(cucore::ObjectCode::create(cucore::CodeType::ptx, PTX));
}

class OnDevice : public testing::Test {
 protected:
  cucore::Device device_ = must(cucore::Device::open());
  cucore::Stream stream_ = must(cucore::Stream::create(device_));

  cucore::Buffer make_buffer(std::size_t size) {
    return must(cucore::Buffer::create(device_, size, stream_));
  }
  cucore::Buffer make_buffer(const std::vector<float>& values) {
    cucore::Buffer buffer = make_buffer(values.size() * sizeof(float));
    EXPECT_FALSE(outcome([&] { return buffer.write(values, stream_); }));
    return buffer;
  }
  std::vector<float> read(const cucore::Buffer& buffer) {
    std::vector<float> values(buffer.size() / sizeof(float));
    EXPECT_FALSE(outcome([&] { return buffer.read(values, stream_); }));
    return values;
  }
};

}  // namespace cpp_test
