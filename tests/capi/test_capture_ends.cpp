// SPDX-License-Identifier: Apache-2.0
// Work of one thread while another ends the capture, on the scripted driver. It stops the first
// thread after one of its questions whether the stream is captured.
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "graph_testing.hpp"
#include "native_driver.hpp"

namespace {

using namespace capi_test;

// The questions after which this thread still does not stop; 0: it does not stop.
thread_local int left = 0;
thread_local uint64_t asked = 0;
std::atomic<bool> is_stopped{false}, may_go_on{false};

class CaptureEnds : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    if (!fake_) GTEST_SKIP() << "needs the scripted driver";
    driver = fake_;
    fork_ = make_stream(device_);
  }
  void TearDown() override {
    if (fake_) fake_->set_boundary(nullptr, nullptr);
    fork_.reset();
    OnGraph::TearDown();
  }

  // Other threads of the library may call the driver meanwhile, but do not ask.
  static uint64_t questions() {
    uint64_t count = 0;
    for (const char* name :
         {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_before_edges", "cuStreamIsCapturing"})
      count += driver->call_count(name);
    return count;
  }
  static void stop_after_question() {
    if (left == 0) return;
    const uint64_t count = questions();
    if (std::exchange(asked, count) == count || --left > 0) return;
    is_stopped = true;
    while (!may_go_on) std::this_thread::yield();
  }

  // Begins a capture with a fork, in which another thread works. Ends the capture when that thread
  // has stopped after the question with the number. Returns whether it has stopped.
  bool end_after(int question, const std::function<cucore_status(const cucore_stream*)>& work) {
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    MUST(cucore_stream_wait_stream, fork_, stream_);
    const cucore_launch_options options = grid(1, 32);
    MUST(cucore_kernel_launch, empty_, fork_, &options, nullptr, 0);
    MUST(cucore_stream_wait_stream, stream_, fork_);
    is_stopped = may_go_on = false;
    std::atomic<bool> is_done{false};
    const uint64_t fills = fake_->call_count(FILL);
    fake_->set_boundary([] {}, &stop_after_question);
    std::thread worker([&] {
      left = question;
      asked = questions();
      status_ = work(fork_);
      is_done = true;
    });
    while (!is_stopped && !is_done) std::this_thread::yield();
    fake_->set_boundary(nullptr, nullptr);
    has_filled_ = fake_->call_count(FILL) != fills;
    Graph captured;
    Error error;
    const cucore_status joined = is_stopped && !has_filled_
                                     ? CUCORE_OK
                                     : cucore_stream_wait_stream(stream_, fork_, error.out());
    EXPECT_TRUE(succeeded(joined, error));
    const cucore_status status = cucore_stream_end_capture(stream_, captured.out(), error.out());
    captured.reset();
    may_go_on = true;
    worker.join();
    EXPECT_TRUE(succeeded(status, error));
    MUST(cucore_stream_synchronize, stream_);
    MUST(cucore_stream_synchronize, fork_);
    return is_stopped;
  }

  bool break_capture() const {
    decltype(&::cuStreamQuery) query_stream = nullptr;
    NativeDriver().find("cuStreamQuery", query_stream);
    return query_stream &&
           query_stream(static_cast<CUstream>(cucore_stream_native(stream_))) != CUDA_SUCCESS;
  }

  // Ends the capture at each question of the work. Then the work is refused, or the driver takes
  // it as work that is not captured.
  template <class Work>
  void expect_done_or_refused(Work work) {
    int refused = 0, question = 1;
    const auto once = [&](const cucore_stream* stream) {
      Error error;
      const cucore_status status = work(stream, error.out());
      if (status == CUCORE_OK) return status;
      ++refused;
      EXPECT_TRUE(failed(status, error, CUCORE_ERROR_INVALID_STATE,
                         "cannot add work to a stream of device 0, because another thread ends its "
                         "capture; add the work before the end, or after it"));
      return status;
    };
    while (end_after(question, once)) {
      SCOPED_TRACE(question);
      EXPECT_STREQ(fake_->last_violation(), "");
      ++question;
    }
    EXPECT_EQ(status_, CUCORE_OK) << "nothing ended the capture before it was added";
    EXPECT_GT(question, 1);
    EXPECT_EQ(refused, 1);
  }

  static inline fake::Client* driver = nullptr;
  static constexpr const char* FILL = "cuMemsetD32Async";
  Stream fork_;
  cucore_status status_ = CUCORE_OK;
  std::atomic<bool> has_filled_{false};  // in the capture, before the thread stopped
};

TEST_F(CaptureEnds, DuringALaunchInAFork) {
  Buffer buffer;
  MUST(cucore_buffer_create_managed, device_, BYTES, buffer.out());
  const cucore_buffer* const handle = buffer;
  const SaxpyArguments arguments(1, handle, handle);
  const cucore_launch_options options = grid(1, 32);
  expect_done_or_refused([&](const cucore_stream* stream, cucore_error** error) {
    return cucore_kernel_launch(saxpy_, stream, &options, arguments.list, 4, error);
  });
}

// The pinned copy of the bytes lives as long as the graph, or the write reads the bytes at once.
TEST_F(CaptureEnds, DuringAWriteInAFork) {
  Buffer buffer;
  MUST(cucore_buffer_create_managed, device_, BYTES, buffer.out());
  const std::vector<char> bytes(BYTES, 7);
  expect_done_or_refused([&](const cucore_stream* stream, cucore_error** error) {
    return cucore_buffer_write(buffer, 0, bytes.data(), BYTES, stream, error);
  });
}

// The data of the function ends once, whatever becomes of the function.
TEST_F(CaptureEnds, DuringAHostFunctionInAFork) {
  static std::atomic<int> begun, ended;
  begun = ended = 0;
  expect_done_or_refused([&](const cucore_stream* stream, cucore_error** error) {
    ++begun;
    return cucore_stream_launch_host(
        stream, [](void*) {}, nullptr, [](void*) { ++ended; }, error);
  });
  EXPECT_TRUE(comes_true([] { return begun == ended; })) << begun << ", " << ended;
}

// No event can be recorded in a capture, so the use is found after its end.
TEST_F(CaptureEnds, DuringAFillInABorrowedFork) {
  Stream borrowed;
  MUST(cucore_stream_from_native, device_, cucore_stream_native(fork_), borrowed.out());
  Buffer buffer;
  int filled = 0;
  const auto fill = [&](const cucore_stream*) {
    const float one = 1;
    fake_->hold_streams(1);
    const cucore_status status =
        cucore_buffer_fill(buffer, 0, BYTES, &one, sizeof one, borrowed, nullptr);
    if (is_stopped && !has_filled_ && status == CUCORE_OK) {
      const uint64_t live = fake_->live_objects("host_memory");
      buffer.reset();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_EQ(fake_->live_objects("host_memory"), live) << "freed under the fill";
      ++filled;
    }
    fake_->hold_streams(0);
    return status;
  };
  for (int question = 1; question < 100; ++question) {
    SCOPED_TRACE(question);
    MUST(cucore_buffer_create_pinned, device_, BYTES, buffer.out());
    if (!end_after(question, fill)) break;
  }
  EXPECT_GT(filled, 0);
}

// The driver has ended a broken capture, and the library has not yet.
TEST_F(CaptureEnds, WhileAnotherThreadBeginsTheNext) {
  static uint64_t ends;
  Graph into = make_graph(device_);
  cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
  options.into = into;
  if (cucore_stream_begin_capture(stream_, &options, nullptr) == CUCORE_ERROR_UNSUPPORTED)
    GTEST_SKIP() << "a driver of 12.3";
  Buffer buffer;
  MUST(cucore_buffer_create_pinned, device_, BYTES, buffer.out());
  const uint64_t live = fake_->live_objects("host_memory");
  MUST(cucore_buffer_fill, buffer, 0, BYTES, "x", 1, stream_);
  EXPECT_TRUE(break_capture());
  is_stopped = may_go_on = false;
  ends = fake_->call_count("cuStreamEndCapture");
  fake_->set_boundary([] {},
                      [] {
                        if (left == 0) return;
                        if (driver->call_count("cuStreamEndCapture") == ends) asked = questions();
                        if (questions() < asked + 2) return;
                        left = 0;
                        is_stopped = true;
                        while (!may_go_on) std::this_thread::yield();
                      });
  std::thread worker([&] {
    left = 1;
    cucore_graph* graph = nullptr;
    status_ = cucore_stream_end_capture(stream_, &graph, nullptr);
  });
  while (!is_stopped) std::this_thread::yield();
  fake_->set_boundary(nullptr, nullptr);
  Graph next;
  Error error;
  const cucore_status begun = cucore_stream_begin_capture(stream_, nullptr, error.out());
  may_go_on = true;
  worker.join();
  EXPECT_TRUE(succeeded(begun, error));
  EXPECT_EQ(status_, CUCORE_ERROR_INVALID_STATE);
  const cucore_launch_options launch = grid(1, 32);
  SUCCEEDS(cucore_kernel_launch, empty_, stream_, &launch, nullptr, 0);
  SUCCEEDS(cucore_stream_end_capture, stream_, next.out());
  EXPECT_EQ(cucore_graph_node_count(next), 1u);
  // The graph of the broken capture holds the buffer, and takes the next capture.
  buffer.reset();
  EXPECT_EQ(fake_->live_objects("host_memory"), live);
  SUCCEEDS(cucore_stream_begin_capture, stream_, &options);
  cucore_graph* same = nullptr;
  SUCCEEDS(cucore_stream_end_capture, stream_, &same);
  cucore_graph_release(same);
  into.reset();
  EXPECT_TRUE(comes_true([&] { return fake_->live_objects("host_memory") == live - 1; }));
}

}  // namespace
