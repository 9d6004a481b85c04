// SPDX-License-Identifier: Apache-2.0
// Captures that the library begins, on all drivers. The scripted driver runs no kernel, so results
// come from copies, fills and writes.
#include <atomic>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

#include "graph_testing.hpp"
#include "native_capture.hpp"

namespace {

using namespace capi_test;

constexpr cucore_capture_mode MODES[] = {CUCORE_CAPTURE_MODE_RELAXED, CUCORE_CAPTURE_MODE_THREAD,
                                         CUCORE_CAPTURE_MODE_PROCESS};

class StreamCapture : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    runs_on_ = make_stream(device_);
  }
  void TearDown() override {
    runs_on_.reset();
    OnGraph::TearDown();
  }

  void begin(cucore_capture_mode mode = CUCORE_CAPTURE_MODE_RELAXED) const { begin(stream_, mode); }
  static void begin(const cucore_stream* stream,
                    cucore_capture_mode mode = CUCORE_CAPTURE_MODE_RELAXED) {
    cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
    options.mode = mode;
    MUST(cucore_stream_begin_capture, stream, &options);
  }
  void begin_into(cucore_graph* graph, const Nodes& after = {}) const {
    cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
    options.into = graph;
    options.after = after.data();
    options.after_count = after.size();
    MUST(cucore_stream_begin_capture, stream_, &options);
  }
  Graph end() const { return end(stream_); }
  static Graph end(const cucore_stream* stream) {
    Graph graph;
    MUST(cucore_stream_end_capture, stream, graph.out());
    return graph;
  }
  void fails_to_end(const std::string& text) const {
    cucore_graph* graph = nullptr;
    FAILS_ONCE(CUCORE_ERROR_INVALID_STATE, text, cucore_stream_end_capture, stream_, &graph);
    EXPECT_EQ(graph, nullptr);
  }
  void fill(const cucore_stream* stream, cucore_buffer* buffer, float value) const {
    MUST(cucore_buffer_fill, buffer, 0, BYTES, &value, sizeof value, stream);
  }
  void fork(const cucore_stream* stream) const { MUST(cucore_stream_wait_stream, stream, stream_); }
  void join(const cucore_stream* stream) const { MUST(cucore_stream_wait_stream, stream_, stream); }
  // Launches on another stream, and waits.
  void run_graph(const cucore_graph* graph) const {
    const Executable executable = make_executable(graph);
    MUST(cucore_executable_launch, executable, runs_on_);
    MUST(cucore_stream_synchronize, runs_on_);
  }
  static std::vector<cucore_node_kind> kinds(const cucore_graph* graph) {
    std::vector<cucore_node_kind> out;
    for (size_t i = 0; i < cucore_graph_node_count(graph); ++i) {
      cucore_node node = 0;
      MUST(cucore_graph_node_at, graph, i, &node);
      out.push_back(query(graph, node).kind);
    }
    return out;
  }
  Nodes point() const {
    size_t count = 0;
    MUST(cucore_stream_capture_nodes, stream_, nullptr, 0, &count);
    Nodes nodes(count);
    MUST(cucore_stream_capture_nodes, stream_, nodes.data(), nodes.size(), &count);
    return nodes;
  }
  bool is_captured() const { return cucore_stream_is_capturing(stream_) != 0; }
  bool has_capture_into() const {
    cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
    MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
    return driver.version_major * 100 + driver.version_minor >= 1203;
  }

  Stream runs_on_;
};

using Kinds = std::vector<cucore_node_kind>;

TEST_F(StreamCapture, MakesNodesThatRunAtEachLaunch) {
  const Buffer x = make_floats(1), y = make_floats(2);
  for (const cucore_capture_mode mode : MODES) {
    begin(mode);
    EXPECT_TRUE(is_captured());
    fill(stream_, x, 7);
    MUST(cucore_buffer_copy, y, 0, x, 0, BYTES, stream_);
    const Graph graph = end();
    EXPECT_FALSE(is_captured());
    EXPECT_EQ(first(y), 2);  // nothing has run
    EXPECT_EQ(kinds(graph), (Kinds{CUCORE_NODE_KIND_FILL, CUCORE_NODE_KIND_COPY}));
    run_graph(graph);
    EXPECT_EQ(first(y), 7);
    fill(stream_, y, 2);
    MUST(cucore_stream_synchronize, stream_);
  }
}

TEST_F(StreamCapture, OfNothingIsAnEmptyGraph) {
  begin();
  const Graph graph = end();
  EXPECT_EQ(cucore_graph_node_count(graph), 0u);
  run_graph(graph);
}

TEST_F(StreamCapture, BeginsAndEndsInTurn) {
  cucore_graph* out = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "cannot end a capture: the stream is not being captured; begin one first",
        cucore_stream_end_capture, stream_, &out);
  begin();
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "cannot begin a capture: the stream is being captured already; end that capture first",
        cucore_stream_begin_capture, stream_, nullptr);
  EXPECT_TRUE(is_captured());
  end();
}

TEST_F(StreamCapture, ChecksItsOptions) {
  cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
  options.mode = static_cast<cucore_capture_mode>(3);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "cucore_capture_options.mode is 3; expected 0 (RELAXED), 1 (THREAD) or 2 (PROCESS)",
        cucore_stream_begin_capture, stream_, &options);
  options = CUCORE_CAPTURE_OPTIONS_INIT;
  options.reserved = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "reserved", cucore_stream_begin_capture, stream_, &options);
  const cucore_node node = 1;
  options = CUCORE_CAPTURE_OPTIONS_INIT;
  options.after = &node;
  options.after_count = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "cucore_capture_options.after_count is 1, but cucore_capture_options.into is NULL; a new "
        "graph has no nodes",
        cucore_stream_begin_capture, stream_, &options);
  Stream legacy;
  MUST(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "cannot capture the legacy default stream of device 0; capture another stream",
        cucore_stream_begin_capture, legacy, nullptr);
  EXPECT_FALSE(is_captured());
}

TEST_F(StreamCapture, EndsOnTheThreadThatBeganUnlessItIsRelaxed) {
  for (const cucore_capture_mode mode : MODES) {
    begin(mode);
    Graph graph;
    cucore_status status = CUCORE_OK;
    Error error;
    std::thread([&] {
      status = cucore_stream_end_capture(stream_, graph.out(), error.out());
    }).join();
    if (mode == CUCORE_CAPTURE_MODE_RELAXED) {
      EXPECT_EQ(status, CUCORE_OK);
      continue;
    }
    const std::string name = mode == CUCORE_CAPTURE_MODE_THREAD ? "THREAD" : "PROCESS";
    EXPECT_TRUE(failed(status, error, CUCORE_ERROR_INVALID_STATE,
                       "cannot end the capture on this thread, because its mode is " + name +
                           "; end it on the thread that began it"));
    EXPECT_TRUE(is_captured());
    end();
  }
}

// Each call is refused before the driver breaks the capture.
TEST_F(StreamCapture, RefusesWhatMustHaveRun) {
  const Buffer x = make_floats(1);
  Queue queue;
  MUST(cucore_queue_create, nullptr, queue.out());
  const Event event = make_event(device_, true), outside = make_event(device_, true);
  MUST(cucore_event_record, outside, runs_on_);
  for (const cucore_capture_mode mode : MODES) {
    begin(mode);
    MUST(cucore_event_record, event, stream_);
    int32_t done = 0;
    float value = 0;
    cucore_future* future = nullptr;
    const std::string rest =
        "a stream that is being captured: nothing runs until the graph is launched; end the "
        "capture first";
    FAILS(CUCORE_ERROR_INVALID_STATE, "cannot wait for " + rest, cucore_stream_synchronize,
          stream_);
    FAILS(CUCORE_ERROR_INVALID_STATE, "cannot query " + rest, cucore_stream_query, stream_, &done);
    FAILS(CUCORE_ERROR_INVALID_STATE, "cannot read a buffer in " + rest, cucore_buffer_read, x, 0,
          &value, sizeof value, stream_);
    FAILS(CUCORE_ERROR_INVALID_STATE, "is being captured into a graph", cucore_future_from_stream,
          stream_, queue, 0, &future);
    const std::string recorded =
        "an event that a capture has recorded: nothing runs until the graph is launched; record it "
        "outside the capture first";
    FAILS(CUCORE_ERROR_INVALID_STATE, "cannot query " + recorded, cucore_event_query, event, &done);
    FAILS(CUCORE_ERROR_INVALID_STATE, "cannot wait for " + recorded, cucore_event_synchronize,
          event);
    FAILS(CUCORE_ERROR_INVALID_STATE, "cannot measure the time to " + recorded,
          cucore_event_elapsed, outside, event, &value);
    FAILS(CUCORE_ERROR_INVALID_STATE,
          "cannot wait for device 0 while a stream of it is being captured: nothing of the capture "
          "runs until the graph is launched; end the capture first",
          cucore_device_synchronize, device_);
    FAILS(CUCORE_ERROR_INVALID_STATE,
          "cannot reset device 0 while a stream of it is being captured; end the capture first",
          cucore_device_reset, device_);
    FAILS(CUCORE_ERROR_INVALID_STATE,
          "cannot let a stream that is being captured wait for work outside the capture; wait "
          "before the capture begins, or add a node that waits at each launch",
          cucore_stream_wait_event, stream_, outside);
    FAILS(CUCORE_ERROR_INVALID_STATE, "wait for work outside the capture",
          cucore_stream_wait_stream, stream_, runs_on_);
    // Work of other streams goes on, whatever the mode.
    MUST(cucore_event_query, outside, &done);
    MUST(cucore_event_synchronize, outside);
    MUST(cucore_stream_query, runs_on_, &done);
    MUST(cucore_stream_synchronize, runs_on_);
    fill(stream_, x, 5);
    run_graph(end());
    EXPECT_EQ(first(x), 5);
  }
}

TEST_F(StreamCapture, KeepsWhatItUses) {
  const Buffer result = make_floats(0);
  std::vector<float> values(COUNT, 3);
  Graph graph;
  {
    const Buffer x = make_floats(0);
    begin();
    MUST(cucore_buffer_write, x, 0, values.data(), BYTES, stream_);
    MUST(cucore_buffer_copy, result, 0, x, 0, BYTES, stream_);
    graph = end();
  }
  values.assign(COUNT, 99);  // the graph has its own copy
  const Executable executable = make_executable(graph);
  graph.reset();
  // Memory that was released would be used again here.
  std::vector<Buffer> others;
  for (int i = 0; i < 100; ++i) others.push_back(make_floats(50));
  for (int i = 0; i < 3; ++i) {
    fill(runs_on_, result, 0);
    MUST(cucore_executable_launch, executable, runs_on_);
    MUST(cucore_stream_synchronize, runs_on_);
    EXPECT_EQ(first(result), 3);
  }
}

TEST_F(StreamCapture, DropsWhatItUsesWithTheGraph) {
  if (!fake_) GTEST_SKIP() << "needs the counts of the scripted driver";
  MUST(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  const uint64_t graphs = fake_->live_objects("graph");
  {
    const Buffer x = make_floats(0);
    const float value = 3;
    begin();
    MUST(cucore_buffer_write, x, 0, &value, sizeof value, stream_);
    const Graph graph = end();
  }
  EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == before; }));
  EXPECT_EQ(fake_->live_objects("graph"), graphs);
}

TEST_F(StreamCapture, TakesKernelsWithTheirCodeAndBuffers) {
  const float a = 2;
  const uint32_t n = COUNT;
  const Buffer y = make_floats(1);
  Graph graph;
  {
    const Buffer x = make_floats(3);
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(a),
                                         {x.get(), CUCORE_ARGUMENT_OBJECT},
                                         {y.get(), CUCORE_ARGUMENT_OBJECT},
                                         CUCORE_ARGUMENT(n)};
    const cucore_launch_options options = grid(1, 32);
    begin();
    MUST(cucore_kernel_launch, saxpy_, stream_, &options, arguments, 4);
    graph = end();
  }
  saxpy_.reset();
  empty_.reset();
  code_.reset();
  EXPECT_EQ(kinds(graph), Kinds{CUCORE_NODE_KIND_KERNEL});
  run_graph(graph);
  EXPECT_EQ(first(y), runs_kernels() ? 7 : 1);
}

// Only the library can end the capture of a stream whose handle nobody has.
TEST_F(StreamCapture, NeedsOneCallOfTheDriverForALaunch) {
  if (!fake_) GTEST_SKIP() << "needs the counts of the scripted driver";
  const Stream own = make_stream(device_);
  const Buffer x = make_buffer(device_, BYTES, own), y = make_buffer(device_, BYTES, own);
  const float a = 2;
  const uint32_t n = COUNT;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a),
                                       {x.get(), CUCORE_ARGUMENT_OBJECT},
                                       {y.get(), CUCORE_ARGUMENT_OBJECT},
                                       CUCORE_ARGUMENT(n)};
  const cucore_launch_options options = grid(1, 32);
  begin(own);
  MUST(cucore_kernel_launch, saxpy_, own, &options, arguments, 4);
  const uint64_t before = fake_->total_calls();
  MUST(cucore_kernel_launch, saxpy_, own, &options, arguments, 4);
  EXPECT_EQ(fake_->total_calls(), before + 1);
  const Graph graph = end(own);
  EXPECT_EQ(kinds(graph), Kinds(2, CUCORE_NODE_KIND_KERNEL));
}

// A few buffers are held already, and more than a launch before has used.
TEST_F(StreamCapture, KeepsManyBuffersOnce) {
  if (!fake_) GTEST_SKIP() << "needs the counts of the scripted driver";
  MUST(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  Graph graph;
  {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 12; ++i) buffers.push_back(make_floats(0));
    begin();
    for (int round = 0; round < 3; ++round)
      for (const Buffer& buffer : buffers) fill(stream_, buffer, 1);
    graph = end();
  }
  MUST(cucore_stream_synchronize, stream_);
  EXPECT_EQ(fake_->live_objects("memory"), before + 12);
  graph.reset();
  EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == before; }));
}

TEST_F(StreamCapture, ForksAndJoins) {
  const Buffer x = make_floats(0), y = make_floats(0), z = make_floats(0);
  Stream a = make_stream(device_), b = make_stream(device_);
  begin();
  fill(stream_, x, 4);
  fork(a);
  MUST(cucore_stream_wait_stream, b, a);  // a fork of a fork
  EXPECT_TRUE(cucore_stream_is_capturing(a) && cucore_stream_is_capturing(b));
  MUST(cucore_buffer_copy, y, 0, x, 0, BYTES, a);
  MUST(cucore_buffer_copy, z, 0, x, 0, BYTES, b);
  cucore_graph* out = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "cannot end the capture in a stream that was forked into it; end it in the stream in which "
        "it began",
        cucore_stream_end_capture, a, &out);
  MUST(cucore_stream_wait_stream, a, b);
  join(a);
  // The capture keeps a stream that is released.
  a.reset();
  b.reset();
  fill(stream_, x, 9);
  const Graph graph = end();
  EXPECT_EQ(cucore_graph_node_count(graph), 4u);
  run_graph(graph);
  EXPECT_EQ(first(x), 9);
  EXPECT_EQ(first(y), 4);
  EXPECT_EQ(first(z), 4);
}

// The fan: each fill comes after the first one. The chain: each comes after the one before.
TEST_F(StreamCapture, MakesAFanAndAChainOfThousands) {
  constexpr int MANY = 1000;
  const Buffer words = make_buffer(device_, MANY * sizeof(int), stream_), last = make_floats(0);
  MUST(cucore_buffer_fill, words, 0, MANY * sizeof(int), "", 1, stream_);
  MUST(cucore_stream_synchronize, stream_);
  begin();
  fill(stream_, last, 0);
  const Nodes root = point();
  Nodes fan;
  for (int i = 0; i < MANY; ++i) {
    MUST(cucore_stream_set_capture_nodes, stream_, root.data(), root.size());
    MUST(cucore_buffer_fill, words, i * sizeof i, sizeof i, &i, sizeof i, stream_);
    fan.push_back(point().at(0));
  }
  MUST(cucore_stream_set_capture_nodes, stream_, fan.data(), fan.size());
  EXPECT_EQ(point(), fan);
  for (int i = 1; i <= MANY; ++i) fill(stream_, last, static_cast<float>(i));
  const Graph graph = end();
  EXPECT_EQ(cucore_graph_node_count(graph), 1u + 2 * MANY);
  EXPECT_EQ(query(graph, root[0]).dependent_count, static_cast<uint64_t>(MANY));
  run_graph(graph);
  EXPECT_EQ(first(last), MANY);
  std::vector<int> written(MANY), expected(MANY);
  std::iota(expected.begin(), expected.end(), 0);
  MUST(cucore_buffer_read, words, 0, written.data(), MANY * sizeof(int), stream_);
  EXPECT_EQ(written, expected);
}

TEST_F(StreamCapture, CountsStreamsThatAreNotJoined) {
  const Buffer x = make_floats(0), y = make_floats(0);
  const Stream a = make_stream(device_), b = make_stream(device_), c = make_stream(device_);
  const std::string rest = " with cucore_stream_wait_stream()";
  begin();
  fill(stream_, x, 1);
  fork(a), fork(b), fork(c);
  fill(a, y, 1);
  fill(b, y, 2);
  fill(c, y, 3);
  join(c);
  fails_to_end(
      "cannot end the capture: 2 streams were forked from it and not joined; let its stream wait "
      "for them" +
      rest);
  for (const cucore_stream* stream : {stream_.get(), a.get(), b.get(), c.get()}) {
    EXPECT_EQ(cucore_stream_is_capturing(stream), 0);
    fill(stream, y, 6);
    MUST(cucore_stream_synchronize, stream);
  }
  begin();
  fill(stream_, x, 1);
  fork(a);
  fill(a, y, 1);
  fails_to_end(
      "cannot end the capture: 1 stream was forked from it and not joined; let its stream wait for "
      "it" +
      rest);
  begin();
  fill(stream_, y, 8);
  run_graph(end());
  EXPECT_EQ(first(y), 8);
}

TEST_F(StreamCapture, RefusesStreamsOfAnotherCapture) {
  const Stream other = make_stream(device_);
  begin();
  begin(other);
  const std::string text =
      "cannot let a stream that is being captured wait for an event of another capture";
  FAILS(CUCORE_ERROR_INVALID_STATE, text, cucore_stream_wait_stream, stream_, other);
  FAILS(CUCORE_ERROR_INVALID_STATE, text, cucore_stream_wait_stream, other, stream_);
  end(other);
  end();
}

TEST_F(StreamCapture, GoesOnAfterAForkOfALegacyStreamIsRefused) {
  Stream legacy;
  MUST(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  begin();
  FAILS(
      CUCORE_ERROR_INVALID_STATE,
      "cannot let the legacy default stream of device 0 wait for a stream that is being captured; "
      "use another stream",
      cucore_stream_wait_stream, legacy, stream_);
  end();
}

TEST_F(StreamCapture, RecordsAndWaitsAtEachLaunch) {
  const Event start = make_event(device_, true), stop = make_event(device_, true);
  const Buffer x = make_floats(0);
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "cannot add a node that records an event: the stream is not being captured; record the "
        "event with cucore_event_record()",
        cucore_event_record_in_graph, start, stream_);
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "cannot add a node that waits for an event: the stream is not being captured; let it wait "
        "with cucore_stream_wait_event()",
        cucore_stream_wait_in_graph, stream_, start);
  begin();
  MUST(cucore_event_record_in_graph, start, stream_);
  fill(stream_, x, 1);
  MUST(cucore_event_record_in_graph, stop, stream_);
  MUST(cucore_stream_wait_in_graph, stream_, stop);
  const Graph graph = end();
  EXPECT_EQ(kinds(graph), (Kinds{CUCORE_NODE_KIND_RECORD, CUCORE_NODE_KIND_FILL,
                                 CUCORE_NODE_KIND_RECORD, CUCORE_NODE_KIND_WAIT}));
  run_graph(graph);
  int32_t done = 0;
  float milliseconds = -1;
  SUCCEEDS(cucore_event_query, stop, &done);
  EXPECT_EQ(done, 1);
  SUCCEEDS(cucore_event_elapsed, start, stop, &milliseconds);
  EXPECT_GE(milliseconds, 0);
}

TEST_F(StreamCapture, HasItsGraphAndNodesMeanwhile) {
  const Buffer x = make_floats(0), y = make_floats(0);
  begin();
  EXPECT_TRUE(point().empty());
  fill(stream_, x, 1);
  const Nodes first_point = point();
  ASSERT_EQ(first_point.size(), 1u);
  Graph under_way;
  SUCCEEDS(cucore_stream_capture_graph, stream_, under_way.out());
  const cucore_node by_hand = add_empty(under_way, first_point);
  cucore_node too_many[1] = {};
  size_t count = 0;
  const Nodes both{first_point[0], by_hand};
  SUCCEEDS(cucore_stream_set_capture_nodes, stream_, both.data(), both.size());
  FAILS(CUCORE_ERROR_BUFFER_TOO_SMALL, "capacity is 1; expected at least 2, the number of nodes",
        cucore_stream_capture_nodes, stream_, too_many, 1, &count);
  EXPECT_EQ(point(), both);
  const std::string text = " a graph into which a stream is being captured; end the capture first";
  cucore_executable* executable = nullptr;
  cucore_graph* copy = nullptr;
  cucore_node child = 0;
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot make an executable of" + text, cucore_executable_create,
        under_way, nullptr, &executable);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot clone" + text, cucore_graph_clone, under_way, &copy);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot add" + text, cucore_graph_add_child, graph_, nullptr, 0,
        under_way, &child);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot remove a node of" + text, cucore_graph_remove_node,
        under_way, by_hand);
  FAILS(CUCORE_ERROR_NOT_FOUND, "is not a node of the graph", cucore_stream_set_capture_nodes,
        stream_, Nodes{~uint64_t{0}}.data(), 1);
  fill(stream_, y, 2);
  const Graph graph = end();
  EXPECT_EQ(graph.get(), under_way.get());  // the same object
  ASSERT_EQ(cucore_graph_node_count(graph), 3u);
  cucore_node last = 0;
  MUST(cucore_graph_node_at, graph, 2, &last);
  EXPECT_EQ(query(graph, last).dependency_count, 2u);
  SUCCEEDS(cucore_graph_set_label, under_way, by_hand, "joined");
  run_graph(graph);
  EXPECT_EQ(first(y), 2);
}

TEST_F(StreamCapture, HasNoGraphIfOtherCodeBegan) {
  const NativeGraphs native;
  if (!native) GTEST_SKIP() << "the driver has no graphs";
  const Buffer x = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  ASSERT_EQ(native.begin(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  const std::string text = ": other code began the capture with the driver, and has its graph";
  cucore_graph* out = nullptr;
  size_t count = 7;
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot return the graph of the capture" + text,
        cucore_stream_capture_graph, stream_, &out);
  EXPECT_EQ(out, nullptr);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot return the nodes of the capture" + text,
        cucore_stream_capture_nodes, stream_, nullptr, 0, &count);
  EXPECT_EQ(count, 0u);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot set the nodes of the capture" + text,
        cucore_stream_set_capture_nodes, stream_, nullptr, 0);
  fill(stream_, x, 3);
  const Graph graph = end();  // the library ends it nevertheless
  EXPECT_EQ(kinds(graph), Kinds{CUCORE_NODE_KIND_FILL});
  run_graph(graph);
  EXPECT_EQ(first(x), 3);
}

// A query by the driver's own function is none of the library's calls.
TEST_F(StreamCapture, ReportsThatOtherCodeBrokeIt) {
  decltype(&::cuStreamQuery) query_stream = nullptr;
  NativeDriver().find("cuStreamQuery", query_stream);
  ASSERT_TRUE(query_stream);
  const Buffer x = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  for (const cucore_capture_mode mode : MODES) {
    begin(mode);
    fill(stream_, x, 1);
    EXPECT_NE(query_stream(static_cast<CUstream>(cucore_stream_native(stream_))), CUDA_SUCCESS);
    fails_to_end(
        "the capture was broken by other code (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED); nothing of "
        "it is kept");
    EXPECT_FALSE(is_captured());
  }
  begin();
  fill(stream_, x, 4);
  run_graph(end());
  EXPECT_EQ(first(x), 4);
}

// Bare addresses have no owner that could free them in the graph.
TEST_F(StreamCapture, RefusesAddressesOfPools) {
  int32_t has_pools = 0;
  MUST(cucore_device_attribute, device_, CUCORE_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
       &has_pools);
  if (!has_pools) GTEST_SKIP() << "the device has no pools";
  const Pool pool = make_pool(device_);
  uint64_t address = 0, other = 7;
  MUST(cucore_pool_allocate, pool, 8, stream_, &address);
  MUST(cucore_stream_synchronize, stream_);
  const std::string text =
      " on a stream of device 0: it is captured into a graph; create a buffer, or do it before the "
      "capture";
  begin();
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot allocate from a pool" + text, cucore_pool_allocate,
        pool, 8, stream_, &other);
  EXPECT_EQ(other, 0u);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot free memory of a pool" + text, cucore_pool_free, pool,
        address, 8, stream_);
  EXPECT_EQ(cucore_graph_node_count(end()), 0u);
  SUCCEEDS(cucore_pool_free, pool, address, 8, stream_);
}

TEST_F(StreamCapture, HasNoGraphOutsideOne) {
  cucore_graph* out = nullptr;
  size_t count = 0;
  const std::string text = ": the stream is not being captured; begin a capture first";
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot return the graph of the capture" + text,
        cucore_stream_capture_graph, stream_, &out);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot return the nodes of the capture" + text,
        cucore_stream_capture_nodes, stream_, nullptr, 0, &count);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot set the nodes of the capture" + text,
        cucore_stream_set_capture_nodes, stream_, nullptr, 0);
}

TEST_F(StreamCapture, GoesIntoAGraph) {
  const Buffer x = make_floats(0), y = make_floats(0);
  const cucore_node start = add_fill({}, x, 6);
  if (!has_capture_into()) {
    cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
    options.into = graph_;
    FAILS(CUCORE_ERROR_UNSUPPORTED,
          "captures into a graph need a driver of CUDA 12.3; " + served() +
              " "
              "(cuStreamBeginCaptureToGraph is missing)",
          cucore_stream_begin_capture, stream_, &options);
    EXPECT_FALSE(is_captured());
    return;
  }
  begin_into(graph_, {start});
  MUST(cucore_buffer_copy, y, 0, x, 0, BYTES, stream_);
  EXPECT_EQ(end().get(), graph_.get());
  ASSERT_EQ(cucore_graph_node_count(graph_), 2u);
  EXPECT_EQ(after(start).size(), 1u);
  begin_into(graph_, after(start));  // continued
  fill(stream_, x, 1);
  end();
  EXPECT_EQ(cucore_graph_node_count(graph_), 3u);
  run_graph(graph_);
  EXPECT_EQ(first(y), 6);
  EXPECT_EQ(first(x), 1);
  cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
  const cucore_node wrong = ~uint64_t{0};
  options.into = graph_;
  options.after = &wrong;
  options.after_count = 1;
  FAILS(CUCORE_ERROR_NOT_FOUND, "is not a node of the graph", cucore_stream_begin_capture, stream_,
        &options);
  EXPECT_FALSE(is_captured());
}

TEST_F(StreamCapture, AllocatesAndFreesAtEachLaunch) {
  const Buffer result = make_floats(0);
  for (const bool from_pool : {false, true}) {
    begin();
    Buffer memory;
    if (from_pool) {
      const Pool pool = make_pool(device_);
      SUCCEEDS(cucore_buffer_from_pool, pool, BYTES, stream_, memory.out());
    } else {
      SUCCEEDS(cucore_buffer_create, device_, BYTES, stream_, memory.out());
    }
    fill(stream_, memory, 11);
    MUST(cucore_buffer_copy, result, 0, memory, 0, BYTES, stream_);
    memory.reset();
    const Graph graph = end();
    EXPECT_EQ(cucore_graph_node_count(graph), 4u);  // with the allocation and the free
    const Executable executable = make_executable(graph);
    for (int i = 0; i < 3; ++i) {
      fill(runs_on_, result, 0);
      MUST(cucore_executable_launch, executable, runs_on_);
      MUST(cucore_stream_synchronize, runs_on_);
      EXPECT_EQ(first(result), 11);
    }
  }
}

TEST_F(StreamCapture, RefusesExecutablesAndGoesOn) {
  const Buffer x = make_floats(0);
  add_fill({}, x, 3);
  const Executable inner = make_executable(graph_);
  for (const cucore_capture_mode mode : MODES) {
    begin(stream_, mode);
    fill(stream_, x, 1);
    FAILS(CUCORE_ERROR_INVALID_STATE,
          "cannot launch an executable in a stream that is being captured: nothing runs until the "
          "graph is launched; end the capture first",
          cucore_executable_launch, inner, stream_);
    FAILS(CUCORE_ERROR_INVALID_STATE,
          "cannot upload an executable in a stream that is being captured",
          cucore_executable_upload, inner, stream_);
    const Graph graph = end();
    EXPECT_EQ(kinds(graph), Kinds{CUCORE_NODE_KIND_FILL});
    run_graph(graph);
    EXPECT_EQ(first(x), 1);
  }
  MUST(cucore_executable_launch, inner, stream_);
  EXPECT_EQ(first(x), 3);
}

// The driver's event of an event that is released serves the next one, with its record.
TEST_F(StreamCapture, GoesOnAfterAWaitForAnEventWithoutARecord) {
  Event used = make_event(device_);
  const Stream other = make_stream(device_);
  MUST(cucore_event_record, used, other);
  MUST(cucore_event_synchronize, used);
  used.reset();
  const Event unused = make_event(device_);
  begin(stream_, CUCORE_CAPTURE_MODE_RELAXED);
  SUCCEEDS(cucore_stream_wait_event, stream_, unused);
  Graph graph;
  SUCCEEDS(cucore_stream_end_capture, stream_, graph.out());
  EXPECT_EQ(cucore_graph_node_count(graph), 0u);
}

TEST_F(StreamCapture, TimesNoEventsOfAGraphThatWasNotLaunched) {
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.timing = 1;
  options.blocking_sync = 1;  // no idle event has these options
  Event start, end;
  MUST(cucore_event_create, device_, &options, start.out());
  MUST(cucore_event_create, device_, &options, end.out());
  begin(stream_, CUCORE_CAPTURE_MODE_RELAXED);
  MUST(cucore_event_record_in_graph, start, stream_);
  MUST(cucore_event_record_in_graph, end, stream_);
  Graph graph;
  MUST(cucore_stream_end_capture, stream_, graph.out());
  float milliseconds = 0;
  FAILS(CUCORE_ERROR_INVALID_STATE, "both events were never recorded", cucore_event_elapsed, start,
        end, &milliseconds);
}

TEST_F(StreamCapture, EndsWithItsStream) {
  struct Log {
    std::mutex mutex;
    std::string text;
  } log;
  const auto receive = [](cucore_log_level, const char* message, void* data) {
    Log& to = *static_cast<Log*>(data);
    const std::lock_guard lock(to.mutex);
    to.text += message;
  };
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_WARNING, &log, nullptr);
  const Buffer x = make_floats(0);
  Graph lost;
  for (const cucore_capture_mode mode : MODES) {
    Stream stream = make_stream(device_);
    Buffer of_stream = make_buffer(device_, BYTES, stream);  // keeps the stream
    begin(stream, mode);
    fill(stream, of_stream, 1);
    SUCCEEDS(cucore_stream_capture_graph, stream, lost.out());
    stream.reset();
    of_stream.reset();
    MUST(cucore_device_synchronize, device_);  // no capture is left
  }
  SUCCEEDS(cucore_log_set_callback, nullptr, CUCORE_LOG_ERROR, nullptr, nullptr);
  EXPECT_EQ(log.text.find("a stream of device 0 was released while it was captured; its capture "
                          "ends, and nothing of it is kept"),
            0u)
      << log.text;
  cucore_node node = 0;
  FAILS(CUCORE_ERROR_INVALID_STATE, "the graph ended with a capture", cucore_graph_add_empty, lost,
        nullptr, 0, &node);
}

TEST_F(StreamCapture, ReportsWhatBrokeItOnce) {
  cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
  options.nonblocking = CUCORE_TOGGLE_OFF;
  Stream blocking, legacy;
  MUST(cucore_stream_create, device_, &options, blocking.out());
  MUST(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  const Buffer x = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  for (const cucore_capture_mode mode : MODES) {
    begin(blocking, mode);
    fill(blocking, x, 1);
    Graph under_way;
    MUST(cucore_stream_capture_graph, blocking, under_way.out());
    FAILS_ONCE(CUCORE_ERROR_INVALID_STATE, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", cucore_buffer_fill,
               x, 0, BYTES, "x", 1, legacy);
    size_t count = 0;
    FAILS(CUCORE_ERROR_INVALID_STATE,
          "cannot return the nodes of the capture: the capture is broken; end it for the reason",
          cucore_stream_capture_nodes, blocking, nullptr, 0, &count);
    cucore_graph* out = nullptr;
    FAILS_ONCE(CUCORE_ERROR_INVALID_STATE,
               "the capture was broken by CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, in the attempt to |"
               "device 0; nothing of it is kept",
               cucore_stream_end_capture, blocking, &out);
    FAILS_ONCE(CUCORE_ERROR_INVALID_STATE, "the stream is not being captured",
               cucore_stream_end_capture, blocking, &out);
    EXPECT_EQ(cucore_graph_node_count(under_way), 0u);
    begin(blocking, mode);  // the stream is usable again
    fill(blocking, x, 4);
    const Graph graph = end(blocking);
    run_graph(graph);
    EXPECT_EQ(first(x), 4);
  }
}

// Two captures at once on two threads; a third one allocates, waits and loads code meanwhile.
TEST_F(StreamCapture, GoesOnBesideOtherThreads) {
  constexpr int ROUNDS = 10;
  for (const cucore_capture_mode mode : MODES) {
    std::atomic<int> running{2};
    const auto capture = [&] {
      const Stream stream = make_stream(device_), fork = make_stream(device_);
      for (int i = 0; i < ROUNDS; ++i) {
        const Buffer x = make_buffer(device_, BYTES, runs_on_);
        const Buffer y = make_buffer(device_, BYTES, runs_on_);
        begin(stream, mode);
        fill(stream, x, 1);
        MUST(cucore_stream_wait_stream, fork, stream);
        MUST(cucore_buffer_copy, y, 0, x, 0, BYTES, fork);
        const Buffer pinned = [&] {
          Buffer made;
          MUST(cucore_buffer_create_pinned, device_, 64, made.out());
          return made;
        }();
        MUST(cucore_stream_wait_stream, stream, fork);
        const Graph graph = end(stream);
        EXPECT_EQ(cucore_graph_node_count(graph), 2u);
        const Executable executable = make_executable(graph);
        MUST(cucore_executable_launch, executable, fork);
        MUST(cucore_stream_synchronize, fork);
      }
      --running;
    };
    std::thread first_thread(capture), second_thread(capture);
    const Stream stream = make_stream(device_);
    const Event event = make_event(device_);
    while (running != 0) {
      Buffer pinned;
      MUST(cucore_buffer_create_pinned, device_, 64, pinned.out());
      const Buffer buffer = make_buffer(device_, 64, stream);
      fill(stream, buffer, 1);
      MUST(cucore_event_record, event, stream);
      MUST(cucore_event_synchronize, event);
      const Code code = make_ptx_code();
      MUST(cucore_objectcode_load, code, device_);
      MUST(cucore_stream_synchronize, stream);
    }
    first_thread.join();
    second_thread.join();
  }
}

// Finalisers release memory in the order of a stream while a capture of the stream begins. The
// library's thread does so after the end of a graph.
TEST_F(StreamCapture, TakesInNoReleasesOfOtherThreads) {
  constexpr size_t COUNT = 3000;
  std::vector<Buffer> buffers, also_used;
  for (size_t i = 0; i < COUNT; ++i) {
    buffers.push_back(make_buffer(device_, 64, stream_));
    also_used.push_back(make_buffer(device_, 64, stream_));
    MUST(cucore_buffer_record_use, also_used.back(), runs_on_);
  }
  std::atomic<bool> is_running{true};
  std::thread finaliser([&] {
    while (!buffers.empty()) {
      buffers.pop_back();
      also_used.pop_back();
    }
    is_running = false;
  });
  size_t captures = 0;
  for (; is_running || captures < 100; ++captures) {
    begin();
    if (captures % 2 == 0) fork(runs_on_);
    if (captures % 2 == 0) MUST(cucore_stream_wait_stream, stream_, runs_on_);
    const Graph graph = end();
    EXPECT_EQ(cucore_graph_node_count(graph), 0u) << captures;
    if (HasFailure()) break;
  }
  finaliser.join();
}

}  // namespace
