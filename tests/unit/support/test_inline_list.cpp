// SPDX-License-Identifier: Apache-2.0
#include "support/inline_list.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using List = cucore::InlineList<int, 2>;

List list_of(int count) {
  List list;
  for (int i = 0; i < count; ++i) list.push_back(i);
  return list;
}

std::vector<int> values(const List& list) { return {list.begin(), list.end()}; }

TEST(InlineList, keeps_the_order_beyond_its_own_room) {
  for (int count = 0; count < 20; ++count) {
    const List list = list_of(count);
    ASSERT_EQ(list.size(), static_cast<size_t>(count));
    EXPECT_EQ(list.empty(), count == 0);
    for (int i = 0; i < count; ++i) EXPECT_EQ(values(list)[i], i);
  }
}

TEST(InlineList, a_copy_has_its_own_room) {
  for (const int count : {2, 5}) {
    List list = list_of(count);
    const List copy(list);
    list.begin()[1] = 77;
    list.push_back(9);
    EXPECT_EQ(values(copy), values(list_of(count)));
  }
}

TEST(InlineList, takes_a_value_of_its_own_while_it_grows) {
  List list = list_of(2);
  list.push_back(list.back());
  EXPECT_EQ(values(list), (std::vector{0, 1, 1}));
}

TEST(InlineList, keeps_its_place_after_reserve) {
  List list = list_of(1);
  list.reserve(10);
  const int* const place = list.begin();
  for (int i = 1; i < 10; ++i) list.push_back(i);
  EXPECT_EQ(list.begin(), place);
}

TEST(InlineList, takes_its_first_value) {
  List list(5);
  list.push_back(6);
  list.push_back(7);
  EXPECT_EQ(values(list), (std::vector{5, 6, 7}));
}

TEST(InlineList, takes_values_in_reserved_room) {
  for (const int room : {2, 10}) {
    List list;
    list.reserve(room);
    for (int i = 0; i < room; ++i) list.push_back_reserved(i);
    EXPECT_EQ(values(list), values(list_of(room)));
    list.pop_back();
    EXPECT_EQ(values(list), values(list_of(room - 1)));
  }
}

TEST(InlineList, erases_what_matches) {
  for (const int count : {2, 7}) {
    List list = list_of(count);
    list.erase_if([](int value) { return value % 2 == 1; });
    EXPECT_EQ(list.size(), static_cast<size_t>((count + 1) / 2));
    list.erase_if([](int) { return true; });
    EXPECT_TRUE(list.empty());
    list.push_back(3);
    EXPECT_EQ(list.back(), 3);
    list.clear();
    EXPECT_TRUE(list.empty());
  }
}

}  // namespace
