// SPDX-License-Identifier: Apache-2.0
// Messages from parts, and the error that carries them.
#include "support/concat.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "support/counted.hpp"
#include "support/error.hpp"

namespace cucore {
namespace {

TEST(Concat, JoinsPartsOfEveryKind) {
  EXPECT_EQ(concat(), "");
  EXPECT_EQ(concat("device ", 3, ' ', std::string("has"), " ", size_t{4}, ", ", -5),
            "device 3 has 4, -5");
  EXPECT_EQ(concat(std::numeric_limits<uint64_t>::max(), "|", std::numeric_limits<int64_t>::min()),
            "18446744073709551615|-9223372036854775808");
  EXPECT_EQ(concat(1.5), "1.5");
}

TEST(Concat, CountsWithTheNoun) {
  EXPECT_EQ(counted(0, "byte"), "0 bytes");
  EXPECT_EQ(counted(1, "byte"), "1 byte");
  EXPECT_EQ(counted(2, "byte"), "2 bytes");
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

TEST(Error, CarriesWhatItWasGiven) {
  const Error plain(Status::NOT_FOUND, "no such thing");
  EXPECT_STREQ(plain.what(), "no such thing");
  EXPECT_STREQ(plain.origin().library, "cucore");
  EXPECT_EQ(plain.origin().code, 0);
  EXPECT_EQ(plain.log(), "");
  const Error full(Status::CUDA, "m", "l", {"cuda", 999, "CUDA_ERROR_UNKNOWN"});
  const Error copy = full;
  EXPECT_EQ(copy.status(), Status::CUDA);
  EXPECT_EQ(copy.log(), "l");
  EXPECT_EQ(copy.origin().name, "CUDA_ERROR_UNKNOWN");
}

}  // namespace
}  // namespace cucore
