// SPDX-License-Identifier: Apache-2.0
// Queues: which completions come out, how often, in which order, to which thread, and how a wait
// ends.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include "completion_testing.hpp"

namespace {

using namespace capi_test;

class Queues : public WithQueue {};

TEST_F(Queues, TellWhatHasCompleted) {
  const Future future = make_future(stream_, queue_, 42);
  EXPECT_EQ(cucore_future_token(future), 42u);
  const auto taken = take(queue_, 1);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].token, 42u);
  EXPECT_EQ(taken[0].status, CUCORE_OK);
  for (const uint32_t word : taken[0].reserved) EXPECT_EQ(word, 0u);
  EXPECT_TRUE(is_empty(queue_));
}

TEST_F(Queues, RefuseOptionsOutOfRange) {
  cucore_queue* queue = nullptr;
  for (const int64_t spin : {int64_t{-2}, int64_t{1'000'000'001}, INT64_MIN, INT64_MAX}) {
    cucore_queue_options options = CUCORE_QUEUE_OPTIONS_INIT;
    options.spin_ns = spin;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "spin_ns is " + std::to_string(spin), cucore_queue_create,
          &options, &queue);
  }
  for (const int64_t sweep : {int64_t{-1}, int64_t{999}, int64_t{1'000'000'001}, INT64_MIN}) {
    cucore_queue_options options = CUCORE_QUEUE_OPTIONS_INIT;
    options.sweep_ns = sweep;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "sweep_ns is " + std::to_string(sweep),
          cucore_queue_create, &options, &queue);
  }
}

TEST_F(Queues, ServeEveryPace) {
  for (const int64_t spin : {-1, 0, 1, 2'000'000})
    for (const int64_t sweep : {0, 1'000, 2'000'000}) {
      const Queue queue = make_queue(spin, sweep);
      const Future future = make_future(stream_, queue, 7);
      EXPECT_EQ(take(queue, 1).at(0).token, 7u) << spin << " " << sweep;
    }
}

TEST_F(Queues, ATimeThatIsOverIsNoFailure) {
  for (const int64_t timeout : {0, 1, 2'000'000}) {
    size_t count = 77;
    cucore_completion out;
    const auto start = Clock::now();
    SUCCEEDS(cucore_queue_wait, queue_, timeout, &out, 1, &count);
    EXPECT_EQ(count, 0u);
    EXPECT_GE(Clock::now() - start, std::chrono::nanoseconds(timeout));
  }
}

TEST_F(Queues, TakeNoMoreThanThereIsRoomFor) {
  for (uint64_t token = 0; token < 5; ++token) make_future(stream_, queue_, token);
  wait_until_waiting(queue_, 5);
  size_t count = 77;
  SUCCEEDS(cucore_queue_wait, queue_, -1, nullptr, 0, &count);
  EXPECT_EQ(count, 0u);
  cucore_completion out[8];
  SUCCEEDS(cucore_queue_wait, queue_, -1, out, 2, &count);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(out[1].token, 1u);
  SUCCEEDS(cucore_queue_wait, queue_, -1, out, 8, &count);
  ASSERT_EQ(count, 3u);
  EXPECT_EQ(out[0].token, 2u);
}

TEST_F(Queues, AreReadableWhileSomethingWaits) {
  const int descriptor = cucore_queue_descriptor(queue_);
  ASSERT_GE(descriptor, 0);
  EXPECT_FALSE(is_readable(descriptor, 0));
  for (int round = 0; round < 3; ++round) {
    make_future(stream_, queue_, 1);
    make_future(stream_, queue_, 2);
    EXPECT_TRUE(is_readable(descriptor, 10'000));
    wait_until_waiting(queue_, 2);
    take(queue_, 1);
    EXPECT_TRUE(is_readable(descriptor, 0)) << "one is left";
    take(queue_, 1);
    EXPECT_FALSE(is_readable(descriptor, 0));
  }
}

TEST_F(Queues, WatchedLateAreReadableAtOnce) {
  make_future(stream_, queue_, 1);
  wait_until_waiting(queue_, 1);
  EXPECT_TRUE(is_readable(cucore_queue_descriptor(queue_), 0));
}

TEST_F(Queues, GiveEachCompletionToOneOfManyThreads) {
  constexpr uint64_t COUNT = 4000;
  std::vector<std::atomic<int>> seen(COUNT);
  std::atomic<uint64_t> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      cucore_completion out[16];
      size_t count = 0;
      while (cucore_queue_wait(queue_, -1, out, i % 2 ? 16 : 1, &count, nullptr) == CUCORE_OK)
        for (size_t n = 0; n < count; ++n) {
          ++seen.at(out[n].token);
          ++taken;
        }
    });
  for (uint64_t token = 0; token < COUNT; ++token) make_future(stream_, queue_, token);
  for (int i = 0; i < 20000 && taken != COUNT; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  SUCCEEDS(cucore_queue_close, queue_);
  for (std::thread& thread : threads) thread.join();
  for (uint64_t token = 0; token < COUNT; ++token) ASSERT_EQ(seen[token], 1) << token;
}

// A thread without room takes nothing: the completion that woke it belongs to another thread.
TEST_F(Queues, AThreadWithoutRoomWakesTheNext) {
  NEEDS_FAKE_DRIVER();
  const Queue queue = make_queue(-1, 2'000'000);  // so long a pause is a sleep
  fake_->hold_streams(1);
  const Future future = make_future(stream_, queue, 1);
  const auto wait = [&](size_t capacity) {
    cucore_completion out;
    size_t count = 77;
    const auto start = Clock::now();
    SUCCEEDS(cucore_queue_wait, queue, 5'000'000'000, &out, capacity, &count);
    EXPECT_EQ(count, capacity);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(4));
  };
  std::vector<std::thread> threads;
  for (const size_t capacity : {0, 0, 1}) {  // sleepers are woken in the order of their arrival
    threads.emplace_back(wait, capacity);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  fake_->hold_streams(0);
  for (std::thread& thread : threads) thread.join();
}

// Each arrives exactly once, and those of a stream in its order.
TEST_F(Queues, TenThousandFuturesOverSixteenStreams) {
  constexpr uint64_t STREAMS = 16, EACH = 625;
  std::vector<Stream> streams;
  for (uint64_t i = 0; i < STREAMS; ++i) streams.push_back(make_stream(device_));
  const Buffer buffer = make_buffer(device_, 4096, stream_);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  for (uint64_t n = 0; n < EACH; ++n)
    for (uint64_t s = 0; s < STREAMS; ++s) {
      const auto byte = static_cast<unsigned char>(n);
      SUCCEEDS(cucore_buffer_fill, buffer, s * 16, 16, &byte, 1, streams[s]);
      make_future(streams[s], queue_, s << 32 | n);
    }
  std::vector<uint64_t> next(STREAMS);
  for (uint64_t left = STREAMS * EACH; left > 0; --left) {
    const auto taken = take(queue_, 1);
    const uint64_t s = taken.at(0).token >> 32;
    ASSERT_LT(s, STREAMS);
    ASSERT_EQ(taken[0].token & 0xffffffff, next[s]++) << "stream " << s;
    ASSERT_EQ(taken[0].status, CUCORE_OK);
  }
  EXPECT_TRUE(is_empty(queue_));
  cucore_queue_info info = CUCORE_QUEUE_INFO_INIT;
  SUCCEEDS(cucore_queue_query, queue_, &info);
  EXPECT_EQ(info.completed, STREAMS * EACH);
  EXPECT_EQ(info.pending, 0u);
}

TEST_F(Queues, SameStreamUnderTwoHandlesKeepsItsOrder) {
  Stream again;
  SUCCEEDS(cucore_stream_from_native, device_, cucore_stream_native(stream_), again.out());
  Stream legacy[2];
  for (Stream& stream : legacy)
    SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, stream.out());
  for (uint64_t n = 0; n < 500; ++n) {
    make_future(n % 2 ? stream_ : again, queue_, n);
    make_future(legacy[n % 2], queue_, 1000 + n);
  }
  uint64_t next[2] = {0, 1000};
  for (int left = 1000; left > 0; --left) {
    const uint64_t token = take(queue_, 1).at(0).token;
    ASSERT_EQ(token, next[token >= 1000]++);
  }
}

TEST_F(Queues, ClosingWakesWhoeverWaits) {
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      cucore_completion out;
      size_t count = 0;
      Error error;
      if (cucore_queue_wait(queue_, -1, &out, 1, &count, error.out()) ==
              CUCORE_ERROR_INVALID_STATE &&
          contains(cucore_error_message(error), "closed"))
        ++ended;
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  SUCCEEDS(cucore_queue_close, queue_);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 4);
  EXPECT_TRUE(is_readable(cucore_queue_descriptor(queue_), 0)) << "loops are to see the end";
  SUCCEEDS(cucore_queue_close, queue_);
  cucore_future* future = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE, "closed|new queue", cucore_future_from_stream, stream_, queue_,
        1, &future);
}

TEST_F(Queues, WhatWaitsInAClosedOneCanStillBeTaken) {
  make_future(stream_, queue_, 5);
  wait_until_waiting(queue_, 1);
  SUCCEEDS(cucore_queue_close, queue_);
  EXPECT_EQ(take(queue_, 1).at(0).token, 5u);
  size_t count = 77;
  cucore_completion out;
  FAILS(CUCORE_ERROR_INVALID_STATE, "closed", cucore_queue_wait, queue_, 0, &out, 1, &count);
  EXPECT_EQ(count, 0u);
}

TEST_F(Queues, ClosedWithFuturesPending) {
  NEEDS_FAKE_DRIVER();
  fake_->hold_streams(1);
  const Future future = make_future(stream_, queue_, 1);
  SUCCEEDS(cucore_queue_close, queue_);
  fake_->hold_streams(0);
  SUCCEEDS(cucore_future_wait, future, -1);
  EXPECT_EQ(info(queue_).completed, 0u) << "nothing comes into a closed queue";
  EXPECT_EQ(info(queue_).pending, 0u);
  EXPECT_EQ(info(queue_).is_closed, 1);
}

TEST_F(Queues, ReleasedWithFuturesPending) {
  NEEDS_FAKE_DRIVER();
  fake_->hold_streams(1);
  std::vector<Future> futures;
  for (int i = 0; i < 100; ++i) futures.push_back(make_future(stream_, queue_, 1));
  queue_.reset();
  futures.resize(50);
  fake_->hold_streams(0);
  for (const Future& future : futures) SUCCEEDS(cucore_future_wait, future, -1);
}

TEST_F(Queues, GiveTheirDescriptorBack) {
  const int lowest = cucore_queue_descriptor(make_queue());
  for (int i = 0; i < 2000; ++i) make_future(stream_, make_queue(), 1);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  for (int i = 0; i < 2000; ++i) {
    const Queue queue = make_queue();
    if (cucore_queue_descriptor(queue) <= lowest + 1) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  FAIL() << "descriptors are left open";
}

TEST_F(Queues, SayWhatTheyHold) {
  NEEDS_FAKE_DRIVER();
  fake_->hold_streams(1);
  for (int i = 0; i < 3; ++i) make_future(stream_, queue_, 1);
  EXPECT_EQ(info(queue_).pending, 3u);
  EXPECT_EQ(info(queue_).waiting, 0u);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(info(queue_).cpu_ns, 0u) << "asking is not for nothing";
  fake_->hold_streams(0);
  wait_until_waiting(queue_, 3);
  EXPECT_EQ(info(queue_).pending, 0u);
  EXPECT_EQ(info(queue_).completed, 3u);
  take(queue_, 3);
  EXPECT_EQ(info(queue_).waiting, 0u);
}

TEST_F(Queues, NobodyIsAskedWhenNothingIsPending) {
  NEEDS_FAKE_DRIVER();
  make_future(stream_, queue_, 1);
  take(queue_, 1);
  // On a busy machine the library's thread may take some time until it is idle.
  for (int i = 0; i < 100; ++i) {
    const uint64_t calls = fake_->total_calls(), cpu = info(queue_).cpu_ns;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (fake_->total_calls() == calls && info(queue_).cpu_ns == cpu) return;
  }
  FAIL() << "somebody is still asking";
}

// A thread of this process as the system reports it.
struct Sleeper {
  bool is_asleep = false;
  long sleeps = 0;  // number of voluntary switches
};

Sleeper look_at(pid_t thread) {
  Sleeper seen;
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string word; status >> word;) {
    if (word == "State:") seen.is_asleep = (status >> word) && word == "S";
    if (word == "voluntary_ctxt_switches:") status >> seen.sleeps;
  }
  return seen;
}

// A waiter that slept before work existed naps once it exists. A nap ends by itself, so the waiter
// sleeps at least twice more, however busy the machine is.
TEST_F(Queues, RouseThoseWhoSleptBeforeTheWorkCame) {
  NEEDS_FAKE_DRIVER();
  std::atomic<pid_t> thread{0};
  std::thread waiter([&] {
    cucore_completion out;
    size_t count = 0;
    thread = gettid();
    cucore_queue_wait(queue_, -1, &out, 1, &count, nullptr);
  });
  const auto comes = [&](auto&& is_as_wanted) {
    const auto end = Clock::now() + std::chrono::nanoseconds(TEN_SECONDS);
    while (!is_as_wanted() && Clock::now() < end) std::this_thread::yield();
    return is_as_wanted();
  };
  while (thread == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(comes([&] { return look_at(thread).is_asleep; }));
  const long before = look_at(thread).sleeps;
  fake_->hold_streams(1);
  make_future(stream_, queue_, 1);
  EXPECT_TRUE(comes([&] { return look_at(thread).sleeps >= before + 2; }));
  fake_->hold_streams(0);
  waiter.join();
}

}  // namespace
