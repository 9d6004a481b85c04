// SPDX-License-Identifier: Apache-2.0
// Files of released versions stay readable, and return the values that they were written from.
#include <gtest/gtest.h>

#include "golden.hpp"

namespace cucore::container {
namespace {

const std::string FOLDER = GOLDEN_FOLDER;

ReadOptions with_keys() {
  ReadOptions options;
  options.keys = {verifying_key(golden::hmac_key()), verifying_key(golden::ed25519_key())};
  return options;
}

TEST(Golden, Version1ReadsEqualInEveryField) {
  for (const auto& one : golden::all(FOLDER + "/images")) {
    const Contents contents =
        read_contents(golden::read_file(FOLDER + "/v1/" + one.file), with_keys());
    EXPECT_TRUE(contents.code == one.code) << one.file;
    EXPECT_EQ(contents.signature.state,
              one.options.sign ? SignatureState::VALID : SignatureState::UNSIGNED)
        << one.file;
  }
}

TEST(Golden, Version1IsStillWrittenByteForByte) {
  for (const auto& one : golden::all(FOLDER + "/images")) {
    // Another release of zstd may compress differently.
    if (one.options.compress) continue;
    EXPECT_TRUE(write(one.code, one.options) == golden::read_file(FOLDER + "/v1/" + one.file))
        << one.file;
  }
}

}  // namespace
}  // namespace cucore::container
