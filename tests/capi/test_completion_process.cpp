// SPDX-License-Identifier: Apache-2.0
// Futures and processes: forks, exits with pending work, and millions of futures.
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "completion_testing.hpp"

namespace {

using namespace capi_test;

// Runs after the library's handlers and before those of a leak checker. A forked child has none of
// the threads that own its memory, so the checker would report that memory as lost.
const int unchecked_children = on_exit(
    [](int status, void* parent) {
      if (getpid() != static_cast<pid_t>(reinterpret_cast<intptr_t>(parent))) _exit(status);
    },
    reinterpret_cast<void*>(static_cast<intptr_t>(getpid())));

class CompletionProcess : public WithQueue {
 protected:
  template <class Body>
  void in_child(Body&& body) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends a hang by a signal
      _exit(body());
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "the check of that number failed in the child";
  }
};

TEST_F(CompletionProcess, AForkedChildWaitsForNothing) {
  if (fake_) fake_->hold_streams(1);
  const Future pending = make_future(stream_, queue_, 1);
  for (int round = 0; round < 20; ++round)
    in_child([&] {
      int32_t done = 0;
      size_t count = 0;
      cucore_completion out;
      cucore_future* future = nullptr;
      cucore_queue_info info = CUCORE_QUEUE_INFO_INIT;
      Error error;
      if (cucore_queue_wait(queue_, -1, &out, 1, &count, error.out()) != CUCORE_ERROR_INVALID_STATE)
        return 1;
      if (!contains(cucore_error_message(error), "fork")) return 2;
      if (cucore_future_from_stream(stream_, queue_, 1, &future, nullptr) !=
          CUCORE_ERROR_INVALID_STATE)
        return 3;
      if (cucore_queue_query(queue_, &info, nullptr) != CUCORE_ERROR_INVALID_STATE) return 4;
      if (cucore_queue_descriptor(queue_) < 0) return 5;
      if (!fake_) return 0;  // elsewhere the work may already be complete
      if (cucore_future_query(pending, &done, nullptr) != CUCORE_ERROR_INVALID_STATE) return 6;
      if (cucore_future_wait(pending, -1, nullptr) != CUCORE_ERROR_INVALID_STATE) return 7;
      if (cucore_future_error(pending, nullptr) != CUCORE_ERROR_INVALID_STATE) return 8;
      return 0;
    });
  if (fake_) fake_->hold_streams(0);
  SUCCEEDS(cucore_future_wait, pending, TEN_SECONDS);
  EXPECT_EQ(take(queue_, 1).at(0).token, 1u) << "the parent goes on";
}

TEST_F(CompletionProcess, AForkedChildReleasesInSilenceAndExits) {
  if (fake_) fake_->hold_streams(1);
  Future pending = make_future(stream_, queue_, 1);
  in_child([&] {
    const uint64_t before = fake_ ? fake_->total_calls() : 0;  // takes no lock
    pending.reset();
    queue_.reset();
    if (fake_ && fake_->total_calls() != before) return 1;
    std::exit(0);  // with the handlers that the parent registered
    return 2;
  });
}

// Runs body in a new process, which must end by itself without output.
#define EXITS_WELL(body)                                \
  if (!has_device()) GTEST_SKIP() << "no device";       \
  testing::FLAGS_gtest_death_test_style = "threadsafe"; \
  EXPECT_EXIT(                                          \
      {                                                 \
        alarm(30);                                      \
        body();                                         \
        std::exit(0);                                   \
      },                                                \
      testing::ExitedWithCode(0), "^$")

struct Leftovers {
  Device device = open_device();
  Stream stream = make_stream(device);
  Queue queue = make_queue();
  std::vector<Future> futures;

  void add(int count) {
    for (int i = 0; i < count; ++i) futures.push_back(make_future(stream, queue, 1));
  }
};

Leftovers& leftovers() {
  static auto* all = new Leftovers;
  return *all;
}

TEST(CompletionExit, WithEverythingPending) {
  EXITS_WELL([] {
    if (fake_driver()) fake_driver()->hold_streams(1);
    leftovers().add(100);
  });
}

TEST(CompletionExit, WhileThreadsWaitForEver) {
  EXITS_WELL([] {
    if (fake_driver()) fake_driver()->hold_streams(1);
    leftovers().add(1);
    std::thread([] {
      cucore_completion out;
      size_t count = 0;
      for (;;) cucore_queue_wait(leftovers().queue, -1, &out, 1, &count, nullptr);
    }).detach();
    std::thread([] { cucore_future_wait(leftovers().futures[0], -1, nullptr); }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
}

TEST(CompletionExit, WhileFuturesAreMade) {
  EXITS_WELL([] {
    leftovers();
    for (int i = 0; i < 3; ++i)
      std::thread([] {
        const Stream own = make_stream(leftovers().device);
        cucore_completion out[64];
        size_t count = 0;
        for (cucore_future* future = nullptr;; cucore_future_release(future)) {
          cucore_future_from_stream(own, leftovers().queue, 1, &future, nullptr);
          cucore_queue_wait(leftovers().queue, 0, out, 64, &count, nullptr);
        }
      }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
}

std::chrono::nanoseconds cpu_time_of_this_thread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// Awaits work repeatedly, on a core that it takes from all others whenever it can run. The others
// also share the core with the rest of the machine, so only this thread's time counts.
void wait_urgently(std::atomic<int>& held, std::atomic<bool>& over) {
  const sched_param urgent{.sched_priority = 1};
  const bool may = pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent) == 0;
  const auto end = Clock::now() + std::chrono::seconds(5);
  for (int i = 0; may && i < 4000 && Clock::now() < end; ++i) {
    fake_driver()->hold_streams(1);
    const Future future = make_future(leftovers().stream, leftovers().queue, 1);
    ++held;
    const auto before = cpu_time_of_this_thread();
    cucore_future_wait(future, TEN_SECONDS, nullptr);
    // The system takes the core from a spinning thread after 0.95 s, or never.
    if (cpu_time_of_this_thread() - before > std::chrono::milliseconds(500)) _exit(3);
  }
  over = true;
}

// On one core, above the library's own thread: yielding would not let that thread run.
TEST(CompletionPriority, ARealTimeThreadLetsTheLibrarysGoOn) {
  EXITS_WELL([] {
    if (!fake_driver()) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    leftovers();
    make_future(leftovers().stream, leftovers().queue, 1);  // the library's thread runs
    std::atomic<int> held{0};
    std::atomic<bool> over{false};
    std::thread waiter([&] { wait_urgently(held, over); });
    for (int released = 0; !over; std::this_thread::yield())
      if (released != held) {
        released = held;
        std::this_thread::sleep_for(std::chrono::microseconds(released % 64));
        fake_driver()->hold_streams(0);
      }
    waiter.join();
  });
}

// A destructor at exit that waits for an endless future receives an error.
TEST(CompletionExit, ADestructorThatWaitsAtExit) {
  EXITS_WELL([] {
    if (!fake_driver()) return;
    struct Last {
      ~Last() {
        if (cucore_future_wait(leftovers().futures[0], -1, nullptr) != CUCORE_ERROR_INVALID_STATE)
          _exit(3);
      }
    };
    static Last last;  // created before the library registers its handler, so it runs after it
    fake_driver()->hold_streams(1);
    leftovers().add(1);
  });
}

// Resident memory; with a sanitizer the memory allocated by the program, because the sanitizer
// keeps freed memory.
size_t memory_kib() {
  if (__sanitizer_get_current_allocated_bytes)
    return __sanitizer_get_current_allocated_bytes() / 1024;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:") {
      size_t kib = 0;
      status >> kib;
      return kib;
    }
  return 0;
}

// The number of futures; CUCORE_TEST_FUTURES=10000000 is the load that the library must stand.
uint64_t how_many() {
  const char* wanted = std::getenv("CUCORE_TEST_FUTURES");
  return wanted ? std::strtoull(wanted, nullptr, 10) : 100'000;
}

void run_through(const cucore_stream* stream, cucore_queue* queue, uint64_t count) {
  cucore_completion out[256];
  uint64_t next = 0;
  const auto take_some = [&](int64_t timeout) {
    size_t taken = 0;
    MUST(cucore_queue_wait, queue, timeout, out, 256, &taken);
    for (size_t i = 0; i < taken; ++i)
      if (out[i].token != next++) throw std::runtime_error("out of order");
  };
  for (uint64_t token = 0; token < count; ++token) {
    make_future(stream, queue, token);
    if (token - next >= 1000) take_some(TEN_SECONDS);
  }
  while (next < count) take_some(TEN_SECONDS);
}

TEST_F(CompletionProcess, MillionsOfThemInFlatMemory) {
  if (fake_) fake_->set_logging(0);
  const uint64_t count = how_many();
  run_through(stream_, queue_, 20'000);
  const size_t before = memory_kib();
  run_through(stream_, queue_, count);
  const size_t after = memory_kib();
  EXPECT_LT(after, before + 4096) << "KiB, of " << count << " futures";
  RecordProperty("kib_before", std::to_string(before));
  RecordProperty("kib_after", std::to_string(after));
  RecordProperty("futures", std::to_string(count));
}

}  // namespace
