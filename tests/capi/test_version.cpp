// SPDX-License-Identifier: Apache-2.0
// The version equals that of the header.
#include "capi_testing.hpp"

namespace {

TEST(Version, IsTheHeaders) {
  EXPECT_EQ(cucore_version(), static_cast<uint32_t>(CUCORE_VERSION));
  const std::string text = std::to_string(CUCORE_VERSION_MAJOR) + "." +
                           std::to_string(CUCORE_VERSION_MINOR) + "." +
                           std::to_string(CUCORE_VERSION_PATCH);
  EXPECT_EQ(cucore_version_string(), text);
}

}  // namespace
