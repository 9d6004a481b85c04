// SPDX-License-Identifier: Apache-2.0
// Futures: when they are done, how they report a failure, and how a wait for one is cancelled.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "completion_testing.hpp"
#include "native_context.hpp"
#include "support/idle_events.hpp"

namespace {

using namespace capi_test;

constexpr int32_t ILLEGAL_ADDRESS = 700, UNKNOWN = 999;

class Futures : public WithQueue {
 protected:
  void TearDown() override {
    if (fake_) fake_->set_fault(0);
    WithQueue::TearDown();
  }
  int32_t is_done(const cucore_future* future) const {
    int32_t done = 77;
    MUST(cucore_future_query, future, &done);
    return done;
  }
};

TEST_F(Futures, AreDoneWhenTheStreamIs) {
  const Buffer buffer = make_buffer(device_, 1 << 20, stream_);
  for (unsigned char round = 0; round < 100; ++round) {
    SUCCEEDS(cucore_buffer_fill, buffer, 0, 1 << 20, &round, 1, stream_);
    const Future future = make_future(stream_, queue_, round);
    SUCCEEDS(cucore_stream_synchronize, stream_);
    ASSERT_EQ(is_done(future), 1) << "whoever has waited for the stream need not wait again";
    SUCCEEDS(cucore_future_error, future);
    SUCCEEDS(cucore_future_wait, future, 0);
    ASSERT_EQ(take(queue_, 1).at(0).token, round);
  }
}

TEST_F(Futures, ArePendingUntilTheWorkIsComplete) {
  NEEDS_FAKE_DRIVER();
  fake_->hold_streams(1);
  const Future future = make_future(stream_, queue_, 1);
  EXPECT_EQ(is_done(future), 0);
  FAILS(CUCORE_ERROR_NOT_READY, "not complete", cucore_future_error, future);
  FAILS(CUCORE_ERROR_NOT_READY, "not complete", cucore_future_wait, future, 0);
  const auto start = Clock::now();
  FAILS_ONCE(CUCORE_ERROR_NOT_READY, "5000000 ns", cucore_future_wait, future, 5'000'000);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(5));
  EXPECT_TRUE(is_empty(queue_));
  fake_->hold_streams(0);
  SUCCEEDS(cucore_future_wait, future, TEN_SECONDS);
  EXPECT_EQ(is_done(future), 1);
  EXPECT_EQ(info(queue_).waiting, 1u) << "whoever has waited finds the completion";
}

TEST_F(Futures, WhoHasTheCompletionFindsTheOutcome) {
  for (uint64_t n = 0; n < 3000; ++n) {
    const Future future = make_future(stream_, queue_, n);
    cucore_completion out;
    size_t count = 0;
    while (count == 0) SUCCEEDS(cucore_queue_wait, queue_, 0, &out, 1, &count);
    ASSERT_EQ(cucore_future_error(future, nullptr), CUCORE_OK);
  }
}

TEST_F(Futures, ManyThreadsWaitForOne) {
  NEEDS_FAKE_DRIVER();
  fake_->hold_streams(1);
  const Future future = make_future(stream_, queue_, 1);
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { ended += cucore_future_wait(future, -1, nullptr) == CUCORE_OK; });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(ended, 0);
  fake_->hold_streams(0);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 8);
}

TEST_F(Futures, ReleasedAtOnceCompleteAllTheSame) {
  for (uint64_t n = 0; n < 100; ++n) make_future(stream_, queue_, n);
  uint64_t next = 0;
  for (const auto& completion : take(queue_, 100)) EXPECT_EQ(completion.token, next++);
}

TEST_F(Futures, AStreamMayGoBeforeItsWorkIsAwaited) {
  for (uint64_t n = 0; n < 100; ++n) make_future(make_stream(device_), queue_, n);
  EXPECT_EQ(take(queue_, 100).size(), 100u);
}

TEST_F(Futures, OfEveryKindOfStream) {
  for (const auto kind : {CUCORE_DEFAULT_STREAM_LEGACY, CUCORE_DEFAULT_STREAM_PER_THREAD}) {
    Stream stream;
    SUCCEEDS(cucore_device_default_stream, device_, kind, stream.out());
    const Future future = make_future(stream, queue_, 3);
    SUCCEEDS(cucore_future_wait, future, TEN_SECONDS);
    EXPECT_EQ(take(queue_, 1).at(0).token, 3u);
  }
}

TEST_F(Futures, DetachedNeverComeOut) {
  NEEDS_FAKE_DRIVER();
  fake_->hold_streams(1);
  const Future first = make_future(stream_, queue_, 1), second = make_future(stream_, queue_, 2);
  int32_t detached = 77;
  SUCCEEDS(cucore_future_detach, first, &detached);
  EXPECT_EQ(detached, 1);
  SUCCEEDS(cucore_future_detach, first, &detached);
  EXPECT_EQ(detached, 1) << "still so";
  fake_->hold_streams(0);
  EXPECT_EQ(take(queue_, 1).at(0).token, 2u);
  EXPECT_TRUE(is_empty(queue_));
  EXPECT_EQ(is_done(first), 1) << "by itself it completes";
  EXPECT_EQ(info(queue_).pending, 0u);
  SUCCEEDS(cucore_future_detach, second, &detached);
  EXPECT_EQ(detached, 0) << "its completion was taken";
}

// Whichever comes first, exactly one of both is true: detached, or completed.
TEST_F(Futures, DetachedInARaceWithTheirEnd) {
  constexpr uint64_t COUNT = 5000;
  std::vector<int> answers(COUNT);
  for (uint64_t token = 0; token < COUNT; ++token) {
    const Future future = make_future(stream_, queue_, token);
    int32_t detached = 77;
    SUCCEEDS(cucore_future_detach, future, &detached);
    answers[token] = detached;
    SUCCEEDS(cucore_future_wait, future, TEN_SECONDS);
  }
  std::vector<int> came(COUNT);
  for (cucore_completion out;;) {
    size_t count = 0;
    SUCCEEDS(cucore_queue_wait, queue_, 0, &out, 1, &count);
    if (count == 0) break;
    ++came.at(out.token);
  }
  for (uint64_t token = 0; token < COUNT; ++token) ASSERT_EQ(came[token], 1 - answers[token]);
}

TEST_F(Futures, AFaultReachesAllOfTheContextAndNoOthers) {
  NEEDS_FAKE_DRIVER();
  const Device other = open_device(1);
  const Stream there = make_stream(other);
  const Stream second = make_stream(device_);
  const Queue quiet = make_queue();
  fake_->hold_streams(1);
  std::vector<Future> futures;
  for (uint64_t n = 0; n < 10; ++n)
    futures.push_back(make_future(n % 2 ? stream_ : second, queue_, n));
  fake_->set_fault(ILLEGAL_ADDRESS);
  std::set<uint64_t> tokens;
  for (const auto& completion : take(queue_, 10)) {
    EXPECT_EQ(completion.status, CUCORE_ERROR_KERNEL_FAULT);
    tokens.insert(completion.token);
  }
  EXPECT_EQ(tokens.size(), 10u);
  for (const Future& future : futures) {
    int32_t done = 77;
    const std::string parts = "await|device 0|CUDA_ERROR_ILLEGAL_ADDRESS|cucore_device_reset";
    FAILS(CUCORE_ERROR_KERNEL_FAULT, parts, cucore_future_error, future);
    FAILS(CUCORE_ERROR_KERNEL_FAULT, parts, cucore_future_wait, future, -1);
    FAILS(CUCORE_ERROR_KERNEL_FAULT, parts, cucore_future_query, future, &done);
    EXPECT_EQ(done, 0);
  }
  Error error;
  EXPECT_EQ(cucore_future_error(futures[0], error.out()), CUCORE_ERROR_KERNEL_FAULT);
  EXPECT_EQ(cucore_error_native_code(error), ILLEGAL_ADDRESS);
  fake_->set_fault(0);
  fake_->hold_streams(0);
  const Future healthy = make_future(there, quiet, 1);
  SUCCEEDS(cucore_future_wait, healthy, TEN_SECONDS);
}

// If the driver cannot report about one, that is one failure and not that of its neighbours.
TEST_F(Futures, AFailureThatIsNotStickyIsOnesOwn) {
  NEEDS_FAKE_DRIVER();
  fake_->hold_streams(1);
  const Future first = make_future(stream_, queue_, 1), second = make_future(stream_, queue_, 2);
  fake_->fail_call("cuEventQuery", 1, UNKNOWN);
  const auto failed = take(queue_, 1);
  EXPECT_EQ(failed[0].status, CUCORE_ERROR_CUDA);
  EXPECT_EQ(failed[0].token, 1u);
  FAILS(CUCORE_ERROR_CUDA, "CUDA_ERROR_UNKNOWN", cucore_future_error, first);
  fake_->hold_streams(0);
  SUCCEEDS(cucore_future_wait, second, TEN_SECONDS);
}

// The output of a kernel that may print is written by a wait, which must not wait for running work.
TEST_F(Futures, AFailureAfterAPrintingLaunchWaitsForNothing) {
  NEEDS_FAKE_DRIVER();
  const Code code = make_ptx_code();
  Kernel borrowed;  // may print, because its code is unknown
  SUCCEEDS(cucore_kernel_from_native, device_, cucore_kernel_native(find_kernel(code, "empty")),
           borrowed.out());
  const cucore_launch_options once = grid(1, 1);
  SUCCEEDS(cucore_kernel_launch, borrowed, stream_, &once, nullptr, 0);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  fake_->hold_streams(1);
  const Future first = make_future(stream_, queue_, 1);
  fake_->fail_call("cuEventQuery", 1, UNKNOWN);
  EXPECT_EQ(take(queue_, 1)[0].status, CUCORE_ERROR_CUDA);
  fake_->hold_streams(0);
}

// The fault is never an exception of the call that creates the future, wherever in it the driver
// reports the fault.
TEST_F(Futures, AFaultThatTheirMakingMeetsIsTheirOutcome) {
  NEEDS_FAKE_DRIVER();
  uint64_t token = 0;
  for (const char* call : {"cuStreamIsCapturing", "cuStreamGetId", "cuEventCreate", "cuEventRecord",
                           "cuCtxGetCurrent", "cuCtxPushCurrent"}) {
    const Stream stream = make_stream(device_);
    Stream legacy;
    MUST(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
    for (const cucore_stream* on : {stream.get(), legacy.get()}) {
      // Events of earlier futures are destroyed after some time, and then cuEventCreate is called.
      for (int i = 0; i < 1000 && fake_->live_objects("event") != 2 * test_support::IDLE_EVENTS;
           ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      fake_->fail_call(call, 1, ILLEGAL_ADDRESS);
      const Future future = make_future(on, queue_, ++token);
      const bool met = fake_->failures_used() != 0;
      fake_->forget_failures();
      const auto completion = take(queue_, 1).at(0);
      EXPECT_EQ(completion.token, token);
      EXPECT_EQ(completion.status, met ? CUCORE_ERROR_KERNEL_FAULT : CUCORE_OK) << call;
      if (met)
        FAILS(CUCORE_ERROR_KERNEL_FAULT, "await the work|device 0|CUDA_ERROR_ILLEGAL_ADDRESS",
              cucore_future_wait, future, -1);
      EXPECT_EQ(fake_->violations(), 0u) << fake_->last_violation();
    }
  }
  EXPECT_EQ(info(queue_).pending, 0u);
}

// All pending futures end first, in the order of their stream.
TEST_F(Futures, OfABrokenContextEndInOrder) {
  NEEDS_FAKE_DRIVER();
  const Queue slow = make_queue(-1, 1'000'000'000);
  const Stream second = make_stream(device_);
  fake_->hold_streams(1);
  std::vector<Future> futures;
  for (uint64_t n = 0; n < 6; ++n)
    futures.push_back(make_future(n % 2 ? stream_ : second, slow, n));
  fake_->set_fault(ILLEGAL_ADDRESS);
  for (uint64_t n = 6; n < 9; ++n) futures.push_back(make_future(stream_, slow, n));
  std::vector<uint64_t> of_stream, of_second;
  for (const auto& completion : take(slow, 9)) {
    EXPECT_EQ(completion.status, CUCORE_ERROR_KERNEL_FAULT);
    (completion.token % 2 || completion.token > 5 ? of_stream : of_second)
        .push_back(completion.token);
  }
  EXPECT_EQ(of_stream, (std::vector<uint64_t>{1, 3, 5, 6, 7, 8}));
  EXPECT_EQ(of_second, (std::vector<uint64_t>{0, 2, 4}));
  fake_->set_fault(0);
  fake_->hold_streams(0);
}

TEST_F(Futures, AResetEndsThem) {
  NEEDS_FAKE_DRIVER();
  const Device other = open_device(1);
  const Stream there = make_stream(other);
  fake_->hold_streams(1);
  const Future lost = make_future(there, queue_, 1), kept = make_future(stream_, queue_, 2);
  SUCCEEDS(cucore_device_reset, other);
  FAILS(CUCORE_ERROR_INVALID_STATE, "awaited work|cucore_device_reset", cucore_future_error, lost);
  EXPECT_EQ(take(queue_, 1).at(0).status, CUCORE_ERROR_INVALID_STATE);
  EXPECT_EQ(is_done(kept), 0);
  fake_->hold_streams(0);
  SUCCEEDS(cucore_future_wait, kept, TEN_SECONDS);
  cucore_future* future = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE, "cucore_device_reset", cucore_future_from_stream, there, queue_,
        1, &future);
  const Stream anew = make_stream(other);
  SUCCEEDS(cucore_future_wait, make_future(anew, queue_, 3), TEN_SECONDS);
}

TEST_F(Futures, AResetAfterAFaultTellsOfTheFault) {
  NEEDS_FAKE_DRIVER();
  const Device other = open_device(1);
  const Stream there = make_stream(other);
  const Queue slow = make_queue(-1, 1'000'000'000);  // so that the reset comes first
  fake_->hold_streams(1);
  const Future future = make_future(there, slow, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  fake_->set_fault(ILLEGAL_ADDRESS);
  cucore_device_reset(other, nullptr);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "CUDA_ERROR_ILLEGAL_ADDRESS", cucore_future_error, future);
  fake_->set_fault(0);
  SUCCEEDS(cucore_device_reset, other);
}

TEST_F(Futures, AFailedOneHasNoCompletion) {
  NEEDS_FAKE_DRIVER();
  cucore_future* future = nullptr;
  for (const char* call : {"cuStreamIsCapturing", "cuEventRecord"}) {
    fake_->fail_call(call, 1, UNKNOWN);
    FAILS_ONCE(CUCORE_ERROR_CUDA, "CUDA_ERROR_UNKNOWN", cucore_future_from_stream, stream_, queue_,
               9, &future);
    EXPECT_EQ(future, nullptr);
  }
  EXPECT_EQ(info(queue_).pending, 0u);
  make_future(stream_, queue_, 1);
  EXPECT_EQ(take(queue_, 1).at(0).token, 1u);
}

TEST_F(Futures, UseEventsAgain) {
  NEEDS_FAKE_DRIVER();
  const auto begin = Clock::now();
  for (uint64_t n = 0; n < 1000; ++n) {
    make_future(stream_, queue_, n);
    take(queue_, 1);
  }
  // On a busy machine the library may be without work for so long that it destroys its events.
  constexpr std::chrono::milliseconds EVENTS_ARE_KEPT{20};
  const auto rests = static_cast<uint64_t>((Clock::now() - begin) / EVENTS_ARE_KEPT);
  EXPECT_LE(fake_->call_count("cuEventCreate"), 20u + rests);
  EXPECT_EQ(fake_->call_count("cuEventRecord"), 1000u);
  EXPECT_EQ(fake_->call_count("cuLaunchHostFunc"), 0u);
}

TEST_F(Futures, RefuseAStreamThatIsBeingCaptured) {
  NEEDS_FAKE_DRIVER();
  const NativeContext context;
  const auto native = static_cast<CUstream>(cucore_stream_native(stream_));
  context.begin_capture(native);
  cucore_future* future = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE, "captured|graph", cucore_future_from_stream, stream_, queue_, 1,
        &future);
  context.end_capture(native);
  SUCCEEDS(cucore_future_wait, make_future(stream_, queue_, 1), TEN_SECONDS);
}

TEST_F(Futures, LeaveTheCallersContextAlone) {
  NEEDS_FAKE_DRIVER();
  const NativeContext context;
  const CUcontext mine = context.hold(1);
  Stream legacy;
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  for (const CUcontext before : {mine, CUcontext{nullptr}})
    for (const cucore_stream* stream : {stream_.get(), legacy.get()}) {
      context.set(before);
      fake_->hold_streams(1);
      const Future future = make_future(stream, queue_, 1);
      EXPECT_EQ(context.current(), before);
      EXPECT_EQ(is_done(future), 0);
      EXPECT_EQ(context.current(), before);
      fake_->hold_streams(0);
      SUCCEEDS(cucore_future_wait, future, TEN_SECONDS);
      EXPECT_EQ(context.current(), before);
      take(queue_, 1);
    }
  context.set(nullptr);
  context.let_go(1);
}

// Threads that query the driver, and threads that call back, must have nothing in common except the
// program's own objects.
std::mutex seen_mutex;
std::set<pid_t>* asking = new std::set<pid_t>;
std::set<pid_t>* calling_back = new std::set<pid_t>;

void note(std::set<pid_t>& threads) {
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  std::lock_guard lock(seen_mutex);
  threads.insert(self);
}

TEST_F(Futures, NoThreadOfTheLibraryCallsBack) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(
      cucore_log_set_callback, [](cucore_log_level, const char*, void*) { note(*calling_back); },
      CUCORE_LOG_DEBUG, nullptr, nullptr);
  fake_->set_boundary([] { note(*asking); }, [] {});
  fake_->hold_streams(1);
  std::vector<Future> futures;
  for (uint64_t n = 0; n < 50; ++n) futures.push_back(make_future(stream_, queue_, n));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  fake_->fail_call("cuEventQuery", 1, UNKNOWN);
  fake_->hold_streams(0);
  take(queue_, 50);
  fake_->fail_call("cuEventDestroy", 1, UNKNOWN);  // not reported
  futures.clear();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  fake_->set_boundary(nullptr, nullptr);
  fake_->forget_failures();
  SUCCEEDS(cucore_log_set_callback, nullptr, CUCORE_LOG_DEBUG, nullptr, nullptr);
  std::lock_guard lock(seen_mutex);
  const pid_t own = getpid();
  EXPECT_GE(asking->size(), 2u) << "a thread of the library has asked";
  for (const pid_t thread : *calling_back)
    EXPECT_EQ(thread, own) << "a message came from a thread of the library";
}

}  // namespace
