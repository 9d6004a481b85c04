// SPDX-License-Identifier: Apache-2.0
#include "support/reference_stock.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using cucore::Object;
using cucore::Ref;
using cucore::ReferenceStock;

class Counted final : public Object {
 public:
  explicit Counted(int& live) : live_(live) { ++live_; }

 private:
  ~Counted() override { --live_; }
  int& live_;
};

TEST(ReferenceStock, gives_back_what_nobody_took) {
  int live = 0;
  auto object = cucore::make<Counted>(live);
  {
    ReferenceStock stock;
    for (int i = 0; i < 200; ++i) EXPECT_EQ(stock.take(*object).get(), object.get());
    EXPECT_FALSE(object->has_one_reference());
  }
  EXPECT_TRUE(object->has_one_reference());
  object = nullptr;
  EXPECT_EQ(live, 0);
}

TEST(ReferenceStock, references_outlive_the_stock) {
  int live = 0;
  std::vector<Ref<const Counted>> taken;
  {
    ReferenceStock stock;
    const auto object = cucore::make<Counted>(live);
    for (int i = 0; i < 200; ++i) taken.push_back(stock.take(*object));
  }
  EXPECT_EQ(live, 1);
  EXPECT_FALSE(taken.front()->has_one_reference());
  taken.resize(1);
  EXPECT_TRUE(taken.front()->has_one_reference());
  taken.clear();
  EXPECT_EQ(live, 0);
}

TEST(ReferenceStock, finds_only_what_it_keeps) {
  int live = 0;
  const auto one = cucore::make<Counted>(live), other = cucore::make<Counted>(live);
  ReferenceStock stock;
  EXPECT_FALSE(stock.take_known(one.get()));
  (void)stock.take(*one);
  EXPECT_EQ(stock.take_known(one.get()).get(), one.get());
  EXPECT_FALSE(stock.take_known(other.get()));
  stock.clear();
  EXPECT_FALSE(stock.take_known(one.get()));
  EXPECT_TRUE(one->has_one_reference());
}

TEST(ReferenceStock, keeps_an_object_until_it_needs_the_room) {
  int live = 0;
  ReferenceStock stock;
  for (int i = 0; i < 100; ++i) (void)stock.take(*cucore::make<Counted>(live));
  EXPECT_GE(live, 1);
  EXPECT_LT(live, 100);
  stock.clear();
  EXPECT_EQ(live, 0);
}

TEST(ReferenceStock, takes_references_over) {
  int live = 0;
  ReferenceStock stock;
  auto known = cucore::make<Counted>(live), unknown = cucore::make<Counted>(live);
  auto taken = stock.take(*known);
  known = nullptr;
  stock.put(taken.detach());
  EXPECT_EQ(live, 2);
  stock.put(unknown.detach());  // nobody keeps it
  EXPECT_EQ(live, 1);
  stock.clear();
  EXPECT_EQ(live, 0);
}

}  // namespace
