// SPDX-License-Identifier: Apache-2.0
// The output of kernels is written before a wait returns, for every kind of wait. This includes
// polls, which end with a query of the driver, although drivers write nothing at a query.
#include <poll.h>

#include <functional>
#include <thread>

#include "capi/completion_testing.hpp"
#include "capi/native_driver.hpp"
#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

const char SOURCE[] =
    "extern \"C\" __global__ void say(int value) { printf(\"said %d\\n\", value); }\n"
    "extern \"C\" __global__ void say_late(int value, volatile unsigned *gate) {\n"
    "  while (*gate == 0) {}\n"
    "  printf(\"said %d\\n\", value);\n"
    "}\n"
    "extern \"C\" __global__ void fault(int *nowhere) { *nowhere = 1; }\n";

class Printed : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    queue_ = make_queue();
    code_ = compile(make_program(SOURCE));
    say_ = find_kernel(code_, "say");
    event_ = make_event(device_);
    buffer_ = make_buffer(device_, 64, stream_);
    MUST(cucore_buffer_create_pinned, device_, 64, gate_.out());
    // A kernel is loaded at its first launch, which on a GPU waits for running kernels.
    written([&] {
      open_gate();
      say(stream_, 0);
      say_late(stream_, 0);
      MUST(cucore_device_synchronize, device_);
    });
    close_gate();
  }

  void TearDown() override {
    if (gate_) open_gate();
    OnGpu::TearDown();
  }

  void say(const cucore_stream* stream, int value) const {
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(value)};
    const cucore_launch_options options = grid(1, 1);
    MUST(cucore_kernel_launch, say_, stream, &options, arguments, 1);
  }
  // Prints once the gate is open.
  void say_late(const cucore_stream* stream, int value) const {
    const uint64_t gate = cucore_buffer_address(gate_);
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(value), CUCORE_ARGUMENT(gate)};
    const cucore_launch_options options = grid(1, 1);
    MUST(cucore_kernel_launch, find_kernel(code_, "say_late"), stream, &options, arguments, 2);
  }
  void close_gate() const { gate_word().store(0); }
  void open_gate() const { gate_word().store(1); }
  std::atomic<uint32_t>& gate_word() const {
    return *static_cast<std::atomic<uint32_t>*>(cucore_buffer_host_pointer(gate_));
  }

  static std::string written(const std::function<void()>& calls) {
    testing::internal::CaptureStdout();
    try {
      calls();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    return testing::internal::GetCapturedStdout();
  }
  static std::string said(int value) { return "said " + std::to_string(value) + "\n"; }

  static void poll_until_done(const std::function<int32_t()>& query) {
    const auto end = Clock::now() + std::chrono::seconds(10);
    while (!query())
      if (Clock::now() > end) throw std::runtime_error("the work does not end");
  }
  static void poll_stream(const cucore_stream* stream) {
    poll_until_done([&] {
      int32_t done = 0;
      MUST(cucore_stream_query, stream, &done);
      return done;
    });
  }
  static void poll_event(const cucore_event* event) {
    poll_until_done([&] {
      int32_t done = 0;
      MUST(cucore_event_query, event, &done);
      return done;
    });
  }
  static void poll_future(const cucore_future* future) {
    poll_until_done([&] {
      int32_t done = 0;
      MUST(cucore_future_query, future, &done);
      return done;
    });
  }

  Queue queue_;
  Code code_;
  Kernel say_;
  Event event_;
  Buffer buffer_, gate_;
};

TEST_F(Printed, IsWrittenByEveryWayToWait) {
  char bytes[64];
  const auto record = [&] { MUST(cucore_event_record, event_, stream_); };
  const auto future = [&] { return make_future(stream_, queue_, 1); };
  const std::pair<const char*, std::function<void()>> waits[] = {
      {"device", [&] { MUST(cucore_device_synchronize, device_); }},
      {"stream", [&] { MUST(cucore_stream_synchronize, stream_); }},
      {"event",
       [&] {
         record();
         MUST(cucore_event_synchronize, event_);
       }},
      {"read", [&] { MUST(cucore_buffer_read, buffer_, 0, bytes, 64, stream_); }},
      {"polled stream", [&] { poll_stream(stream_); }},
      {"polled event", [&] { record(), poll_event(event_); }},
      {"future", [&] { MUST(cucore_future_wait, future(), TEN_SECONDS); }},
      {"polled future", [&] { poll_future(future()); }},
      {"queue", [&] { future(), take(queue_, 1); }},
      {"descriptor", [&] {
         future();
         EXPECT_TRUE(is_readable(cucore_queue_descriptor(queue_), 10'000));
       }}};
  int value = 0;
  for (const auto& [name, wait] : waits) {
    ++value;
    EXPECT_EQ(written([&, wait = &wait] {
                say(stream_, value);
                (*wait)();
              }),
              said(value))
        << name;
    MUST(cucore_device_synchronize, device_);
    while (!is_empty(queue_)) continue;
  }
}

TEST_F(Printed, IsWrittenByThePollThatSeesEachPieceOfWork) {
  for (int value = 1; value <= 50; ++value) {
    EXPECT_EQ(written([&] { say(stream_, value), poll_stream(stream_); }), said(value));
    MUST(cucore_event_record, event_, stream_);
    EXPECT_EQ(written([&] { poll_event(event_); }), "");
    EXPECT_EQ(written([&] {
                say(stream_, -value);
                MUST(cucore_event_record, event_, stream_);
                poll_event(event_);
              }),
              said(-value));
  }
}

TEST_F(Printed, OnEveryKindOfStream) {
  int value = 0;
  for (const auto kind : {CUCORE_DEFAULT_STREAM_LEGACY, CUCORE_DEFAULT_STREAM_PER_THREAD}) {
    Stream stream;
    SUCCEEDS(cucore_device_default_stream, device_, kind, stream.out());
    ++value;
    EXPECT_EQ(written([&] { say(stream, value), poll_stream(stream); }), said(value));
    ++value;
    EXPECT_EQ(written([&] {
                say(stream, value);
                MUST(cucore_future_wait, make_future(stream, queue_, 1), TEN_SECONDS);
              }),
              said(value));
  }
}

// The kernel ran on another stream, which the program does not wait for. It was launched before the
// polled stream was first done.
TEST_F(Printed, IsWrittenWhenAStreamHasWaitedForAnother) {
  const Stream other = make_stream(device_);
  EXPECT_EQ(written([&] {
              say_late(other, 7);
              poll_stream(stream_);
              MUST(cucore_event_record, event_, other);
              MUST(cucore_stream_wait_event, stream_, event_);
              open_gate();
              poll_stream(stream_);
            }),
            said(7));
  close_gate();
  EXPECT_EQ(written([&] {
              say_late(other, 8);
              MUST(cucore_event_record, event_, other);
              MUST(cucore_stream_wait_event, stream_, event_);
              open_gate();
              MUST(cucore_future_wait, make_future(stream_, queue_, 1), TEN_SECONDS);
            }),
            said(8));
}

// A wait for one of two streams leaves the other's output for a wait for that stream.
TEST_F(Printed, OfTwoStreamsIsWrittenForBoth) {
  const Stream other = make_stream(device_);
  EXPECT_EQ(written([&] {
              say_late(other, 2);
              say(stream_, 1);
              poll_stream(stream_);
            }),
            said(1));
  EXPECT_EQ(written([&] {
              open_gate();
              poll_stream(other);
            }),
            said(2));
}

TEST_F(Printed, ByAnotherLibraryOnANativeStreamIsWritten) {
  const NativeDriver native;
  decltype(&::cuLaunchKernel) launch = nullptr;
  native.find("cuLaunchKernel", launch);
  ASSERT_NE(launch, nullptr);
  const Stream stream = make_stream(device_);
  const auto function = reinterpret_cast<CUfunction>(cucore_kernel_native(say_));
  const auto foreign = [&](int value) {
    void* parameters[] = {&value};
    if (launch(function, 1, 1, 1, 1, 1, 1, 0, static_cast<CUstream>(cucore_stream_native(stream)),
               parameters, nullptr) != 0)
      throw std::runtime_error("cuLaunchKernel");
  };
  for (int value = 1; value <= 3; ++value) {
    EXPECT_EQ(written([&] { foreign(value), poll_stream(stream); }), said(value));
    EXPECT_EQ(written([&] {
                foreign(-value);
                MUST(cucore_future_wait, make_future(stream, queue_, 1), TEN_SECONDS);
              }),
              said(-value));
  }
}

// A query never waits: neither before the end of the work nor while another thread adds work to the
// stream. The gate of each piece of work opens only after queries that began behind it have
// returned.
TEST_F(Printed, QueriesNeverWait) {
  constexpr int PIECES = 100;
  std::atomic<uint64_t> returned{0}, done_at{0};
  std::atomic<bool> stop{false};
  const auto reaches = [](const std::atomic<uint64_t>& count, uint64_t least) {
    const auto end = Clock::now() + std::chrono::seconds(10);
    while (count < least) {
      if (Clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  };
  int waited = 0;
  std::thread launcher([&] {
    for (int piece = 0; piece < PIECES && !waited; ++piece) {
      close_gate();
      say_late(stream_, 2);
      if (!reaches(returned, returned + 2)) ++waited;
      open_gate();
      if (!reaches(done_at, returned + 1)) ++waited;
    }
    stop = true;
  });
  testing::internal::CaptureStdout();
  while (!stop) {
    int32_t done = 0;
    EXPECT_EQ(cucore_stream_query(stream_, &done, nullptr), CUCORE_OK);
    ++returned;
    if (done) done_at = returned.load();
  }
  launcher.join();
  MUST(cucore_stream_synchronize, stream_);
  std::string expected;
  for (int piece = 0; piece < PIECES; ++piece) expected += said(2);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
  EXPECT_EQ(waited, 0);
}

// Each runs alone in its process, because it breaks the context. A GPU may drop output from before
// a fault; the waits of the library must not.
class PrintedBeforeAFault : public Printed {
 protected:
  // Prints and faults once the gate is open; a launch writes the output from before it.
  void say_and_fault() {
    say_late(stream_, 1);
    const uint64_t nowhere = 0;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(nowhere)};
    const cucore_launch_options options = grid(1, 1);
    MUST(cucore_kernel_launch, find_kernel(code_, "fault"), stream_, &options, arguments, 1);
  }
  // Not through the library, whose queries write the output.
  void wait_for_the_fault() {
    open_gate();
    decltype(&cuStreamQuery) query = nullptr;
    capi_test::NativeDriver().find("cuStreamQuery", query);
    const auto end = Clock::now() + std::chrono::seconds(10);
    const auto native = static_cast<CUstream>(cucore_stream_native(stream_));
    while (query(native) == CUDA_SUCCESS || query(native) == CUDA_ERROR_NOT_READY)
      if (Clock::now() > end) throw std::runtime_error("the fault does not come");
  }
  void expect_written_by(const std::function<void()>& wait) {
    const std::string text = written(wait);
    RecordProperty("before_a_fault", text.empty() ? "lost" : "written");
    if (cucore_device_is_emulated(device_)) {
      EXPECT_EQ(text, said(1));
    }
  }
  void expect_fault(cucore_status status) { EXPECT_EQ(status, CUCORE_ERROR_KERNEL_FAULT); }
};

TEST_F(PrintedBeforeAFault, IsWrittenByAFuture) {
  expect_written_by([&] {
    say_and_fault();
    const Future future = make_future(stream_, queue_, 1);
    open_gate();
    expect_fault(cucore_future_wait(future, TEN_SECONDS, nullptr));
  });
}

TEST_F(PrintedBeforeAFault, IsWrittenByAFutureThatIsMadeLater) {
  expect_written_by([&] {
    say_and_fault();
    wait_for_the_fault();
    const Future future = make_future(stream_, queue_, 1);
    expect_fault(cucore_future_wait(future, TEN_SECONDS, nullptr));
  });
}

TEST_F(PrintedBeforeAFault, IsWrittenByAQueryOfTheStream) {
  expect_written_by([&] {
    say_and_fault();
    wait_for_the_fault();
    int32_t done = 0;
    expect_fault(cucore_stream_query(stream_, &done, nullptr));
  });
}

TEST_F(PrintedBeforeAFault, IsWrittenByAQueryOfAnEvent) {
  expect_written_by([&] {
    say_and_fault();
    MUST(cucore_event_record, event_, stream_);
    wait_for_the_fault();
    int32_t done = 0;
    expect_fault(cucore_event_query(event_, &done, nullptr));
  });
}

}  // namespace
}  // namespace gpu_test
