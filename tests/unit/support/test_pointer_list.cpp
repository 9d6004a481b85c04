// SPDX-License-Identifier: Apache-2.0
#include "support/pointer_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using Pointers = cucore::PointerList<int>;

class PointerList : public testing::Test {
 protected:
  int* at(size_t index) { return &values_[index]; }
  void fill(Pointers& list, size_t count) {
    for (size_t i = 0; i < count; ++i) list.push_back(at(i));
  }
  std::vector<int*> first(size_t count) {
    std::vector<int*> pointers;
    for (size_t i = 0; i < count; ++i) pointers.push_back(at(i));
    return pointers;
  }
  static std::vector<int*> all(const Pointers& list) { return {list.begin(), list.end()}; }

 private:
  std::array<int, 100> values_{};
};

TEST_F(PointerList, keeps_the_order_while_it_grows) {
  Pointers list;
  EXPECT_TRUE(list.empty());
  for (size_t count = 1; count <= 100; ++count) {
    list.push_back(at(count - 1));
    ASSERT_EQ(list.size(), count);
    EXPECT_EQ(list.back(), at(count - 1));
    EXPECT_EQ(list[(count - 1) / 2], at((count - 1) / 2));
  }
  EXPECT_EQ(all(list), first(100));
  EXPECT_FALSE(list.empty());
}

TEST_F(PointerList, has_room_that_was_reserved) {
  Pointers list;
  list.reserve(50);
  int* const* const place = list.begin();
  for (size_t i = 0; i < 50; ++i) list.push_back_reserved(at(i));
  EXPECT_EQ(list.begin(), place);
  list.reserve(10);
  EXPECT_EQ(list.begin(), place);
  list.reserve_one();
  list.push_back_reserved(at(50));
  EXPECT_EQ(all(list), first(51));
}

TEST_F(PointerList, removes_the_last_one_and_any_one) {
  Pointers list;
  fill(list, 10);
  list.pop_back();
  EXPECT_EQ(all(list), first(9));
  for (const size_t removed : {size_t{4}, size_t{0}, size_t{8}}) {
    auto expected = all(list);
    expected.erase(std::ranges::find(expected, at(removed)));
    list.erase(at(removed));
    EXPECT_EQ(all(list), expected);
  }
}

TEST_F(PointerList, removes_its_first_pointers) {
  Pointers list;
  fill(list, 10);
  const auto expected = all(list);
  list.erase_first(0);
  EXPECT_EQ(all(list), expected);
  list.erase_first(4);
  EXPECT_EQ(all(list), std::vector<int*>(expected.begin() + 4, expected.end()));
  list.push_back(at(42));
  EXPECT_EQ(list.back(), at(42));
  list.erase_first(7);
  EXPECT_TRUE(list.empty());
}

TEST_F(PointerList, exchanges_its_pointers) {
  Pointers one, other;
  fill(one, 3);
  fill(other, 7);
  swap(one, other);
  EXPECT_EQ(all(one), first(7));
  EXPECT_EQ(all(other), first(3));
}

}  // namespace
