// SPDX-License-Identifier: Apache-2.0
#include "support/slab.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

namespace {

int live = 0;

struct Value {
  explicit Value(int number) : number(number) {
    if (number < 0) throw std::invalid_argument("negative");
    ++live;
  }
  ~Value() { --live; }
  Value(const Value&) = delete;
  int number;
  std::byte rest[180];
};
using Values = cucore::Slab<Value>;

TEST(Slab, values_keep_their_places_while_it_grows) {
  Values slab;
  std::vector<Values::Owner> owners;
  std::vector<const Value*> places;
  for (int i = 0; i < 1000; ++i) {
    owners.push_back(slab.make(i));
    places.push_back(owners.back().get());
  }
  EXPECT_EQ(std::set<const Value*>(places.begin(), places.end()).size(), places.size());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(places[i]->number, i);
  owners.clear();
  EXPECT_EQ(live, 0);
}

TEST(Slab, the_place_of_a_value_that_has_ended_is_used_again) {
  Values slab;
  const Values::Owner first = slab.make(1);
  const Value* const place = slab.make(2).get();  // ends at once
  EXPECT_EQ(slab.make(3).get(), place);
  EXPECT_EQ(first->number, 1);
}

TEST(Slab, a_value_that_cannot_be_made_leaves_its_place) {
  Values slab;
  const Value* const place = slab.make(2).get();
  EXPECT_THROW((void)slab.make(-1), std::invalid_argument);
  EXPECT_EQ(slab.make(3).get(), place);
  EXPECT_EQ(live, 0);
}

TEST(Slab, a_swap_moves_values_with_their_memory) {
  Value* moved = nullptr;
  Values to;
  {
    Values from;
    moved = from.make(5).release();
    swap(from, to);
  }
  EXPECT_EQ(moved->number, 5);
  to.end(moved);
  EXPECT_EQ(to.make(6).get(), moved);
}

}  // namespace
