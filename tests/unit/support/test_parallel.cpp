// SPDX-License-Identifier: Apache-2.0
#include "support/parallel.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>
#include <vector>

namespace cucore {
namespace {

TEST(Parallel, EachPartIsDoneOnce) {
  for (const size_t count : {0, 1, 3, 100, 1001}) {
    std::vector<std::atomic<int>> done(count);
    const auto part = [&](size_t index) noexcept { ++done[index]; };
    in_parallel(count, 4, part);
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(Parallel, FewPartsStayInTheCallingThread) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> elsewhere = 0;
  const auto part = [&](size_t) noexcept { elsewhere += std::this_thread::get_id() != caller; };
  for (int i = 0; i < 50; ++i) in_parallel(7, 4, part);
  EXPECT_EQ(elsewhere, 0);
}

TEST(Parallel, HelpersBlockSignals) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> open = 0;
  const auto part = [&](size_t) noexcept {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    if (std::this_thread::get_id() != caller && sigismember(&blocked, SIGINT) != 1) ++open;
  };
  in_parallel(10000, 1, part);
  EXPECT_EQ(open, 0);
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGINT), 0);
}

}  // namespace
}  // namespace cucore
