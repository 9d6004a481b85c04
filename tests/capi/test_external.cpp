// SPDX-License-Identifier: Apache-2.0
// Semaphores of other libraries: on streams, in captures, as nodes of graphs and in executables.
#include <cuda.h>

#include "external_testing.hpp"
#include "graph_testing.hpp"

namespace {

using namespace capi_test;

class Externals : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    semaphore_ = make_semaphore(device_, other_, false);
    timeline_ = make_semaphore(device_, line_, true);
    if (!semaphore_ || !timeline_) GTEST_SKIP() << "the driver imports only semaphores of Vulkan";
  }
  void TearDown() override {
    semaphore_.reset();
    timeline_.reset();
    OnGraph::TearDown();
  }

  cucore_node add(const Nodes& after, const cucore_external* semaphore, uint64_t value,
                  int32_t signal) const {
    cucore_node node = 0;
    MUST(cucore_graph_add_semaphore, graph_, after.data(), after.size(), semaphore, value, signal,
         &node);
    return node;
  }
  // The scripted driver never waits.
  bool waits() const { return !fake_; }
  void expect_waiting() const {
    if (!waits()) return;
    int32_t done = 1;
    MUST(cucore_stream_query, stream_, &done);
    EXPECT_EQ(done, 0);
  }

  const OtherSide other_{false}, line_{true};
  External semaphore_, timeline_;
};

TEST_F(Externals, HaveADevice) {
  Device device;
  SUCCEEDS(cucore_external_device, semaphore_, device.out());
  EXPECT_EQ(device, device_);
  EXPECT_EQ(cucore_external_is_timeline(semaphore_), 0);
  EXPECT_EQ(cucore_external_is_timeline(timeline_), 1);
  EXPECT_NE(cucore_external_native(semaphore_), nullptr);
  EXPECT_NE(cucore_external_native(semaphore_), cucore_external_native(timeline_));
}

TEST_F(Externals, AreSignalledInTheOrderOfAStream) {
  SUCCEEDS(cucore_external_signal, semaphore_, 0, stream_);
  SUCCEEDS(cucore_external_signal, timeline_, 7, stream_);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  EXPECT_EQ(other_.take(), 1u);
  EXPECT_EQ(line_.take(), 7u);
}

TEST_F(Externals, AreWaitedForInAStream) {
  const Buffer y = make_floats(1);
  const float two = 2;
  SUCCEEDS(cucore_external_wait, semaphore_, 0, stream_);
  SUCCEEDS(cucore_buffer_fill, y, 0, BYTES, &two, sizeof two, stream_);
  expect_waiting();
  other_.signal();
  EXPECT_EQ(first(y), 2);
  EXPECT_EQ(other_.take(), waits() ? 0u : 1u);  // the wait has consumed the signal
}

TEST_F(Externals, ATimelineIsWaitedForUntilItHasTheNumber) {
  line_.signal(3);
  SUCCEEDS(cucore_external_wait, timeline_, 3, stream_);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  SUCCEEDS(cucore_external_wait, timeline_, 5, stream_);
  expect_waiting();
  line_.signal(4);
  expect_waiting();
  line_.signal(6);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  EXPECT_EQ(line_.take(), 6u);  // a wait consumes nothing
}

TEST_F(Externals, OrderTwoStreams) {
  const Buffer y = make_floats(1);
  const Stream second = make_stream(device_);
  const float two = 2;
  SUCCEEDS(cucore_stream_synchronize, stream_);
  SUCCEEDS(cucore_external_wait, timeline_, 1, second);
  SUCCEEDS(cucore_buffer_fill, y, 0, BYTES, &two, sizeof two, second);
  SUCCEEDS(cucore_external_signal, timeline_, 1, stream_);
  SUCCEEDS(cucore_stream_synchronize, second);
  EXPECT_EQ(first(y), 2);
}

TEST_F(Externals, RefuseOtherDescriptors) {
  cucore_external* out = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "descriptor is -1; expected a file descriptor, at least 0",
        cucore_external_semaphore_from_descriptor, device_, -1, 0, &out);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "timeline is 2, neither 0 nor 1",
        cucore_external_semaphore_from_descriptor, device_, 0, 2, &out);
  const int closed = other_.exported();
  close(closed);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "the driver cannot import a binary semaphore on device 0|from descriptor " +
            std::to_string(closed) +
            "; expected the opaque file descriptor of a semaphore of this kind",
        cucore_external_semaphore_from_descriptor, device_, closed, 0, &out);
  EXPECT_EQ(out, nullptr);
}

TEST_F(Externals, LeaveTheDescriptorAfterAFailure) {
  const int file = line_.exported();
  cucore_external* out = nullptr;
  if (fake_) {
    fake_->fail_call("cuImportExternalSemaphore", 1, CUDA_ERROR_OUT_OF_MEMORY);
    FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "import a binary semaphore on device 0",
               cucore_external_semaphore_from_descriptor, device_, file, 0, &out);
  } else {
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "import a binary semaphore",
          cucore_external_semaphore_from_descriptor, device_, file, 0, &out);
  }
  EXPECT_GE(fcntl(file, F_GETFD), 0);
  close(file);
}

TEST_F(Externals, NeedADriverAndADeviceThatHaveThem) {
  NEEDS_FAKE_DRIVER();
  cucore_external* out = nullptr;
  const int file = other_.exported();
  fake_->fail_call("cuImportExternalSemaphore", 1, CUDA_ERROR_NOT_SUPPORTED);
  FAILS_ONCE(CUCORE_ERROR_UNSUPPORTED, "import a binary semaphore",
             cucore_external_semaphore_from_descriptor, device_, file, 0, &out);
  fake_->set_attribute(0, CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 0);
  FAILS(CUCORE_ERROR_UNSUPPORTED,
        "device 0|has no timeline semaphores of other libraries; use a binary semaphore",
        cucore_external_semaphore_from_descriptor, device_, file, 1, &out);
  close(file);
}

TEST_F(Externals, NeedAStreamOfTheirDevice) {
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "one device";
  const Stream there = make_stream(open_device(1));
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "device 1|device 0", cucore_external_signal, semaphore_, 1,
        there);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "device 1|device 0", cucore_external_wait, semaphore_, 1,
        there);
}

TEST_F(Externals, AreNodesThatRunAtEachLaunch) {
  const Buffer y = make_floats(0);
  const cucore_node wait = add({}, semaphore_, 0, 0);
  const cucore_node fill = add_fill({wait}, y, 2);
  const cucore_node signal = add({fill}, timeline_, 9, 1);
  const cucore_node_info info = query(signal);
  EXPECT_EQ(info.kind, CUCORE_NODE_KIND_SEMAPHORE_SIGNAL);
  EXPECT_EQ(info.pattern, 9u);
  EXPECT_EQ(query(wait).kind, CUCORE_NODE_KIND_SEMAPHORE_WAIT);
  EXPECT_EQ(before(signal), Nodes{fill});
  EXPECT_NE(dot(graph_).find("signal of a semaphore"), std::string::npos);
  EXPECT_NE(dot(graph_).find("wait for a semaphore"), std::string::npos);
  External same;
  SUCCEEDS(cucore_graph_node_semaphore, graph_, signal, same.out());
  EXPECT_EQ(same, timeline_);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "node " + std::to_string(fill) +
            " has no semaphore; expected a node that signals a semaphore or waits for it",
        cucore_graph_node_semaphore, graph_, fill, same.out());
  const Executable executable = make_executable(graph_);
  for (int i = 0; i < 2; ++i) {
    line_.signal(0);
    SUCCEEDS(cucore_executable_launch, executable, stream_);
    expect_waiting();
    if (waits()) {
      EXPECT_EQ(line_.take(), 0u);
    }
    other_.signal();
    SUCCEEDS(cucore_stream_synchronize, stream_);
    EXPECT_EQ(line_.take(), 9u);
    EXPECT_EQ(first(y), 2);
  }
}

TEST_F(Externals, OfNodesAreSet) {
  const cucore_node node = add({}, timeline_, 1, 1);
  const Executable before = make_executable(graph_);
  SUCCEEDS(cucore_graph_set_semaphore, graph_, node, timeline_, 2);
  EXPECT_EQ(query(node).pattern, 2u);
  launch(before);
  EXPECT_EQ(line_.take(), 1u);
  const Executable after = make_executable(graph_);
  launch(after);
  EXPECT_EQ(line_.take(), 2u);
  SUCCEEDS(cucore_executable_set_semaphore, after, node, timeline_, 3);
  launch(after);
  EXPECT_EQ(line_.take(), 3u);
  SUCCEEDS(cucore_executable_set_semaphore, after, node, semaphore_, 0);
  launch(after);
  EXPECT_EQ(other_.take(), 1u);
  line_.signal(0);
  run();  // the graph has what it had
  EXPECT_EQ(line_.take(), 2u);
  SUCCEEDS(cucore_executable_update, after, graph_, nullptr);
  line_.signal(0);
  launch(after);
  EXPECT_EQ(line_.take(), 2u);
}

TEST_F(Externals, AreNoWorkOfOtherNodes) {
  const cucore_node empty = add_empty();
  const Executable executable = make_executable(graph_);
  const std::string message =
      "node " + std::to_string(empty) +
      " (empty) has no semaphore; expected a node that signals a semaphore or waits for it";
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message, cucore_graph_set_semaphore, graph_, empty,
        semaphore_, 0);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message, cucore_executable_set_semaphore, executable, empty,
        semaphore_, 0);
  cucore_node out = 7;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "signal is 2, neither 0 nor 1", cucore_graph_add_semaphore,
        graph_, nullptr, 0, semaphore_, 0, 2, &out);
  EXPECT_EQ(out, 0u);
}

TEST_F(Externals, ARefusedChangeKeepsNothing) {
  NEEDS_FAKE_DRIVER();
  const cucore_node node = add({}, timeline_, 1, 1);
  const Executable executable = make_executable(graph_);
  for (const char* call : {"cuGraphExternalSemaphoresSignalNodeSetParams",
                           "cuGraphExecExternalSemaphoresSignalNodeSetParams"}) {
    fake_->fail_call(call, 1, CUDA_ERROR_INVALID_VALUE);
    const uint64_t alive = fake_->live_objects("semaphore");
    External temporary = make_semaphore(device_);
    if (call == std::string("cuGraphExternalSemaphoresSignalNodeSetParams"))
      FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "set node", cucore_graph_set_semaphore, graph_,
                 node, temporary, 0);
    else
      FAILS_ONCE(CUCORE_ERROR_NOT_UPDATABLE, "cannot set node|in the executable",
                 cucore_executable_set_semaphore, executable, node, temporary, 0);
    temporary.reset();
    EXPECT_TRUE(comes_true([&] { return fake_->live_objects("semaphore") == alive; }));
  }
  launch(executable);
  EXPECT_EQ(line_.take(), 1u);
}

TEST_F(Externals, AreCaptured) {
  const Buffer y = make_floats(0);
  const float two = 2;
  SUCCEEDS(cucore_stream_synchronize, stream_);
  SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
  SUCCEEDS(cucore_external_wait, timeline_, 1, stream_);
  SUCCEEDS(cucore_buffer_fill, y, 0, BYTES, &two, sizeof two, stream_);
  SUCCEEDS(cucore_external_signal, semaphore_, 0, stream_);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  ASSERT_EQ(cucore_graph_node_count(captured), 3u);
  cucore_node nodes[3] = {};
  for (size_t i = 0; i < 3; ++i) SUCCEEDS(cucore_graph_node_at, captured, i, &nodes[i]);
  EXPECT_EQ(query(captured, nodes[0]).kind, CUCORE_NODE_KIND_SEMAPHORE_WAIT);
  EXPECT_EQ(query(captured, nodes[2]).kind, CUCORE_NODE_KIND_SEMAPHORE_SIGNAL);
  EXPECT_EQ(other_.take(), 0u);
  timeline_.reset();
  semaphore_.reset();
  const Executable executable = make_executable(captured);
  line_.signal(1);
  launch(executable);
  EXPECT_EQ(first(y), 2);
  EXPECT_EQ(other_.take(), 1u);
  const OtherSide third(false);
  const External set = make_semaphore(device_, third, false);
  SUCCEEDS(cucore_graph_set_semaphore, captured, nodes[2], set, 0);
  launch(make_executable(captured));
  EXPECT_EQ(third.take(), 1u);
  EXPECT_EQ(other_.take(), 0u);
}

// A graph, its executable and its launches keep the semaphore.
TEST_F(Externals, AreDestroyedAfterTheLastLaunch) {
  NEEDS_FAKE_DRIVER();
  const uint64_t others = fake_->live_objects("semaphore") - 1;
  add({}, semaphore_, 0, 1);
  semaphore_.reset();
  Executable executable = make_executable(graph_);
  graph_.reset();
  fake_->hold_streams(1);
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  executable.reset();
  EXPECT_EQ(fake_->live_objects("semaphore"), others + 1);
  EXPECT_EQ(fake_->call_count("cuDestroyExternalSemaphore"), 0u);
  fake_->hold_streams(0);
  EXPECT_TRUE(comes_true([&] { return fake_->live_objects("semaphore") == others; }));
  graph_ = make_graph(device_);
}

TEST_F(Externals, AreDestroyedAfterTheWorkOfAStream) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_external_signal, semaphore_, 0, stream_);
  fake_->hold_streams(1);
  SUCCEEDS(cucore_external_signal, timeline_, 1, stream_);
  timeline_.reset();
  EXPECT_EQ(fake_->call_count("cuDestroyExternalSemaphore"), 0u);
  fake_->hold_streams(0);
  EXPECT_TRUE(comes_true([&] { return fake_->call_count("cuDestroyExternalSemaphore") == 1; }));
}

TEST_F(Externals, AreLostInAReset) {
  NEEDS_FAKE_DRIVER();
  const Device second = open_device(1);
  const Stream there = make_stream(second);
  const External lost = make_semaphore(second);
  SUCCEEDS(cucore_device_reset, second);
  FAILS(CUCORE_ERROR_INVALID_STATE, "reset", cucore_external_signal, lost, 1, there);
  cucore_node node = 7;
  FAILS(CUCORE_ERROR_INVALID_STATE, "semaphore|reset", cucore_graph_add_semaphore, graph_, nullptr,
        0, lost, 1, 1, &node);
  EXPECT_EQ(node, 0u);
}

TEST_F(Externals, AreNotInTheBodyOfAConditionalNode) {
  uint64_t condition = 0;
  cucore_node node = 0;
  Graph body;
  if (cucore_graph_add_condition(graph_, 1, 1, &condition, nullptr) != CUCORE_OK)
    GTEST_SKIP() << "no conditions";
  SUCCEEDS(cucore_graph_add_conditional, graph_, nullptr, 0, condition, CUCORE_CONDITIONAL_IF, 1,
           body.out(), &node);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "the graph of a conditional node cannot hold a node of kind signal of a semaphore",
        cucore_graph_add_semaphore, body, nullptr, 0, semaphore_, 0, 1, &node);
}

}  // namespace
