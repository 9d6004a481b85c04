// SPDX-License-Identifier: Apache-2.0
// The graphs of nodes: captures into them, copies of what was changed in them, and failures.
#include <cuda.h>

#include <atomic>

#include "graph_testing.hpp"
#include "native_driver.hpp"

namespace {

using namespace capi_test;

class InnerGraphs : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
    MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
    // of captures into graphs, and of conditions
    if (driver.version_major * 100 + driver.version_minor < 1203)
      GTEST_SKIP() << "a driver of 12.3";
  }

  struct Child {
    cucore_node node = 0;
    Graph view;
  };
  static Child add_child(const Graph& graph, const cucore_graph* child) {
    Child added;
    MUST(cucore_graph_add_child, graph, nullptr, 0, child, &added.node);
    MUST(cucore_graph_child, graph, added.node, 0, added.view.out());
    return added;
  }
  struct Decided {
    cucore_node node = 0;
    Graph body;
  };
  static Decided decide(const Graph& graph, uint32_t value = 1) {
    uint64_t condition = 0;
    MUST(cucore_graph_add_condition, graph, value, 1, &condition);
    Decided decided;
    cucore_graph* body = nullptr;
    MUST(cucore_graph_add_conditional, graph, nullptr, 0, condition, CUCORE_CONDITIONAL_IF, 1,
         &body, &decided.node);
    *decided.body.out() = body;
    return decided;
  }
  static cucore_node fill(const Graph& graph, cucore_buffer* buffer, float value) {
    cucore_node node = 0;
    MUST(cucore_graph_add_fill, graph, nullptr, 0, buffer, 0, BYTES, &value, sizeof value, &node);
    return node;
  }
  void begin(const Graph& into) const {
    cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
    options.into = into;
    MUST(cucore_stream_begin_capture, stream_, &options);
  }
  void end() const {
    Graph same;
    MUST(cucore_stream_end_capture, stream_, same.out());
  }
  void break_capture() const {
    decltype(&::cuStreamQuery) query_stream = nullptr;
    NativeDriver().find("cuStreamQuery", query_stream);
    ASSERT_TRUE(query_stream);
    EXPECT_NE(query_stream(static_cast<CUstream>(cucore_stream_native(stream_))), CUDA_SUCCESS);
    cucore_graph* none = nullptr;
    EXPECT_EQ(cucore_stream_end_capture(stream_, &none, nullptr), CUCORE_ERROR_INVALID_STATE);
  }
};

TEST_F(InnerGraphs, TakeNoCaptureWhenTheirNodeIsGone) {
  const Graph child = make_graph(device_);
  const Child gone = add_child(graph_, child);
  SUCCEEDS(cucore_graph_remove_node, graph_, gone.node);
  cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
  options.into = gone.view;
  const uint64_t before = fake_ ? fake_->call_count("cuStreamBeginCaptureToGraph") : 0;
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "the graph belonged to a node, which was removed or set; take its graph again",
        cucore_stream_begin_capture, stream_, &options);
  EXPECT_EQ(fake_ ? fake_->call_count("cuStreamBeginCaptureToGraph") : 0, before);
  EXPECT_EQ(cucore_stream_is_capturing(stream_), 0);
}

// The driver would destroy or copy the graph under the capture.
TEST_F(InnerGraphs, StayDuringACaptureIntoThem) {
  const std::string why = " a graph into which a stream is being captured; end the capture first";
  const Graph empty = make_graph(device_);
  const Child child = add_child(graph_, empty);
  Graph other = make_graph(device_);
  cucore_graph* copy = nullptr;
  cucore_executable* executable = nullptr;
  cucore_node node = 0;
  begin(child.view);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot remove a node of" + why, cucore_graph_remove_node,
        graph_, child.node);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot set a node of" + why, cucore_graph_set_child, graph_,
        child.node, empty);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot clone" + why, cucore_graph_clone, graph_, &copy);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot make an executable of" + why, cucore_executable_create,
        graph_, nullptr, &executable);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot add" + why, cucore_graph_add_child, other, nullptr, 0,
        graph_, &node);
  end();
  SUCCEEDS(cucore_graph_remove_node, graph_, child.node);

  const Decided decided = decide(graph_);
  begin(decided.body);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot remove a node of" + why, cucore_graph_remove_node,
        graph_, decided.node);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot make an executable of" + why, cucore_executable_create,
        graph_, nullptr, &executable);
  end();
  run();
}

// The view was changed after the addition of the child.
TEST_F(InnerGraphs, AreCopiedAsTheyAre) {
  const uint64_t before = fake_ ? fake_->live_objects("memory") : 0;
  const Buffer result = make_floats(0);
  Buffer source = make_floats(3);
  MUST(cucore_stream_synchronize, stream_);
  static std::atomic<int> ended;  // a thread of the library ends the data
  ended = 0;
  Graph first_graph = make_graph(device_);
  Child child = add_child(first_graph, make_graph(device_));
  cucore_node copy = 0;
  SUCCEEDS(cucore_graph_add_copy, child.view, nullptr, 0, result, 0, source, 0, BYTES, &copy);
  SUCCEEDS(cucore_graph_hold, child.view, &ended,
           [](void* data) { ++*static_cast<std::atomic<int>*>(data); });
  Graph clone, parent = make_graph(device_);
  SUCCEEDS(cucore_graph_clone, first_graph, clone.out());
  Child outer = add_child(parent, first_graph);
  first_graph.reset(), child.view.reset(), source.reset();
  EXPECT_EQ(ended, 0);
  for (const Graph* const graph : {&clone, &parent}) {
    Graph inner;
    if (graph == &clone)
      SUCCEEDS(cucore_graph_child, clone, child.node, 0, inner.out());
    else
      SUCCEEDS(cucore_graph_child, outer.view, child.node, 0, inner.out());
    EXPECT_EQ(cucore_graph_node_count(inner), 1u);
    EXPECT_EQ(query(inner, copy).kind, CUCORE_NODE_KIND_COPY);
    if (runs_kernels()) {
      MUST(cucore_buffer_fill, result, 0, BYTES, "", 1, stream_);
      launch(make_executable(*graph));
      EXPECT_EQ(first(result), 3);
    }
  }
  EXPECT_EQ(fake_ ? fake_->live_objects("memory") : before + 2, before + 2);
  clone.reset(), parent.reset();
  EXPECT_EQ(ended, 0);  // the view has the copy
  outer.view.reset();
  EXPECT_TRUE(comes_true([&] { return ended == 1; }));
}

TEST_F(InnerGraphs, AreLostWithABrokenOne) {
  const Decided outer = decide(graph_);
  const Decided inner = decide(outer.body);
  begin(inner.body);
  break_capture();
  const char* const lost = "the graph ended with a capture, which was broken or not joined";
  cucore_node node = 0;
  for (const Graph* const graph :
       std::initializer_list<const Graph*>{&graph_, &outer.body, &inner.body})
    FAILS(CUCORE_ERROR_INVALID_STATE, lost, cucore_graph_add_empty, *graph, nullptr, 0, &node);
  FAILS(CUCORE_ERROR_INVALID_STATE, lost, cucore_graph_remove_node, outer.body, inner.node);
}

TEST_F(InnerGraphs, OfConditionalNodesRefuseWhatTheyCannotHold) {
  const std::string why =
      "the graph of a conditional node cannot hold a node of kind child graph; expected kernels";
  const Decided decided = decide(graph_);
  const Buffer x = make_floats(0);
  const Graph kernels = make_graph(device_);
  fill(kernels, x, 1);
  const Child child = add_child(decided.body, kernels);
  const Event event = make_event(device_);
  Graph records = make_graph(device_), captured;
  cucore_node node = 0;
  MUST(cucore_graph_add_record, records, nullptr, 0, event, &node);
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  MUST(
      cucore_stream_launch_host, stream_, [](void*) {}, nullptr, nullptr);
  MUST(cucore_stream_end_capture, stream_, captured.out());
  for (const Graph* const graph : {&records, &captured}) {
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, why, cucore_graph_add_child, decided.body, nullptr, 0,
          *graph, &node);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, why, cucore_graph_set_child, decided.body, child.node,
          *graph);
  }
  EXPECT_EQ(cucore_graph_node_count(decided.body), 1u);
  run();
}

class FailedChanges : public OnGraph {
 protected:
  static void host(void*) {}
};

TEST_F(FailedChanges, OfAChildAskTheDriverOnce) {
  NEEDS_FAKE_DRIVER();
  Graph child = make_graph(device_);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  child = make_graph(device_);
  const uint64_t before = fake_->call_count("cuGraphNodeSetParams");
  fake_->fail_call("cuGraphNodeSetParams", 1, CUDA_ERROR_INVALID_VALUE);
  Error error;
  const cucore_status status = cucore_graph_set_child(graph_, node, child, error.out());
  if (status == CUCORE_ERROR_UNSUPPORTED) GTEST_SKIP() << "a driver of 12.2";
  EXPECT_NE(status, CUCORE_OK);
  EXPECT_EQ(fake_->call_count("cuGraphNodeSetParams"), before + 1);
}

// The end of the data uses the graph, so the caller of the function holds no lock.
TEST_F(FailedChanges, EndTheirDataWithoutALock) {
  const Buffer x = make_floats(0);
  const cucore_node fill = add_fill({}, x, 1);
  const Executable executable = make_executable(graph_);
  static const cucore_graph* graph;
  static std::atomic<size_t> count;
  graph = graph_, count = 0;
  const auto destroy = [](void*) { count += cucore_graph_node_count(graph); };
  EXPECT_EQ(cucore_graph_set_host(graph_, fill, &host, nullptr, destroy, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cucore_executable_set_host(executable, fill, &host, nullptr, destroy, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(count, 2u);
}

// A wide pattern needs a graph of its own, which may fail.
TEST_F(FailedChanges, OfAnExecutableKeepTheWorkBefore) {
  NEEDS_FAKE_DRIVER();
  const Buffer x = make_floats(0);
  const uint64_t wide = 0x100000002;
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_fill, graph_, nullptr, 0, x, 0, BYTES, &wide, 8, &node);
  const Executable executable = make_executable(graph_);
  fake_->fail_call("cuGraphCreate", 1, CUDA_ERROR_OUT_OF_MEMORY);
  Error error;
  EXPECT_NE(cucore_executable_set_fill(executable, node, x, 0, BYTES, &wide, 8, error.out()),
            CUCORE_OK);
  const uint32_t narrow = 3;
  FAILS(CUCORE_ERROR_NOT_UPDATABLE, "in the executable: patterns of 8 bytes",
        cucore_executable_set_fill, executable, node, x, 0, BYTES, &narrow, 4);
  SUCCEEDS(cucore_executable_set_fill, executable, node, x, 0, BYTES, &wide, 8);
  launch(executable);
}

TEST_F(FailedChanges, RefuseAnUploadInACapture) {
  cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
  options.upload = stream_;
  cucore_executable* executable = nullptr;
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "cannot upload an executable in a stream that is being captured", cucore_executable_create,
        graph_, &options, &executable);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
}

// An executable lists the nodes that other code has added in a capture.
TEST_F(InnerGraphs, AndWholeOnesAreReadAfterACapture) {
  const Buffer x = make_floats(0), y = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  add_fill({}, x, 1);
  (void)make_executable(graph_);
  decltype(&::cuMemsetD32Async) set = nullptr;
  NativeDriver().find("cuMemsetD32Async", set);
  decltype(&::cuCtxSetCurrent) set_current = nullptr;
  NativeDriver().find("cuCtxSetCurrent", set_current);
  ASSERT_TRUE(set && set_current);
  ASSERT_EQ(set_current(static_cast<CUcontext>(cucore_device_native_context(device_))),
            CUDA_SUCCESS);
  begin(graph_);
  EXPECT_EQ(set(cucore_buffer_address(y), 0x40000000, BYTES / 4,
                static_cast<CUstream>(cucore_stream_native(stream_))),
            CUDA_SUCCESS);
  end();
  EXPECT_EQ(set_current(nullptr), CUDA_SUCCESS);
  const Executable executable = make_executable(graph_);
  EXPECT_EQ(cucore_graph_node_count(graph_), 2u);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_node_at, graph_, 1, &node);
  int32_t enabled = 0;
  SUCCEEDS(cucore_executable_is_enabled, executable, node, &enabled);
  EXPECT_EQ(enabled, 1);
}

}  // namespace
