// SPDX-License-Identifier: Apache-2.0
// Graphs with the work of two devices, and graphs of two devices at once.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "graph_testing.hpp"

namespace {

using namespace capi_test;

class GraphDevices : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    int32_t devices = 0;
    MUST(cucore_device_count, &devices);
    if (devices < 2) GTEST_SKIP() << "needs two devices";
    second_ = open_device(1);
    there_ = make_stream(second_);
  }
  void TearDown() override {
    there_.reset();
    second_.reset();
    OnGraph::TearDown();
  }

  Buffer make_far(float value) const {
    Buffer buffer = make_buffer(second_, BYTES, there_);
    MUST(cucore_buffer_fill, buffer, 0, BYTES, &value, sizeof value, there_);
    MUST(cucore_stream_synchronize, there_);
    return buffer;
  }
  float first_of(const cucore_buffer* buffer, const cucore_stream* stream) const {
    float value = 0;
    MUST(cucore_buffer_read, buffer, 0, &value, sizeof value, stream);
    return value;
  }
  void launch_saxpy_on(const cucore_stream* stream, float a, const cucore_buffer* x,
                       const cucore_buffer* y) const {
    const SaxpyArguments arguments(a, x, y);
    const cucore_launch_options options = grid(1, 32);
    MUST(cucore_kernel_launch, saxpy_, stream, &options, arguments.list, 4);
  }

  Device second_;
  Stream there_;
};

// The copies between the devices, and the fill of memory of the other one, are nodes by hand.
TEST_F(GraphDevices, ByHandCopyFromOneToTheOtherAndBack) {
  const Buffer near = make_floats(3), far = make_far(0), back = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  const cucore_node over = add_copy({}, far, near);
  const cucore_node home = add_copy({over}, back, far);
  const cucore_node fill = add_fill({home}, far, 8);
  EXPECT_EQ(query(over).destination, cucore_buffer_address(far));
  EXPECT_EQ(query(fill).destination, cucore_buffer_address(far));
  const Executable executable = make_executable(graph_);
  for (int i = 0; i < 2; ++i) launch(executable);
  EXPECT_EQ(first(back), 3);
  EXPECT_EQ(first_of(far, there_), 8);
  // The graph and its executable keep the memory of both devices.
  graph_ = make_graph(device_);
  launch(executable);
  EXPECT_EQ(first(back), 3);
}

// An executable runs on streams of the other device, until that is reset.
TEST_F(GraphDevices, LaunchOnAStreamOfADeviceThatWasReset) {
  const Buffer y = make_floats(0);
  add_fill({}, y, 4);
  const Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_executable_launch, executable, there_);
  SUCCEEDS(cucore_stream_synchronize, there_);
  SUCCEEDS(cucore_device_reset, second_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "stream|cucore_device_reset", cucore_executable_launch,
        executable, there_);
  launch(executable);
  EXPECT_EQ(first(y), 4);
}

// A capture takes in a stream of the other device, and so kernels of both.
TEST_F(GraphDevices, CaptureKernelsOfBoth) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no kernel";
  const Buffer one = make_floats(1), near = make_floats(5), back = make_floats(0);
  const Buffer far_one = make_far(1), far = make_far(0);
  MUST(cucore_stream_synchronize, stream_);
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  launch_saxpy_on(stream_, 2, one, near);  // 7
  MUST(cucore_buffer_copy, far, 0, near, 0, BYTES, stream_);
  MUST(cucore_stream_wait_stream, there_, stream_);
  EXPECT_EQ(cucore_stream_is_capturing(there_), 1);
  launch_saxpy_on(there_, 10, far_one, far);  // 17
  MUST(cucore_stream_wait_stream, stream_, there_);
  MUST(cucore_buffer_copy, back, 0, far, 0, BYTES, stream_);
  Graph captured;
  MUST(cucore_stream_end_capture, stream_, captured.out());
  EXPECT_EQ(cucore_graph_node_count(captured), 4U);
  EXPECT_EQ(first_of(far, there_), 0);  // nothing has run yet
  const Executable executable = make_executable(captured);
  captured.reset();
  launch(executable);
  EXPECT_EQ(first(back), 17);
  launch(executable);  // near is 9 by now
  EXPECT_EQ(first(back), 19);
  EXPECT_EQ(first_of(far, there_), 19);
}

// A reset of the device of a fork, or a wait for it, would break the capture.
TEST_F(GraphDevices, CannotBeResetWhileTheyHaveAFork) {
  Stream legacy;
  MUST(cucore_device_default_stream, second_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  // The release waits for all work of the device, because the first stream has no mark.
  const Stream other = make_stream(second_);
  Buffer moved = make_buffer(second_, BYTES, legacy);
  MUST(cucore_buffer_set_stream, moved, other);
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  MUST(cucore_stream_wait_stream, there_, stream_);
  moved.reset();
  const std::string why = " device 1 while a stream of it is being captured";
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot reset" + why, cucore_device_reset, second_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot wait for" + why, cucore_device_synchronize, second_);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const cucore_launch_options options = grid(1, 1);
  MUST(cucore_kernel_launch, empty_, there_, &options, nullptr, 0);
  MUST(cucore_stream_wait_stream, stream_, there_);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  EXPECT_EQ(cucore_graph_node_count(captured), 1u);
  SUCCEEDS(cucore_device_synchronize, second_);
}

// A fault ends the part of the fork in the capture, so that its device can be reset.
TEST_F(GraphDevices, CanBeResetAfterAFaultDuringACapture) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no kernel";
  if (!is_emulated()) GTEST_SKIP() << "after a fault, drivers of GPUs need a new process";
  const Stream other = make_stream(second_);
  const float a = 1;
  const uint64_t nowhere = 16;
  const uint32_t n = COUNT;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(nowhere),
                                       CUCORE_ARGUMENT(nowhere), CUCORE_ARGUMENT(n)};
  const cucore_launch_options options = grid(1, 32);
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  MUST(cucore_stream_wait_stream, there_, stream_);
  MUST(cucore_kernel_launch, saxpy_, other, &options, arguments, 4);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "CUDA_ERROR_ILLEGAL_ADDRESS", cucore_stream_synchronize, other);
  SUCCEEDS(cucore_device_reset, second_);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  EXPECT_EQ(cucore_stream_is_capturing(stream_), 0);
}

struct CallTally {
  std::atomic<int> calls{0};
  std::atomic<int> ends{0};
  std::atomic<const CallTally*> seen{nullptr};
  static void call(void* data) {
    auto* const self = static_cast<CallTally*>(data);
    self->seen = self;
    ++self->calls;
  }
  static void end(void* data) { ++static_cast<CallTally*>(data)->ends; }
};

// Host functions of graphs of both devices, which run at once, each have their own data.
TEST_F(GraphDevices, CallHostFunctionsWithTheirOwnData) {
  constexpr int LAUNCHES = 20;
  CallTally near, far, both[2];
  Graph other = make_graph(second_);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_host, graph_, nullptr, 0, CallTally::call, &near, CallTally::end,
           &node);
  for (CallTally& each : both)
    SUCCEEDS(cucore_graph_add_host, graph_, nullptr, 0, CallTally::call, &each, CallTally::end,
             &node);
  SUCCEEDS(cucore_graph_add_host, other, nullptr, 0, CallTally::call, &far, CallTally::end, &node);
  Executable here = make_executable(graph_), there = make_executable(other);
  for (int i = 0; i < LAUNCHES; ++i) {
    SUCCEEDS(cucore_executable_launch, here, stream_);
    SUCCEEDS(cucore_executable_launch, there, there_);
  }
  SUCCEEDS(cucore_stream_synchronize, there_);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  for (const CallTally* each : {&near, &far, &both[0], &both[1]}) {
    EXPECT_EQ(each->calls, LAUNCHES);
    EXPECT_EQ(each->seen, each);
    EXPECT_EQ(each->ends, 0);
  }
  // The end of one device's graph leaves the data of the other's.
  there.reset();
  other.reset();
  EXPECT_TRUE(comes_true([&] { return far.ends == 1; }));
  EXPECT_EQ(near.ends, 0);
  launch(here);
  EXPECT_EQ(near.calls, LAUNCHES + 1);
  EXPECT_EQ(far.calls, LAUNCHES);
  here.reset();
  graph_ = make_graph(device_);
  EXPECT_TRUE(comes_true([&] { return near.ends == 1 && both[0].ends == 1 && both[1].ends == 1; }));
}

// A graph of the other device has the same shape, but its nodes are of another context.
TEST_F(GraphDevices, RefuseAnUpdateFromAGraphOfTheOther) {
  if (fake_) GTEST_SKIP() << "the scripted driver compares no contexts";
  const Buffer x = make_floats(1), y = make_floats(1), far_x = make_far(1), far_y = make_far(100);
  MUST(cucore_stream_synchronize, stream_);
  const cucore_node kernel = add_saxpy({}, 3, x, y);
  const Executable executable = make_executable(graph_);
  Graph other = make_graph(second_);
  std::swap(other, graph_);
  add_saxpy({}, 5, far_x, far_y);
  std::swap(other, graph_);
  cucore_node culprit = 7;
  FAILS(CUCORE_ERROR_NOT_UPDATABLE, "cannot update the executable|make a new executable",
        cucore_executable_update, executable, other, &culprit);
  other.reset();
  // The executable is that of before, and keeps nothing of the other graph.
  launch(executable);
  EXPECT_EQ(first(y), 4);
  EXPECT_EQ(first_of(far_y, there_), 100);
  cucore_launch_options options = grid(1, 64);
  SUCCEEDS(cucore_executable_set_kernel, executable, kernel, nullptr, &options, nullptr, 0);
}

}  // namespace
