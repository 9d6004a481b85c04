// SPDX-License-Identifier: Apache-2.0
// Spilled bytes: counted from marked instructions, only if all of them are memory accesses.
#include "image/spills.hpp"
#include "image_testing.hpp"

namespace cucore::image {
namespace {

using namespace testing;

constexpr uint64_t STORE = 0x387;
constexpr uint64_t LOAD = 0x983;

// One instruction: its operation and the code of its width.
void add(Bytes& code, uint64_t operation, uint64_t width) {
  const size_t at = code.size();
  code.resize(at + 16);
  code = changed_at<uint64_t>(code, at, operation | 0x1234567800007000);
  code = changed_at<uint64_t>(code, at + 8, width << 9 | 0x000fe20000100100);
}

std::optional<Spills> count(const Bytes& code, const std::vector<uint32_t>& marked) {
  return count_spills(ByteView("code", code), marked);
}

TEST(Spills, WidthsAreCountedOnceAMark) {
  Bytes code;
  add(code, STORE, 4);
  add(code, LOAD, 6);
  add(code, LOAD, 5);
  add(code, STORE, 0);
  const auto spills = count(code, {0, 16, 48});
  ASSERT_TRUE(spills);
  EXPECT_EQ(spills->stores, 5u);
  EXPECT_EQ(spills->loads, 16u);
  EXPECT_EQ(count(code, {})->stores, 0u);
}

TEST(Spills, MarksOfAnotherMeaningGiveNoFigures) {
  Bytes code;
  add(code, STORE, 4);
  add(code, 0x980, 4);
  add(code, LOAD, 7);
  EXPECT_FALSE(count(code, {0, 16}));
  EXPECT_FALSE(count(code, {32}));
  EXPECT_FALSE(count(code, {8}));
  EXPECT_FALSE(count(code, {48}));
  EXPECT_FALSE(count(code, {0xfffffff0}));
  EXPECT_FALSE(count({}, {0}));
}

// The size of the record has 16 bits: 8192 marks look like none.
TEST(Spills, AreUnknownIfMarksMayBeLost) {
  Bytes load;
  add(load, LOAD, 4);
  Bytes code;
  for (int at = 0; at < 8191; ++at) code.insert(code.end(), load.begin(), load.end());
  ASSERT_TRUE(count(code, {}));
  code.insert(code.end(), load.begin(), load.end());
  EXPECT_FALSE(count(code, {}));
  EXPECT_EQ(count(code, {16})->loads, 4u);
}

}  // namespace
}  // namespace cucore::image
