// SPDX-License-Identifier: Apache-2.0
#include "cache_parts.hpp"

namespace cucore::cache {
namespace {

using namespace std::chrono_literals;

class Flights : public testing::Test {
 protected:
  std::shared_ptr<SingleFlight::Flight> join(unsigned char number) {
    return flights_.join(key_of(number), leads_);
  }

  SingleFlight flights_;
  bool leads_ = false;
};

TEST_F(Flights, TheFirstThreadOfAKeyLeads) {
  const auto first = join(1);
  EXPECT_TRUE(leads_);
  const auto second = join(1);
  EXPECT_FALSE(leads_);
  EXPECT_EQ(first, second);
  const auto other = join(2);
  EXPECT_TRUE(leads_);
  EXPECT_NE(first, other);
}

TEST_F(Flights, AWaitEndsWithTheResult) {
  const auto flight = join(1);
  EXPECT_FALSE(flight->wait(1ms));
  { FlightFinisher(flights_, key_of(1), *flight).object = make_object("one"); }
  ASSERT_TRUE(flight->wait(60s));
  EXPECT_EQ(name_of(flight->object()), "one");
  EXPECT_FALSE(flight->error());
}

TEST_F(Flights, AFailureReachesTheOthers) {
  const auto flight = join(1);
  flights_.finish(key_of(1), *flight, nullptr, Error(Status::COMPILATION, "no"));
  ASSERT_TRUE(flight->wait(60s));
  ASSERT_TRUE(flight->error());
  EXPECT_EQ(flight->error()->status(), Status::COMPILATION);
}

TEST_F(Flights, AnExceptionFinishesAFlight) {
  const auto flight = join(1);
  try {
    const FlightFinisher finisher(flights_, key_of(1), *flight);
    throw 1;
  } catch (int) {
  }
  EXPECT_TRUE(flight->wait(60s));
  EXPECT_FALSE(flight->object());
}

TEST_F(Flights, AfterTheEndTheNextThreadLeads) {
  flights_.finish(key_of(1), *join(1), make_object("one"), std::nullopt);
  join(1);
  EXPECT_TRUE(leads_);
}

}  // namespace
}  // namespace cucore::cache
