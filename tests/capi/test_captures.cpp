// SPDX-License-Identifier: Apache-2.0
// Captures of streams during the library's own calls, on the scripted driver. It answers as the
// documentation of NVIDIA's driver states, and breaks the captures that such a call breaks.
#include <chrono>
#include <thread>

#include "capi_testing.hpp"
#include "native_capture.hpp"

namespace {

using namespace capi_test;

class Captures : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    if (!fake_) GTEST_SKIP() << "needs the scripted driver";
    ASSERT_TRUE(graphs_);
    cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
    options.nonblocking = CUCORE_TOGGLE_OFF;
    MUST(cucore_stream_create, device_, &options, blocking_.out());
    MUST(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy_.out());
  }
  void TearDown() override {
    legacy_.reset();
    blocking_.reset();
    OnDevice::TearDown();
  }

  void begin(const cucore_stream* stream) const { ASSERT_EQ(graphs_.begin(stream), CUDA_SUCCESS); }
  CUresult end(const cucore_stream* stream) const {
    CUgraph graph = nullptr;
    const CUresult result = graphs_.end(stream, graph);
    graphs_.destroy(graph, nullptr);
    return result;
  }
  bool comes_to(uint64_t memory) const {
    for (int i = 0; i < 20000 && fake_->live_objects("memory") != memory; ++i)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return fake_->live_objects("memory") == memory;
  }
  static void wait_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

  const NativeGraphs graphs_;
  Stream blocking_, legacy_;
};

TEST_F(Captures, AreReportedByTheirStreams) {
  const auto are = [&](int32_t first, int32_t second) {
    EXPECT_EQ(cucore_stream_is_capturing(blocking_), first);
    EXPECT_EQ(cucore_stream_is_capturing(stream_), second);
    EXPECT_EQ(cucore_stream_is_capturing(legacy_), 0);
  };
  are(0, 0);
  begin(blocking_);
  are(1, 0);
  Stream wrapped;
  SUCCEEDS(cucore_stream_from_native, device_, cucore_stream_native(blocking_), wrapped.out());
  EXPECT_EQ(cucore_stream_is_capturing(wrapped), 1);
  EXPECT_EQ(end(blocking_), CUDA_SUCCESS);
  EXPECT_EQ(cucore_stream_is_capturing(wrapped), 0);
  begin(blocking_);
  EXPECT_NE(cucore_buffer_fill(make_buffer(device_, 16, stream_), 0, 16, "x", 1, legacy_, nullptr),
            CUCORE_OK);
  are(1, 0);  // broken, and still not at its end
  EXPECT_EQ(end(blocking_), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  are(0, 0);
}

// Only the program can begin a capture, with the native handle.
TEST_F(Captures, OfAStreamThatNobodyCanCaptureAreNotQueried) {
  const Stream own = make_stream(device_);
  const uint64_t before = fake_->total_calls();
  EXPECT_EQ(cucore_stream_is_capturing(own), 0);
  EXPECT_EQ(fake_->total_calls(), before);
}

TEST_F(Captures, MakeEventsThatCannotBeWaitedFor) {
  const Event event = make_event(device_);
  begin(stream_);
  SUCCEEDS(cucore_event_record, event, stream_);
  EXPECT_EQ(end(stream_), CUDA_SUCCESS);
  int32_t done = 0;
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot query an event that a capture has recorded",
        cucore_event_query, event, &done);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot wait for an event that a capture has recorded",
        cucore_event_synchronize, event);
  SUCCEEDS(cucore_event_record, event, stream_);
  SUCCEEDS(cucore_event_synchronize, event);
}

// Also those that other code has begun.
TEST_F(Captures, GoOnAfterWaitsForWhatTheyTakeIn) {
  const Event event = make_event(device_);
  int32_t done = 0;
  begin(stream_);
  SUCCEEDS(cucore_event_record, event, stream_);
  EXPECT_EQ(cucore_event_query(event, &done, nullptr), CUCORE_ERROR_INVALID_STATE);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot query a stream that is being captured",
        cucore_stream_query, stream_, &done);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot wait for a stream that is being captured",
        cucore_stream_synchronize, stream_);
  EXPECT_EQ(end(stream_), CUDA_SUCCESS);
}

TEST_F(Captures, OfBlockingStreamsBlockTheLegacyStream) {
  const Buffer buffer = make_buffer(device_, 16, stream_);
  begin(blocking_);
  FAILS_ONCE(CUCORE_ERROR_INVALID_STATE, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", cucore_buffer_fill,
             buffer, 0, 16, "x", 1, legacy_);
  EXPECT_EQ(end(blocking_), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(stream_);
  SUCCEEDS(cucore_buffer_fill, buffer, 0, 16, "x", 1, legacy_);
  EXPECT_EQ(end(stream_), CUDA_SUCCESS);
}

TEST_F(Captures, RefuseBuffersOfTheLegacyStreamAndGoOn) {
  begin(blocking_);
  cucore_buffer* buffer = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE, "legacy default stream|blocking stream is captured",
        cucore_buffer_create, device_, 16, legacy_, &buffer);
  EXPECT_EQ(end(blocking_), CUDA_SUCCESS);
}

TEST_F(Captures, GoOnBesideReleasesOnTheLegacyStream) {
  const uint64_t before = fake_->live_objects("memory");
  Buffer unused = make_buffer(device_, 16, legacy_), used = make_buffer(device_, 16, legacy_);
  SUCCEEDS(cucore_buffer_fill, used, 0, 16, "x", 1, stream_);
  (void)cucore_stream_native(stream_);
  for (const cucore_stream* captured : {blocking_.get(), stream_.get()}) {
    begin(captured);
    (captured == blocking_ ? unused : used).reset();
    wait_a_while();
    EXPECT_EQ(end(captured), CUDA_SUCCESS);
  }
  EXPECT_TRUE(comes_to(before));
}

// The library's thread waits for the context, except while a stream is captured.
TEST_F(Captures, GoOnBesideReleasesThatWaitForTheContext) {
  const uint64_t before = fake_->live_objects("memory");
  const Stream other = make_stream(device_);
  for (const cucore_stream* captured : {blocking_.get(), stream_.get()}) {
    Buffer buffer = make_buffer(device_, 16, legacy_);
    SUCCEEDS(cucore_buffer_fill, buffer, 0, 16, "x", 1, other);
    begin(captured);
    fake_->fail_call("cuStreamWaitEvent", 1, 999);
    buffer.reset();
    wait_a_while();
    EXPECT_EQ(end(captured), CUDA_SUCCESS);
    fake_->forget_failures();
    EXPECT_TRUE(comes_to(before));
  }
}

TEST_F(Captures, GoOnBesideAllocationsThatFail) {
  fake_->set_memory(1 << 20);
  const Stream other = make_stream(device_);
  for (const cucore_stream* captured : {blocking_.get(), stream_.get()}) {
    begin(captured);
    cucore_buffer* buffer = nullptr;
    FAILS(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "2097152", cucore_buffer_create, device_, 2 << 20,
          other, &buffer);
    EXPECT_EQ(end(captured), CUDA_SUCCESS);
  }
}

// The program has ended the capture of this library, and begun its own.
TEST_F(Captures, OfOtherCodeOutliveTheReleaseOfTheirWrappedStream) {
  Stream wrapped;
  MUST(cucore_stream_from_native, device_, cucore_stream_native(blocking_), wrapped.out());
  MUST(cucore_stream_begin_capture, wrapped, nullptr);
  EXPECT_EQ(end(blocking_), CUDA_SUCCESS);
  begin(blocking_);
  wrapped.reset();
  EXPECT_EQ(cucore_stream_is_capturing(blocking_), 1);
  EXPECT_EQ(end(blocking_), CUDA_SUCCESS);
}

TEST_F(Captures, RecordNoEventOfAnotherContext) {
  const Device second = open_device(1);
  const Stream there = make_stream(second);
  const Event event = make_event(device_);
  decltype(&::cuEventRecord) record = nullptr;
  const NativeDriver driver;
  driver.find("cuEventRecord", record);
  EXPECT_EQ(record(static_cast<CUevent>(cucore_event_native(event)),
                   static_cast<CUstream>(cucore_stream_native(there))),
            CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
