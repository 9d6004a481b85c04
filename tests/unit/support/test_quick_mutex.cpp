// SPDX-License-Identifier: Apache-2.0
#include "support/quick_mutex.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace {

using cucore::QuickMutex;

TEST(QuickMutex, excludes_other_threads) {
  QuickMutex mutex;
  long count = 0;  // not atomic
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 20000; ++k) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 4 * 20000);
}

TEST(QuickMutex, try_lock_fails_while_it_is_locked) {
  QuickMutex mutex;
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(QuickMutex, wakes_each_thread_that_waits) {
  QuickMutex mutex;
  std::unique_lock lock(mutex);
  int entered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      const std::lock_guard own(mutex);
      ++entered;
    });
  EXPECT_EQ(entered, 0);
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entered, 3);
}

TEST(QuickMutex, two_threads_lock_a_pair_in_opposite_order) {
  QuickMutex one, other;
  int count = 0;
  const auto work = [&](QuickMutex& first, QuickMutex& second) {
    for (int i = 0; i < 5000; ++i) {
      const std::scoped_lock lock(first, second);
      ++count;
    }
  };
  std::thread thread([&] { work(one, other); });
  work(other, one);
  thread.join();
  EXPECT_EQ(count, 10000);
}

}  // namespace
