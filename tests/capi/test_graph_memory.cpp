// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate and free: by hand and in captures, with its lifetimes and limits.
#include <cuda.h>

#include <atomic>
#include <thread>

#include "graph_testing.hpp"
#include "native_driver.hpp"

namespace {

using namespace capi_test;

class GraphMemory : public OnGraph {
 protected:
  struct Allocated {
    cucore_node node = 0;
    Buffer buffer;
  };
  Allocated add_buffer(const cucore_graph* graph, const Nodes& after = {},
                       size_t size = BYTES) const {
    Allocated out;
    MUST(cucore_graph_add_buffer, const_cast<cucore_graph*>(graph), after.data(), after.size(),
         size, nullptr, 0, out.buffer.out(), &out.node);
    return out;
  }
  Allocated add_buffer(const Nodes& after = {}) const { return add_buffer(graph_, after); }
  static cucore_node add_free(const cucore_graph* graph, const Nodes& after,
                              const cucore_buffer* buffer) {
    cucore_node node = 0;
    MUST(cucore_graph_add_free, const_cast<cucore_graph*>(graph), after.data(), after.size(),
         const_cast<cucore_buffer*>(buffer), &node);
    return node;
  }
  // Fills the memory after its allocation, by a node that has no reference to the buffer.
  cucore_node fill_unheld(const Allocated& memory, float value) const {
    Buffer view;
    MUST(cucore_buffer_from_native, device_, cucore_buffer_address(memory.buffer), BYTES,
         view.out());
    return add_fill({memory.node}, view, value);
  }
  Executable make_freeing(const cucore_graph* graph) const {
    cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
    options.free_on_launch = 1;
    Executable executable;
    MUST(cucore_executable_create, graph, &options, executable.out());
    return executable;
  }
  uint64_t used() const {
    MUST(cucore_stream_synchronize, stream_);
    // NVIDIA's driver counts freed memory until then.
    MUST(cucore_device_trim_graph_memory, device_, 0);
    cucore_graph_memory_info info = CUCORE_GRAPH_MEMORY_INFO_INIT;
    MUST(cucore_device_graph_memory, device_, &info);
    return info.used;
  }
  void refuses(const cucore_executable* executable, const std::string& text) const {
    FAILS(CUCORE_ERROR_INVALID_STATE, text, cucore_executable_launch, executable, stream_);
  }
  static std::string name(cucore_node node) { return "node " + std::to_string(node); }
  static constexpr const char* STILL_ALLOCATED =
      " has allocated its memory in an earlier launch; free it in a node, release its buffer, or "
      "use cucore_executable_options.free_on_launch";
};

TEST_F(GraphMemory, ExistsBetweenItsNodes) {
  const Buffer result = make_floats(0);
  const Allocated memory = add_buffer();
  const cucore_node fill = add_fill({memory.node}, memory.buffer, 5);
  const cucore_node copy = add_copy({fill}, result, memory.buffer);
  const cucore_node end = add_free(graph_, {copy}, memory.buffer);
  EXPECT_EQ(before(end), Nodes{copy});

  const uint64_t address = cucore_buffer_address(memory.buffer);
  EXPECT_NE(address, 0u);
  EXPECT_EQ(cucore_buffer_size(memory.buffer), BYTES);
  for (const auto& [node, kind] : {std::pair{memory.node, CUCORE_NODE_KIND_ALLOCATION},
                                   std::pair{end, CUCORE_NODE_KIND_FREE}}) {
    const cucore_node_info info = query(node);
    EXPECT_EQ(info.kind, kind);
    EXPECT_EQ(info.destination, address);
    EXPECT_EQ(info.size, BYTES);
  }
  EXPECT_NE(dot(graph_).find(": allocation\\n16 bytes"), std::string::npos) << dot(graph_);
  EXPECT_NE(dot(graph_).find(": free\\n16 bytes"), std::string::npos);

  const Executable executable = make_executable(graph_);
  for (int i = 0; i < 3; ++i) {
    MUST(cucore_buffer_fill, result, 0, BYTES, "\0\0\0\0", 4, stream_);
    launch(executable);
    EXPECT_EQ(first(result), 5);
    EXPECT_EQ(used(), 0u);
  }
  EXPECT_EQ(cucore_buffer_address(memory.buffer), address);
}

TEST_F(GraphMemory, OfNoBytesIsRefused) {
  cucore_buffer* buffer = make_floats(0).get();  // overwritten
  cucore_node node = 7;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "size is 0; expected at least 1 byte for a node that allocates; leave the node out",
        cucore_graph_add_buffer, graph_, nullptr, 0, 0, nullptr, 0, &buffer, &node);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(node, 0u);
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  Buffer none;
  SUCCEEDS(cucore_buffer_create, device_, 0, stream_, none.out());
  Graph graph;
  MUST(cucore_stream_end_capture, stream_, graph.out());
  EXPECT_EQ(cucore_graph_node_count(graph), 0u);
}

TEST_F(GraphMemory, StaysAfterTheLaunchUntilItsBufferIsReleased) {
  Allocated memory = add_buffer();
  const cucore_node fill = fill_unheld(memory, 6);
  const Executable executable = make_executable(graph_);
  EXPECT_EQ(used(), 0u);
  launch(executable);
  EXPECT_GE(used(), BYTES);
  EXPECT_EQ(first(memory.buffer), 6);
  MUST(cucore_graph_set_label, graph_, memory.node, "scratch");
  refuses(executable, "cannot launch the executable: " + name(memory.node) +
                          " (allocation, \"scratch\")" + STILL_ALLOCATED);
  EXPECT_EQ(first(memory.buffer), 6);
  memory.buffer.reset();
  EXPECT_EQ(used(), 0u);
  // The buffer is gone, so each launch frees the memory in its order.
  for (int i = 0; i < 3; ++i) {
    launch(executable);
    EXPECT_EQ(used(), 0u);
  }
  EXPECT_EQ(query(fill).kind, CUCORE_NODE_KIND_FILL);
}

TEST_F(GraphMemory, IsFreedByTheNextLaunchWithFreeOnLaunch) {
  Allocated memory = add_buffer();
  fill_unheld(memory, 8);
  const Executable executable = make_freeing(graph_);
  for (int i = 0; i < 3; ++i) {
    launch(executable);
    EXPECT_EQ(first(memory.buffer), 8);
  }
  EXPECT_GE(used(), BYTES);
  memory.buffer.reset();
  EXPECT_EQ(used(), 0u);
  launch(executable);
  EXPECT_EQ(used(), 0u);
}

TEST_F(GraphMemory, OutlivesItsGraph) {
  Allocated memory = add_buffer();
  fill_unheld(memory, 9);
  {
    const Executable executable = make_executable(graph_);
    launch(executable);
  }
  graph_ = make_graph(device_);
  EXPECT_EQ(first(memory.buffer), 9);
  memory.buffer.reset();
  EXPECT_EQ(used(), 0u);
}

TEST_F(GraphMemory, OfAGraphThatNeverRanIsNotFreed) {
  Allocated memory = add_buffer();
  graph_ = make_graph(device_);
  memory.buffer.reset();
  EXPECT_EQ(used(), 0u);
}

TEST_F(GraphMemory, IsFreedByAnotherGraph) {
  Allocated memory = add_buffer();
  fill_unheld(memory, 4);
  const Executable allocates = make_executable(graph_);
  const Graph other = make_graph(device_);
  const cucore_node end = add_free(other, {}, memory.buffer);
  const Executable frees = make_executable(other);
  refuses(frees,
          "cannot launch the executable: " + name(end) +
              " (free) frees memory that is not allocated; launch the graph that allocates it "
              "first");
  for (int i = 0; i < 3; ++i) {
    launch(allocates);
    EXPECT_EQ(first(memory.buffer), 4);
    refuses(allocates, name(memory.node) + " (allocation)" + STILL_ALLOCATED);
    launch(frees);
    EXPECT_EQ(used(), 0u);
  }
  // The other graph has a reference to the buffer.
  memory.buffer.reset();
  launch(allocates);
  launch(frees);
  EXPECT_EQ(used(), 0u);
}

// Other code may free the memory with the driver.
TEST_F(GraphMemory, IsFreedByHandBetweenLaunches) {
  decltype(&::cuMemFreeAsync) free_async = nullptr;
  NativeDriver().find("cuMemFreeAsync", free_async);
  ASSERT_TRUE(free_async);
  Allocated memory = add_buffer();
  const Executable executable = make_executable(graph_);
  for (int i = 0; i < 3; ++i) {
    launch(executable);
    ASSERT_EQ(free_async(cucore_buffer_address(memory.buffer),
                         static_cast<CUstream>(cucore_stream_native(stream_))),
              CUDA_SUCCESS);
  }
  EXPECT_EQ(used(), 0u);
  launch(executable);
  memory.buffer.reset();
  EXPECT_EQ(used(), 0u);
}

TEST_F(GraphMemory, IsFreedOnce) {
  const Allocated memory = add_buffer();
  const cucore_node end = add_free(graph_, {memory.node}, memory.buffer);
  cucore_node node = 7;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, name(end) + " (free) frees the buffer already",
        cucore_graph_add_free, graph_, &memory.node, 1, memory.buffer, &node);
  EXPECT_EQ(node, 0u);
  const Buffer plain = make_floats(0);
  FAILS(
      CUCORE_ERROR_INVALID_ARGUMENT,
      "no node of a graph allocates the memory of the buffer; expected a buffer that a graph or a "
      "capture has created",
      cucore_graph_add_free, graph_, nullptr, 0, plain, &node);
  EXPECT_EQ(cucore_graph_node_count(graph_), 2u);
  run();
}

TEST_F(GraphMemory, KeepsAllNodesAndEdgesOfItsGraph) {
  const Buffer result = make_floats(0);
  const Allocated memory = add_buffer();
  const cucore_node fill = add_fill({memory.node}, memory.buffer, 3);
  const cucore_node copy = add_copy({fill}, result, memory.buffer);
  const cucore_node end = add_free(graph_, {copy}, memory.buffer);
  const char* const tail =
      ": the driver keeps all nodes and edges of a graph that allocates or frees memory; build the "
      "graph again";
  FAILS(CUCORE_ERROR_UNSUPPORTED, "cannot remove " + name(memory.node) + " (allocation)" + tail,
        cucore_graph_remove_node, graph_, memory.node);
  FAILS(CUCORE_ERROR_UNSUPPORTED, "cannot remove " + name(fill) + " (fill)" + tail,
        cucore_graph_remove_node, graph_, fill);
  FAILS(CUCORE_ERROR_UNSUPPORTED,
        "cannot remove the edge from " + name(fill) + " to " + name(copy) + tail,
        cucore_graph_remove_edge, graph_, fill, copy);
  EXPECT_EQ(cucore_graph_node_count(graph_), 4u);
  EXPECT_EQ(before(copy), Nodes{fill});
  EXPECT_EQ(query(memory.node).size, BYTES);
  SUCCEEDS(cucore_graph_add_edge, graph_, memory.node, end, 0);
  run();
  EXPECT_EQ(first(result), 3);
}

TEST_F(GraphMemory, HasOneGraphAndOneExecutable) {
  const Allocated memory = add_buffer();
  Graph copy;
  FAILS(CUCORE_ERROR_UNSUPPORTED,
        "cannot clone a graph that allocates or frees memory: the driver has no copy of its nodes; "
        "build the graph again",
        cucore_graph_clone, graph_, copy.out());
  const Graph parent = make_graph(device_);
  cucore_node node = 7;
  FAILS(CUCORE_ERROR_UNSUPPORTED,
        "a graph that allocates or frees memory cannot be a child; add its nodes to the graph "
        "itself",
        cucore_graph_add_child, parent, nullptr, 0, graph_, &node);
  {
    const Executable executable = make_executable(graph_);
    Executable second;
    FAILS(CUCORE_ERROR_UNSUPPORTED,
          "a graph that allocates or frees memory has one executable at a time",
          cucore_executable_create, graph_, nullptr, second.out());
    SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
    launch(executable);
  }
  // The one before may still be in its destruction on the library's thread.
  Executable again;
  SUCCEEDS(cucore_executable_create, graph_, nullptr, again.out());
}

TEST_F(GraphMemory, IsNotOfGraphsOfNodes) {
  const Graph inner = make_graph(device_);
  add_empty(inner, {});
  cucore_node child = 0, node = 7;
  MUST(cucore_graph_add_child, graph_, nullptr, 0, inner, &child);
  Graph view;
  MUST(cucore_graph_child, graph_, child, 0, view.out());
  cucore_buffer* buffer = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "the graph of a node cannot hold a node of kind allocation; add it to the whole graph",
        cucore_graph_add_buffer, view, nullptr, 0, BYTES, nullptr, 0, &buffer, &node);
  EXPECT_EQ(buffer, nullptr);
  const Allocated memory = add_buffer();
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "the graph of a node cannot hold a node of kind free; add it to the whole graph",
        cucore_graph_add_free, view, nullptr, 0, memory.buffer, &node);
  EXPECT_EQ(cucore_graph_node_count(view), 1u);
}

TEST_F(GraphMemory, IsNeitherSetNorDisabled) {
  const Allocated memory = add_buffer();
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "cannot set " + name(memory.node) + " (allocation) as a node of kind fill",
        cucore_graph_set_fill, graph_, memory.node, memory.buffer, 0, BYTES, "x", 1);
  const Executable executable = make_executable(graph_);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, name(memory.node) + " (allocation) cannot be disabled",
        cucore_executable_set_enabled, executable, memory.node, 0);
  Pool pool;
  FAILS(CUCORE_ERROR_INVALID_STATE, "the buffer has no pool", cucore_buffer_pool, memory.buffer,
        pool.out());
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "memory of a graph is freed in the order of its launches, which have a stream",
        cucore_buffer_set_stream, memory.buffer, stream_);
}

TEST_F(GraphMemory, IsSharedWithPeers) {
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  const Device second = open_device(1);
  const cucore_device* const peers[] = {second, device_, second};
  Allocated memory;
  SUCCEEDS(cucore_graph_add_buffer, graph_, nullptr, 0, BYTES, peers, 3, memory.buffer.out(),
           &memory.node);
  add_fill({memory.node}, memory.buffer, 2);
  const Executable executable = make_executable(graph_);
  launch(executable);
  const Stream there = make_stream(second);
  const Buffer far = make_buffer(second, BYTES, there);
  MUST(cucore_buffer_copy, far, 0, memory.buffer, 0, BYTES, there);
  float value = 0;
  MUST(cucore_buffer_read, far, 0, &value, sizeof value, there);
  EXPECT_EQ(value, 2);
}

TEST_F(GraphMemory, IsLaunchedAfterACaptureThatRefusesIt) {
  const Allocated memory = add_buffer();
  const Executable executable = make_executable(graph_);
  const Buffer x = make_floats(0);
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  refuses(executable,
          "cannot launch an executable in a stream that is being captured: nothing runs until the "
          "graph is launched; end the capture first");
  const float value = 1;
  MUST(cucore_buffer_fill, x, 0, BYTES, &value, 4, stream_);
  Graph graph;
  SUCCEEDS(cucore_stream_end_capture, stream_, graph.out());
  EXPECT_EQ(cucore_graph_node_count(graph), 1u);
  launch(executable);
}

// A buffer that a capture has created, and that is not released in it.
class CapturedMemory : public GraphMemory {
 protected:
  Graph capture(Buffer& memory, float value) const {
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    MUST(cucore_buffer_create, device_, BYTES, stream_, memory.out());
    MUST(cucore_buffer_fill, memory, 0, BYTES, &value, sizeof value, stream_);
    Graph graph;
    MUST(cucore_stream_end_capture, stream_, graph.out());
    return graph;
  }
};

TEST_F(CapturedMemory, IsReadBackFromItsNodes) {
  Buffer memory;
  const Graph graph = capture(memory, 1);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_node_at, graph, 0, &node);
  const cucore_node_info info = query(graph, node);
  EXPECT_EQ(info.kind, CUCORE_NODE_KIND_ALLOCATION);
  EXPECT_EQ(info.destination, cucore_buffer_address(memory));
  EXPECT_EQ(info.size, BYTES);
  Pool pool;
  FAILS(CUCORE_ERROR_INVALID_STATE, "the buffer has no pool", cucore_buffer_pool, memory,
        pool.out());
}

TEST_F(CapturedMemory, StaysUntilItsBufferIsReleased) {
  Buffer memory;
  const Graph graph = capture(memory, 2);
  const Executable executable = make_executable(graph);
  launch(executable);
  EXPECT_EQ(first(memory), 2);
  EXPECT_GE(used(), BYTES);
  refuses(executable, STILL_ALLOCATED);
  memory.reset();
  EXPECT_EQ(used(), 0u);
  launch(executable);
  EXPECT_EQ(used(), 0u);
}

// Nobody has read the nodes of the graph before the release.
TEST_F(CapturedMemory, IsFreedByEachLaunchAfterTheEndOfItsBuffer) {
  Buffer memory;
  const Graph graph = capture(memory, 2);
  memory.reset();
  const Executable executable = make_executable(graph);
  for (int i = 0; i < 3; ++i) {
    launch(executable);
    EXPECT_EQ(used(), 0u);
  }
}

TEST_F(CapturedMemory, IsFreedByANodeThatIsAddedLater) {
  Buffer memory;
  const Graph graph = capture(memory, 3);
  cucore_node last = 0;
  MUST(cucore_graph_node_at, graph, 1, &last);
  add_free(graph, {last}, memory);
  memory.reset();
  const Executable executable = make_executable(graph);
  for (int i = 0; i < 3; ++i) {
    launch(executable);
    EXPECT_EQ(used(), 0u);
  }
}

// The release comes while the launch runs, and frees the memory after the work that uses it.
TEST_F(CapturedMemory, IsFreedAfterTheLaunchThatRuns) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs host functions at the launch";
  const Buffer result = make_floats(0);
  Allocated memory = add_buffer();
  const cucore_node fill = fill_unheld(memory, 7);
  std::atomic<bool> may_go{false};
  const cucore_node wait = add_host(
      {fill},
      [](void* data) {
        while (!*static_cast<std::atomic<bool>*>(data)) std::this_thread::yield();
      },
      &may_go);
  Buffer view;
  MUST(cucore_buffer_from_native, device_, cucore_buffer_address(memory.buffer), BYTES, view.out());
  add_copy({wait}, result, view);
  const Executable executable = make_executable(graph_);
  MUST(cucore_executable_launch, executable, stream_);
  memory.buffer.reset();
  may_go = true;
  EXPECT_EQ(first(result), 7);
  EXPECT_EQ(used(), 0u);
  launch(executable);
  EXPECT_EQ(first(result), 7);
}

TEST_F(CapturedMemory, IsReleasedBesideLaunches) {
  for (int i = 0; i < 20; ++i) {
    Buffer memory;
    const Graph graph = capture(memory, 1);
    const Executable executable = make_freeing(graph);
    std::thread other([&] { memory.reset(); });
    for (int k = 0; k < 5; ++k) MUST(cucore_executable_launch, executable, stream_);
    other.join();
    MUST(cucore_executable_launch, executable, stream_);
    EXPECT_EQ(used(), 0u);
  }
}

class DeviceGraphMemory : public GraphMemory {};

TEST_F(DeviceGraphMemory, HasPeaksAndIsTrimmed) {
  SUCCEEDS(cucore_device_trim_graph_memory, device_, 1);
  Allocated memory = add_buffer(graph_, {}, 1 << 20);
  Executable executable = make_executable(graph_);
  launch(executable);
  cucore_graph_memory_info info = CUCORE_GRAPH_MEMORY_INFO_INIT;
  SUCCEEDS(cucore_device_graph_memory, device_, &info);
  EXPECT_GE(info.used, 1u << 20);
  EXPECT_GE(info.used_peak, info.used);
  EXPECT_GE(info.reserved, info.used);
  EXPECT_GE(info.reserved_peak, info.reserved);
  memory.buffer.reset();
  MUST(cucore_stream_synchronize, stream_);
  if (!fake_) {
    MUST(cucore_device_graph_memory, device_, &info);
    EXPECT_GE(info.used_peak, 1u << 20);
    EXPECT_GE(info.reserved, 1u << 20);
    executable.reset();
    EXPECT_EQ(used(), 0u);
    EXPECT_TRUE(comes_true([&] {
      return cucore_device_trim_graph_memory(device_, 0, nullptr) == CUCORE_OK &&
             cucore_device_graph_memory(device_, &info, nullptr) == CUCORE_OK && info.reserved == 0;
    }));
    EXPECT_GE(info.used_peak, 1u << 20);
  }
  SUCCEEDS(cucore_device_trim_graph_memory, device_, 1);
  SUCCEEDS(cucore_device_graph_memory, device_, &info);
  EXPECT_EQ(info.used_peak, info.used);
  EXPECT_EQ(info.reserved_peak, info.reserved);
}

TEST_F(DeviceGraphMemory, RefusesMistakes) {
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "reset_peaks is 2, neither 0 nor 1",
        cucore_device_trim_graph_memory, device_, 2);
  cucore_graph_memory_info info = CUCORE_GRAPH_MEMORY_INFO_INIT;
  info.struct_size = 8;
  FAILS(CUCORE_ERROR_ABI_MISMATCH, "cucore_graph_memory_info.struct_size is 8",
        cucore_device_graph_memory, device_, &info);
}

// A capture in the mode PROCESS forbids many calls of other threads and of its own.
TEST_F(DeviceGraphMemory, IsReadInACapture) {
  cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
  options.mode = CUCORE_CAPTURE_MODE_PROCESS;
  MUST(cucore_stream_begin_capture, stream_, &options);
  cucore_graph_memory_info info = CUCORE_GRAPH_MEMORY_INFO_INIT;
  SUCCEEDS(cucore_device_graph_memory, device_, &info);
  SUCCEEDS(cucore_device_trim_graph_memory, device_, 1);
  Graph graph;
  SUCCEEDS(cucore_stream_end_capture, stream_, graph.out());
}

}  // namespace
