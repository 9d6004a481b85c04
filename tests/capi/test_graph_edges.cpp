// SPDX-License-Identifier: Apache-2.0
// Graphs at the edges of what is allowed. The subjects are default values of conditions, updates at
// odd moments, and captures that break in the body of a conditional node.
#include <atomic>
#include <cstring>

#include "condition_kernels.hpp"
#include "graph_testing.hpp"

namespace {

using namespace capi_test;

class GraphEdges : public OnGraph {
 protected:
  struct Decided {
    uint64_t condition = 0;
    Graph body;
  };
  // A conditional node whose body fills the buffer; skipped on drivers without conditions.
  Decided add_if(uint32_t value, int32_t is_reset, const Buffer& to) {
    Decided decided;
    if (cucore_graph_add_condition(graph_, value, is_reset, &decided.condition, nullptr) !=
        CUCORE_OK)
      return decided;
    cucore_node node = 0;
    MUST(cucore_graph_add_conditional, graph_, nullptr, 0, decided.condition, CUCORE_CONDITIONAL_IF,
         1, decided.body.out(), &node);
    const float two = 2;
    MUST(cucore_graph_add_fill, decided.body, nullptr, 0, to, 0, BYTES, &two, sizeof two, &node);
    return decided;
  }
  void clear(const Buffer& buffer) const {
    const float zero = 0;
    MUST(cucore_buffer_fill, buffer, 0, BYTES, &zero, sizeof zero, stream_);
  }
};

// The default value of a condition is that of each launch, if it is reset.
TEST_F(GraphEdges, AConditionIsResetToItsDefaultAtEachLaunch) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no body";
  const Buffer to = make_floats(0);
  for (const uint32_t value : {0u, 1u}) {
    graph_ = make_graph(device_);
    if (!add_if(value, 1, to).body) GTEST_SKIP() << "no conditions";
    const Executable executable = make_executable(graph_);
    for (int i = 0; i < 2; ++i) {
      clear(to);
      launch(executable);
      EXPECT_EQ(first(to), value ? 2 : 0);
    }
  }
}

// Without a reset, a value that a kernel has set stays for the next launch.
TEST_F(GraphEdges, AConditionWithoutAResetKeepsTheValueThatAKernelSet) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no kernel";
  const Buffer to = make_floats(0);
  const Decided decided = add_if(0, 0, to);
  if (!decided.body) GTEST_SKIP() << "no conditions";
  const Code code =
      make_code(CUCORE_CODE_TYPE_PTX, CONDITION_KERNELS, std::strlen(CONDITION_KERNELS));
  const Kernel set = find_kernel(code, "set");
  const uint32_t one = 1;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(decided.condition), CUCORE_ARGUMENT(one)};
  const cucore_launch_options options = grid(1, 1);
  cucore_node conditional = 0, setter = 0;
  SUCCEEDS(cucore_graph_node_at, graph_, 0, &conditional);
  SUCCEEDS(cucore_graph_add_kernel, graph_, &conditional, 1, set, &options, arguments, 2, &setter);
  const Executable executable = make_executable(graph_);
  launch(executable);
  clear(to);
  launch(executable);
  EXPECT_EQ(first(to), 2);
}

TEST_F(GraphEdges, AnUpdateWorksAfterTheFirstGraphIsGone) {
  const Buffer to = make_floats(0);
  add_fill({}, to, 1);
  const Executable executable = make_executable(graph_);
  graph_ = make_graph(device_);
  add_fill({}, to, 2);
  SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
  graph_ = make_graph(device_);
  launch(executable);
  EXPECT_EQ(first(to), 2);
}

TEST_F(GraphEdges, AGraphThatIsBeingCapturedUpdatesNothing) {
  const Buffer to = make_floats(0);
  add_fill({}, to, 1);
  const Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
  Graph under_way;
  SUCCEEDS(cucore_stream_capture_graph, stream_, under_way.out());
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "cannot update an executable from a graph into which a stream is being captured; end the "
        "capture first",
        cucore_executable_update, executable, under_way, nullptr);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  launch(executable);
  EXPECT_EQ(first(to), 1);
}

// A launch that waits does what it had; the next one does the new work.
TEST_F(GraphEdges, AnUpdateDuringALaunchIsForTheNextOne) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs a launch at once";
  Buffer flag;
  SUCCEEDS(cucore_buffer_create_pinned, device_, sizeof(uint64_t), flag.out());
  const std::atomic_ref word(*static_cast<uint64_t*>(cucore_buffer_host_pointer(flag)));
  word = 0;
  const Buffer old_place = make_floats(0), new_place = make_floats(0);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const auto build = [&](float value, const Buffer& to) {
    Graph graph = make_graph(device_);
    cucore_node wait = 0, fill = 0;
    MUST(cucore_graph_add_value, graph, nullptr, 0, flag, 0, 1, 8, CUCORE_COMPARISON_GREATER_EQUAL,
         &wait);
    MUST(cucore_graph_add_fill, graph, &wait, 1, to, 0, BYTES, &value, sizeof value, &fill);
    return graph;
  };
  const Executable executable = make_executable(build(1, old_place));
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  SUCCEEDS(cucore_executable_update, executable, build(2, new_place), nullptr);
  word = 1;
  SUCCEEDS(cucore_stream_synchronize, stream_);
  EXPECT_EQ(first(old_place), 1);
  EXPECT_EQ(first(new_place), 0);
  launch(executable);
  EXPECT_EQ(first(new_place), 2);
}

// Driver 580 crashes when it destroys the graph, so it is never destroyed.
TEST_F(GraphEdges, ACaptureThatBreaksInABodyLeavesTheParentAsAnError) {
  const Buffer to = make_floats(0);
  const Decided decided = add_if(1, 1, to);
  if (!decided.body) GTEST_SKIP() << "no conditions";
  cucore_stream_options settings = CUCORE_STREAM_OPTIONS_INIT;
  settings.nonblocking = CUCORE_TOGGLE_OFF;
  Stream blocking, legacy;
  SUCCEEDS(cucore_stream_create, device_, &settings, blocking.out());
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  SUCCEEDS(cucore_stream_synchronize, stream_);
  cucore_capture_options into = CUCORE_CAPTURE_OPTIONS_INIT;
  into.into = decided.body;
  SUCCEEDS(cucore_stream_begin_capture, blocking, &into);
  FAILS_ONCE(CUCORE_ERROR_INVALID_STATE, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", cucore_buffer_fill,
             to, 0, BYTES, "x", 1, legacy);
  cucore_graph* out = nullptr;
  FAILS_ONCE(CUCORE_ERROR_INVALID_STATE, "the capture was broken by", cucore_stream_end_capture,
             blocking, &out);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
  cucore_executable* executable = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "the graph ended with a capture, which was broken or not joined; make a new one",
        cucore_executable_create, graph_, nullptr, &executable);
  SUCCEEDS(cucore_stream_begin_capture, blocking, nullptr);  // the stream works again
  Graph next;
  SUCCEEDS(cucore_stream_end_capture, blocking, next.out());
}

}  // namespace
