// SPDX-License-Identifier: Apache-2.0
// The objects that graphs keep, and their end.
#include <cuda.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "graph_testing.hpp"
#include "native_capture.hpp"

namespace {

using namespace capi_test;

class GraphLifetime : public OnGraph {
 protected:
  void TearDown() override {
    graph_.reset();
    EXPECT_TRUE(comes_true([&] { return alive_ == 0; })) << "data of the program was left";
    OnGraph::TearDown();
  }
  static void end(void* data) { --*static_cast<std::atomic<int>*>(data); }
  static void ignore(void*) {}

  cucore_node add_counted() {
    ++alive_;
    return add_host({}, ignore, &alive_, end);
  }
  void hold() {
    ++alive_;
    MUST(cucore_graph_hold, graph_, &alive_, end);
  }
  bool ends_at(int count) const {
    return comes_true([&] { return alive_ == count; });
  }
  Buffer make_managed() const {
    Buffer buffer;
    MUST(cucore_buffer_create_managed, device_, BYTES, buffer.out());
    return buffer;
  }
  // Also after the library's thread had time to release memory.
  void expect_memory(uint64_t count) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == count; }));
  }
  void launch_saxpy(const cucore_buffer* x, const cucore_buffer* y) const {
    const SaxpyArguments arguments(1, x, y);
    const cucore_launch_options options = grid(1, 32);
    MUST(cucore_kernel_launch, saxpy_, stream_, &options, arguments.list, 4);
  }
  Graph end_capture() const {
    Graph captured;
    MUST(cucore_stream_end_capture, stream_, captured.out());
    return captured;
  }
  void forget_graph() {
    graph_.reset();
    graph_ = make_graph(device_);
  }

  std::atomic<int> alive_{0};
};

TEST_F(GraphLifetime, OfDataIsThatOfTheGraph) {
  add_counted();
  hold();
  EXPECT_EQ(alive_, 2);
  forget_graph();
  EXPECT_TRUE(ends_at(0));
}

TEST_F(GraphLifetime, OfDataEndsWithTheNode) {
  const cucore_node node = add_counted();
  hold();
  SUCCEEDS(cucore_graph_remove_node, graph_, node);
  EXPECT_TRUE(ends_at(1));
}

TEST_F(GraphLifetime, OfDataGoesOnInExecutablesAndClones) {
  const cucore_node node = add_counted();
  hold();
  Executable executable = make_executable(graph_);
  Graph copy;
  SUCCEEDS(cucore_graph_clone, graph_, copy.out());
  SUCCEEDS(cucore_graph_remove_node, graph_, node);
  forget_graph();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(alive_, 2);
  SUCCEEDS(cucore_graph_remove_node, copy, node);
  copy.reset();
  launch(executable);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(alive_, 2);
  executable.reset();
  EXPECT_TRUE(ends_at(0));
}

// The driver launches an executable that keeps user objects 1.1 us later than others (driver 580),
// so only graphs that other code uses have some.
TEST_F(GraphLifetime, NeedsUserObjectsForOtherCodeAlone) {
  NEEDS_FAKE_DRIVER();
  const Buffer x = make_floats(2), y = make_floats(1);
  add_saxpy({}, 3, x, y);
  add_counted();
  hold();
  const Executable executable = make_executable(graph_);
  const auto made = [&] { return fake_->call_count("cuUserObjectCreate"); };
  launch(executable);
  EXPECT_EQ(made(), 0u);
  EXPECT_NE(cucore_graph_native(graph_), nullptr);
  EXPECT_EQ(made(), 3u);
  EXPECT_NE(cucore_graph_native(graph_), nullptr);
  EXPECT_EQ(made(), 3u);
  const cucore_node node = add_counted();
  EXPECT_EQ(made(), 4u);
  SUCCEEDS(cucore_graph_remove_node, graph_, node);
  EXPECT_TRUE(ends_at(2));
}

TEST_F(GraphLifetime, OfDataGoesOnInExecutablesOfOtherCode) {
  const NativeGraphs native;
  if (!native) GTEST_SKIP() << "the driver has no graphs";
  Graph child = make_graph(device_);
  std::swap(child, graph_);
  add_counted();
  std::swap(child, graph_);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  child.reset();
  add_counted();
  auto* const handle = static_cast<CUgraph>(cucore_graph_native(graph_));
  ASSERT_NE(handle, nullptr);
  const cucore_node late = add_counted();
  hold();
  CUgraphExec executable = nullptr;
  ASSERT_EQ(native.instantiate(executable, handle), CUDA_SUCCESS);
  SUCCEEDS(cucore_graph_remove_node, graph_, late);
  forget_graph();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(alive_, 4);
  native.destroy(nullptr, executable);
  EXPECT_TRUE(ends_at(0));
}

TEST_F(GraphLifetime, OfAGraphThatCannotBeHandedOut) {
  NEEDS_FAKE_DRIVER();
  add_counted();
  fake_->fail_call("cuUserObjectCreate", 1, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cucore_graph_native(graph_), nullptr);
  EXPECT_NE(cucore_graph_native(graph_), nullptr);
}

TEST_F(GraphLifetime, OfDataGoesOnInTheParent) {
  Graph child = make_graph(device_);
  std::swap(child, graph_);
  add_counted();
  hold();
  std::swap(child, graph_);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  child.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(alive_, 2);
  run();
  SUCCEEDS(cucore_graph_remove_node, graph_, node);
  EXPECT_TRUE(ends_at(0));
}

TEST_F(GraphLifetime, OfDataEndsWithACallThatFails) {
  cucore_node node = 0;
  const cucore_node removed = add_empty();
  SUCCEEDS(cucore_graph_remove_node, graph_, removed);
  alive_ = 1;
  FAILS_ONCE(CUCORE_ERROR_NOT_FOUND, "was removed", cucore_graph_add_host, graph_, &removed, 1,
             ignore, &alive_, end, &node);
  EXPECT_EQ(alive_, 0);
  alive_ = 1;
  FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "fn", cucore_graph_add_host, graph_, nullptr, 0,
             nullptr, &alive_, end, &node);
  EXPECT_EQ(alive_, 0);
  alive_ = 1;
  FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "graph", cucore_graph_hold, nullptr, &alive_, end);
  EXPECT_EQ(alive_, 0);
}

// Each release of the program's references before the launch.
TEST_F(GraphLifetime, OfObjectsIsThatOfTheExecutable) {
  Buffer x = make_floats(2), y = make_floats(1), out = make_floats(0);
  Event event = make_event(device_);
  const cucore_node kernel = add_saxpy({}, 3, x, y);
  cucore_node record = 0;
  SUCCEEDS(cucore_graph_add_record, graph_, &kernel, 1, event, &record);
  add_copy({record}, out, y);
  Executable executable = make_executable(graph_);
  x.reset(), y.reset(), event.reset(), code_.reset(), saxpy_.reset(), empty_.reset();
  forget_graph();
  std::vector<Buffer> others;
  for (int i = 0; i < 100; ++i) others.push_back(make_floats(9));
  launch(executable);
  EXPECT_EQ(first(out), runs_kernels() ? 7 : 1);
  others.clear();
  executable.reset();
  code_ = make_ptx_code();
}

TEST_F(GraphLifetime, OfBuffersEndsWithTheNode) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  Buffer y;
  SUCCEEDS(cucore_buffer_create_managed, device_, 1 << 20, y.out());
  const float value = 1;
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_fill, graph_, nullptr, 0, y, 0, BYTES, &value, 4, &node);
  y.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(fake_->live_objects("memory"), before + 1);
  SUCCEEDS(cucore_graph_remove_node, graph_, node);
  EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == before; }));
}

// The works of nodes share blocks of memory, but not their buffers.
TEST_F(GraphLifetime, OfBuffersOfKernelNodesEndsOneByOne) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  constexpr uint64_t NODES = 100;
  Nodes nodes;
  for (uint64_t i = 0; i < NODES; ++i) {
    const Buffer buffer = make_managed();
    nodes.push_back(add_saxpy({}, 1, buffer, buffer));
  }
  expect_memory(before + NODES);
  for (uint64_t i = 0; i < NODES; i += 2) SUCCEEDS(cucore_graph_remove_node, graph_, nodes[i]);
  expect_memory(before + NODES / 2);
  {
    const Buffer other = make_managed();
    const SaxpyArguments arguments(1, other, other);
    for (uint64_t i = 1; i < NODES; i += 4)
      SUCCEEDS(cucore_graph_set_kernel, graph_, nodes[i], nullptr, nullptr, arguments.list, 4);
  }
  expect_memory(before + NODES / 4 + 1);
  Executable executable = make_executable(graph_);
  forget_graph();
  expect_memory(before + NODES / 4 + 1);
  executable.reset();
  expect_memory(before);
}

TEST_F(GraphLifetime, OfBuffersOfEachCaptureIsThatOfItsGraph) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  Buffer buffer = make_managed();
  const auto capture = [&] {
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    for (int i = 0; i < 3; ++i) launch_saxpy(buffer, buffer);
    return end_capture();
  };
  Graph first = capture(), second = capture();
  buffer.reset();
  first.reset();
  expect_memory(before + 1);
  second.reset();
  expect_memory(before);
}

TEST_F(GraphLifetime, OfManyBuffersIsThatOfTheirCapture) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  constexpr uint64_t BUFFERS = 30;
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  {
    std::vector<Buffer> buffers;
    for (uint64_t i = 0; i < BUFFERS; ++i) buffers.push_back(make_managed());
    for (int round = 0; round < 2; ++round)
      for (uint64_t i = 0; i < BUFFERS; ++i)
        launch_saxpy(buffers[i], buffers[(7 * i + 1) % BUFFERS]);
  }
  expect_memory(before + BUFFERS);
  Graph captured = end_capture();
  expect_memory(before + BUFFERS);
  captured.reset();
  expect_memory(before);
}

TEST_F(GraphLifetime, OfANodeThatCannotBeRemovedGoesOn) {
  NEEDS_FAKE_DRIVER();
  const cucore_node node = add_counted();
  fake_->fail_call("cuGraphDestroyNode", 1, CUDA_ERROR_INVALID_CONTEXT);
  FAILS_ONCE(CUCORE_ERROR_INVALID_STATE,
             "remove node " + std::to_string(node) + " (host function): ", cucore_graph_remove_node,
             graph_, node);
  EXPECT_EQ(alive_, 1);
  EXPECT_EQ(query(node).kind, CUCORE_NODE_KIND_HOST);
  SUCCEEDS(cucore_graph_remove_node, graph_, node);
  EXPECT_TRUE(ends_at(0));
}

TEST_F(GraphLifetime, IsLevelOverManyNodes) {
  constexpr int ROUNDS = 2000;
  for (int i = 0; i < ROUNDS; ++i) {
    const cucore_node node = add_counted();
    SUCCEEDS(cucore_graph_remove_node, graph_, node);
  }
  EXPECT_TRUE(ends_at(0));
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
}

TEST_F(GraphLifetime, IsTheSameInEachOrderOfReleases) {
  for (int order = 0; order < 6; ++order) {
    add_counted();
    Executable executable = make_executable(graph_);
    Graph copy;
    SUCCEEDS(cucore_graph_clone, graph_, copy.out());
    SUCCEEDS(cucore_executable_launch, executable, stream_);
    const auto release = [&](int which) {
      if (which == 0) executable.reset();
      if (which == 1) copy.reset();
      if (which == 2) forget_graph();
    };
    release(order / 2);
    release((order / 2 + 1 + order % 2) % 3);
    release((order / 2 + 2 - order % 2) % 3);
    SUCCEEDS(cucore_stream_synchronize, stream_);
    EXPECT_TRUE(ends_at(0)) << order;
  }
}

// A host function that waits until the test lets it go on.
struct HeldCall {
  std::atomic<bool> is_free{false};
  std::atomic<int> began{0}, ended{0}, released{0};
  static void run(void* data) {
    auto* const self = static_cast<HeldCall*>(data);
    ++self->began;
    while (!self->is_free) std::this_thread::yield();
    ++self->ended;
  }
  static void end(void* data) { ++static_cast<HeldCall*>(data)->released; }
};

// The launch keeps what it uses, whichever of an object, its node, the graph and the executable
// ends first.
TEST_F(GraphLifetime, IsThatOfTheLaunchInEachOrderOfReleases) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs host functions at once";
  const Buffer memory = make_floats(0);
  MUST(cucore_stream_synchronize, stream_);
  std::array<int, 4> order{0, 1, 2, 3};
  do {
    SCOPED_TRACE(testing::PrintToString(order));
    MUST(cucore_buffer_fill, memory, 0, BYTES, "", 1, stream_);
    MUST(cucore_stream_synchronize, stream_);
    HeldCall held;
    alive_ = 2;
    Buffer object;
    MUST(cucore_buffer_from_owner, device_, cucore_buffer_address(memory), BYTES, end, &alive_,
         object.out());
    const cucore_node host = add_host({}, HeldCall::run, &held, HeldCall::end);
    const cucore_node fill = add_fill({host}, object, 5);
    MUST(cucore_graph_hold, graph_, &alive_, end);
    Executable executable = make_executable(graph_);
    MUST(cucore_executable_launch, executable, stream_);
    EXPECT_TRUE(comes_true([&] { return held.began == 1; }));
    for (const int which : order) {
      if (which == 0) object.reset();
      if (which == 1 && graph_.get()) {
        SUCCEEDS(cucore_graph_remove_node, graph_, fill);
        SUCCEEDS(cucore_graph_remove_node, graph_, host);
      }
      if (which == 2) graph_.reset();
      if (which == 3) executable.reset();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(alive_, 2);
    EXPECT_EQ(held.released, 0);
    held.is_free = true;
    EXPECT_EQ(first(memory), 5);
    EXPECT_TRUE(comes_true([&] { return alive_ == 0 && held.released == 1; })) << alive_;
    EXPECT_EQ(held.ended, 1);
    graph_ = make_graph(device_);
  } while (std::next_permutation(order.begin(), order.end()));
}

// 64 graphs run functions at once, while their graphs and executables are released by four threads.
TEST_F(GraphLifetime, OfManyGraphsWithCallbacks) {
  constexpr int GRAPHS = 64, THREADS = 4;
  if (fake_) GTEST_SKIP() << "the scripted driver runs host functions at once";
  struct One {
    Stream stream;
    Graph graph;
    Executable executable;
    HeldCall held;
    std::atomic<int> kept{0};
  };
  std::vector<One> all(GRAPHS);
  for (One& each : all) {
    each.stream = make_stream(device_);
    each.graph = make_graph(device_);
    cucore_node node = 0;
    SUCCEEDS(cucore_graph_add_host, each.graph, nullptr, 0, HeldCall::run, &each.held,
             HeldCall::end, &node);
    each.kept = 1;
    SUCCEEDS(cucore_graph_hold, each.graph, &each.kept, end);
    each.executable = make_executable(each.graph);
  }
  // Later, because a driver may create streams only when no host function runs.
  for (One& each : all) SUCCEEDS(cucore_executable_launch, each.executable, each.stream);
  std::vector<std::thread> threads;
  for (int t = 0; t < THREADS; ++t)
    threads.emplace_back([&all, t] {
      for (int i = t; i < GRAPHS; i += THREADS) {
        if (i % 2) all[i].executable.reset();
        all[i].graph.reset();
        all[i].executable.reset();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(comes_true([&] { return all[0].held.began == 1; }));
  for (One& each : all) {
    EXPECT_EQ(each.held.released, 0);  // the launch keeps the data
    EXPECT_EQ(each.kept, 1);
    each.held.is_free = true;
  }
  for (One& each : all) {
    SUCCEEDS(cucore_stream_synchronize, each.stream);
    EXPECT_EQ(each.held.ended, 1);
    EXPECT_TRUE(comes_true([&] { return each.held.released == 1 && each.kept == 0; }));
  }
}

// A graph takes references to what its nodes use in advance. It keeps none of them for a node that
// was not added.
TEST_F(GraphLifetime, OfABufferEndsWithAnAdditionThatFails) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  const cucore_launch_options options = grid(1, 32);
  cucore_node node = 0;
  const cucore_node none = 0;
  for (int kind = 0; kind < 3; ++kind) {
    const Buffer buffer = make_managed();
    SaxpyArguments arguments(1, buffer, buffer);
    if (kind == 0) {
      FAILS(CUCORE_ERROR_NOT_FOUND, "node is 0", cucore_graph_add_kernel, graph_, &none, 1, saxpy_,
            &options, arguments.list, 4, &node);
    } else if (kind == 1) {
      fake_->fail_call("cuGraphAddKernelNode", 1, CUDA_ERROR_OUT_OF_MEMORY);
      FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "saxpy", cucore_graph_add_kernel, graph_,
                 nullptr, 0, saxpy_, &options, arguments.list, 4, &node);
    } else {
      cucore_argument list[4];
      std::copy_n(arguments.list, 4, list);
      list[3].size = 1;
      FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "argument 3", cucore_graph_add_kernel, graph_, nullptr,
            0, saxpy_, &options, list, 4, &node);
    }
  }
  expect_memory(before);
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
}

TEST_F(GraphLifetime, OfMoreBuffersThanAGraphRemembers) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  constexpr uint64_t BUFFERS = 20;
  Nodes nodes;
  {
    std::vector<Buffer> buffers;
    for (uint64_t i = 0; i < BUFFERS; ++i) buffers.push_back(make_managed());
    for (uint64_t i = 0; i < 3 * BUFFERS; ++i)
      nodes.push_back(add_saxpy({}, 1, buffers[i % BUFFERS], buffers[7 * i % BUFFERS]));
  }
  expect_memory(before + BUFFERS);
  Executable executable = make_executable(graph_);
  for (const cucore_node node : nodes) SUCCEEDS(cucore_graph_remove_node, graph_, node);
  expect_memory(before + BUFFERS);
  executable.reset();
  expect_memory(before);
}

// Each addition either keeps the buffer or refuses the handle.
TEST_F(GraphLifetime, OfABufferThatAnotherThreadReleases) {
  const cucore_launch_options options = grid(1, 32);
  for (int repetition = 0; repetition < 20; ++repetition) {
    Buffer buffer = make_managed();
    const cucore_buffer* const handle = buffer;
    const SaxpyArguments arguments(1, handle, handle);
    std::atomic<int> added{0};
    std::thread releases([&] {
      while (added < repetition) std::this_thread::yield();
      buffer.reset();
    });
    cucore_status status = CUCORE_OK;
    while (status == CUCORE_OK) {
      cucore_node node = 0;
      status = cucore_graph_add_kernel(graph_, nullptr, 0, saxpy_, &options, arguments.list, 4,
                                       &node, nullptr);
      added += status == CUCORE_OK;
    }
    releases.join();
    EXPECT_EQ(status, CUCORE_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cucore_graph_node_count(graph_), static_cast<size_t>(added.load()));
    forget_graph();
  }
}

// The launches are nodes at first. After the end of the capture they run, until the buffer is gone.
TEST_F(GraphLifetime, OfABufferWhoseCaptureEndsDuringLaunches) {
  if (!fake_ && !is_emulated())
    GTEST_SKIP() << "a launch at the end of a capture can crash the driver";
  const cucore_launch_options options = grid(1, 32);
  for (int repetition = 0; repetition < 10; ++repetition) {
    Buffer buffer = make_managed();
    const cucore_buffer* const handle = buffer;
    const SaxpyArguments arguments(1, handle, handle);
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    std::atomic<int> launched{0};
    cucore_status status = CUCORE_OK;
    const auto launch_until_it_fails = [&] {
      // the driver may refuse a launch at the moment of the end
      while (status == CUCORE_OK || status == CUCORE_ERROR_INVALID_STATE) {
        status = cucore_kernel_launch(saxpy_, stream_, &options, arguments.list, 4, nullptr);
        ++launched;
      }
    };
    const bool is_own = repetition % 2 == 0;  // the thread that has begun the capture launches
    if (is_own) launch_saxpy(buffer, buffer);
    const auto end = [&] {
      while (launched < 10 + repetition) std::this_thread::yield();
      end_capture().reset();
      buffer.reset();
    };
    std::thread other(is_own ? std::function<void()>(end) : launch_until_it_fails);
    is_own ? launch_until_it_fails() : end();
    other.join();
    EXPECT_EQ(status, CUCORE_ERROR_INVALID_HANDLE);
    SUCCEEDS(cucore_stream_synchronize, stream_);
  }
}

TEST_F(GraphLifetime, OfMoreBuffersThanACaptureRemembers) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  constexpr uint64_t BUFFERS = 100;
  Graph captured;
  {
    std::vector<Buffer> buffers;
    for (uint64_t i = 0; i < BUFFERS; ++i) buffers.push_back(make_managed());
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    for (uint64_t i = 0; i < 3 * BUFFERS; ++i)
      launch_saxpy(buffers[i % BUFFERS], buffers[7 * i % BUFFERS]);
    buffers.clear();
    captured = end_capture();
  }
  expect_memory(before + BUFFERS);
  EXPECT_EQ(cucore_graph_node_count(captured), 3 * BUFFERS);
  Executable executable = make_executable(captured);
  captured.reset();
  expect_memory(before + BUFFERS);
  executable.reset();
  expect_memory(before);
}

// The capture goes on, and keeps what it kept before and what it uses later.
TEST_F(GraphLifetime, OfABufferAfterAnEndOfItsCaptureThatFails) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  Buffer first = make_managed(), second = make_managed();
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  launch_saxpy(first, first);
  fake_->fail_call("cuStreamEndCapture", 1, CUDA_ERROR_OUT_OF_MEMORY);
  cucore_graph* none = nullptr;
  FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "end the capture", cucore_stream_end_capture,
             stream_, &none);
  EXPECT_TRUE(cucore_stream_is_capturing(stream_));
  for (int i = 0; i < 3; ++i) launch_saxpy(first, second);
  first.reset(), second.reset();
  Graph captured = end_capture();
  EXPECT_EQ(cucore_graph_node_count(captured), 4u);
  expect_memory(before + 2);
  captured.reset();
  expect_memory(before);
}

TEST_F(GraphLifetime, OfABufferOfCapturesOnSeveralThreads) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t before = fake_->live_objects("memory");
  const auto capture = [&] {
    Buffer buffer = make_managed();
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    for (int i = 0; i < 3; ++i) launch_saxpy(buffer, buffer);
    buffer.reset();
    return end_capture();
  };
  for (int i = 0; i < 4; ++i) {
    Graph here = capture(), there;
    std::thread([&] { there = capture(); }).join();
    expect_memory(before + 2);
  }
  expect_memory(before);
}

}  // namespace
