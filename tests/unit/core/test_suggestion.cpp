// SPDX-License-Identifier: Apache-2.0
// Suggestions: existing names, the most similar first.
#include "core/compile/suggestion.hpp"

#include <gtest/gtest.h>

namespace cucore::core {
namespace {

TEST(Suggestion, SaysWhereThereIsNothing) { EXPECT_EQ(list_names({}, "a"), "it has none"); }

TEST(Suggestion, ListsTheNearestFirst) {
  EXPECT_EQ(list_names({"scale"}, "x"), "it contains scale");
  EXPECT_EQ(list_names({"reduce", "saxpy", "scale"}, "saxpi"), "it contains saxpy, scale, reduce");
  EXPECT_EQ(list_names({"b", "a"}, "z"), "it contains b, a")
      << "equally far: in the order of the code";
}

TEST(Suggestion, IsNeverLong) {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("kernel" + std::to_string(i));
  const std::string list = list_names(names, "kernel500");
  EXPECT_EQ(list.find("it contains kernel500, "), 0u);
  EXPECT_NE(list.find(" and 984 more"), std::string::npos) << list;
}

TEST(Suggestion, ComparesLongNamesInReasonableTime) {
  const std::vector<std::string> names(64, std::string(100000, 'x'));
  EXPECT_FALSE(list_names(names, std::string(100000, 'y')).empty());
}

}  // namespace
}  // namespace cucore::core
