// SPDX-License-Identifier: Apache-2.0
// Nodes that write words and wait for them, queued host functions as nodes, and numbers of nodes
// for profilers.
#include <cstdlib>
#include <cstring>
#include <thread>

#include "graph_testing.hpp"

namespace {

using namespace capi_test;

class GraphWords : public OnGraph {
 protected:
  cucore_node add_value(const Nodes& after, const Buffer& buffer, size_t offset, uint64_t value,
                        size_t size, int32_t comparison = 0) const {
    cucore_node node = 0;
    MUST(cucore_graph_add_value, graph_, after.data(), after.size(), buffer, offset, value, size,
         comparison, &node);
    return node;
  }
  Buffer make_words() const {
    Buffer buffer;
    MUST(cucore_buffer_create_pinned, device_, 16, buffer.out());
    MUST(cucore_buffer_fill, buffer, 0, 16, "", 1, stream_);
    return buffer;
  }
  uint64_t word(const Buffer& buffer, size_t offset, size_t size) const {
    uint64_t value = 0;
    MUST(cucore_buffer_read, buffer, offset, &value, size, stream_);
    return value;
  }
};

TEST_F(GraphWords, AreWritten) {
  const Buffer words = make_words();
  const cucore_node wide = add_value({}, words, 8, UINT64_MAX - 1, 8);
  const cucore_node narrow = add_value({wide}, words, 4, 7, 4);
  const cucore_node_info info = query(narrow);
  EXPECT_EQ(info.kind, CUCORE_NODE_KIND_VALUE);
  EXPECT_EQ(info.destination, cucore_buffer_address(words) + 4);
  EXPECT_EQ(info.size, 4u);
  EXPECT_EQ(info.pattern, 7u);
  EXPECT_EQ(info.pattern_size, 4u);
  EXPECT_EQ(info.comparison, 0);
  EXPECT_EQ(info.reserved_0, 0);
  EXPECT_NE(dot(graph_).find(": value\\n4 bytes"), std::string::npos) << dot(graph_);
  run();
  EXPECT_EQ(word(words, 0, 4), 0u);
  EXPECT_EQ(word(words, 4, 4), 7u);
  EXPECT_EQ(word(words, 8, 8), UINT64_MAX - 1);
}

TEST_F(GraphWords, AreKeptByTheirGraph) {
  Buffer words = make_words(), result = make_words();
  const cucore_node write = add_value({}, words, 0, 5, 4);
  cucore_node copy = 0;
  MUST(cucore_graph_add_copy, graph_, &write, 1, result, 0, words, 0, 16, &copy);
  words.reset();
  run();
  EXPECT_EQ(word(result, 0, 4), 5u);
}

// Each comparison holds the work after the node until another stream writes the word.
TEST_F(GraphWords, AreWaitedFor) {
  if (fake_) GTEST_SKIP() << "the scripted driver does the work of a launch at once";
  const struct {
    cucore_comparison comparison;
    uint64_t first, compared, last;
  } cases[] = {{CUCORE_COMPARISON_GREATER_EQUAL, 1, 3, 4},
               {CUCORE_COMPARISON_EQUAL, 4, 3, 3},
               {CUCORE_COMPARISON_ANY_BIT, 4, 3, 2},
               {CUCORE_COMPARISON_NOR, UINT64_MAX, 3, 4}};
  const Stream other = make_stream(device_);
  // Made once: a free between two cases could wait for the launch of the second, and calls for it.
  const Buffer words = make_words();
  for (const auto& each : cases) {
    const Graph graph = make_graph(device_);
    const Buffer done = make_floats(0);
    cucore_node wait = 0, fill = 0;
    MUST(cucore_graph_add_value, graph, nullptr, 0, words, 0, each.compared, 8, each.comparison,
         &wait);
    EXPECT_EQ(query(graph, wait).comparison, each.comparison);
    const float one = 1;
    MUST(cucore_graph_add_fill, graph, &wait, 1, done, 0, BYTES, &one, 4, &fill);
    MUST(cucore_stream_write_value, stream_, words, 0, each.first, 8);
    const Executable executable = make_executable(graph);
    MUST(cucore_stream_synchronize, stream_);
    MUST(cucore_executable_launch, executable, stream_);
    int32_t is_done = 1;
    MUST(cucore_stream_query, stream_, &is_done);
    EXPECT_EQ(is_done, 0) << each.comparison;
    MUST(cucore_stream_write_value, other, words, 0, each.last, 8);
    MUST(cucore_stream_synchronize, stream_);
    EXPECT_EQ(first(done), 1);
  }
}

TEST_F(GraphWords, RefuseMistakes) {
  const Buffer words = make_words();
  cucore_node node = 7;
  const auto refuses = [&](size_t offset, uint64_t value, size_t size, int32_t comparison,
                           const std::string& text) {
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, text, cucore_graph_add_value, graph_, nullptr, 0, words,
          offset, value, size, comparison, &node);
    EXPECT_EQ(node, 0u);
  };
  refuses(0, 0, 3, 0, "size is 3; expected 4 or 8, the bytes of a word");
  refuses(16, 0, 4, 0, "offset is 16 and the word has 4 bytes; the buffer has 16 bytes");
  refuses(2, 0, 4, 0, "offset is 2; expected a multiple of 4, because a word is aligned");
  refuses(0, 1ull << 32, 4, 0, "value is 4294967296; expected at most 4294967295 for 4 bytes");
  refuses(0, 0, 4, 5, "comparison is 5; expected 0 or a cucore_comparison, 1 to 4");
  refuses(0, 0, 4, -1, "comparison is -1; expected 0 or a cucore_comparison, 1 to 4");
  if (is_emulated()) {
    const Buffer of_pool = make_buffer(device_, 16, stream_);
    FAILS(
        CUCORE_ERROR_INVALID_ARGUMENT,
        "cannot add a node that writes 4 bytes of a buffer on device 0: the driver accepts no word "
        "in memory of a pool; use a pinned buffer, of cucore_buffer_create_pinned()",
        cucore_graph_add_value, graph_, nullptr, 0, of_pool, 0, 1, 4, 0, &node);
  }
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
  const cucore_node value = add_value({}, words, 0, 1, 4);
  const Executable executable = make_executable(graph_);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "(value) cannot be disabled", cucore_executable_set_enabled,
        executable, value, 0);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "(value) as a node of kind fill", cucore_graph_set_fill,
        graph_, value, words, 0, 16, "x", 1);
}

class GraphQueues : public OnGraph {
 protected:
  static Queue make_queue() {
    Queue queue;
    MUST(cucore_queue_create, nullptr, queue.out());
    return queue;
  }
  cucore_node add_queued(const Nodes& after, const Queue& queue, uint64_t token, bool waits) const {
    cucore_node node = 0;
    MUST(cucore_graph_add_host_queued, graph_, after.data(), after.size(), queue, token, waits,
         &node);
    return node;
  }
  static cucore_completion take(const Queue& queue) {
    cucore_completion one{};
    size_t count = 0;
    MUST(cucore_queue_wait, queue, -1, &one, 1, &count);
    return one;
  }
};

TEST_F(GraphQueues, ReceiveACompletionAtEachLaunch) {
  Queue queue = make_queue();
  const cucore_node node = add_queued({}, queue, 41, false);
  EXPECT_EQ(query(node).kind, CUCORE_NODE_KIND_HOST);
  const Executable executable = make_executable(graph_);
  graph_ = make_graph(device_);
  for (int i = 0; i < 3; ++i) {
    launch(executable);
    const cucore_completion one = take(queue);
    EXPECT_EQ(one.token, 41u);
    EXPECT_EQ(one.kind, CUCORE_COMPLETION_KIND_HOST);
    EXPECT_EQ(one.ticket, 0u);
  }
  queue.reset();  // the executable has a reference to the queue
  launch(executable);
}

TEST_F(GraphQueues, HoldTheGraphUntilTheyAreResumed) {
  const Queue queue = make_queue();
  const Buffer x = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  const cucore_node host = add_queued({}, queue, 1, true);
  add_fill({host}, x, 3);
  const Executable executable = make_executable(graph_);
  std::thread launches([&] { MUST(cucore_executable_launch, executable, stream_); });
  const cucore_completion one = take(queue);
  EXPECT_NE(one.ticket, 0u);
  if (!fake_) {
    launches.join();
    int32_t is_done = 1;
    MUST(cucore_stream_query, stream_, &is_done);
    EXPECT_EQ(is_done, 0);
  }
  SUCCEEDS(cucore_queue_resume, queue, one.ticket);
  if (launches.joinable()) launches.join();
  EXPECT_EQ(first(x), 3);
}

TEST_F(GraphQueues, RefuseMistakes) {
  const Queue queue = make_queue();
  cucore_node node = 7;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "waits is 2, neither 0 nor 1", cucore_graph_add_host_queued,
        graph_, nullptr, 0, queue, 1, 2, &node);
  EXPECT_EQ(node, 0u);
  MUST(cucore_queue_close, queue);
  FAILS(CUCORE_ERROR_INVALID_STATE, "a queue that was closed", cucore_graph_add_host_queued, graph_,
        nullptr, 0, queue, 1, 0, &node);
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
}

TEST_F(GraphWords, NodesHaveNumbersForProfilersFromCuda131On) {
  const cucore_node node = add_empty();
  cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
  const bool has_numbers = driver.version_major * 100 + driver.version_minor >= 1301;
  EXPECT_EQ(query(node).tools_id != 0, has_numbers);
}

}  // namespace
