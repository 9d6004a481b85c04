// SPDX-License-Identifier: Apache-2.0
// Streams: created with options, borrowed from others, waited for, with the caller's context
// unchanged.
#include <functional>

#include "capi_testing.hpp"
#include "native_context.hpp"

namespace {

using namespace capi_test;

class Streams : public OnDevice {};

TEST_F(Streams, AreMadeWithEveryOption) {
  int32_t least = 0, greatest = 0;
  SUCCEEDS(cucore_device_stream_priorities, device_, &least, &greatest);
  for (const auto nonblocking : {CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_ON, CUCORE_TOGGLE_OFF})
    for (const int32_t priority : {least, greatest}) {
      cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
      options.nonblocking = nonblocking;
      options.priority = priority;
      Stream stream;
      SUCCEEDS(cucore_stream_create, device_, &options, stream.out());
      EXPECT_NE(cucore_stream_native(stream), nullptr);
      SUCCEEDS(cucore_stream_synchronize, stream);
    }
}

TEST_F(Streams, RefuseOptionsOutOfRange) {
  int32_t least = 0, greatest = 0;
  SUCCEEDS(cucore_device_stream_priorities, device_, &least, &greatest);
  cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
  cucore_stream* stream = nullptr;
  for (const int32_t priority : {least + 1, greatest - 1, INT32_MIN, INT32_MAX}) {
    options.priority = priority;
    if (least == greatest && priority == 0) continue;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
          "priority is " + std::to_string(priority) + "|" + std::to_string(greatest),
          cucore_stream_create, device_, &options, &stream);
  }
  options.priority = 0;
  options.nonblocking = static_cast<cucore_toggle>(3);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "nonblocking is 3|cucore_toggle", cucore_stream_create,
        device_, &options, &stream);
}

TEST_F(Streams, KnowTheirDevice) {
  Device device;
  SUCCEEDS(cucore_stream_device, stream_, device.out());
  EXPECT_EQ(device.get(), device_.get());
}

TEST_F(Streams, TellWhetherTheyAreDone) {
  int32_t done = 7;
  SUCCEEDS(cucore_stream_synchronize, stream_);
  SUCCEEDS(cucore_stream_query, stream_, &done);
  EXPECT_EQ(done, 1);
  if (!fake_) return;
  fake_->hold_streams(1);
  SUCCEEDS(cucore_stream_query, stream_, &done);
  EXPECT_EQ(done, 0);
  fake_->hold_streams(0);
}

TEST_F(Streams, WaitForOneAnother) {
  const Stream other = make_stream(device_);
  SUCCEEDS(cucore_stream_wait_stream, stream_, other);
  SUCCEEDS(cucore_stream_wait_stream, stream_, stream_);
  const Event event = make_event(device_);
  SUCCEEDS(cucore_stream_wait_event, stream_, event);  // never recorded: the wait does nothing
  SUCCEEDS(cucore_event_record, event, other);
  SUCCEEDS(cucore_stream_wait_event, stream_, event);
  if (!fake_) return;
  EXPECT_EQ(fake_->call_count("cuStreamWaitEvent"), 3u);
}

TEST_F(Streams, ReportTheirOptions) {
  int32_t least = 0, greatest = 0;
  SUCCEEDS(cucore_device_stream_priorities, device_, &least, &greatest);
  cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
  options.priority = greatest;
  options.nonblocking = CUCORE_TOGGLE_OFF;
  Stream stream, wrapped;
  SUCCEEDS(cucore_stream_create, device_, &options, stream.out());
  SUCCEEDS(cucore_stream_from_native, device_, cucore_stream_native(stream), wrapped.out());
  for (const Stream* each : {&stream, &wrapped}) {
    EXPECT_EQ(cucore_stream_priority(*each), greatest);
    EXPECT_EQ(cucore_stream_is_nonblocking(*each), 0);
  }
  SUCCEEDS(cucore_stream_from_native, device_, cucore_stream_native(stream_), wrapped.out());
  for (const Stream* each : {&stream_, &wrapped}) {
    EXPECT_EQ(cucore_stream_priority(*each), 0);
    EXPECT_EQ(cucore_stream_is_nonblocking(*each), 1);
  }
}

TEST_F(Streams, OfOneNativeStreamHaveOneIdentity) {
  Stream wrapped, legacy, per_thread, again;
  SUCCEEDS(cucore_stream_from_native, device_, cucore_stream_native(stream_), wrapped.out());
  EXPECT_EQ(cucore_stream_id(wrapped), cucore_stream_id(stream_));
  EXPECT_NE(cucore_stream_id(make_stream(device_)), cucore_stream_id(stream_));
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, again.out());
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_PER_THREAD,
           per_thread.out());
  EXPECT_EQ(cucore_stream_id(legacy), cucore_stream_id(again));
  EXPECT_NE(cucore_stream_id(legacy), cucore_stream_id(per_thread));
  if (!fake_) return;
  Stream other;
  SUCCEEDS(cucore_device_default_stream, open_device(1), CUCORE_DEFAULT_STREAM_LEGACY, other.out());
  EXPECT_NE(cucore_stream_id(legacy), cucore_stream_id(other));
}

TEST_F(Streams, OfTheDriverAreBorrowed) {
  NEEDS_FAKE_DRIVER();
  const NativeContext context;
  context.set(context.hold(0));
  const CUstream native = context.make_stream();
  {
    Stream borrowed;
    SUCCEEDS(cucore_stream_from_native, device_, native, borrowed.out());
    EXPECT_EQ(cucore_stream_native(borrowed), native);
    SUCCEEDS(cucore_stream_synchronize, borrowed);
    cucore_stream* wrong = nullptr;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "another context|device 1", cucore_stream_from_native,
          open_device(1), native, &wrong);
  }
  EXPECT_EQ(fake_->call_count("cuStreamDestroy"), 0u);
  context.destroy(native);
  context.set(nullptr);
  context.let_go(0);
}

TEST_F(Streams, OfTheDriverThatAreSpecialAreTheDefaultOnes) {
  for (const uintptr_t special : {0, 1, 2}) {
    Stream stream;
    SUCCEEDS(cucore_stream_from_native, device_, reinterpret_cast<void*>(special), stream.out());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(cucore_stream_native(stream)), special ? special : 1);
    SUCCEEDS(cucore_stream_synchronize, stream);
  }
}

TEST_F(Streams, OfTwoDevicesStayApart) {
  NEEDS_FAKE_DRIVER();
  const Device other = open_device(1);
  const Stream there = make_stream(other);
  const Event event = make_event(device_);
  cucore_buffer* buffer = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "device 1|device 0|event", cucore_event_record, event,
        there);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "device 1|device 0|buffer", cucore_buffer_create, device_, 4,
        there, &buffer);
  SUCCEEDS(cucore_stream_wait_stream, there, stream_);
}

// The caller's own context is current again after every call, successful or not.
TEST_F(Streams, CallsLeaveTheCallersContextAlone) {
  NEEDS_FAKE_DRIVER();
  const NativeContext context;
  const CUcontext mine = context.hold(1);
  const Buffer buffer = make_buffer(device_, 64, stream_);
  const Event event = make_event(device_, true);
  const Code code = make_ptx_code();
  const Kernel kernel = find_kernel(code, "empty");
  Stream legacy;
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  const cucore_launch_options options = grid(1, 1);
  const std::vector<std::pair<const char*, std::function<cucore_status()>>> calls = {
      {"cuCtxSynchronize", [&] { return cucore_device_synchronize(device_, nullptr); }},
      {"cuStreamSynchronize", [&] { return cucore_stream_synchronize(stream_, nullptr); }},
      {"cuEventRecord", [&] { return cucore_event_record(event, stream_, nullptr); }},
      {"cuEventSynchronize", [&] { return cucore_event_synchronize(event, nullptr); }},
      {"cuMemsetD8Async",
       [&] { return cucore_buffer_fill(buffer, 0, 4, "a", 1, stream_, nullptr); }},
      {"cuMemcpyAsync",
       [&] { return cucore_buffer_copy(buffer, 0, buffer, 32, 4, stream_, nullptr); }},
      {"cuLaunchKernelEx",
       [&] { return cucore_kernel_launch(kernel, legacy, &options, nullptr, 0, nullptr); }},
      {"cuLaunchKernelEx",
       [&] { return cucore_kernel_launch(kernel, stream_, &options, nullptr, 0, nullptr); }},
      {"cuStreamCreateWithPriority",
       [&] {
         Stream made;
         return cucore_stream_create(device_, nullptr, made.out(), nullptr);
       }},
      {"cuMemAllocAsync",
       [&] {
         Buffer made;
         return cucore_buffer_create(device_, 64, stream_, made.out(), nullptr);
       }},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
         int32_t blocks = 0;
         return cucore_kernel_occupancy(kernel, device_, 32, 0, &blocks, nullptr);
       }}};
  for (const CUcontext before : {mine, CUcontext{nullptr}})
    for (const auto& [entry, call] : calls) {
      SCOPED_TRACE(entry);
      context.set(before);
      EXPECT_EQ(call(), CUCORE_OK);
      EXPECT_EQ(context.current(), before);
      fake_->fail_call(entry, 1, 999);
      EXPECT_EQ(call(), CUCORE_ERROR_CUDA);
      EXPECT_TRUE(fake_->failures_used());
      EXPECT_EQ(context.current(), before);
    }
  context.set(nullptr);
  context.let_go(1);
}

}  // namespace
