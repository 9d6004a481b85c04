// SPDX-License-Identifier: Apache-2.0
// The addresses of arrays in the model.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "perf/model/array_addresses.hpp"

namespace cucore::perf::test {
namespace {

constexpr uint64_t MIB = uint64_t{1} << 20;
constexpr uint64_t GAP = uint64_t{1} << 35;  // separates arrays for the counts of sectors

TEST(ArrayAddresses, KeepTheDistanceOfArraysThatOverlap) {
  const std::vector<LaunchArray> arrays{
      {40 * MIB + 4, 8 * MIB}, {44 * MIB, 8 * MIB}, {40 * MIB + 4, 8 * MIB}, {51 * MIB, 1}};
  const auto found = modelled_addresses(arrays);
  EXPECT_EQ(found[1] - found[0], 4 * MIB - 4);
  EXPECT_EQ(found[2], found[0]);
  EXPECT_EQ(found[3] - found[0], 11 * MIB - 4) << "by way of the second one";
  EXPECT_EQ(found[0] % (2 * MIB), 4u) << "the alignment";
}

TEST(ArrayAddresses, SeparateAllOthers) {
  const std::vector<LaunchArray> arrays{
      {44 * MIB, 4 * MIB}, {40 * MIB, 4 * MIB}, {0, 4 * MIB}, {0, 4 * MIB}, {48 * MIB, 0}};
  const auto found = modelled_addresses(arrays);
  for (size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i] - found[i - 1], GAP) << i;
}

TEST(ArrayAddresses, TakeCloseArraysOfUnknownSizeForOne) {
  const std::vector<LaunchArray> arrays{
      {.address = 40 * MIB}, {.address = 41 * MIB}, {.address = 43 * MIB}};
  const auto found = modelled_addresses(arrays);
  EXPECT_EQ(found[1] - found[0], MIB);
  EXPECT_GE(found[2] - found[1], GAP);
}

TEST(ArrayAddresses, HaveRoomForLargeArrays) {
  constexpr uint64_t SIZE = uint64_t{192} << 30;
  const std::vector<LaunchArray> arrays{{uint64_t{1} << 40, SIZE}, {uint64_t{1} << 45, SIZE}};
  const auto found = modelled_addresses(arrays);
  EXPECT_GE(found[1] - found[0], SIZE + GAP);
}

TEST(ArrayAddresses, OfNoArrayAreNone) { EXPECT_TRUE(modelled_addresses({}).empty()); }

}  // namespace
}  // namespace cucore::perf::test
