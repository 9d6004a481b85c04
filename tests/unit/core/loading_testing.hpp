// SPDX-License-Identifier: Apache-2.0
// Object code for the tests of loading; they need a device.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "core/load/kernel.hpp"
#include "core/load/objectcode.hpp"
#include "driver/cuda.hpp"

namespace cucore::core {

class LoadingTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = Device::open(0);
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
  }

  static Ref<ObjectCode> make_ptx(const std::vector<image::NamedExpression>& names = {}) {
    const std::string ptx =
        ".version 8.0\n.target sm_50\n.address_size 64\n"
        ".visible .entry _Z1aIiEvv() { ret; }\n.visible .entry _Z1aIfEvv() { ret; }\n"
        ".visible .entry scale() { ret; }\n";
    return ObjectCode::create(image::CodeType::PTX, std::as_bytes(std::span(ptx)), "a.cu", "",
                              names);
  }
  static Ref<ObjectCode> make_unchecked(image::CodeType type) {
    container::Code code;
    code.type = type;
    return make<ObjectCode>(std::move(code));
  }

  // Runs `get` on many threads at once and returns their results.
  template <class Get>
  static auto on_threads(const Get& get) {
    std::vector<decltype(get())> results(8);
    std::vector<std::thread> threads;
    for (auto& result : results) threads.emplace_back([&] { result = get(); });
    for (std::thread& thread : threads) thread.join();
    return results;
  }

  template <class Call>
  static void expect_error(Status status, const std::string& part, const Call& call) {
    try {
      call();
      FAIL() << "no error: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status) << error.message();
      EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
    }
  }

  Ref<Device> device_;
};

}  // namespace cucore::core
