// SPDX-License-Identifier: Apache-2.0
// The header that a compile did not find, and the remedy.
#include "core/compile/missing_header.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace cucore::core {
namespace {

namespace fs = std::filesystem;

TEST(MissingHeader, IsTheFirstThatTheLogNames) {
  EXPECT_EQ(
      missing_header("k.cu(1): catastrophic error: cannot open source file \"a/b.h\"\n  #include"),
      "a/b.h");
  EXPECT_EQ(missing_header("k.cu(1): error: identifier \"x\" is undefined"), "");
  EXPECT_EQ(missing_header("cannot open source file \"cut off"), "");
}

std::string remedy(std::string_view header, bool uses_toolkit = true) {
  const driver::ToolkitHeaders toolkit{{}, {"/opt/cuda/include", "/usr/local/cuda/include"}};
  return header_remedy(header, toolkit, uses_toolkit, 13020);
}

TEST(HeaderRemedy, NamesTheFoldersAndThePackage) {
  EXPECT_EQ(remedy("cuda_fp16.h"),
            "; cuda_fp16.h is a header of the CUDA toolkit; searched /opt/cuda/include, "
            "/usr/local/cuda/include: install cuda-cudart-dev-13-2 (Debian, RPM) or "
            "nvidia-cuda-runtime (Python), or set cucore_program_options.include_paths to its "
            "folder");
  EXPECT_NE(remedy("cuda/std/array").find("cuda-cccl-13-2"), std::string::npos);
  EXPECT_NE(remedy("cub/cub.cuh").find("nvidia-cuda-cccl"), std::string::npos);
  EXPECT_NE(remedy("curand_kernel.h").find("libcurand-dev-13-2"), std::string::npos);
  EXPECT_NE(remedy("cooperative_groups/reduce.h").find("cuda-cudart-dev"), std::string::npos);
}

TEST(HeaderRemedy, NamesTheOptionThatLeavesTheHeadersOut) {
  EXPECT_NE(remedy("mma.h", false).find("toolkit_headers is OFF"), std::string::npos);
  EXPECT_NE(remedy("mine.h", false).find("include_paths to the folder of mine.h"),
            std::string::npos);
}

TEST(HeaderRemedy, NamesTheHeaderForDevices) {
  char pattern[] = "/tmp/cucore-headers-XXXXXX";
  const fs::path folder = mkdtemp(pattern);
  fs::create_directories(folder / "cuda/std");
  std::ofstream(folder / "cuda/std/cstdint") << "";
  const driver::ToolkitHeaders toolkit{{folder}, {folder}};
  for (const char* header : {"cstdint", "stdint.h"})
    EXPECT_EQ(header_remedy(header, toolkit, true, 13000),
              std::string("; ") + header +
                  " is a header of the host: include <cuda/std/cstdint> in "
                  "device code");
  EXPECT_EQ(header_remedy("unistd.h", toolkit, true, 13000).find("; set "), 0u);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace cucore::core
