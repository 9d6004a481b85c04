// SPDX-License-Identifier: Apache-2.0
// Calls that few captures contain: words, access windows, the streams and the uses of buffers, and
// semaphores. Each one becomes a node, adds nothing, or is refused before the driver sees it.
#include <cuda.h>

#include <chrono>
#include <string>
#include <thread>

#include "completion_testing.hpp"
#include "external_testing.hpp"
#include "graph_testing.hpp"
#include "native_driver.hpp"

namespace {

using namespace capi_test;

class CapturedCalls : public OnGraph {
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

  // The strictest mode, in which each unsafe call breaks the capture.
  void begin() const {
    cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
    options.mode = CUCORE_CAPTURE_MODE_PROCESS;
    MUST(cucore_stream_begin_capture, stream_, &options);
  }
  Graph end() const {
    Graph graph;
    MUST(cucore_stream_end_capture, stream_, graph.out());
    return graph;
  }
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
  Buffer make_words() const {
    Buffer buffer;
    MUST(cucore_buffer_create_pinned, device_, 16, buffer.out());
    MUST(cucore_buffer_fill, buffer, 0, 16, "", 1, runs_on_);
    MUST(cucore_stream_synchronize, runs_on_);
    return buffer;
  }
  uint64_t word(const cucore_buffer* buffer, size_t offset, size_t size) const {
    uint64_t value = 0;
    MUST(cucore_buffer_read, buffer, offset, &value, size, runs_on_);
    return value;
  }

  Stream runs_on_;
};

using Kinds = std::vector<cucore_node_kind>;

TEST_F(CapturedCalls, ThatWriteWordsAreNodes) {
  const Buffer words = make_words();
  begin();
  SUCCEEDS(cucore_stream_write_value, stream_, words, 4, 0xfffffffeu, 4);
  SUCCEEDS(cucore_stream_write_value, stream_, words, 8, 0x123456789abcdef0u, 8);
  const Graph graph = end();
  EXPECT_EQ(kinds(graph), Kinds(2, CUCORE_NODE_KIND_VALUE));
  EXPECT_EQ(word(words, 4, 4), 0u);  // nothing has run
  EXPECT_EQ(word(words, 8, 8), 0u);
  for (int i = 0; i < 2; ++i) {
    run_graph(graph);
    EXPECT_EQ(word(words, 0, 4), 0u);
    EXPECT_EQ(word(words, 4, 4), 0xfffffffeu);
    EXPECT_EQ(word(words, 8, 8), 0x123456789abcdef0u);
    MUST(cucore_buffer_fill, words, 0, 16, "", 1, runs_on_);
  }
}

TEST_F(CapturedCalls, ThatWaitForWordsAreNodes) {
  const Buffer words = make_words(), x = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  const float two = 2;
  begin();
  SUCCEEDS(cucore_stream_wait_value, stream_, words, 0, 5, 4, CUCORE_COMPARISON_EQUAL);
  SUCCEEDS(cucore_stream_wait_value, stream_, words, 8, uint64_t{1} << 40, 8,
           CUCORE_COMPARISON_GREATER_EQUAL);
  MUST(cucore_buffer_fill, x, 0, BYTES, &two, sizeof two, stream_);
  const Graph graph = end();
  EXPECT_EQ(kinds(graph),
            (Kinds{CUCORE_NODE_KIND_VALUE, CUCORE_NODE_KIND_VALUE, CUCORE_NODE_KIND_FILL}));
  const Executable executable = make_executable(graph);
  MUST(cucore_executable_launch, executable, runs_on_);
  if (!fake_) {  // the scripted driver does the work of a launch at once
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    int32_t done = 1;
    SUCCEEDS(cucore_stream_query, runs_on_, &done);
    EXPECT_EQ(done, 0);
  }
  const Stream other = make_stream(device_);
  SUCCEEDS(cucore_stream_write_value, other, words, 0, 5, 4);
  SUCCEEDS(cucore_stream_write_value, other, words, 8, uint64_t{1} << 41, 8);
  SUCCEEDS(cucore_stream_synchronize, runs_on_);
  EXPECT_EQ(first(x), 2);
}

TEST_F(CapturedCalls, WithWordsKeepTheirBuffers) {
  const Buffer result = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  Buffer words = make_words();
  begin();
  SUCCEEDS(cucore_stream_write_value, stream_, words, 0, 7, 4);
  SUCCEEDS(cucore_stream_wait_value, stream_, words, 0, 7, 4, CUCORE_COMPARISON_EQUAL);
  MUST(cucore_buffer_copy, result, 0, words, 0, BYTES, stream_);
  words.reset();
  const Graph graph = end();
  std::vector<Buffer> others;  // would get memory that was released
  for (int i = 0; i < 10; ++i) others.push_back(make_words());
  run_graph(graph);
  EXPECT_EQ(word(result, 0, 4), 7u);
}

TEST_F(CapturedCalls, WithWordsThatAreRefusedLeaveTheCapture) {
  const Buffer words = make_words();
  Buffer pooled;
  if (!fake_)
    pooled = make_buffer(device_, 16, runs_on_);  // the scripted driver accepts all memory
  begin();
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "offset is 2; expected a multiple of 4",
        cucore_stream_write_value, stream_, words, 2, 1, 4);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "comparison is 5; expected a cucore_comparison, 1 to 4",
        cucore_stream_wait_value, stream_, words, 0, 1, 4, static_cast<cucore_comparison>(5));
  if (pooled.get()) {
    const std::string reason =
        " of a buffer on device 0: the driver accepts no word in memory of a pool; use a pinned "
        "buffer, of cucore_buffer_create_pinned()";
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cannot write 4 bytes" + reason, cucore_stream_write_value,
          stream_, pooled, 0, 1, 4);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cannot wait for 8 bytes" + reason,
          cucore_stream_wait_value, stream_, pooled, 8, 1, 8, CUCORE_COMPARISON_EQUAL);
  }
  SUCCEEDS(cucore_stream_write_value, stream_, words, 0, 3, 4);
  const Graph graph = end();
  EXPECT_EQ(kinds(graph), Kinds{CUCORE_NODE_KIND_VALUE});
  run_graph(graph);
  EXPECT_EQ(word(words, 0, 4), 3u);
}

// The window is a setting of the stream, so it makes no node.
TEST_F(CapturedCalls, ThatSetAccessWindowsAddNothing) {
  const Buffer buffer = make_buffer(device_, 4096, runs_on_);
  cucore_access_window window{};
  window.buffer = buffer;
  window.size = 1024;
  window.hit_ratio = 1;
  window.hit = CUCORE_ACCESS_PROPERTY_PERSISTING;
  int32_t most = 0;
  MUST(cucore_device_attribute, device_,
       static_cast<cucore_device_attribute_name>(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE),
       &most);
  const cucore_launch_options options = grid(1, 32);
  begin();
  if (most == 0)
    FAILS(CUCORE_ERROR_UNSUPPORTED, "has no access windows", cucore_stream_set_access_window,
          stream_, &window);
  else
    SUCCEEDS(cucore_stream_set_access_window, stream_, &window);
  SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
  SUCCEEDS(cucore_stream_set_access_window, stream_, nullptr);
  window.size = static_cast<size_t>(most) + 1;
  const std::string refused = most == 0
                                  ? "has no access windows"
                                  : "cucore_access_window.size is " + std::to_string(most + 1);
  FAILS(most == 0 ? CUCORE_ERROR_UNSUPPORTED : CUCORE_ERROR_INVALID_ARGUMENT, refused,
        cucore_stream_set_access_window, stream_, &window);
  const Graph graph = end();
  EXPECT_EQ(kinds(graph), Kinds{CUCORE_NODE_KIND_KERNEL});
  run_graph(graph);
}

// The memory is freed in the order of the stream after the capture.
TEST_F(CapturedCalls, ThatMoveABufferToACapturedStreamAddNothing) {
  const Buffer result = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_ ? fake_->live_objects("memory") : 0;
  Buffer buffer = make_buffer(device_, BYTES, runs_on_),
         unused = make_buffer(device_, 16, runs_on_);
  const float six = 6;
  begin();
  SUCCEEDS(cucore_buffer_set_stream, buffer, stream_);
  SUCCEEDS(cucore_buffer_set_stream, unused, stream_);
  MUST(cucore_buffer_fill, buffer, 0, BYTES, &six, sizeof six, stream_);
  MUST(cucore_buffer_copy, result, 0, buffer, 0, BYTES, stream_);
  buffer.reset();
  unused.reset();  // adds no node that frees: the memory is not that of the graph
  Graph graph = end();
  EXPECT_EQ(kinds(graph), (Kinds{CUCORE_NODE_KIND_FILL, CUCORE_NODE_KIND_COPY}));
  for (int i = 0; i < 2; ++i) {
    run_graph(graph);
    EXPECT_EQ(first(result), 6);
  }
  if (!fake_) return;
  EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == before + 1; }));
  graph.reset();
  EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == before; }));
}

// The release adds its node to the other stream.
TEST_F(CapturedCalls, ThatMoveMemoryOfTheCaptureToAForkFreeItThere) {
  const Stream fork = make_stream(device_);
  const float one = 1;
  begin();
  Buffer memory;
  SUCCEEDS(cucore_buffer_create, device_, BYTES, stream_, memory.out());
  MUST(cucore_stream_wait_stream, fork, stream_);
  MUST(cucore_buffer_fill, memory, 0, BYTES, &one, sizeof one, fork);
  SUCCEEDS(cucore_buffer_set_stream, memory, fork);
  memory.reset();
  MUST(cucore_stream_wait_stream, stream_, fork);
  const Graph graph = end();
  EXPECT_EQ(kinds(graph),
            (Kinds{CUCORE_NODE_KIND_ALLOCATION, CUCORE_NODE_KIND_FILL, CUCORE_NODE_KIND_FREE}));
  cucore_node nodes[3] = {}, before = 0;
  size_t count = 0;
  for (size_t i = 0; i < 3; ++i) MUST(cucore_graph_node_at, graph, i, &nodes[i]);
  SUCCEEDS(cucore_graph_dependencies, graph, nodes[2], &before, 1, &count);
  EXPECT_EQ(before, nodes[1]);
  for (int i = 0; i < 2; ++i) run_graph(graph);
}

// The work has only the address; the graph keeps the buffer because its use was recorded.
TEST_F(CapturedCalls, ThatRecordAUseKeepTheBuffer) {
  const Buffer result = make_floats(0);
  Stream borrowed;
  MUST(cucore_stream_from_native, device_, cucore_stream_native(stream_), borrowed.out());
  MUST(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_ ? fake_->live_objects("memory") : 0;
  for (const bool is_own : {true, false})
    for (const bool is_borrowed : {true, false}) {
      SCOPED_TRACE(testing::Message() << is_own << is_borrowed);
      MUST(cucore_buffer_fill, result, 0, BYTES, "", 1, stream_);
      MUST(cucore_stream_synchronize, stream_);
      Buffer buffer = make_buffer(device_, BYTES, is_own ? stream_ : runs_on_), view;
      MUST(cucore_buffer_from_native, device_, cucore_buffer_address(buffer), BYTES, view.out());
      const float six = 6;
      begin();
      MUST(cucore_buffer_fill, view, 0, BYTES, &six, sizeof six, stream_);
      MUST(cucore_buffer_copy, result, 0, view, 0, BYTES, stream_);
      SUCCEEDS(cucore_buffer_record_use, buffer, is_borrowed ? borrowed : stream_);
      Graph graph = end();
      EXPECT_EQ(kinds(graph), (Kinds{CUCORE_NODE_KIND_FILL, CUCORE_NODE_KIND_COPY}));
      buffer.reset();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (fake_) {
        EXPECT_EQ(fake_->live_objects("memory"), before + 1) << "freed under a graph";
      }
      Executable executable = make_executable(graph);
      graph.reset();
      MUST(cucore_executable_launch, executable, runs_on_);
      SUCCEEDS(cucore_stream_synchronize, runs_on_);
      EXPECT_EQ(first(result), 6);
      if (!fake_) continue;
      executable.reset();
      EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == before; }));
    }
}

TEST_F(CapturedCalls, ThatRecordAUseLetItEndWithTheGraph) {
  NEEDS_FAKE_DRIVER();
  MUST(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  Buffer buffer = make_buffer(device_, BYTES, runs_on_);
  begin();
  SUCCEEDS(cucore_buffer_record_use, buffer, stream_);
  buffer.reset();
  Graph graph = end();
  EXPECT_EQ(fake_->live_objects("memory"), before + 1);
  graph.reset();
  EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == before; }));
}

// The driver considers both calls unsafe.
TEST_F(CapturedCalls, ThatImportAndReleaseSemaphoresLeaveTheCapture) {
  const Buffer x = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  const OtherSide other(false);
  const float two = 2;
  begin();
  External semaphore = make_semaphore(device_, other, false);
  semaphore.reset();
  cucore_external* none = nullptr;
  EXPECT_NE(cucore_external_semaphore_from_descriptor(device_, 1 << 20, 0, &none, nullptr),
            CUCORE_OK);
  MUST(cucore_buffer_fill, x, 0, BYTES, &two, sizeof two, stream_);
  run_graph(end());
  EXPECT_EQ(first(x), 2);
}

TEST_F(CapturedCalls, TakeWordsOfADeviceWithoutPools) {
  NEEDS_FAKE_DRIVER();
  constexpr int32_t MEMORY_POOLS_SUPPORTED = 115;
  fake_->set_device_count(3);
  fake_->set_attribute(2, MEMORY_POOLS_SUPPORTED, 0);
  const Device device = open_device(2);
  const Stream stream = make_stream(device);
  const Buffer buffer = make_buffer(device, 16, stream);
  MUST(cucore_stream_begin_capture, stream, nullptr);
  SUCCEEDS(cucore_stream_write_value, stream, buffer, 0, 1, 4);
  Graph graph;
  MUST(cucore_stream_end_capture, stream, graph.out());
  EXPECT_EQ(kinds(graph), Kinds{CUCORE_NODE_KIND_VALUE});
}

// Other code may have added work before the capture, and that work still runs.
TEST_F(CapturedCalls, ThatRecordAUseWaitForEarlierWork) {
  NEEDS_FAKE_DRIVER();
  const Stream handed_out = make_stream(device_);
  (void)cucore_stream_native(handed_out);
  const uint64_t before = fake_->live_objects("host_memory");
  for (const cucore_stream* stream : {stream_.get(), handed_out.get()}) {
    Buffer buffer;
    MUST(cucore_buffer_create_pinned, device_, 16, buffer.out());
    fake_->hold_streams(1);
    MUST(cucore_stream_begin_capture, stream, nullptr);
    SUCCEEDS(cucore_buffer_record_use, buffer, stream);
    Graph graph;
    MUST(cucore_stream_end_capture, stream, graph.out());
    graph.reset();
    buffer.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(fake_->live_objects("host_memory"), before + 1) << "freed under a kernel";
    fake_->hold_streams(0);
    EXPECT_TRUE(comes_true([&] { return fake_->live_objects("host_memory") == before; }));
  }
}

// A wait for the whole device could break a capture that other code has begun in its own stream.
TEST_F(CapturedCalls, ThatRecordAUseInABorrowedStreamWaitForNoDevice) {
  NEEDS_FAKE_DRIVER();
  const Stream handed_out = make_stream(device_);
  Stream borrowed;
  MUST(cucore_stream_from_native, device_, cucore_stream_native(handed_out), borrowed.out());
  Buffer buffer = make_buffer(device_, 16, stream_);
  MUST(cucore_stream_begin_capture, borrowed, nullptr);
  SUCCEEDS(cucore_buffer_record_use, buffer, borrowed);
  Graph graph;
  MUST(cucore_stream_end_capture, borrowed, graph.out());
  const uint64_t freed = fake_->call_count("cuMemFreeAsync");
  const uint64_t waits = fake_->call_count("cuCtxSynchronize");
  buffer.reset();
  graph.reset();
  EXPECT_TRUE(comes_true([&] { return fake_->call_count("cuMemFreeAsync") == freed + 1; }));
  EXPECT_EQ(fake_->call_count("cuCtxSynchronize"), waits);
}

// The driver refuses each call on the legacy stream during the capture of a blocking one.
class CapturedBlockingStream : public CapturedCalls {
 protected:
  void SetUp() override {
    CapturedCalls::SetUp();
    if (IsSkipped()) return;
    cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
    options.nonblocking = CUCORE_TOGGLE_OFF;
    MUST(cucore_stream_create, device_, &options, blocking_.out());
    MUST(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy_.out());
  }
  void TearDown() override {
    blocking_.reset(), legacy_.reset();
    CapturedCalls::TearDown();
  }
  Graph end() const {
    Graph graph;
    MUST(cucore_stream_end_capture, blocking_, graph.out());
    return graph;
  }
  Stream blocking_, legacy_;
};

TEST_F(CapturedBlockingStream, IsLeftByTheRecordOfAUseOfTheLegacyStream) {
  Buffer buffer;
  MUST(cucore_buffer_create_pinned, device_, BYTES, buffer.out());
  const uint64_t live = fake_ ? fake_->live_objects("host_memory") : 0;
  MUST(cucore_stream_begin_capture, blocking_, nullptr);
  if (fake_) fake_->hold_streams(1);
  SUCCEEDS(cucore_buffer_record_use, buffer, legacy_);
  buffer.reset();
  if (fake_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(fake_->live_objects("host_memory"), live) << "freed under a kernel";
    fake_->hold_streams(0);
  }
  EXPECT_EQ(cucore_graph_node_count(end()), 0u);
  EXPECT_TRUE(comes_true([&] { return !fake_ || fake_->live_objects("host_memory") == live - 1; }));
}

TEST_F(CapturedBlockingStream, IsNotAskedForUsesOfABufferOnItsOwnStream) {
  const Buffer buffer = make_buffer(device_, BYTES, legacy_);
  MUST(cucore_stream_begin_capture, blocking_, nullptr);
  const uint64_t before = fake_ ? fake_->total_calls() : 0;
  SUCCEEDS(cucore_buffer_record_use, buffer, legacy_);
  EXPECT_EQ(fake_ ? fake_->total_calls() : 0, before);
  EXPECT_EQ(cucore_graph_node_count(end()), 0u);
}

// The refused call did not break the capture; other code does so later.
TEST_F(CapturedBlockingStream, IsNotBrokenByAQuery) {
  const Queue queue = make_queue();
  decltype(&::cuStreamQuery) query_stream = nullptr;
  NativeDriver().find("cuStreamQuery", query_stream);
  ASSERT_TRUE(query_stream);
  MUST(cucore_stream_begin_capture, blocking_, nullptr);
  cucore_future* future = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "query whether the legacy default stream of device 0 is being captured: "
        "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
        cucore_future_from_stream, legacy_, queue, 1, &future);
  EXPECT_NE(query_stream(static_cast<CUstream>(cucore_stream_native(blocking_))), CUDA_SUCCESS);
  cucore_graph* graph = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "the capture was broken by other code (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)",
        cucore_stream_end_capture, blocking_, &graph);
}

}  // namespace
