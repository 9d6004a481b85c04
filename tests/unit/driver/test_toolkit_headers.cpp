// SPDX-License-Identifier: Apache-2.0
// Folders of the toolkit's headers, for each way in which a toolkit is installed.
#include "driver/toolkit_headers.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace cucore::driver::test {
namespace {

namespace fs = std::filesystem;
using Folders = std::vector<std::string>;

class ToolkitFolders : public testing::Test {
 protected:
  ToolkitFolders() {
    char pattern[] = "/tmp/cucore-toolkit-XXXXXX";
    root_ = mkdtemp(pattern);
    for (const char* name : NAMES) {
      const char* value = getenv(name);
      before_.push_back(value ? std::optional<std::string>(value) : std::nullopt);
    }
    setenv("CUDA_HOME", at("home").c_str(), 1);
    unsetenv("CUDA_PATH");
  }
  ~ToolkitFolders() override {
    for (size_t i = 0; i < before_.size(); ++i)
      before_[i] ? setenv(NAMES[i], before_[i]->c_str(), 1) : unsetenv(NAMES[i]);
    fs::remove_all(root_);
  }

  std::string at(const std::string& path) const { return root_ / path; }
  void add(const std::string& path, const std::string& text = "") const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  // Of a toolkit of another version than any that is installed, so that none of these is found.
  ToolkitHeaders find(const std::string& library) const {
    return find_toolkit_headers(at(library), 99010);
  }

  static constexpr const char* NAMES[] = {"CUDA_HOME", "CUDA_PATH"};
  std::vector<std::optional<std::string>> before_;
  fs::path root_;
};

TEST_F(ToolkitFolders, AreBesideTheLibraryOfAToolkit) {
  add("cuda/include/cuda_fp16.h");
  add("cuda/include/cccl/cuda/std/array");
  EXPECT_EQ(find("cuda/lib64/libnvrtc.so.13").folders,
            (Folders{at("cuda/include"), at("cuda/include/cccl")}));
}

TEST_F(ToolkitFolders, AreBesideTheWheelsOfCuda12) {
  add("nvidia/cuda_nvrtc/include/nvrtc.h");
  add("nvidia/cuda_runtime/include/cuda_fp16.h");
  add("nvidia/cuda_cccl/include/cuda/std/array");
  EXPECT_EQ(find("nvidia/cuda_nvrtc/lib/libnvrtc.so.12").folders,
            (Folders{at("nvidia/cuda_nvrtc/include"), at("nvidia/cuda_runtime/include"),
                     at("nvidia/cuda_cccl/include")}));
}

TEST_F(ToolkitFolders, OfAnotherToolkitMustBeOfTheSameVersion) {
  add("lib/libnvrtc.so.13");
  add("home/include/cuda_fp16.h");
  add("home/include/cuda.h", "/* */\n#define CUDA_VERSION 99000\n");
  EXPECT_EQ(find("lib/libnvrtc.so.13").folders, Folders{});
  add("home/include/cuda.h", "/* */\n#define CUDA_VERSION 99010\n");
  EXPECT_EQ(find("lib/libnvrtc.so.13").folders, Folders{at("home/include")});
}

TEST_F(ToolkitFolders, ThatAreNotThereAreNamed) {
  EXPECT_EQ(find("cuda/lib64/libnvrtc.so.13").searched, Folders{at("cuda/include")});
}

TEST_F(ToolkitFolders, AreNeverThoseOfTheHost) {
  EXPECT_EQ(find_toolkit_headers("/usr/lib/libnvrtc.so.13", 99010).searched, Folders{});
}

}  // namespace
}  // namespace cucore::driver::test
