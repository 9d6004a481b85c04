// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "core/objects/biased_mutex.hpp"

namespace {

using cucore::core::BiasedMutex;
using cucore::core::OwnerLock;

// The first test, because a process that has excluded many owners makes no more of them.
TEST(BiasedMutex, the_owner_locks_without_a_call) {
  BiasedMutex mutex;
  {
    const OwnerLock lock(mutex);
    if (!lock.is_locked()) GTEST_SKIP() << "the process makes no more owners";
    std::thread([&] {
      const OwnerLock other(mutex);
      EXPECT_FALSE(other.is_locked());
      EXPECT_FALSE(mutex.try_lock());
    }).join();
  }
  const OwnerLock former(mutex);
  EXPECT_FALSE(former.is_locked());
  std::thread([&] {
    mutex.lock();
    mutex.own();
    mutex.unlock();
    const OwnerLock lock(mutex);
    EXPECT_TRUE(lock.is_locked());
  }).join();
}

TEST(BiasedMutex, excludes_threads_from_its_owner) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    BiasedMutex mutex;
    long count = 0;  // not atomic
    const auto work = [&] {
      for (int i = 0; i < 2000; ++i) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(count, 4 * 2000);
  }
}

TEST(BiasedMutex, another_thread_waits_for_the_owner) {
  BiasedMutex mutex;
  std::unique_lock lock(mutex);
  int entered = 0;
  std::thread other([&] {
    const std::lock_guard own(mutex);
    ++entered;
  });
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
  EXPECT_EQ(entered, 0);
  lock.unlock();
  other.join();
  EXPECT_EQ(entered, 1);
}

TEST(BiasedMutex, try_lock_does_not_wait) {
  BiasedMutex mutex;
  std::thread([&] {
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
  }).join();
  BiasedMutex other;
  const std::lock_guard lock(other);
  std::thread([&] { EXPECT_FALSE(other.try_lock()); }).join();
}

TEST(BiasedMutex, the_owner_may_change) {
  BiasedMutex mutex;
  long count = 0;
  const auto work = [&] {
    for (int i = 0; i < 500; ++i) {
      const std::lock_guard lock(mutex);
      if (i % 100 == 0) mutex.own();
      ++count;
    }
  };
  std::thread one(work), other(work);
  work();
  one.join();
  other.join();
  EXPECT_EQ(count, 3 * 500);
}

// Each owner has a seat of its own. This mutex has more owners than seats.
TEST(BiasedMutex, many_threads_become_the_owner) {
  BiasedMutex mutex;
  long count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 2000; ++k) {
        const std::lock_guard lock(mutex);
        if (k % 50 == 0) mutex.own();
        ++count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 4 * 2000);
}

TEST(BiasedMutex, two_threads_lock_a_pair_in_opposite_order) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    BiasedMutex one, other;
    int count = 0;
    const auto work = [&](BiasedMutex& first, BiasedMutex& second) {
      for (int i = 0; i < 200; ++i) {
        const std::scoped_lock lock(first, second);
        ++count;
      }
    };
    std::thread thread([&] { work(one, other); });
    work(other, one);
    thread.join();
    EXPECT_EQ(count, 400);
  }
}

}  // namespace
