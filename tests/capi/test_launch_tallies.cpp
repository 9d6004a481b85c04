// SPDX-License-Identifier: Apache-2.0
// Launches that are counted in the tally of an observer, without a call of it.
#include <array>
#include <atomic>
#include <deque>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

// An observer of launches that sets a new tally, with `left` launches, in each begin.
class Counter {
 public:
  explicit Counter(uint32_t left, uint32_t kinds = CUCORE_OPERATION_LAUNCH) : left_(left) {
    cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
    options.kinds = kinds;
    options.begin = [](const cucore_operation* operation, void**, void* data) {
      static_cast<Counter*>(data)->set(*operation);
    };
    options.end = [](const cucore_operation* operation, void**, void* data) {
      Counter& self = *static_cast<Counter*>(data);
      cucore_launch_tally late = CUCORE_LAUNCH_TALLY_INIT;
      EXPECT_EQ(cucore_operation_tally(operation, &late), 0) << "only in begin";
      self.failed += operation->status != CUCORE_OK;
    };
    options.user_data = this;
    MUST(cucore_observer_create, &options, observer.out());
  }

  uint64_t counted() const {
    uint64_t sum = 0;
    for (const cucore_launch_tally& tally : tallies) sum += tally.calls;
    return sum;
  }

  // Elements keep their places.
  std::deque<cucore_launch_tally> tallies;
  int observed = 0, set_ones = 0, failed = 0;
  cucore::Observer observer;  // ends first

 private:
  void set(const cucore_operation& operation) {
    ++observed;
    cucore_launch_tally tally = CUCORE_LAUNCH_TALLY_INIT;
    tally.left = left_;
    tallies.push_back(tally);
    set_ones += cucore::set_tally(operation, tallies.back());
  }

  const uint32_t left_;
};

class LaunchTallies : public OnDevice {
 public:
  void launch(const cucore_launch_options& options, const cucore_stream* stream) const {
    EXPECT_EQ(cucore_kernel_launch(empty_, stream, &options, nullptr, 0, nullptr), CUCORE_OK);
  }
  void launch(int times) const {
    for (int i = 0; i < times; ++i) launch(grid(1, 1), stream_);
  }

 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    code_ = make_ptx_code();
    empty_ = find_kernel(code_, "empty");
    other_ = make_stream(device_);
  }
  void TearDown() override {
    other_.reset();
    empty_.reset();
    code_.reset();
    OnDevice::TearDown();
  }

  Code code_;
  Kernel empty_;
  Stream other_;
};

TEST_F(LaunchTallies, CountTheNextLaunchesAndNoMore) {
  Counter counter(5);
  launch(1);
  EXPECT_EQ(counter.observed, 1);
  EXPECT_EQ(counter.set_ones, 1);
  EXPECT_EQ(counter.tallies[0].calls, 0u) << "the launch itself is observed";
  launch(5);
  EXPECT_EQ(counter.observed, 1);
  EXPECT_EQ(counter.tallies[0].calls, 5u);
  EXPECT_EQ(counter.tallies[0].left, 0u);
  launch(1);
  EXPECT_EQ(counter.observed, 2);
  EXPECT_EQ(counter.tallies[0].calls, 5u);
}

TEST_F(LaunchTallies, AddTheHints) {
  Counter counter(5);
  cucore_launch_options options = grid(1, 1);
  launch(options, stream_);
  launch(options, stream_);
  options.bytes_read = 100;
  launch(options, stream_);
  options.bytes_written = uint64_t{1} << 40;
  options.operations = 7;
  launch(options, stream_);
  ASSERT_EQ(counter.observed, 1);
  const cucore_launch_tally& tally = counter.tallies[0];
  EXPECT_EQ(tally.calls, 3u);
  EXPECT_EQ(tally.bytes_read, 200u);
  EXPECT_EQ(tally.bytes_written, uint64_t{1} << 40);
  EXPECT_EQ(tally.operations, 7u);
  EXPECT_EQ(tally.with_bytes, 2u);
  EXPECT_EQ(tally.with_operations, 1u);
}

TEST_F(LaunchTallies, CountPackedLaunches) {
  Counter counter(5);
  const cucore_launch_options options = grid(1, 1);
  for (int i = 0; i < 3; ++i)
    SUCCEEDS(cucore_kernel_launch_packed, empty_, stream_, &options, nullptr, 0);
  EXPECT_EQ(counter.observed, 1);
  EXPECT_EQ(counter.tallies[0].calls, 2u);
}

// Each number of the shape, the stream and the kernel differs once.
TEST_F(LaunchTallies, CountEqualLaunchesOnly) {
  std::vector<cucore_launch_options> shapes(8, grid(1, 1));
  shapes[1].grid[0] = 2;
  shapes[2].grid[1] = 2;
  shapes[3].grid[2] = 2;
  shapes[4].block[0] = 2;
  shapes[5].block[1] = 2;
  shapes[6].block[2] = 2;
  shapes[7].dynamic_shared = 16;
  Counter counter(100);
  for (const cucore_launch_options& shape : shapes) launch(shape, stream_);
  EXPECT_EQ(counter.observed, 8);
  launch(shapes[0], other_);
  EXPECT_EQ(counter.observed, 9);
  const Kernel saxpy = find_kernel(code_, "saxpy");
  FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "takes 4 arguments", cucore_kernel_launch, saxpy,
             stream_, &shapes[0], nullptr, 0);
  EXPECT_EQ(counter.failed, 1) << "a launch of another kernel is observed";
  const int before = counter.observed;
  for (const cucore_launch_options& shape : shapes) launch(shape, stream_);
  EXPECT_EQ(static_cast<uint64_t>(counter.observed - before) + counter.counted(), 8u);
  EXPECT_GT(counter.counted(), 0u);
}

TEST_F(LaunchTallies, CountFailuresApart) {
  Counter counter(5);
  launch(1);
  cucore_launch_options options = grid(1, 1);
  options.bytes_read = options.bytes_written = options.operations = 9;
  const uint32_t value = 1;
  const cucore_argument argument = CUCORE_ARGUMENT(value);
  FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "takes 0 arguments", cucore_kernel_launch, empty_,
             stream_, &options, &argument, 1);
  launch(1);
  const cucore_launch_tally& tally = counter.tallies[0];
  EXPECT_EQ(counter.observed, 1);
  EXPECT_EQ(tally.calls, 1u);
  EXPECT_EQ(tally.failed, 1u);
  EXPECT_EQ(tally.left, 3u);
  EXPECT_EQ(tally.bytes_read + tally.bytes_written + tally.operations, 0u);
  EXPECT_EQ(tally.with_bytes + tally.with_operations, 0u);
}

// The tally of a launch under way is put right, although another observer comes meanwhile.
TEST_F(LaunchTallies, CountFailuresApartWhileAnObserverComes) {
  NEEDS_FAKE_DRIVER();
  Counter counter(5);
  cucore_status status = CUCORE_OK;
  uint64_t calls = 0;
  std::atomic<bool> has_begun{false};
  std::thread thread([&] {
    launch(2);
    fake_->delay_call("cuLaunchKernelEx", 300);
    fake_->fail_call("cuLaunchKernelEx", 1, 999);
    calls = fake_->call_count("cuLaunchKernelEx");
    has_begun = true;
    const cucore_launch_options options = grid(1, 1);
    status = cucore_kernel_launch(empty_, stream_, &options, nullptr, 0, nullptr);
  });
  while (!has_begun || fake_->call_count("cuLaunchKernelEx") == calls) std::this_thread::yield();
  const Counter second(5);
  thread.join();
  fake_->delay_call("cuLaunchKernelEx", 0);
  EXPECT_NE(status, CUCORE_OK);
  ASSERT_EQ(counter.observed, 1);
  EXPECT_EQ(second.observed, 0);
  EXPECT_EQ(counter.tallies[0].calls, 1u);
  EXPECT_EQ(counter.tallies[0].failed, 1u);
  EXPECT_EQ(counter.tallies[0].left, 3u);
}

TEST_F(LaunchTallies, CountCapturedLaunchesApart) {
  Counter counter(5);
  launch(1);
  SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
  launch(2);
  Graph graph;
  SUCCEEDS(cucore_stream_end_capture, stream_, graph.out());
  launch(1);
  EXPECT_EQ(counter.observed, 1);
  EXPECT_EQ(counter.tallies[0].captured, 2u);
  EXPECT_EQ(counter.tallies[0].calls, 1u);
}

TEST_F(LaunchTallies, EndWhenTheThreadTakesWhatIsLeft) {
  Counter counter(5);
  launch(2);
  counter.tallies[0].left = 0;
  launch(1);
  EXPECT_EQ(counter.observed, 2);
  EXPECT_EQ(counter.tallies[0].calls, 1u);
}

TEST_F(LaunchTallies, AreRefusedOutsideBegin) {
  cucore_launch_tally tally = CUCORE_LAUNCH_TALLY_INIT;
  cucore_operation operation = CUCORE_OPERATION_INIT;
  EXPECT_EQ(cucore_operation_tally(nullptr, &tally), 0);
  EXPECT_EQ(cucore_operation_tally(&operation, nullptr), 0);
  EXPECT_EQ(cucore_operation_tally(&operation, &tally), 0);
}

TEST_F(LaunchTallies, AreRefusedForOtherOperations) {
  Counter counter(5, CUCORE_OPERATION_FILL | CUCORE_OPERATION_SYNCHRONIZE);
  const Buffer buffer = make_buffer(device_, 16, stream_);
  const uint32_t value = 1;
  SUCCEEDS(cucore_buffer_fill, buffer, 0, 4, &value, 4, stream_);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  EXPECT_EQ(counter.observed, 2);
  EXPECT_EQ(counter.set_ones, 0);
}

TEST_F(LaunchTallies, AreRefusedForPreparedLaunches) {
  const PreparedLaunch prepared = prepare(empty_, stream_);
  Counter counter(5);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  EXPECT_EQ(counter.observed, 2);
  EXPECT_EQ(counter.set_ones, 0);
}

TEST_F(LaunchTallies, AreRefusedWithFieldsThatAreWrong) {
  struct Refused {
    int calls = 0;
    cucore_launch_tally tally = CUCORE_LAUNCH_TALLY_INIT;
  } refused;
  refused.tally.left = 9;
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.kinds = CUCORE_OPERATION_LAUNCH;
  options.begin = [](const cucore_operation* operation, void**, void* data) {
    auto& [calls, tally] = *static_cast<Refused*>(data);
    tally = CUCORE_LAUNCH_TALLY_INIT;
    if (++calls == 1)
      tally.struct_size = sizeof tally - 8;
    else
      tally.reserved = 1;
    EXPECT_EQ(cucore_operation_tally(operation, &tally), 0);
  };
  options.user_data = &refused;
  cucore::Observer observer;
  SUCCEEDS(cucore_observer_create, &options, observer.out());
  launch(2);
  EXPECT_EQ(refused.calls, 2);
  EXPECT_EQ(refused.tally.calls, 0u);
}

// Each launch belongs to all observers.
TEST_F(LaunchTallies, StopWhileAnotherObserverObservesLaunches) {
  Counter counter(5);
  launch(2);
  EXPECT_EQ(counter.observed, 1);
  {
    Counter second(5);
    launch(2);
    EXPECT_EQ(counter.observed, 3);
    EXPECT_EQ(second.observed, 2);
    EXPECT_EQ(counter.set_ones + second.set_ones, 1);
  }
  const Counter of_others(5, CUCORE_OPERATION_COPY);
  launch(3);
  EXPECT_EQ(counter.observed, 3) << "the first tally has launches left again";
  EXPECT_EQ(counter.tallies[0].calls, 4u);
}

TEST_F(LaunchTallies, EndWithTheirObserver) {
  auto first = std::make_unique<Counter>(5);
  launch(2);
  first->observer.reset();
  Counter next(5);
  launch(1);
  EXPECT_EQ(first->tallies[0].calls, 1u);
  EXPECT_EQ(next.observed, 1);
}

TEST_F(LaunchTallies, CountNoLaunchesOfTheObserver) {
  struct Launcher {
    const LaunchTallies* test;
    cucore_launch_tally tally = CUCORE_LAUNCH_TALLY_INIT;
    int begins = 0;
  } launcher{this};
  launcher.tally.left = 9;
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = [](const cucore_operation* operation, void**, void* data) {
    auto& [test, tally, begins] = *static_cast<Launcher*>(data);
    ++begins;
    if (operation->kind != CUCORE_OPERATION_LAUNCH) return test->launch(2);
    EXPECT_EQ(cucore_operation_tally(operation, &tally), 1);
  };
  options.user_data = &launcher;
  cucore::Observer observer;
  SUCCEEDS(cucore_observer_create, &options, observer.out());
  launch(1);
  const uint32_t value = 1;
  const Buffer buffer = make_buffer(device_, 16, stream_);
  SUCCEEDS(cucore_buffer_fill, buffer, 0, 4, &value, 4, stream_);
  EXPECT_GT(launcher.begins, 1);
  EXPECT_EQ(launcher.tally.calls, 0u);
  launch(1);
  EXPECT_EQ(launcher.tally.calls, 1u);
}

// More launches than a thread has places.
TEST_F(LaunchTallies, LoseNoLaunchOfManyShapes) {
  Counter counter(1000);
  constexpr unsigned SHAPES = 300, ROUNDS = 3;
  for (unsigned round = 0; round < ROUNDS; ++round)
    for (unsigned i = 0; i < SHAPES; ++i) launch(grid(1, 1 + i), stream_);
  EXPECT_EQ(static_cast<uint64_t>(counter.observed) + counter.counted(), SHAPES * ROUNDS);
  EXPECT_EQ(counter.set_ones, counter.observed);
}

// A thread may get the record of one that has ended.
TEST_F(LaunchTallies, BelongToTheirThread) {
  Counter counter(100);
  for (int i = 0; i < 3; ++i) std::thread([&] { launch(2); }).join();
  EXPECT_EQ(counter.observed, 3);
  for (const cucore_launch_tally& tally : counter.tallies) EXPECT_EQ(tally.calls, 1u);
}

TEST_F(LaunchTallies, LeaveALaunchOneDriverCall) {
  NEEDS_FAKE_DRIVER();
  Counter counter(5);
  launch(1);
  fake_->reset();
  launch(1);
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
  EXPECT_EQ(counter.counted(), 1u);
}

// A release in begin calls destroy after begin, while the operation is still there.
TEST_F(LaunchTallies, AreRefusedInDestroy) {
  struct State {
    cucore::Observer observer;
    const cucore_operation* operation = nullptr;
    int32_t result = -1;
  } state;
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.kinds = CUCORE_OPERATION_LAUNCH;
  options.begin = [](const cucore_operation* operation, void**, void* data) {
    State& self = *static_cast<State*>(data);
    self.operation = operation;
    self.observer.reset();
  };
  options.destroy = [](void* data) {
    State& self = *static_cast<State*>(data);
    cucore_launch_tally tally = CUCORE_LAUNCH_TALLY_INIT;
    self.result = cucore_operation_tally(self.operation, &tally);
  };
  options.user_data = &state;
  MUST(cucore_observer_create, &options, state.observer.out());
  launch(1);
  EXPECT_EQ(state.result, 0);
}

// Handles come back after some thousand releases.
TEST_F(LaunchTallies, CountNoLaunchOfAnotherDeviceInTheirHandle) {
  int32_t devices = 0;
  MUST(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  const Device second = open_device(1);
  Counter counter(100);
  const cucore_launch_options options = grid(1, 1);
  Stream stream = make_stream(device_);
  const cucore_stream* const handle = stream.get();
  launch(options, stream);
  stream.reset();
  for (int i = 0; i < 20000 && stream.get() != handle; ++i) stream = make_stream(second);
  if (stream.get() != handle) GTEST_SKIP() << "the handle has not come back";
  launch(options, stream);
  EXPECT_EQ(counter.observed, 2);
  EXPECT_EQ(counter.counted(), 0u);
}

// The memory of a tally is not written once destroy has been called, also while other observers
// come and go.
TEST_F(LaunchTallies, AreNotWrittenAfterTheEnd) {
  constexpr int THREADS = 4, ROUNDS = 40;
  struct Tallies {
    std::array<cucore_launch_tally, 1000> all{};
    std::atomic<size_t> taken{0};
  };
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; ++i)
    threads.emplace_back([&] {
      while (!stop) launch(1);
    });
  const auto observe = [&] {
    for (int round = 0; round < ROUNDS; ++round) {
      auto tallies = std::make_unique<Tallies>();
      cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
      options.begin = [](const cucore_operation* operation, void**, void* data) {
        auto& [all, taken] = *static_cast<Tallies*>(data);
        const size_t place = taken.fetch_add(1);
        if (place >= all.size()) return;
        all[place] = CUCORE_LAUNCH_TALLY_INIT;
        all[place].left = 50;
        (void)cucore_operation_tally(operation, &all[place]);
      };
      options.user_data = tallies.get();
      cucore::Observer observer;
      MUST(cucore_observer_create, &options, observer.out());
      while (tallies->taken < 8) std::this_thread::yield();
      observer.reset();
      // A thread that still writes is a race, and changes a number.
      for (cucore_launch_tally& each : tallies->all) each = CUCORE_LAUNCH_TALLY_INIT;
      for (cucore_launch_tally& each : tallies->all) each.left = 1;
      std::this_thread::yield();
      for (const cucore_launch_tally& each : tallies->all)
        EXPECT_TRUE(each.left == 1 && each.calls == 0);
    }
  };
  std::thread other(observe);
  observe();
  other.join();
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
