// SPDX-License-Identifier: Apache-2.0
// Events that are kept: an event has one owner at a time, whatever the threads do.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "core/objects/idle_events.hpp"

namespace {

using cucore::core::IdleEvents;

constexpr unsigned PLAIN = CU_EVENT_DISABLE_TIMING;

CUevent numbered(uintptr_t number) { return reinterpret_cast<CUevent>(number); }

TEST(IdleEvents, KeepsAFewOfEachForm) {
  IdleEvents kept;
  EXPECT_EQ(kept.take(PLAIN), nullptr);
  EXPECT_TRUE(kept.put(PLAIN, numbered(1)));
  EXPECT_EQ(kept.take(CU_EVENT_DEFAULT), nullptr);
  EXPECT_EQ(kept.take(PLAIN), numbered(1));
  EXPECT_EQ(kept.take(PLAIN), nullptr);
  uintptr_t count = 0;
  while (kept.put(PLAIN, numbered(count + 1))) ++count;
  EXPECT_EQ(count, 16u);
  EXPECT_TRUE(kept.put(PLAIN | CU_EVENT_BLOCKING_SYNC, numbered(100)));
}

TEST(IdleEvents, RefusesThoseOfOtherProcesses) {
  IdleEvents kept;
  EXPECT_FALSE(kept.put(CU_EVENT_INTERPROCESS | PLAIN, numbered(1)));
  EXPECT_EQ(kept.take(CU_EVENT_INTERPROCESS | PLAIN), nullptr);
}

TEST(IdleEvents, HaveOneOwnerInManyThreads) {
  constexpr size_t THREADS = 4, EVENTS = 12;
  IdleEvents kept;
  std::array<std::atomic<int>, EVENTS + 1> owners{};
  std::array<int, EVENTS + 1> written{};  // not atomic: the pool orders the owners
  for (size_t i = 1; i <= EVENTS; ++i) ASSERT_TRUE(kept.put(PLAIN, numbered(i)));
  std::atomic<int> takes{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < THREADS; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        const CUevent event = kept.take(PLAIN);
        if (!event) continue;
        const auto number = reinterpret_cast<uintptr_t>(event);
        EXPECT_EQ(owners[number].fetch_add(1, std::memory_order_relaxed), 0);
        ++written[number];
        owners[number].fetch_sub(1, std::memory_order_relaxed);
        takes.fetch_add(1, std::memory_order_relaxed);
        while (!kept.put(PLAIN, event)) std::this_thread::yield();
      }
    });
  for (std::thread& thread : threads) thread.join();
  int sum = 0;
  for (const int each : written) sum += each;
  EXPECT_EQ(sum, takes.load());
  EXPECT_GT(sum, 0);
}

}  // namespace
