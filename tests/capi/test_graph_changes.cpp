// SPDX-License-Identifier: Apache-2.0
// Changes of nodes in graphs and in executables, and whole updates.
#include <atomic>
#include <cstring>
#include <thread>

#include "graph_testing.hpp"
#include "native_driver.hpp"

namespace {

using namespace capi_test;

class GraphChanges : public OnGraph {
 protected:
  static void count(void* calls) { ++*static_cast<std::atomic<int>*>(calls); }
  static std::string name(cucore_node node) { return "node " + std::to_string(node); }

  // The values of a launch that the scripted driver has recorded.
  fake_launch launch_at(uint64_t index) const {
    fake_launch launch{};
    EXPECT_TRUE(fake_->launch_at(index, &launch));
    return launch;
  }
  static float first_argument(const fake_launch& launch) {
    float value = 0;
    std::memcpy(&value, launch.arguments, sizeof value);
    return value;
  }
  struct Saxpy {
    Saxpy(float a, const cucore_buffer* x, const cucore_buffer* y) : a(a) {
      list[0] = CUCORE_ARGUMENT(this->a);
      list[1] = {x, CUCORE_ARGUMENT_OBJECT};
      list[2] = {y, CUCORE_ARGUMENT_OBJECT};
      list[3] = CUCORE_ARGUMENT(n);
    }
    Saxpy(const Saxpy&) = delete;
    float a;
    uint32_t n = COUNT;
    cucore_argument list[4];
  };
};

TEST_F(GraphChanges, OfAKernelChangeItsValues) {
  const Buffer x = make_floats(2), y = make_floats(1);
  const cucore_node node = add_saxpy({}, 3, x, y);
  const Executable before = make_executable(graph_);
  const Saxpy twice(10, x, y);
  SUCCEEDS(cucore_graph_set_kernel, graph_, node, nullptr, nullptr, twice.list, 4);
  const Executable after = make_executable(graph_);
  launch(before);
  if (runs_kernels()) {
    EXPECT_EQ(first(y), 7);
  }
  launch(after);
  if (runs_kernels()) {
    EXPECT_EQ(first(y), 27);
  }
  if (!fake_) return;
  EXPECT_EQ(first_argument(launch_at(0)), 3);
  EXPECT_EQ(first_argument(launch_at(1)), 10);
}

TEST_F(GraphChanges, OfAKernelChangeItsOptionsAndFunction) {
  const Buffer x = make_floats(2), y = make_floats(1);
  const cucore_node node = add_saxpy({}, 3, x, y);
  cucore_launch_options options = grid(5, 64);
  SUCCEEDS(cucore_graph_set_kernel, graph_, node, nullptr, &options, nullptr, 0);
  EXPECT_EQ(query(node).grid[0], 5u);
  EXPECT_EQ(query(node).block[0], 64u);
  EXPECT_STREQ(query(node).kernel, "saxpy");
  run();
  SUCCEEDS(cucore_graph_set_kernel, graph_, node, empty_, nullptr, nullptr, 0);
  EXPECT_STREQ(query(node).kernel, "empty");
  EXPECT_EQ(query(node).grid[0], 5u);
  run();
  if (runs_kernels()) {
    EXPECT_EQ(first(y), 7);
  }
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "kernel saxpy takes 4 arguments, got 0",
        cucore_graph_set_kernel, graph_, node, saxpy_, nullptr, nullptr, 0);
  EXPECT_STREQ(query(node).kernel, "empty");
}

TEST_F(GraphChanges, OfAKernelChangeItsAttributes) {
  cucore_launch_options options = grid(2, 32);
  options.cooperative = 1;
  const cucore_node node = add_empty_kernel({}, options);
  options.cooperative = 0;
  options.priority = -1;
  SUCCEEDS(cucore_graph_set_kernel, graph_, node, nullptr, &options, nullptr, 0);
  run();
  if (!fake_) return;
  EXPECT_EQ(launch_at(0).cooperative, 0);
  EXPECT_EQ(launch_at(0).priority, -1);
}

TEST_F(GraphChanges, OfAKernelThatFailAreUndone) {
  NEEDS_FAKE_DRIVER();
  const cucore_node node = add_empty_kernel({}, grid(1, 32));
  cucore_launch_options options = grid(2, 32);
  options.cooperative = 1;
  fake_->fail_call("cuGraphKernelNodeCopyAttributes", 1, CUDA_ERROR_UNKNOWN);
  FAILS_ONCE(CUCORE_ERROR_CUDA, "set " + name(node) + " (kernel empty): |UNKNOWN",
             cucore_graph_set_kernel, graph_, node, nullptr, &options, nullptr, 0);
  EXPECT_EQ(query(node).grid[0], 1u);
  run();
  EXPECT_EQ(launch_at(0).grid[0], 1u);
  EXPECT_EQ(launch_at(0).cooperative, 0);
}

TEST_F(GraphChanges, OfCopiesAndFills) {
  const Buffer a = make_floats(1), b = make_floats(2), out = make_floats(0), other = make_floats(0);
  const cucore_node fill = add_fill({}, a, 5), copy = add_copy({fill}, out, a);
  const Executable before = make_executable(graph_);
  const float nine = 9;
  SUCCEEDS(cucore_graph_set_fill, graph_, fill, b, 0, 8, &nine, sizeof nine);
  SUCCEEDS(cucore_graph_set_copy, graph_, copy, other, 0, b, 0, 8);
  EXPECT_EQ(query(fill).destination, cucore_buffer_address(b));
  EXPECT_EQ(query(fill).size, 8u);
  EXPECT_EQ(query(copy).source, cucore_buffer_address(b));
  EXPECT_EQ(query(copy).destination, cucore_buffer_address(other));
  run();
  EXPECT_EQ(first(other), 9);
  EXPECT_EQ(first(out), 0);
  launch(before);
  EXPECT_EQ(first(out), 5);
  EXPECT_EQ(first(a), 5);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "size is 0", cucore_graph_set_copy, graph_, copy, other, 0,
        b, 0, 0);
}

TEST_F(GraphChanges, OfFillsWithEightBytes) {
  const Buffer y = make_floats(0);
  uint64_t wide = 0x100000002, narrow = 7, value = 0;
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_fill, graph_, nullptr, 0, y, 0, BYTES, &wide, 8, &node);
  const Executable executable = make_executable(graph_);
  wide = 0x300000004;
  SUCCEEDS(cucore_graph_set_fill, graph_, node, y, 0, BYTES, &wide, 8);
  run();
  SUCCEEDS(cucore_buffer_read, y, 8, &value, sizeof value, stream_);
  EXPECT_EQ(value, 0x300000004u);
  wide = 0x500000006;
  SUCCEEDS(cucore_executable_set_fill, executable, node, y, 0, BYTES, &wide, 8);
  launch(executable);
  SUCCEEDS(cucore_buffer_read, y, 8, &value, sizeof value, stream_);
  EXPECT_EQ(value, 0x500000006u);
  const std::string why =
      ": patterns of 8 bytes whose halves differ need another node than "
      "other patterns; ";
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "cannot set " + name(node) + " (fill)" + why + "add another node", cucore_graph_set_fill,
        graph_, node, y, 0, BYTES, &narrow, 4);
  FAILS(CUCORE_ERROR_NOT_UPDATABLE,
        "cannot set " + name(node) + " (fill) in the executable" + why + "make a new executable",
        cucore_executable_set_fill, executable, node, y, 0, BYTES, &narrow, 4);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        name(node) +
            " (fill) cannot be disabled; expected a kernel, a copy, or a fill whose "
            "pattern repeats after 4 bytes",
        cucore_executable_set_enabled, executable, node, 0);
}

TEST_F(GraphChanges, OfHostFunctionsAndEvents) {
  std::atomic<int> calls{0}, others{0};
  const Event one = make_event(device_), two = make_event(device_);
  const cucore_node host = add_host({}, count, &calls);
  cucore_node record = 0, wait = 0;
  SUCCEEDS(cucore_graph_add_record, graph_, nullptr, 0, one, &record);
  SUCCEEDS(cucore_graph_add_wait, graph_, &record, 1, one, &wait);
  SUCCEEDS(cucore_graph_set_host, graph_, host, count, &others, nullptr);
  SUCCEEDS(cucore_graph_set_event, graph_, record, two);
  SUCCEEDS(cucore_graph_set_event, graph_, wait, two);
  Event found;
  SUCCEEDS(cucore_graph_node_event, graph_, wait, found.out());
  EXPECT_EQ(found, two);
  run();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(others, 1);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        name(host) +
            " (host function) has no event; expected a node that records an event or "
            "waits for one",
        cucore_graph_set_event, graph_, host, one);
}

TEST_F(GraphChanges, OfChildren) {
  std::atomic<int> calls{0}, others{0};
  const Graph child = make_graph(device_), other = make_graph(device_);
  cucore_node node = 0, inner = 0;
  SUCCEEDS(cucore_graph_add_host, child, nullptr, 0, count, &calls, nullptr, &inner);
  SUCCEEDS(cucore_graph_add_host, other, nullptr, 0, count, &others, nullptr, &inner);
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  const Executable executable = make_executable(graph_);
  cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
  if (driver.version_major * 100 + driver.version_minor < 1202) {
    FAILS(CUCORE_ERROR_UNSUPPORTED,
          "setting the graph of a node needs a driver of CUDA 12.2; " + served() +
              " "
              "(cuGraphNodeSetParams is missing)",
          cucore_graph_set_child, graph_, node, other);
  } else {
    SUCCEEDS(cucore_graph_set_child, graph_, node, other);
    run();
    EXPECT_EQ(others, 1);
  }
  launch(executable);
  EXPECT_EQ(calls, 1);
  others = 0;
  SUCCEEDS(cucore_executable_set_child, executable, node, other);
  launch(executable);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(others, 1);
  add_empty(other, {});
  FAILS(CUCORE_ERROR_NOT_UPDATABLE,
        "cannot set " + name(node) +
            " (child graph) in the executable: the driver refuses it "
            "(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE); make a new executable",
        cucore_executable_set_child, executable, node, other);
  launch(executable);
  EXPECT_EQ(others, 2);
}

TEST_F(GraphChanges, RefuseOtherKinds) {
  const Buffer y = make_floats(0);
  const float value = 1;
  const cucore_node fill = add_fill({}, y, 1), empty = add_empty();
  const Executable executable = make_executable(graph_);
  const std::string copy_message =
      "cannot set " + name(fill) + " (fill) as a node of kind copy; call the function of its kind";
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, copy_message, cucore_graph_set_copy, graph_, fill, y, 0, y,
        8, 8);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, copy_message, cucore_executable_set_copy, executable, fill,
        y, 0, y, 8, 8);
  const std::string message = " (empty) as a node of kind ";
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, name(empty) + message + "kernel", cucore_graph_set_kernel,
        graph_, empty, empty_, nullptr, nullptr, 0);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, name(empty) + message + "fill", cucore_graph_set_fill,
        graph_, empty, y, 0, 4, &value, 4);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, name(empty) + message + "host function",
        cucore_graph_set_host, graph_, empty, count, nullptr, nullptr);
  SUCCEEDS(cucore_graph_remove_node, graph_, fill);
  const std::string removed = name(fill) + " was removed from the graph";
  FAILS(CUCORE_ERROR_NOT_FOUND, removed, cucore_graph_set_fill, graph_, fill, y, 0, 4, &value, 4);
  FAILS(CUCORE_ERROR_NOT_FOUND, removed, cucore_executable_set_fill, executable, fill, y, 0, 4,
        &value, 4);
  const cucore_node late = add_fill({}, y, 1);
  FAILS(CUCORE_ERROR_NOT_FOUND, name(late) + " is not a node of the executable",
        cucore_executable_set_fill, executable, late, y, 0, 4, &value, 4);
  FAILS(CUCORE_ERROR_NOT_FOUND, "node is 0, which is not a node", cucore_executable_set_fill,
        executable, 0, y, 0, 4, &value, 4);
}

TEST_F(GraphChanges, OfNodesThatOtherCodeHasAdded) {
  auto* const native = static_cast<CUgraph>(cucore_graph_native(graph_));
  const NativeDriver driver;
  decltype(&::cuGraphAddKernelNode) add_kernel = nullptr;
  decltype(&::cuGraphAddHostNode) add_host = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) retain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease) release = nullptr;
  driver.find("cuGraphAddKernelNode", add_kernel);
  driver.find("cuDevicePrimaryCtxRetain", retain);
  driver.find("cuDevicePrimaryCtxRelease", release);
  driver.find("cuGraphAddHostNode", add_host);
  std::atomic<int> calls{0}, others{0};
  const CUDA_HOST_NODE_PARAMS host{count, &calls};
  CUDA_KERNEL_NODE_PARAMS launch{};
  launch.kern = static_cast<CUkernel>(cucore_kernel_native(empty_));
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
  launch.blockDimX = launch.blockDimY = launch.blockDimZ = 1;
  CUgraphNode added = nullptr;
  ASSERT_EQ(add_host(&added, native, nullptr, 0, &host), CUDA_SUCCESS);
  ASSERT_EQ(retain(&launch.ctx, 0), CUDA_SUCCESS);
  ASSERT_EQ(add_kernel(&added, native, nullptr, 0, &launch), CUDA_SUCCESS);
  ASSERT_EQ(release(0), CUDA_SUCCESS);
  cucore_node node = 0, kernel = 0;
  SUCCEEDS(cucore_graph_node_at, graph_, 0, &node);
  SUCCEEDS(cucore_graph_node_at, graph_, 1, &kernel);
  const cucore_launch_options options = grid(2, 32);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "a capture or other code has added " + name(kernel) +
            (fake_ ? " (kernel)" : " (kernel empty)") +
            ", so its launch is not known; pass kernel, options and arguments",
        cucore_graph_set_kernel, graph_, kernel, nullptr, &options, nullptr, 0);
  SUCCEEDS(cucore_graph_set_kernel, graph_, kernel, empty_, &options, nullptr, 0);
  EXPECT_EQ(query(kernel).grid[0], 2u);
  SUCCEEDS(cucore_graph_set_host, graph_, node, count, &others, nullptr);
  run();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(others, 1);
}

TEST_F(GraphChanges, OfExecutablesAreTheirOwn) {
  const Buffer x = make_floats(2), y = make_floats(1), z = make_floats(0);
  std::atomic<int> calls{0}, others{0};
  const Event event = make_event(device_), second = make_event(device_);
  const cucore_node kernel = add_saxpy({}, 3, x, y);
  const cucore_node copy = add_copy({kernel}, z, y), fill = add_fill({copy}, y, 1);
  const cucore_node host = add_host({fill}, count, &calls);
  cucore_node record = 0;
  SUCCEEDS(cucore_graph_add_record, graph_, &host, 1, event, &record);
  const Executable one = make_executable(graph_), two = make_executable(graph_);
  const Saxpy changed(10, x, y);
  const float five = 5;
  SUCCEEDS(cucore_executable_set_kernel, one, kernel, nullptr, nullptr, changed.list, 4);
  SUCCEEDS(cucore_executable_set_copy, one, copy, z, 4, y, 0, 4);
  SUCCEEDS(cucore_executable_set_fill, one, fill, y, 0, BYTES, &five, 4);
  SUCCEEDS(cucore_executable_set_host, one, host, count, &others, nullptr);
  SUCCEEDS(cucore_executable_set_event, one, record, second);
  launch(one);
  EXPECT_EQ(first(z), 0);
  float read = 0;
  SUCCEEDS(cucore_buffer_read, z, 4, &read, sizeof read, stream_);
  EXPECT_EQ(read, runs_kernels() ? 21 : 1);
  EXPECT_EQ(first(y), 5);
  EXPECT_EQ(others, 1);
  EXPECT_EQ(calls, 0);
  launch(two);
  EXPECT_EQ(first(z), runs_kernels() ? 11 : 5);
  EXPECT_EQ(first(y), 1);
  EXPECT_EQ(calls, 1);
}

TEST_F(GraphChanges, OfAttributesNeedANewExecutable) {
  const cucore_node node = add_empty_kernel({}, grid(1, 32));
  const Executable executable = make_executable(graph_);
  cucore_launch_options options = grid(2, 64);
  SUCCEEDS(cucore_executable_set_kernel, executable, node, nullptr, &options, nullptr, 0);
  options.cooperative = 1;
  FAILS(CUCORE_ERROR_NOT_UPDATABLE,
        "cannot set " + name(node) +
            " (kernel empty) in the executable: an executable cannot "
            "change launch attributes; make a new executable",
        cucore_executable_set_kernel, executable, node, nullptr, &options, nullptr, 0);
  launch(executable);
  if (fake_) {
    EXPECT_EQ(launch_at(0).grid[0], 2u);
  }
}

TEST_F(GraphChanges, LeaveNodesOut) {
  const Buffer y = make_floats(0);
  const cucore_node fill = add_fill({}, y, 2);
  const cucore_node host = add_host(
      {}, [](void*) {}, nullptr);
  const Executable executable = make_executable(graph_);
  int32_t enabled = 0;
  SUCCEEDS(cucore_executable_is_enabled, executable, fill, &enabled);
  EXPECT_EQ(enabled, 1);
  SUCCEEDS(cucore_executable_set_enabled, executable, fill, 0);
  SUCCEEDS(cucore_executable_is_enabled, executable, fill, &enabled);
  EXPECT_EQ(enabled, 0);
  launch(executable);
  EXPECT_EQ(first(y), 0);
  SUCCEEDS(cucore_executable_set_enabled, executable, fill, 1);
  launch(executable);
  EXPECT_EQ(first(y), 2);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "enabled is 2, neither 0 nor 1",
        cucore_executable_set_enabled, executable, fill, 2);
  enabled = 7;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        name(host) + " (host function) cannot be disabled; expected a kernel, a copy",
        cucore_executable_is_enabled, executable, host, &enabled);
  EXPECT_EQ(enabled, 0);
}

TEST_F(GraphChanges, UpdateAWholeExecutable) {
  const Buffer x = make_floats(2), y = make_floats(1), z = make_floats(0);
  const cucore_node kernel = add_saxpy({}, 3, x, y);
  add_copy({kernel}, z, y);
  const Executable executable = make_executable(graph_);
  Graph other = make_graph(device_);
  std::swap(other, graph_);
  const cucore_node second = add_saxpy({}, 10, x, y);
  add_copy({second}, z, y);
  std::swap(other, graph_);
  cucore_node culprit = 7;
  SUCCEEDS(cucore_executable_update, executable, other, &culprit);
  EXPECT_EQ(culprit, 0u);
  other.reset();
  launch(executable);
  EXPECT_EQ(first(z), runs_kernels() ? 21 : 1);
  // The numbers are those of the first graph, the work that of the second.
  cucore_launch_options options = grid(1, 64);
  SUCCEEDS(cucore_executable_set_kernel, executable, kernel, nullptr, &options, nullptr, 0);
  launch(executable);
  if (fake_) {
    EXPECT_EQ(first_argument(launch_at(1)), 10);
  }
  if (runs_kernels()) {
    EXPECT_EQ(first(z), 41);
  }
  SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
  launch(executable);
  if (runs_kernels()) {
    EXPECT_EQ(first(z), 47);
  }
}

TEST_F(GraphChanges, RefuseUpdatesFromOtherShapes) {
  const Buffer y = make_floats(0);
  const cucore_node first_fill = add_fill({}, y, 1);
  const cucore_node second_fill = add_fill({first_fill}, y, 2);
  const Executable executable = make_executable(graph_);
  const cucore_node third = add_empty({second_fill});
  cucore_node culprit = 7;
  FAILS(CUCORE_ERROR_NOT_UPDATABLE,
        "cannot update the executable: the graph has other nodes or edges than before "
        "(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED); make a new executable",
        cucore_executable_update, executable, graph_, &culprit);
  EXPECT_EQ(culprit, 0u);
  SUCCEEDS(cucore_graph_remove_node, graph_, third);
  SUCCEEDS(cucore_graph_remove_node, graph_, second_fill);
  const cucore_node kernel = add_empty_kernel({first_fill}, grid(1, 1));
  SUCCEEDS(cucore_graph_set_label, graph_, kernel, "stage 2");
  FAILS(CUCORE_ERROR_NOT_UPDATABLE,
        "cannot update the executable: " + name(kernel) +
            " (kernel empty, \"stage 2\") has another type than before "
            "(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED); make a new executable",
        cucore_executable_update, executable, graph_, &culprit);
  EXPECT_EQ(culprit, kernel);
  launch(executable);
  EXPECT_EQ(first(y), 2);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "executable", cucore_executable_update, nullptr, graph_,
        &culprit);
  EXPECT_EQ(culprit, 0u);
}

TEST_F(GraphChanges, ReportFailuresOfTheDriver) {
  NEEDS_FAKE_DRIVER();
  const Buffer y = make_floats(0);
  const cucore_node fill = add_fill({}, y, 1);
  const Executable executable = make_executable(graph_);
  const float value = 3;
  fake_->fail_call("cuGraphExecMemsetNodeSetParams", 1, CUDA_ERROR_INVALID_VALUE);
  FAILS_ONCE(CUCORE_ERROR_NOT_UPDATABLE,
             "cannot set " + name(fill) +
                 " (fill) in the executable: the driver refuses it "
                 "(CUDA_ERROR_INVALID_VALUE); make a new executable",
             cucore_executable_set_fill, executable, fill, y, 0, 4, &value, 4);
  fake_->fail_call("cuGraphExecMemsetNodeSetParams", 1, CUDA_ERROR_UNKNOWN);
  FAILS_ONCE(CUCORE_ERROR_CUDA, "set " + name(fill) + " (fill) in the executable: |UNKNOWN",
             cucore_executable_set_fill, executable, fill, y, 0, 4, &value, 4);
  fake_->fail_call("cuGraphExecUpdate", 1, CUDA_ERROR_OUT_OF_MEMORY);
  FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "update the executable: ", cucore_executable_update,
             executable, graph_, nullptr);
  launch(executable);
  EXPECT_EQ(first(y), 1);
}

class ChangeLifetime : public GraphChanges {
 protected:
  void TearDown() override {
    graph_.reset();
    EXPECT_TRUE(ends_at(0)) << "data of the program was left";
    GraphChanges::TearDown();
  }
  static void end(void* data) { --*static_cast<std::atomic<int>*>(data); }
  static void ignore(void*) {}
  bool ends_at(int count) const {
    return comes_true([&] { return alive_ == count; });
  }
  void forget_graph() {
    graph_.reset();
    graph_ = make_graph(device_);
  }
  static void wait_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

  std::atomic<int> alive_{0};
};

TEST_F(ChangeLifetime, OfANodesDataEndsWhenItIsSet) {
  alive_ = 1;
  const cucore_node node = add_host({}, ignore, &alive_, end);
  ++alive_;
  SUCCEEDS(cucore_graph_set_host, graph_, node, ignore, &alive_, end);
  EXPECT_TRUE(ends_at(1));
  Executable executable = make_executable(graph_);
  ++alive_;
  SUCCEEDS(cucore_graph_set_host, graph_, node, ignore, &alive_, end);
  wait_a_little();
  EXPECT_EQ(alive_, 2);
  executable.reset();
  EXPECT_TRUE(ends_at(1));
}

TEST_F(ChangeLifetime, OfDataSetInAnExecutableEndsWhenItIsSetAgain) {
  const cucore_node node = add_host({}, ignore, nullptr);
  Executable executable = make_executable(graph_);
  alive_ = 1;
  SUCCEEDS(cucore_executable_set_host, executable, node, ignore, &alive_, end);
  launch(executable);
  wait_a_little();
  EXPECT_EQ(alive_, 1);
  ++alive_;
  SUCCEEDS(cucore_executable_set_host, executable, node, ignore, &alive_, end);
  EXPECT_TRUE(ends_at(1));
  SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
  EXPECT_TRUE(ends_at(0));
  ++alive_;
  SUCCEEDS(cucore_executable_set_host, executable, node, ignore, &alive_, end);
  launch(executable);
  executable.reset();
  EXPECT_TRUE(ends_at(0));
}

TEST_F(ChangeLifetime, IsLevelWithALaunchPerChange) {
  const cucore_node node = add_host({}, ignore, nullptr);
  const Executable executable = make_executable(graph_);
  const Stream other = make_stream(device_);
  for (int i = 0; i < 500; ++i) {
    ++alive_;
    SUCCEEDS(cucore_executable_set_host, executable, node, ignore, &alive_, end);
    SUCCEEDS(cucore_executable_launch, executable, i % 2 ? stream_ : other);
  }
  EXPECT_TRUE(ends_at(1));
  SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
  EXPECT_TRUE(ends_at(0));
}

TEST_F(ChangeLifetime, OfAnUpdateIsThatOfTheExecutable) {
  add_host({}, ignore, nullptr);
  Executable executable = make_executable(graph_);
  Graph other = make_graph(device_);
  cucore_node node = 0;
  alive_ = 1;
  SUCCEEDS(cucore_graph_add_host, other, nullptr, 0, ignore, &alive_, end, &node);
  SUCCEEDS(cucore_executable_update, executable, other, nullptr);
  other.reset();
  wait_a_little();
  EXPECT_EQ(alive_, 1);
  launch(executable);
  SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
  EXPECT_TRUE(ends_at(0));
}

// The buffer of a node and the data of the graph, both of which count.
TEST_F(ChangeLifetime, OfAGraphWhoseUpdateIsRefusedIsItsOwn) {
  const Buffer memory = make_floats(0);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const auto make_counted = [&](const Device& device, const Buffer& of) {
    ++alive_;
    Buffer buffer;
    MUST(cucore_buffer_from_owner, device, cucore_buffer_address(of), BYTES, end, &alive_,
         buffer.out());
    return buffer;
  };
  const auto hold = [&](const Graph& graph) {
    ++alive_;
    MUST(cucore_graph_hold, graph, &alive_, end);
  };
  const auto fill = [&](const Graph& graph, float value, const Buffer& buffer) {
    cucore_node node = 0;
    MUST(cucore_graph_add_fill, graph, nullptr, 0, buffer, 0, BYTES, &value, 4, &node);
    return node;
  };
  const auto add_kernel = [&](const Graph& graph, cucore_node before, bool is_cooperative) {
    cucore_launch_options options = grid(1, 32);
    options.cooperative = is_cooperative;
    cucore_node node = 0;
    MUST(cucore_graph_add_kernel, graph, &before, 1, empty_, &options, nullptr, 0, &node);
    return node;
  };
  add_kernel(graph_, fill(graph_, 1, make_counted(device_, memory)), false);
  hold(graph_);
  Executable executable = make_executable(graph_);
  forget_graph();
  EXPECT_EQ(alive_, 2);
  const auto is_refused = [&](Graph other, cucore_status status, const std::string& message) {
    SCOPED_TRACE(message);
    hold(other);
    FAILS(status, message, cucore_executable_update, executable, other, nullptr);
    EXPECT_EQ(alive_, 4);
    other.reset();
    EXPECT_TRUE(ends_at(2)) << alive_ << " objects are left";
    launch(executable);
    EXPECT_EQ(first(memory), 1);
    MUST(cucore_buffer_fill, memory, 0, BYTES, "", 1, stream_);
  };
  const auto with_fill = [&](const Device& device, const Buffer& of, auto&& add) {
    Graph graph = make_graph(device);
    add(graph, fill(graph, 2, make_counted(device, of)));
    return graph;
  };
  is_refused(with_fill(device_, memory,
                       [&](const Graph& graph, cucore_node node) {
                         add_kernel(graph, add_kernel(graph, node, false), false);
                       }),
             CUCORE_ERROR_NOT_UPDATABLE, "CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED");
  is_refused(with_fill(device_, memory,
                       [&](const Graph& graph, cucore_node node) { add_empty(graph, {node}); }),
             CUCORE_ERROR_NOT_UPDATABLE, "CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED");
  if (!fake_)  // it compares neither attributes nor contexts
    is_refused(
        with_fill(device_, memory,
                  [&](const Graph& graph, cucore_node node) { add_kernel(graph, node, true); }),
        CUCORE_ERROR_NOT_UPDATABLE, "CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED");
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (!fake_ && devices > 1) {
    const Device second = open_device(1);
    const Stream there = make_stream(second);
    const Buffer far = make_buffer(second, BYTES, there);
    is_refused(
        with_fill(second, far,
                  [&](const Graph& graph, cucore_node node) { add_kernel(graph, node, false); }),
        CUCORE_ERROR_NOT_UPDATABLE, "cannot update the executable");
  }
  // A graph into which a stream is being captured.
  SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
  Graph under_way, captured;
  SUCCEEDS(cucore_stream_capture_graph, stream_, under_way.out());
  hold(under_way);
  const cucore_launch_options options = grid(1, 32);
  {
    const Buffer counted = make_counted(device_, memory);
    SUCCEEDS(cucore_buffer_fill, counted, 0, BYTES, "x", 1, stream_);
    SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
  }
  FAILS(CUCORE_ERROR_INVALID_STATE, "into which a stream is being captured",
        cucore_executable_update, executable, under_way, nullptr);
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  EXPECT_EQ(alive_, 4);
  captured.reset();
  under_way.reset();
  EXPECT_TRUE(ends_at(2));
  launch(executable);
  EXPECT_EQ(first(memory), 1);
  executable.reset();
  EXPECT_TRUE(ends_at(0));
}

TEST_F(ChangeLifetime, OfDataEndsWithACallThatFails) {
  const cucore_node node = add_empty();
  Executable executable = make_executable(graph_);
  alive_ = 2;
  FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "host function", cucore_graph_set_host, graph_, node,
             ignore, &alive_, end);
  FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "host function", cucore_executable_set_host, executable,
             node, ignore, &alive_, end);
  EXPECT_TRUE(ends_at(0));
}

// Objects are released before the launch.
TEST_F(ChangeLifetime, OfObjectsSetInAnExecutable) {
  Buffer y = make_floats(0), out = make_floats(0), other = make_floats(7);
  const cucore_node copy = add_copy({}, out, y);
  Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_executable_set_copy, executable, copy, out, 0, other, 0, BYTES);
  other.reset(), y.reset();
  std::vector<Buffer> others;
  for (int i = 0; i < 100; ++i) others.push_back(make_floats(9));
  launch(executable);
  EXPECT_EQ(first(out), 7);
}

// A host function that holds its stream until the test opens it.
struct HostGate {
  explicit HostGate(std::atomic<int>& alive) : alive(alive) {}

  static void wait(void* data) {
    auto* self = static_cast<HostGate*>(data);
    self->reached = true;
    while (!self->open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  static void end(void* data) { --static_cast<HostGate*>(data)->alive; }

  std::atomic<bool> open{false}, reached{false};
  std::atomic<int>& alive;
};

TEST_F(ChangeLifetime, OfWorkInFlightOutlivesItsStream) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs host functions in the launch";
  HostGate gate(alive_);
  const cucore_node node = add_host({}, ignore, nullptr);
  Executable executable = make_executable(graph_);
  alive_ = 1;
  SUCCEEDS(cucore_executable_set_host, executable, node, HostGate::wait, &gate, HostGate::end);
  Stream other = make_stream(device_);
  SUCCEEDS(cucore_executable_launch, executable, other);
  ASSERT_TRUE(comes_true([&] { return gate.reached.load(); }));
  other.reset();
  SUCCEEDS(cucore_executable_set_host, executable, node, ignore, nullptr, nullptr);
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  executable.reset();
  forget_graph();
  wait_a_little();
  EXPECT_EQ(alive_, 1);
  gate.open = true;
  EXPECT_TRUE(ends_at(0));
}

TEST_F(ChangeLifetime, OfAnExecutableInFlightIsThatOfItsLaunches) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs host functions in the launch";
  HostGate gate(alive_);
  alive_ = 1;
  add_host({}, HostGate::wait, &gate, HostGate::end);
  Executable executable = make_executable(graph_);
  forget_graph();
  const Stream idle = make_stream(device_);
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  ASSERT_TRUE(comes_true([&] { return gate.reached.load(); }));
  const auto began = std::chrono::steady_clock::now();
  executable.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5)) << "it has waited";
  SUCCEEDS(cucore_stream_synchronize, idle);
  wait_a_little();
  EXPECT_EQ(alive_, 1);
  gate.open = true;
  EXPECT_TRUE(ends_at(0));
}

TEST_F(ChangeLifetime, OfWorkInFlightIsThatOfTheLaunch) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs host functions in the launch";
  HostGate gate(alive_);
  add_host({}, ignore, nullptr);
  Executable executable = make_executable(graph_);
  alive_ = 1;
  Graph other = make_graph(device_);
  cucore_node in_other = 0;
  SUCCEEDS(cucore_graph_add_host, other, nullptr, 0, HostGate::wait, &gate, nullptr, &in_other);
  SUCCEEDS(cucore_graph_hold, other, &alive_, end);
  SUCCEEDS(cucore_executable_update, executable, other, nullptr);
  other.reset();
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  ASSERT_TRUE(comes_true([&] { return gate.reached.load(); }));
  SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
  wait_a_little();
  EXPECT_EQ(alive_, 1);
  gate.open = true;
  SUCCEEDS(cucore_stream_synchronize, stream_);
  EXPECT_TRUE(ends_at(0));
}

// The first launch is complete at the change after it, but the second one is not.
TEST_F(ChangeLifetime, OfAllWorkBetweenLaunchesIsThatOfTheLaunchBefore) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs host functions in the launch";
  constexpr int CHANGES = 5;
  HostGate gate(alive_);
  const cucore_node node = add_host({}, ignore, nullptr);
  const Executable executable = make_executable(graph_);
  launch(executable);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  alive_ = 1;
  SUCCEEDS(cucore_executable_set_host, executable, node, HostGate::wait, &gate, HostGate::end);
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  for (int i = 0; i < CHANGES; ++i) {
    ++alive_;
    SUCCEEDS(cucore_executable_set_host, executable, node, ignore, &alive_, end);
  }
  wait_a_little();
  EXPECT_EQ(alive_, 1 + CHANGES);
  gate.open = true;
  EXPECT_TRUE(ends_at(1)) << "the last change is of the executable";
  SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
  EXPECT_TRUE(ends_at(0));
}

TEST_F(ChangeLifetime, OfAllWorkBetweenLaunchesHasOneEvent) {
  NEEDS_FAKE_DRIVER();
  const cucore_node fill = add_fill({}, make_floats(0), 1);
  const Executable executable = make_executable(graph_);
  const uint64_t before = fake_->call_count("cuEventRecord");
  for (uint64_t launches = 1; launches <= 3; ++launches) {
    SUCCEEDS(cucore_executable_launch, executable, stream_);
    for (int i = 0; i < 10; ++i) {
      const Buffer y = make_floats(0);
      SUCCEEDS(cucore_executable_set_fill, executable, fill, y, 0, BYTES, &i, 4);
    }
    EXPECT_EQ(fake_->call_count("cuEventRecord"), before + launches);
  }
}

// Between two changes, other code may launch the executable.
TEST_F(ChangeLifetime, OfWorkHasItsEventOnceOtherCodeHasTheHandle) {
  NEEDS_FAKE_DRIVER();
  const cucore_node fill = add_fill({}, make_floats(0), 1);
  const Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  ASSERT_NE(cucore_executable_native(executable), nullptr);
  const uint64_t before = fake_->call_count("cuEventRecord");
  for (int i = 0; i < 10; ++i) {
    const Buffer y = make_floats(0);
    SUCCEEDS(cucore_executable_set_fill, executable, fill, y, 0, BYTES, &i, 4);
  }
  EXPECT_EQ(fake_->call_count("cuEventRecord"), before + 10);
}

TEST_F(ChangeLifetime, IsLevelOverManyChanges) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const Buffer y = make_floats(0);
  const cucore_node fill = add_fill({}, y, 1);
  Executable executable = make_executable(graph_);
  const uint64_t objects = fake_->live_objects("user_object");
  for (int i = 0; i < 2000; ++i) {
    const auto value = static_cast<float>(i);
    SUCCEEDS(cucore_executable_set_fill, executable, fill, y, 0, BYTES, &value, 4);
    SUCCEEDS(cucore_graph_set_fill, graph_, fill, y, 0, BYTES, &value, 4);
  }
  EXPECT_TRUE(comes_true([&] { return fake_->live_objects("user_object") == objects; }));
  launch(executable);
  EXPECT_EQ(first(y), 1999);
}

TEST_F(ChangeLifetime, IsSafeWithManyThreads) {
  const Buffer y = make_floats(0);
  const cucore_node fill = add_fill({}, y, 1);
  Executable executable = make_executable(graph_);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        const auto value = static_cast<float>(i);
        cucore_status status = CUCORE_OK;
        if (t % 4 == 0)
          status = cucore_executable_set_fill(executable, fill, y, 0, 8, &value, 4, nullptr);
        if (t % 4 == 1) status = cucore_graph_set_fill(graph_, fill, y, 0, 8, &value, 4, nullptr);
        if (t % 4 == 2) status = cucore_executable_update(executable, graph_, nullptr, nullptr);
        if (t % 4 == 3) status = cucore_executable_launch(executable, stream_, nullptr);
        EXPECT_EQ(status, CUCORE_OK);
      }
    });
  for (std::thread& thread : threads) thread.join();
  SUCCEEDS(cucore_stream_synchronize, stream_);
}

// Both lock the graph and the records of the stream.
TEST_F(ChangeLifetime, GoesOnDuringCapturesIntoTheGraph) {
  if (!fake_ && !is_emulated()) GTEST_SKIP() << "NVIDIA's driver may not lock the graph";
  const Buffer y = make_floats(0);
  const cucore_node fill = add_fill({}, y, 1);
  const Executable executable = make_executable(graph_);
  const Stream captured = make_stream(device_);
  SUCCEEDS(cucore_executable_launch, executable, captured);  // changes record its progress
  cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
  options.into = graph_;
  const auto capture = [&] {
    if (cucore_stream_begin_capture(captured, &options, nullptr) != CUCORE_OK) return false;
    Graph same;
    return cucore_stream_end_capture(captured, same.out(), nullptr) == CUCORE_OK;
  };
  if (!capture()) GTEST_SKIP() << "the driver has no captures into a graph";
  std::atomic<bool> is_over{false};
  std::thread changes([&] {
    for (int i = 0; i < 2000; ++i) {
      EXPECT_EQ(cucore_executable_launch(executable, stream_, nullptr), CUCORE_OK);
      const cucore_status status =
          cucore_executable_set_fill(executable, fill, y, 0, BYTES, &i, 4, nullptr);
      EXPECT_EQ(status, CUCORE_OK);
    }
    is_over = true;
  });
  while (!is_over) EXPECT_TRUE(capture());
  changes.join();
  SUCCEEDS(cucore_stream_synchronize, stream_);
}

}  // namespace
