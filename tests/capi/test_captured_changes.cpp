// SPDX-License-Identifier: Apache-2.0
// Changes of nodes that a capture has added: in the graph and in executables, with executables that
// were made before and after. Each executable does what it had.
#include <cuda.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <tuple>

#include "graph_testing.hpp"

namespace {

using namespace capi_test;

class CapturedChanges : public OnGraph {
 protected:
  // Captures the work, and returns its last node.
  cucore_node capture(const std::function<void()>& work) {
    graph_.reset();
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    work();
    MUST(cucore_stream_end_capture, stream_, graph_.out());
    cucore_node node = 0;
    MUST(cucore_graph_node_at, graph_, cucore_graph_node_count(graph_) - 1, &node);
    return node;
  }
  // Executables around a change of the graph. Two are from before it, and one of these is changed
  // itself. One is from after it, and one takes the changed graph over.
  struct Four {
    Executable before, changed, after, updated;
  };
  Four around(const std::function<void(cucore_graph*)>& in_graph,
              const std::function<void(cucore_executable*)>& in_executable) {
    Four four;
    four.before = make_executable(graph_);
    four.changed = make_executable(graph_);
    four.updated = make_executable(graph_);
    in_executable(four.changed);
    in_graph(graph_);
    four.after = make_executable(graph_);
    MUST(cucore_executable_update, four.updated, graph_, nullptr);
    return four;
  }

  Buffer make_pinned(float value) const {
    Buffer buffer;
    MUST(cucore_buffer_create_pinned, device_, BYTES, buffer.out());
    MUST(cucore_buffer_fill, buffer, 0, BYTES, &value, sizeof value, stream_);
    return buffer;
  }
  void clear(const Buffer& buffer) const {
    const float zero = 0;
    MUST(cucore_buffer_fill, buffer, 0, BYTES, &zero, sizeof zero, stream_);
  }
  std::vector<float> all(const Buffer& buffer) const {
    std::vector<float> values(COUNT);
    MUST(cucore_buffer_read, buffer, 0, values.data(), BYTES, stream_);
    return values;
  }
  template <class Call>
  static void refuses_to_set(cucore_node node, Call call) {
    Error error;
    const cucore_status status = call(error.out());  // before the conversion of the error
    EXPECT_TRUE(failed(
        status, error, CUCORE_ERROR_NOT_UPDATABLE,
        "cannot set node " + std::to_string(node) +
            " (copy) in the executable: the driver refuses it (CUDA_ERROR_INVALID_VALUE); make a "
            "new executable"));
  }
  // Compares what a launch writes into a buffer of zeros.
  void expect_written(const cucore_executable* executable, const Buffer& buffer,
                      const std::vector<float>& expected) const {
    clear(buffer);
    launch(executable);
    EXPECT_EQ(all(buffer), expected);
  }
};

TEST_F(CapturedChanges, OfAKernelChangeConfigurationArgumentsAndFunction) {
  const Buffer x = make_floats(2), y = make_floats(0);
  const float two = 2, three = 3;
  const uint32_t n = COUNT;
  const auto arguments = [&](const float& a) {
    return std::vector<cucore_argument>{CUCORE_ARGUMENT(a),
                                        {x, CUCORE_ARGUMENT_OBJECT},
                                        {y, CUCORE_ARGUMENT_OBJECT},
                                        CUCORE_ARGUMENT(n)};
  };
  const std::vector<cucore_argument> first = arguments(two), second = arguments(three);
  const cucore_launch_options one = grid(1, 32), wide = grid(3, 64);
  const cucore_node node = capture(
      [&] { MUST(cucore_kernel_launch, saxpy_, stream_, &one, first.data(), first.size()); });
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "so its launch is not known; pass kernel, options and arguments", cucore_graph_set_kernel,
        graph_, node, nullptr, &wide, nullptr, 0);
  const Four four = around(
      [&](auto* graph) {
        MUST(cucore_graph_set_kernel, graph, node, saxpy_, &wide, second.data(), second.size());
      },
      [&](auto* executable) {
        MUST(cucore_executable_set_kernel, executable, node, empty_, &one, nullptr, 0);
      });
  EXPECT_EQ(query(node).grid[0], 3u);
  if (fake_) {
    const Executable* const executables[] = {&four.before, &four.changed, &four.after,
                                             &four.updated};
    const char* const kernels[] = {"saxpy", "empty", "saxpy", "saxpy"};
    const uint32_t grids[] = {1, 1, 3, 3};
    const float factors[] = {2, 0, 3, 3};
    for (int i = 0; i < 4; ++i) {
      const uint64_t at = fake_->launch_count();
      launch(*executables[i]);
      fake_launch seen{};
      ASSERT_TRUE(fake_->launch_at(at, &seen));
      EXPECT_STREQ(seen.kernel, kernels[i]);
      EXPECT_EQ(seen.grid[0], grids[i]);
      float factor = 0;
      std::memcpy(&factor, seen.arguments, sizeof factor);
      if (factors[i] != 0) {
        EXPECT_EQ(factor, factors[i]);
      }
    }
    return;
  }
  const std::vector<float> fours(COUNT, 4), sixes(COUNT, 6), zeros(COUNT, 0);
  expect_written(four.before, y, fours);
  expect_written(four.changed, y, zeros);
  expect_written(four.after, y, sixes);
  expect_written(four.updated, y, sixes);
}

TEST_F(CapturedChanges, OfACopyChangeSizeSourceAndDestination) {
  const Buffer a = make_floats(1), b = make_floats(2), to = make_floats(0), other = make_floats(0);
  const cucore_node node = capture([&] { MUST(cucore_buffer_copy, to, 0, a, 0, BYTES, stream_); });
  const Four four =
      around([&](auto* graph) { MUST(cucore_graph_set_copy, graph, node, other, 4, b, 0, 8); },
             [&](auto* executable) {
               MUST(cucore_executable_set_copy, executable, node, to, 8, b, 4, 4);
             });
  expect_written(four.before, to, {1, 1, 1, 1});
  expect_written(four.changed, to, {0, 0, 2, 0});
  expect_written(four.after, other, {0, 2, 2, 0});
  expect_written(four.updated, other, {0, 2, 2, 0});
}

// A copy from host memory becomes one on the device, one to the host, and one from the host.
TEST_F(CapturedChanges, OfACopyGoFromHostToDeviceAndBack) {
  const Buffer device = make_floats(3), to = make_floats(0), pinned = make_pinned(5),
               out = make_pinned(0);
  const float host[] = {1, 2, 3, 4};
  const cucore_node node = capture([&] { MUST(cucore_buffer_write, to, 0, host, BYTES, stream_); });
  const Executable before = make_executable(graph_);
  SUCCEEDS(cucore_graph_set_copy, graph_, node, to, 0, device, 0, BYTES);
  const Executable between = make_executable(graph_);
  SUCCEEDS(cucore_graph_set_copy, graph_, node, out, 0, device, 0, BYTES);
  const Executable back = make_executable(graph_);
  SUCCEEDS(cucore_graph_set_copy, graph_, node, to, 0, pinned, 0, BYTES);
  const Executable again = make_executable(graph_);
  expect_written(before, to, {1, 2, 3, 4});
  expect_written(between, to, {3, 3, 3, 3});
  expect_written(back, out, {3, 3, 3, 3});
  expect_written(again, to, {5, 5, 5, 5});
  expect_written(before, to, {1, 2, 3, 4});
}

// In an executable that exists, NVIDIA's driver 580 refuses each change of a captured write, and
// other extents of a captured box than one row.
bool refuses_other_copies() {
  const char* const driver = std::getenv("CUCORE_DRIVER");
  return driver && std::string(driver) == "nvidia";
}

// The same kinds of memory.
TEST_F(CapturedChanges, OfAWriteInAnExecutable) {
  const Buffer to = make_floats(0), other = make_floats(0), pinned = make_pinned(5);
  const float host[] = {1, 2, 3, 4};
  const cucore_node node = capture([&] { MUST(cucore_buffer_write, to, 0, host, BYTES, stream_); });
  const Executable before = make_executable(graph_), changed = make_executable(graph_);
  if (refuses_other_copies()) {
    refuses_to_set(node, [&](cucore_error** error) {
      return cucore_executable_set_copy(changed, node, other, 4, pinned, 0, 8, error);
    });
    return expect_written(changed, to, {1, 2, 3, 4});
  }
  SUCCEEDS(cucore_executable_set_copy, changed, node, other, 4, pinned, 0, 8);
  expect_written(before, to, {1, 2, 3, 4});
  expect_written(changed, other, {0, 5, 5, 0});
  SUCCEEDS(cucore_graph_set_copy, graph_, node, other, 0, pinned, 0, 4);
  SUCCEEDS(cucore_executable_update, changed, graph_, nullptr);
  expect_written(changed, other, {5, 0, 0, 0});
  SUCCEEDS(cucore_executable_set_copy, changed, node, to, 0, pinned, 0, 8);
  expect_written(changed, to, {5, 5, 0, 0});
}

TEST_F(CapturedChanges, OfABoxBecomeRowsAndBoxes) {
  const Buffer from = make_floats(1), to = make_floats(0);
  const float counted[] = {1, 2, 3, 4};
  SUCCEEDS(cucore_buffer_write, from, 0, counted, BYTES, stream_);
  cucore_box source = CUCORE_BOX_INIT, target = CUCORE_BOX_INIT;
  source.buffer = from, target.buffer = to;
  const cucore_node node =
      capture([&] { MUST(cucore_buffer_copy_box, &target, &source, 8, 1, 1, stream_); });
  source.row_bytes = 8;
  cucore_box row = target;
  row.x = 4;
  if (refuses_other_copies()) {
    const Executable executable = make_executable(graph_);
    SUCCEEDS(cucore_executable_set_copy_box, executable, node, &row, &source, 8, 1, 1);
    refuses_to_set(node, [&](cucore_error** error) {
      return cucore_executable_set_copy_box(executable, node, &target, &source, 4, 2, 1, error);
    });
    return expect_written(executable, to, {0, 1, 2, 0});
  }
  const Four four = around(
      [&](auto* graph) { MUST(cucore_graph_set_copy_box, graph, node, &target, &source, 4, 2, 1); },
      [&](auto* executable) {
        MUST(cucore_executable_set_copy_box, executable, node, &row, &source, 8, 1, 1);
      });
  expect_written(four.before, to, {1, 2, 0, 0});
  expect_written(four.changed, to, {0, 1, 2, 0});
  expect_written(four.after, to, {1, 3, 0, 0});
  expect_written(four.updated, to, {1, 3, 0, 0});
}

TEST_F(CapturedChanges, OfAFillChangeValueAndDestination) {
  const Buffer to = make_floats(0), other = make_floats(0);
  const float one = 1, two = 2, three = 3;
  const cucore_node node =
      capture([&] { MUST(cucore_buffer_fill, to, 0, BYTES, &one, sizeof one, stream_); });
  const Four four = around(
      [&](auto* graph) { MUST(cucore_graph_set_fill, graph, node, other, 4, 8, &two, sizeof two); },
      [&](auto* executable) {
        MUST(cucore_executable_set_fill, executable, node, to, 0, 8, &three, sizeof three);
      });
  expect_written(four.before, to, {1, 1, 1, 1});
  expect_written(four.changed, to, {3, 3, 0, 0});
  expect_written(four.after, other, {0, 2, 2, 0});
  expect_written(four.updated, other, {0, 2, 2, 0});
}

TEST_F(CapturedChanges, OfAHostFunctionChangeFunctionAndData) {
  std::atomic<int> first{0}, second{0}, third{0};
  const auto one = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
  const auto ten = [](void* data) { *static_cast<std::atomic<int>*>(data) += 10; };
  const cucore_node node =
      capture([&] { MUST(cucore_stream_launch_host, stream_, one, &first, nullptr); });
  const Four four =
      around([&](auto* graph) { MUST(cucore_graph_set_host, graph, node, ten, &second, nullptr); },
             [&](auto* executable) {
               MUST(cucore_executable_set_host, executable, node, one, &third, nullptr);
             });
  launch(four.before);
  EXPECT_EQ(first, 1);
  launch(four.changed);
  EXPECT_EQ(third, 1);
  launch(four.after);
  launch(four.updated);
  EXPECT_EQ(second, 20);
  EXPECT_EQ(first, 1);
}

TEST_F(CapturedChanges, OfAnEvent) {
  const Event first = make_event(device_), second = make_event(device_),
              third = make_event(device_);
  const cucore_node node = capture([&] { MUST(cucore_event_record_in_graph, first, stream_); });
  const Four four =
      around([&](auto* graph) { MUST(cucore_graph_set_event, graph, node, second); },
             [&](auto* executable) { MUST(cucore_executable_set_event, executable, node, third); });
  EXPECT_EQ(query(node).event, cucore_event_native(second));
  // The driver records the event of each executable: held streams leave it incomplete.
  const std::pair<const Executable*, const Event*> pairs[] = {{&four.before, &first},
                                                              {&four.changed, &third},
                                                              {&four.after, &second},
                                                              {&four.updated, &second}};
  for (const auto& [executable, event] : pairs) {
    if (fake_) fake_->hold_streams(1);
    SUCCEEDS(cucore_executable_launch, *executable, stream_);
    for (const Event* each : {&first, &second, &third}) {
      int32_t done = 1;
      SUCCEEDS(cucore_event_query, *each, &done);
      if (fake_) {
        EXPECT_EQ(done, each != event);
      }
    }
    if (fake_) fake_->hold_streams(0);
    SUCCEEDS(cucore_stream_synchronize, stream_);
  }
}

TEST_F(CapturedChanges, OfAChild) {
  cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
  MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
  if (driver.version_major * 100 + driver.version_minor < 1202)
    GTEST_SKIP() << "setting the graph of a node needs a driver of CUDA 12.2";
  const Buffer to = make_floats(0);
  const auto child_of = [&](float value) {
    Graph child = make_graph(device_);
    cucore_node node = 0;
    MUST(cucore_graph_add_fill, child, nullptr, 0, to, 0, BYTES, &value, sizeof value, &node);
    return child;
  };
  const Graph one = child_of(1), two = child_of(2), three = child_of(3);
  const cucore_node node = capture([&] {
    Graph under_way;
    MUST(cucore_stream_capture_graph, stream_, under_way.out());
    cucore_node child = 0;
    MUST(cucore_graph_add_child, under_way, nullptr, 0, one, &child);
    MUST(cucore_stream_set_capture_nodes, stream_, &child, 1);
  });
  EXPECT_EQ(query(node).kind, CUCORE_NODE_KIND_CHILD);
  const Executable before = make_executable(graph_), changed = make_executable(graph_);
  SUCCEEDS(cucore_executable_set_child, changed, node, three);
  expect_written(before, to, std::vector<float>(COUNT, 1));
  expect_written(changed, to, std::vector<float>(COUNT, 3));
  SUCCEEDS(cucore_graph_set_child, graph_, node, two);
  const Executable after = make_executable(graph_);
  expect_written(after, to, std::vector<float>(COUNT, 2));
  expect_written(before, to, std::vector<float>(COUNT, 1));
  SUCCEEDS(cucore_executable_update, before, graph_, nullptr);
  expect_written(before, to, std::vector<float>(COUNT, 2));
}

TEST_F(CapturedChanges, TakeNoGraphOfACaptureAsAChild) {
  const Buffer to = make_floats(0);
  const float one = 1;
  const Graph child = make_graph(device_);
  cucore_node inner = 0, node = 0;
  MUST(cucore_graph_add_fill, child, nullptr, 0, to, 0, BYTES, &one, sizeof one, &inner);
  MUST(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  const Executable executable = make_executable(graph_);
  const auto refuses = [&](const Graph& source, const std::string& message) {
    FAILS(CUCORE_ERROR_INVALID_STATE, message, cucore_graph_set_child, graph_, node, source);
    FAILS(CUCORE_ERROR_INVALID_STATE, message, cucore_executable_set_child, executable, node,
          source);
  };
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  Graph captured;
  MUST(cucore_stream_capture_graph, stream_, captured.out());
  const float two = 2;
  MUST(cucore_buffer_fill, to, 0, BYTES, &two, sizeof two, stream_);
  refuses(captured,
          "cannot set a node to a graph into which a stream is being captured; end the capture "
          "first");
  // A fork that is not joined breaks the capture, and the driver destroys its graph.
  const Stream fork = make_stream(device_);
  MUST(cucore_stream_wait_stream, fork, stream_);
  MUST(cucore_buffer_fill, to, 0, BYTES, &two, sizeof two, fork);
  cucore_graph* none = nullptr;
  cucore_error* error = nullptr;
  EXPECT_EQ(cucore_stream_end_capture(stream_, &none, &error), CUCORE_ERROR_INVALID_STATE);
  cucore_error_release(error);
  refuses(captured,
          "the graph ended with a capture, which was broken or not joined; make a new one");
  expect_written(executable, to, std::vector<float>(COUNT, 1));
}

// Captured nodes have the facts of the same nodes by hand.
TEST_F(CapturedChanges, AreReadFromTheDriver) {
  if (fake_) GTEST_SKIP() << "the scripted driver does not return the work of nodes";
  const Buffer x = make_floats(2), y = make_floats(1);
  const Event event = make_event(device_);
  const cucore_node filled = add_fill({}, x, 3);
  const cucore_node copied = add_copy({filled}, y, x);
  const cucore_node launched = add_saxpy({copied}, 2, x, y);
  const cucore_graph* const model = graph_;
  const auto facts = [](const cucore_node_info& node) {
    return std::tuple(node.kind, std::string(node.kernel), std::vector(node.grid, node.grid + 3),
                      std::vector(node.block, node.block + 3),
                      std::vector(node.cluster, node.cluster + 3), node.dynamic_shared,
                      node.destination, node.source, node.size, node.pattern, node.pattern_size,
                      node.width, node.height, node.depth);
  };
  const std::vector expected{facts(query(model, filled)), facts(query(model, copied)),
                             facts(query(model, launched))};
  const std::string drawing = dot(model);
  const Graph kept = std::move(graph_);
  capture([&] {
    const float three = 3;
    MUST(cucore_buffer_fill, x, 0, BYTES, &three, sizeof three, stream_);
    MUST(cucore_buffer_copy, y, 0, x, 0, BYTES, stream_);
    const SaxpyArguments arguments(2, x, y);
    const cucore_launch_options options = grid(1, 32);
    MUST(cucore_kernel_launch, saxpy_, stream_, &options, arguments.list, 4);
    MUST(cucore_event_record_in_graph, event, stream_);
  });
  ASSERT_EQ(cucore_graph_node_count(graph_), 4u);
  cucore_node nodes[4] = {};
  for (size_t i = 0; i < 4; ++i) MUST(cucore_graph_node_at, graph_, i, &nodes[i]);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(facts(query(nodes[i])), expected[i]) << i;
  EXPECT_EQ(query(nodes[3]).event, cucore_event_native(event));
  const std::string text = dot(graph_);
  EXPECT_NE(text.find(": kernel saxpy\\ngrid 1x1x1, block 32x1x1\"]"), std::string::npos) << text;
  EXPECT_NE(drawing.find(": kernel saxpy\\ngrid 1x1x1, block 32x1x1\"]"), std::string::npos)
      << drawing;
  const Executable executable = make_executable(graph_);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "node " + std::to_string(nodes[2]) + " (kernel saxpy)",
        cucore_executable_set_child, executable, nodes[2], kept);
}

// A refused change leaves the captured work and keeps no object.
TEST_F(CapturedChanges, ThatAreRefusedChangeNothingAndKeepNothing) {
  NEEDS_FAKE_DRIVER();
  const Buffer a = make_floats(1), to = make_floats(0);
  const cucore_node node = capture([&] { MUST(cucore_buffer_copy, to, 0, a, 0, BYTES, stream_); });
  const Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t memory = fake_->live_objects("memory");
  for (const bool is_graph : {true, false}) {
    Buffer temporary = make_floats(9);
    fake_->fail_call(is_graph ? "cuGraphMemcpyNodeSetParams" : "cuGraphExecMemcpyNodeSetParams", 1,
                     CUDA_ERROR_INVALID_VALUE);
    if (is_graph)
      FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "set node", cucore_graph_set_copy, graph_, node, to,
                 0, temporary, 0, BYTES);
    else
      FAILS_ONCE(CUCORE_ERROR_NOT_UPDATABLE, "make a new executable", cucore_executable_set_copy,
                 executable, node, to, 0, temporary, 0, BYTES);
    temporary.reset();
    EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == memory; }));
  }
  expect_written(executable, to, {1, 1, 1, 1});
  expect_written(make_executable(graph_), to, {1, 1, 1, 1});
}

}  // namespace
