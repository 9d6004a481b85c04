// SPDX-License-Identifier: Apache-2.0
// Words that threads wait on: no wake-up is lost, and deadlines are kept.
#include "support/wait_word.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <list>
#include <thread>
#include <vector>

namespace cucore {
namespace {

using Clock = std::chrono::steady_clock;

TEST(WaitWord, ReturnsAtOnceIfTheWordIsAnother) {
  const std::atomic<uint32_t> word{1};
  wait_while(word, 0, std::nullopt);
}

TEST(WaitWord, EndsAtTheDeadline) {
  const std::atomic<uint32_t> word{0};
  const auto start = Clock::now();
  const Deadline deadline = deadline_after(3'000'000);
  while (!is_over(deadline)) wait_while(word, 0, deadline);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(3));
}

TEST(WaitWord, DeadlinesWithNoEnd) {
  EXPECT_FALSE(deadline_after(-1));
  EXPECT_FALSE(deadline_after(INT64_MIN));
  EXPECT_FALSE(deadline_after(INT64_MAX)) << "would overflow the clock";
  EXPECT_FALSE(is_over(std::nullopt));
  EXPECT_TRUE(is_over(deadline_after(0)));
  EXPECT_FALSE(is_over(deadline_after(int64_t{1} << 60)));
}

TEST(WaitWord, WakesEveryWaiter) {
  std::atomic<uint32_t> word{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (word.load() == 0) wait_while(word, 0, std::nullopt);
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  word.store(1);
  wake_all(word);
  for (std::thread& thread : threads) thread.join();
}

// Two threads pass a turn to each other; with one lost wake-up both would stop.
TEST(WaitWord, LosesNoWakeUp) {
  std::atomic<uint32_t> turn{0};
  const auto play = [&](uint32_t own) {
    for (int i = 0; i < 5000; ++i) {
      while (turn.load() != own) wait_while(turn, 1 - own, std::nullopt);
      turn.store(1 - own);
      wake_one(turn);
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
}

// The word changes without a wake-up: a napping thread still sees it soon.
TEST(TimedWaits, EndByThemselves) {
  std::atomic<uint32_t> word{0};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    word.store(1);
  });
  TimedWaits waits(20'000);
  while (word.load() == 0) waits.wait_while(word, 0, std::nullopt);
  other.join();
}

TEST(TimedWaits, GrowWithWhatWasWaitedFor) {
  const std::atomic<uint32_t> word{0};
  TimedWaits waits(1000);
  int count = 0;
  for (const auto start = Clock::now(); Clock::now() - start < std::chrono::milliseconds(30);
       ++count)
    waits.wait_while(word, 0, std::nullopt);
  // Timed waits of a constant 1 us would be thousands; those of 1/64 each are about 600.
  EXPECT_LT(count, 1500);
}

TEST(TimedWaits, PastAMillisecondLastUntilTheDeadline) {
  const std::atomic<uint32_t> word{0};
  TimedWaits waits(1'000'001);
  const auto start = Clock::now();
  waits.wait_while(word, 0, deadline_after(20'000'000));
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(20));
}

// Thousands of timed waits would prevent each other from running.
TEST(TimedWaits, AreForAsManyAsThereAreCores) {
  const std::atomic<uint32_t> word{0};
  const auto wait = [&] {
    TimedWaits waits(20'000);
    const auto start = Clock::now();
    waits.wait_while(word, 0, deadline_after(20'000'000));
    return Clock::now() - start;
  };
  EXPECT_LT(wait(), std::chrono::milliseconds(20));
  {
    std::list<TimedWaits> others;
    for (unsigned i = 0; i < TimedWaits::MOST_A_CORE * cores(); ++i) others.emplace_back(20'000);
    EXPECT_GE(wait(), std::chrono::milliseconds(20)) << "one too many sleeps";
  }
  EXPECT_LT(wait(), std::chrono::milliseconds(20));
}

TEST(TimedWaits, GiveTheThreadItsTimersBack) {
  const int before = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  {
    const TimedWaits waits(20'000);
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), 1);
  }
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), before);
}

}  // namespace
}  // namespace cucore
