// SPDX-License-Identifier: Apache-2.0
#include "support/object_set.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/keep_mark.hpp"

namespace {

using cucore::KeepMark;
using cucore::Object;
using cucore::ObjectSet;
using cucore::Ref;

class Member final : public Object {
 public:
  explicit Member(size_t& live) : live_(live) { ++live_; }

 private:
  ~Member() override { --live_; }
  size_t& live_;
};

class ObjectSets : public testing::Test {
 protected:
  static constexpr size_t COUNT = 1000;

  // Adds objects that nobody else keeps. Returns their addresses.
  std::vector<const Object*> fill(ObjectSet& set) {
    std::vector<const Object*> objects;
    for (size_t i = 0; i < COUNT; ++i) {
      const auto object = cucore::make<Member>(live_);
      EXPECT_FALSE(set.contains(*object));
      set.add(*object);
      objects.push_back(object.get());
    }
    return objects;
  }

  size_t live_ = 0;
};

TEST_F(ObjectSets, keep_their_objects) {
  ObjectSet set;
  const auto objects = fill(set);
  EXPECT_EQ(set.size(), COUNT);
  EXPECT_EQ(live_, COUNT);
  for (const Object* object : objects) EXPECT_TRUE(set.contains(*object));
  set.clear();
  EXPECT_EQ(live_, 0u);
  EXPECT_EQ(set.size(), 0u);
  fill(set);
}

TEST_F(ObjectSets, drop_the_newest_objects) {
  ObjectSet set;
  const auto objects = fill(set);
  for (size_t left : {size_t{999}, size_t{500}, size_t{3}, size_t{0}}) {
    set.shrink(left);
    EXPECT_EQ(live_, left);
    for (size_t i = 0; i < left; ++i) EXPECT_TRUE(set.contains(*objects[i]));
    for (size_t i = left; i < left + 10 && i < COUNT; ++i)
      EXPECT_FALSE(set.contains(*objects[i]));  // only the address is compared
  }
  const auto again = fill(set);
  for (const Object* object : again) EXPECT_TRUE(set.contains(*object));
}

TEST_F(ObjectSets, end_with_their_objects) {
  {
    ObjectSet set;
    fill(set);
  }
  EXPECT_EQ(live_, 0u);
}

TEST(KeepMark, is_that_of_the_newest_owner) {
  const uint64_t older = cucore::new_owner_number(), newer = cucore::new_owner_number();
  EXPECT_LT(older, newer);
  KeepMark mark;
  EXPECT_FALSE(mark.is_of(older));
  mark.set(older);
  EXPECT_TRUE(mark.is_of(older));
  mark.set(newer);
  EXPECT_TRUE(mark.is_of(newer));
  mark.set(older);
  EXPECT_TRUE(mark.is_of(newer));
  mark.clear();
  EXPECT_FALSE(mark.is_of(newer));
  mark.set(older);
  EXPECT_TRUE(mark.is_of(older));
}

}  // namespace
