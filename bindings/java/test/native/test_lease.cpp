// SPDX-License-Identifier: Apache-2.0
// Leases let any thread close an object; tested here without a JVM, so that sanitizers see all
// accesses.
#include "lease.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using cucore::java::Lease;
using cucore::java::Use;
using cucore::java::UseRecord;
using cucore::java::Uses;

struct Thing {
  std::atomic<int> inside{0};
  std::atomic<bool> gone{false};
};

std::atomic<int> released{0};

void let_go(void* object) {
  auto* thing = static_cast<Thing*>(object);
  EXPECT_EQ(thing->inside, 0) << "released under a call";
  EXPECT_FALSE(thing->gone.exchange(true)) << "released twice";
  ++released;
}

TEST(Lease, ends_once_and_is_never_an_other_object) {
  Thing first, second;
  const int64_t old = Lease::open(&first, let_go);
  EXPECT_NE(old, 0);
  EXPECT_TRUE(Lease::close(old));
  EXPECT_TRUE(first.gone);
  EXPECT_FALSE(Lease::close(old));
  const int64_t fresh = Lease::open(&second, let_go);  // the same slot
  EXPECT_EQ(static_cast<uint32_t>(fresh), static_cast<uint32_t>(old));
  EXPECT_NE(fresh, old);
  Use use;
  EXPECT_FALSE(use.enter(old));
  EXPECT_EQ(use.object(), nullptr);
  EXPECT_FALSE(Lease::close(old));
  EXPECT_FALSE(second.gone);
  EXPECT_TRUE(Lease::close(fresh));
}

TEST(Lease, waits_for_the_calls_inside) {
  Thing thing;
  const int64_t lease = Lease::open(&thing, let_go);
  {
    Use first, second, late;
    ASSERT_TRUE(first.enter(lease));
    ASSERT_TRUE(second.enter(lease));
    EXPECT_EQ(first.object(), &thing);
    EXPECT_TRUE(Lease::close(lease));
    EXPECT_FALSE(thing.gone);
    EXPECT_FALSE(late.enter(lease));
  }
  EXPECT_TRUE(thing.gone);
}

TEST(Lease, refuses_what_was_never_one) {
  EXPECT_EQ(Lease::open(nullptr, let_go), 0);
  for (const int64_t wrong : {int64_t{0}, int64_t{1} << 32 | 12'000'000, int64_t{-1}, int64_t{7}}) {
    Use use;
    EXPECT_FALSE(use.enter(wrong));
    EXPECT_FALSE(Lease::close(wrong));
  }
}

TEST(Lease, grows) {
  std::vector<Thing> things(10'000);
  std::vector<int64_t> leases;
  for (Thing& thing : things) leases.push_back(Lease::open(&thing, let_go));
  for (size_t i = 0; i < things.size(); ++i) {
    Use use;
    ASSERT_TRUE(use.enter(leases[i]));
    EXPECT_EQ(use.object(), &things[i]);
  }
  for (const int64_t lease : leases) EXPECT_TRUE(Lease::close(lease));
}

TEST(Uses, keep_what_is_closed_during_a_call) {
  UseRecord* record = cucore::java::open_record();
  ASSERT_NE(record, nullptr);
  for (UseRecord* by : {record, static_cast<UseRecord*>(nullptr)}) {
    for (const size_t count : {2, 16, 17, 40}) {
      std::vector<Thing> things(count);
      std::vector<int64_t> leases;
      for (Thing& thing : things) leases.push_back(Lease::open(&thing, let_go));
      {
        Uses uses(by);
        for (size_t i = 0; i < count; ++i) EXPECT_EQ(uses.add(leases[i]), &things[i]);
        EXPECT_EQ(uses.begin(), Uses::NONE);
        for (const int64_t lease : leases) EXPECT_TRUE(Lease::close(lease));
        for (const Thing& thing : things) EXPECT_FALSE(thing.gone);
      }
      for (const Thing& thing : things) EXPECT_TRUE(thing.gone);
      Uses late(by);
      for (const int64_t lease : leases) late.add(lease);
      EXPECT_EQ(late.begin(), 0);
    }
  }
  cucore::java::close_record(record);
}

TEST(Uses, name_the_first_that_is_closed) {
  UseRecord* record = cucore::java::open_record();
  Thing things[3];
  int64_t leases[3];
  for (int i = 0; i < 3; ++i) leases[i] = Lease::open(&things[i], let_go);
  Lease::close(leases[1]);
  {
    Uses uses(record);
    for (const int64_t lease : leases) uses.add(lease);
    EXPECT_EQ(uses.begin(), 1);
  }
  for (const int64_t wrong : {int64_t{0}, int64_t{1} << 32 | 12'000'000, int64_t{-1}}) {
    Uses uses(record);
    uses.add(wrong);
    EXPECT_EQ(uses.begin(), 0);
  }
  Lease::close(leases[0]);
  Lease::close(leases[2]);
  for (const Thing& thing : things) EXPECT_TRUE(thing.gone);
  cucore::java::close_record(record);
}

TEST(Uses, records_are_few) {
  std::vector<UseRecord*> all;
  while (UseRecord* record = cucore::java::open_record()) all.push_back(record);
  EXPECT_GE(all.size(), 100U);
  cucore::java::close_record(all.back());
  EXPECT_EQ(cucore::java::open_record(), all.back());
  for (UseRecord* record : all) cucore::java::close_record(record);
}

// Threads call and close a few shared objects, whose slots are reused at once.
void survive_threads(bool by_record) {
  constexpr int THREADS = 6, ROUNDS = 20'000, SHARED = 3;
  std::vector<Thing> things(THREADS * ROUNDS + SHARED);
  std::atomic<size_t> next{SHARED};
  std::atomic<int64_t> leases[SHARED];
  const int before = released;
  for (int i = 0; i < SHARED; ++i) leases[i] = Lease::open(&things[static_cast<size_t>(i)], let_go);
  const auto call = [&](UseRecord* record, int64_t lease, int64_t other) {
    Uses uses(record);
    auto* first = static_cast<Thing*>(uses.add(lease));
    auto* second = static_cast<Thing*>(uses.add(other));
    if (uses.begin() != Uses::NONE) return;
    for (Thing* thing : {first, second}) {
      ++thing->inside;
      EXPECT_FALSE(thing->gone);
      --thing->inside;
    }
  };
  const auto run = [&](int t) {
    UseRecord* record = by_record && t != 1 ? cucore::java::open_record() : nullptr;
    for (int i = 0; i < ROUNDS; ++i) {
      std::atomic<int64_t>& place = leases[i % SHARED];
      const int64_t lease = place;
      if (t % 3 == 0) {
        if (Lease::close(lease)) place = Lease::open(&things[next++], let_go);
      } else {
        call(record, lease, leases[(i + 1) % SHARED]);
      }
    }
    cucore::java::close_record(record);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < THREADS; ++t) threads.emplace_back(run, t);
  for (std::thread& thread : threads) thread.join();
  for (std::atomic<int64_t>& lease : leases) EXPECT_TRUE(Lease::close(lease));
  EXPECT_EQ(released - before, static_cast<int>(next.load()));
}

TEST(Lease, survives_threads) { survive_threads(false); }
TEST(Uses, survive_threads) { survive_threads(true); }

}  // namespace
