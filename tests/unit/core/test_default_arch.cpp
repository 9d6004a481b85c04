// SPDX-License-Identifier: Apache-2.0
// The architecture without a request of the user: device 0's, its virtual one, or the compiler's
// lowest.
#include "core/compile/default_arch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/error.hpp"

namespace cucore::core {
namespace {

using image::CodeType;

std::string driver() { return std::getenv("CUCORE_DRIVER") ? std::getenv("CUCORE_DRIVER") : ""; }
bool is_none() { return driver().find("/no/such/") == 0; }
bool is_cpu() { return driver().find("_cpu.so") != std::string::npos; }

TEST(DefaultArch, OfPtx) {
  const std::string arch = default_arch(CodeType::PTX).text();
  EXPECT_EQ(arch, is_none() ? "compute_75" : is_cpu() ? "compute_90" : "sm_90");
  EXPECT_EQ(default_arch(CodeType::LTOIR).text(), arch);
}

TEST(DefaultArch, OfCubinIsARealOne) {
  if (!is_none() && !is_cpu()) {
    EXPECT_EQ(default_arch(CodeType::CUBIN).text(), "sm_90");
    return;
  }
  try {
    default_arch(CodeType::CUBIN);
    FAIL() << "machine code for a device that runs none";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::INVALID_ARGUMENT);
    EXPECT_NE(error.message().find("set arch"), std::string::npos) << error.message();
    EXPECT_EQ(error.message().find("CPU device") != std::string::npos, is_cpu()) << error.message();
  }
}

}  // namespace
}  // namespace cucore::core
