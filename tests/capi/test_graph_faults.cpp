// SPDX-License-Identifier: Apache-2.0
// Kernels of graphs that fault. They break the context, and a reset of the device is the way on.
#include "completion_testing.hpp"
#include "graph_testing.hpp"

namespace {

using namespace capi_test;

class GraphFaults : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    // A real device that has faulted is of no use to the tests after this one.
    if (!is_emulated()) GTEST_SKIP() << "needs the CPU device";
    queue_ = make_queue();
  }
  void TearDown() override {
    queue_.reset();
    OnGraph::TearDown();
  }

  // Adds a kernel that writes to an address that no buffer has.
  cucore_node add_faulty(const Nodes& after) const {
    const float a = 1;
    const uint64_t nowhere = 16;
    const uint32_t n = COUNT;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(nowhere),
                                         CUCORE_ARGUMENT(nowhere), CUCORE_ARGUMENT(n)};
    const cucore_launch_options options = grid(1, 32);
    cucore_node node = 0;
    MUST(cucore_graph_add_kernel, graph_, after.data(), after.size(), saxpy_, &options, arguments,
         4, &node);
    return node;
  }
  static void count(void* calls) { ++*static_cast<std::atomic<int>*>(calls); }

  Queue queue_;
};

TEST_F(GraphFaults, ReachTheStreamItsFuturesAndTheNextCall) {
  const std::string fault = "CUDA_ERROR_ILLEGAL_ADDRESS|cucore_device_reset";
  Buffer y = make_floats(1);
  std::atomic<int> calls{0};
  const cucore_node kernel = add_faulty({add_fill({}, y, 2)});
  add_host({kernel}, count, &calls);
  Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  Future future = make_future(stream_, queue_, 7);
  const cucore_completion completion = take(queue_, 1)[0];
  EXPECT_EQ(completion.token, 7U);
  EXPECT_EQ(completion.status, CUCORE_ERROR_KERNEL_FAULT);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, fault, cucore_stream_synchronize, stream_);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, fault, cucore_executable_launch, executable, stream_);
  cucore_buffer* buffer = nullptr;
  FAILS(CUCORE_ERROR_KERNEL_FAULT, fault, cucore_buffer_create, device_, size_t{1} << 20, stream_,
        &buffer);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, fault, cucore_device_synchronize, device_);
  EXPECT_EQ(calls, 0);  // what comes after the kernel does not run

  SUCCEEDS(cucore_device_reset, device_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "executable|cucore_device_reset", cucore_executable_launch,
        executable, stream_);
  cucore_node node = 0;
  FAILS(CUCORE_ERROR_INVALID_STATE, "graph|cucore_device_reset", cucore_graph_add_empty, graph_,
        nullptr, 0, &node);
  future.reset();
  y.reset();
  executable.reset();
  graph_ = make_graph(device_);
  stream_ = make_stream(device_);
  const Buffer x = make_floats(2), z = make_floats(1);
  add_saxpy({}, 3, x, z);
  run();
  EXPECT_EQ(first(z), 7);
}

}  // namespace
