// SPDX-License-Identifier: Apache-2.0
// Buffers in use, as the driver sees their release: the calls that are made, and the effect of
// captures, graphs and failures of the driver.
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "capi_testing.hpp"
#include "native_capture.hpp"

namespace {

using namespace capi_test;

class BufferCalls : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    if (!fake_) GTEST_SKIP() << "needs the scripted driver";
    code_ = make_ptx_code();
    saxpy_ = find_kernel(code_, "saxpy");
    other_ = make_stream(device_);
    fake_->reset();
  }
  void TearDown() override {
    if (fake_) fake_->hold_streams(0);
    other_.reset();
    saxpy_.reset();
    code_.reset();
    OnDevice::TearDown();
  }

  void launch(const cucore_stream* stream, const cucore_buffer* x) const {
    MUST(launch_saxpy, saxpy_, stream, x);
  }
  bool comes_to(uint64_t memory) const {
    for (int i = 0; i < 20000 && fake_->live_objects("memory") != memory; ++i)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return fake_->live_objects("memory") == memory;
  }
  static void wait_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

  Code code_;
  Kernel saxpy_;
  Stream other_;
};

TEST_F(BufferCalls, OnTheOwnStreamAreOnePerLaunchAndOnePerRelease) {
  Buffer buffer = make_buffer(device_, 16, stream_);
  launch(stream_, buffer);
  fake_->reset();
  launch(stream_, buffer);
  buffer.reset();
  EXPECT_EQ(fake_->log(),
            (std::vector<std::string>{"cuLaunchKernelEx", "cuThreadExchangeStreamCaptureMode",
                                      "cuMemFreeAsync", "cuThreadExchangeStreamCaptureMode"}));
}

TEST_F(BufferCalls, ForAUseOfAnotherStreamAreMadeAtTheRelease) {
  Buffer buffer = make_buffer(device_, 16, stream_);
  launch(stream_, buffer);
  launch(other_, buffer);
  fake_->reset();
  launch(other_, buffer);
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
  buffer.reset();
  EXPECT_EQ(fake_->call_count("cuEventRecord"), 2u);
  EXPECT_EQ(fake_->call_count("cuStreamWaitEvent"), 2u);
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 1u);
  EXPECT_EQ(fake_->call_count("cuStreamSynchronize"), 0u);
}

TEST_F(BufferCalls, OfManyStreamsKeepNoEventForEach) {
  const Buffer buffer = make_buffer(device_, 16, stream_);
  const uint64_t before = fake_->live_objects("event");
  for (int i = 0; i < 300; ++i) launch(make_stream(device_), buffer);
  EXPECT_LE(fake_->live_objects("event"), before + 32);
  for (int i = 0; i < 300; ++i) {
    const Stream made = make_stream(device_);
    Stream borrowed;
    SUCCEEDS(cucore_stream_from_native, device_, cucore_stream_native(made), borrowed.out());
    launch(borrowed, buffer);
  }
  EXPECT_LE(fake_->live_objects("event"), before + 64);
}

// The graph keeps the buffers that it uses, whether a buffer is released during the capture or
// after it.
TEST_F(BufferCalls, OfAGraphKeepTheBuffer) {
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  for (const bool released_within : {true, false})
    for (const cucore_stream* captured : {other_.get(), stream_.get()}) {
      const uint64_t before = fake_->live_objects("memory");
      Buffer buffer = make_buffer(device_, 16, stream_);
      ASSERT_EQ(graphs.begin(captured), CUDA_SUCCESS);
      launch(captured, buffer);
      if (released_within) buffer.reset();
      CUgraph graph = nullptr;
      ASSERT_EQ(graphs.end(captured, graph), CUDA_SUCCESS);
      buffer.reset();
      wait_a_while();
      EXPECT_EQ(fake_->live_objects("memory"), before + 1) << "freed under a graph";
      graphs.destroy(graph, nullptr);
      EXPECT_TRUE(comes_to(before));
    }
}

// A graph that cannot keep its buffers gets no node, and no object stays behind.
TEST_F(BufferCalls, OfAGraphThatCannotKeepTheBufferFail) {
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  const std::map<const char*, const char*> messages = {
      {"cuUserObjectCreate", "create an object that a graph keeps"},
      {"cuGraphRetainUserObject", "let a graph keep an object"}};
  for (const auto& [call, message] : messages) {
    const uint64_t before = fake_->live_objects("memory");
    Buffer buffer = make_buffer(device_, 16, stream_);
    ASSERT_EQ(graphs.begin(other_), CUDA_SUCCESS);
    const uint64_t launches = fake_->call_count("cuLaunchKernelEx");
    fake_->fail_call(call, 1, CUDA_ERROR_OUT_OF_MEMORY);
    FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, message, launch_saxpy, saxpy_, other_, buffer);
    EXPECT_EQ(fake_->call_count("cuLaunchKernelEx"), launches);
    CUgraph graph = nullptr;
    ASSERT_EQ(graphs.end(other_, graph), CUDA_SUCCESS);
    buffer.reset();
    EXPECT_TRUE(comes_to(before)) << call;
    graphs.destroy(graph, nullptr);
    EXPECT_EQ(fake_->live_objects("user_object"), 0u) << call;
  }
}

// Calls that are unrelated to a capture must not become a part of it.
TEST_F(BufferCalls, OfAReleaseStayOutOfACapture) {
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  for (const cucore_stream* captured : {other_.get(), stream_.get()}) {
    const uint64_t before = fake_->live_objects("memory");
    (void)cucore_stream_native(captured);
    Buffer buffer = make_buffer(device_, 16, stream_);
    launch(other_, buffer);
    ASSERT_EQ(graphs.begin(captured), CUDA_SUCCESS);
    const uint64_t freed = fake_->call_count("cuMemFreeAsync");
    buffer.reset();
    wait_a_while();
    EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), freed);
    // The progress of a captured stream can be recorded only after the capture.
    if (captured == other_.get()) {
      EXPECT_EQ(fake_->live_objects("memory"), before + 1) << "freed too early";
    }
    CUgraph graph = nullptr;
    ASSERT_EQ(graphs.end(captured, graph), CUDA_SUCCESS);
    EXPECT_TRUE(comes_to(before));
    graphs.destroy(graph, nullptr);
  }
}

// Without a release stream the library's thread waits instead.
TEST_F(BufferCalls, ThatFailDoNotKeepTheMemory) {
  for (const char* name : {"cuStreamWaitEvent", "cuEventRecord"}) {
    SCOPED_TRACE(name);
    const uint64_t before = fake_->live_objects("memory");
    Buffer buffer = make_buffer(device_, 16, stream_);
    launch(other_, buffer);
    fake_->fail_call(name, 1, 999);
    buffer.reset();
    EXPECT_TRUE(comes_to(before));
  }
}

// The queue of a stream that frees memory becomes full. Then a thread of the library waits.
TEST_F(BufferCalls, OfManyReleasesBehindAHeldStreamDoNotBlock) {
  const uint64_t before = fake_->live_objects("memory");
  std::vector<Buffer> buffers;
  for (int i = 0; i < 4000; ++i) buffers.push_back(make_buffer(device_, 16, stream_));
  for (const Buffer& buffer : buffers) launch(other_, buffer);
  fake_->set_queue_size(1024);
  fake_->hold_streams(1);
  std::atomic<bool> is_over{false};
  std::thread releaser([&] {
    buffers.clear();
    is_over = true;
  });
  for (int i = 0; i < 100 && !is_over; ++i) wait_a_while();
  EXPECT_TRUE(is_over) << "a release waits for the stream";
  fake_->hold_streams(0);
  releaser.join();
  EXPECT_TRUE(comes_to(before));
}

// The driver frees such memory after all work of the device.
TEST_F(BufferCalls, OfHostAndManagedMemoryAreNotMadeByTheCaller) {
  const uint64_t host = fake_->live_objects("host_memory"), device = fake_->live_objects("memory");
  Buffer pinned, managed;
  SUCCEEDS(cucore_buffer_create_pinned, device_, 16, pinned.out());
  SUCCEEDS(cucore_buffer_create_managed, device_, 16, managed.out());
  fake_->delay_call("cuMemFreeHost", 200);
  fake_->delay_call("cuMemFree", 200);
  const auto begin = std::chrono::steady_clock::now();
  pinned.reset();
  managed.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(100));
  EXPECT_TRUE(comes_to(device));
  for (int i = 0; i < 20000 && fake_->live_objects("host_memory") != host; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  EXPECT_EQ(fake_->live_objects("host_memory"), host);
}

// Events show the end of work, also on a stream that always has more.
TEST_F(BufferCalls, OnAStreamThatIsNeverIdle) {
  const uint64_t before = fake_->live_objects("host_memory");
  fake_->hold_streams(1);
  for (int i = 0; i < 5; ++i) {
    Buffer buffer;
    SUCCEEDS(cucore_buffer_create_pinned, device_, 16, buffer.out());
    launch(other_, buffer);
    buffer.reset();
    wait_a_while();
    EXPECT_EQ(fake_->live_objects("host_memory"), before + 1) << "freed under a kernel";
    fake_->hold_streams(0);  // all recorded work is complete, ...
    fake_->hold_streams(1);  // ... and the streams have more
    for (int turn = 0; turn < 20000 && fake_->live_objects("host_memory") != before; ++turn)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    EXPECT_EQ(fake_->live_objects("host_memory"), before);
    int32_t done = 1;
    SUCCEEDS(cucore_stream_query, other_, &done);
    EXPECT_EQ(done, 0);
  }
  fake_->hold_streams(0);
}

// The memory is a part of the graph, also in a capture that other code has begun.
TEST_F(BufferCalls, OnACapturedStreamAllocateInTheGraph) {
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  Stream borrowed;
  SUCCEEDS(cucore_stream_from_native, device_, cucore_stream_native(other_), borrowed.out());
  const uint64_t before = fake_->live_objects("memory");
  ASSERT_EQ(graphs.begin(other_), CUDA_SUCCESS);
  const uint64_t frees = fake_->call_count("cuMemFreeAsync");
  for (const cucore_stream* stream : {other_.get(), borrowed.get()}) {
    cucore_buffer* buffer = nullptr;
    SUCCEEDS(cucore_buffer_create, device_, 16, stream, &buffer);
    cucore_buffer_release(buffer);
    SUCCEEDS(cucore_buffer_create, device_, 0, stream, &buffer);
    cucore_buffer_release(buffer);
  }
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), frees + 2);
  CUgraph graph = nullptr;
  ASSERT_EQ(graphs.end(other_, graph), CUDA_SUCCESS);
  EXPECT_EQ(fake_->live_objects("memory"), before + 2);
  graphs.destroy(graph, nullptr);
  EXPECT_EQ(fake_->live_objects("memory"), before);
}

TEST_F(BufferCalls, OfHostMemoryWaitForItsUsers) {
  const uint64_t before = fake_->live_objects("host_memory");
  Buffer buffer;
  SUCCEEDS(cucore_buffer_create_pinned, device_, 16, buffer.out());
  fake_->hold_streams(1);
  launch(other_, buffer);
  const auto begin = std::chrono::steady_clock::now();
  buffer.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(40));
  wait_a_while();
  EXPECT_EQ(fake_->live_objects("host_memory"), before + 1) << "freed under a kernel";
  fake_->hold_streams(0);
  for (int i = 0; i < 20000 && fake_->live_objects("host_memory") != before; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  EXPECT_EQ(fake_->live_objects("host_memory"), before);
}

}  // namespace
