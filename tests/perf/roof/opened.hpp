// SPDX-License-Identifier: Apache-2.0
// A device with a folder for roofs, for tests of roofs.
#pragma once

#include <cucore_perf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace opened {

class Opened : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "roof-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name + "/a/roof";
    top = name;
    options.directory = folder.c_str();
    ASSERT_EQ(cucore_device_open(0, &device, nullptr), CUCORE_OK);
  }
  void TearDown() override {
    cucore_roof_release(roof);
    cucore_error_release(error);
    cucore_device_release(device);
    std::filesystem::remove_all(top);
  }

  cucore_status open() {
    cucore_roof_release(roof);
    cucore_error_release(error);
    roof = reinterpret_cast<cucore_roof*>(this);  // an old value
    error = nullptr;
    const cucore_status status = cucore_roof_open(device, &options, &roof, &error);
    EXPECT_EQ(roof != nullptr, status == CUCORE_OK) << cucore_error_message(error);
    EXPECT_EQ(cucore_error_status(error), status);
    return status;
  }
  double value(cucore_roof_kind kind) const {
    double result = -1;
    EXPECT_EQ(cucore_roof_value(roof, kind, &result, nullptr), CUCORE_OK);
    return result;
  }
  std::string json() const {
    size_t size = 0;
    EXPECT_EQ(cucore_roof_serialize(roof, nullptr, 0, &size, nullptr), CUCORE_OK);
    std::string text(size, 'x');
    EXPECT_EQ(cucore_roof_serialize(roof, text.data(), size, &size, nullptr), CUCORE_OK);
    return text;
  }
  cucore_status read(const std::string& text) {
    cucore_roof_release(roof);
    cucore_error_release(error);
    error = nullptr;
    return cucore_roof_deserialize(text.data(), text.size(), &roof, &error);
  }
  // The one file of the folder; "" without one.
  std::string kept_file() const {
    std::string path;
    if (!std::filesystem::exists(folder)) return path;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      EXPECT_EQ(path, "") << "two files";
      path = entry.path();
    }
    return path;
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from << " in " << text;
    return at == text.npos ? text : text.replace(at, from.size(), to);
  }

  std::string top, folder;
  cucore_device* device = nullptr;
  cucore_roof* roof = nullptr;
  cucore_error* error = nullptr;
  cucore_roof_options options = CUCORE_ROOF_OPTIONS_INIT;
};

}  // namespace opened
