// SPDX-License-Identifier: Apache-2.0
// The driver launches a function, which it made of a kernel for one context, or the kernel itself.
// It takes less time for a function. The scripted driver refuses a function of another context, and
// counts the use of a dead one as a violation.
#include <cuda.h>

#include <string>
#include <thread>
#include <vector>

#include "graph_testing.hpp"
#include "native_context.hpp"

namespace {

using namespace capi_test;

class ContextFunctions : public OnGraph {
 protected:
  // More launches than a kernel has without a function.
  static constexpr int MANY = 12;

  // CUDA 12.3 has the name of a function, which the library needs for captured nodes.
  static bool has_functions() {
    cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
    MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
    return driver.version_major * 100 + driver.version_minor >= 1203;
  }
  void launch_times(int times, const cucore_kernel* kernel, const cucore_stream* stream) const {
    const cucore_launch_options options = grid(1, 1);
    for (int i = 0; i < times; ++i)
      SUCCEEDS(cucore_kernel_launch, kernel, stream, &options, nullptr, 0);
  }
  bool last_is_function() const {
    fake_launch launch{};
    EXPECT_TRUE(fake_->launch_at(fake_->launch_count() - 1, &launch));
    EXPECT_STREQ(launch.kernel, "empty");
    return launch.is_function != 0;
  }
  void run_on(const cucore_stream* stream) const {
    const Executable executable = make_executable(graph_);
    MUST(cucore_executable_launch, executable, stream);
    MUST(cucore_stream_synchronize, stream);
  }
};

TEST_F(ContextFunctions, AreFoundOnceAfterTheFirstLaunches) {
  NEEDS_FAKE_DRIVER();
  launch_times(1, empty_, stream_);
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
  EXPECT_FALSE(last_is_function());
  launch_times(MANY, empty_, stream_);
  EXPECT_EQ(last_is_function(), has_functions());
  EXPECT_EQ(fake_->call_count("cuKernelGetFunction"), has_functions() ? 1u : 0u);
  EXPECT_EQ(fake_->call_count("cuLaunchKernelEx"), MANY + 1u);
  fake_->reset();
  launch_times(MANY, empty_, stream_);
  EXPECT_EQ(fake_->log(), std::vector<std::string>(MANY, "cuLaunchKernelEx"));
}

TEST_F(ContextFunctions, AreFoundOnceByManyThreads) {
  NEEDS_FAKE_DRIVER();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([this] { launch_times(100, empty_, stream_); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake_->call_count("cuLaunchKernelEx"), 800u);
  EXPECT_LE(fake_->call_count("cuKernelGetFunction"), 8u);  // by each thread at most once
  launch_times(1, empty_, stream_);
  EXPECT_EQ(last_is_function(), has_functions());
}

TEST_F(ContextFunctions, AreNotNeededForALaunch) {
  NEEDS_FAKE_DRIVER();
  launch_times(8, empty_, stream_);
  fake_->fail_call("cuKernelGetFunction", 1, CUDA_ERROR_OUT_OF_MEMORY);
  launch_times(1, empty_, stream_);
  EXPECT_EQ(fake_->failures_used(), has_functions());
  EXPECT_FALSE(last_is_function());
  launch_times(1, empty_, stream_);
  EXPECT_EQ(last_is_function(), has_functions());
  fake_->forget_failures();
}

// A handle of the old context would be dead.
TEST_F(ContextFunctions, OfAContextEndWithIt) {
  NEEDS_FAKE_DRIVER();
  launch_times(MANY, empty_, stream_);
  add_empty_kernel({}, grid(1, 1));
  for (int resets = 0; resets < 3; ++resets) {
    graph_.reset();
    stream_.reset();
    SUCCEEDS(cucore_device_reset, device_);
    stream_ = make_stream(device_);
    launch_times(MANY, empty_, stream_);
    EXPECT_EQ(last_is_function(), has_functions());
    graph_ = make_graph(device_);
    const cucore_node first = add_empty_kernel({}, grid(1, 1));
    add_empty_kernel({first}, grid(1, 1));
    run_on(stream_);
  }
  EXPECT_EQ(fake_->violations(), 0u) << fake_->last_violation();
}

// One image serves both devices, which have one architecture. Each has a function.
TEST_F(ContextFunctions, AreOfOneContext) {
  NEEDS_FAKE_DRIVER();
  const Device second = open_device(1);
  Stream there = make_stream(second);
  for (int turn = 0; turn < 2; ++turn) {
    for (const cucore_stream* const stream : {stream_.get(), there.get()}) {
      launch_times(MANY, empty_, stream);
      EXPECT_EQ(last_is_function(), has_functions());
    }
  }
  EXPECT_EQ(fake_->call_count("cuKernelGetFunction"), has_functions() ? 2u : 0u);
  graph_ = make_graph(second);
  const cucore_node first = add_empty_kernel({}, grid(1, 1));
  add_empty_kernel({first}, grid(1, 1));
  run_on(there);
  MUST(cucore_stream_begin_capture, there, nullptr);
  launch_times(3, empty_, there);
  MUST(cucore_stream_end_capture, there, graph_.out());
  run_on(there);
  EXPECT_EQ(last_is_function(), has_functions());
  // A reset of the second device changes nothing for the first.
  graph_.reset();
  there.reset();
  SUCCEEDS(cucore_device_reset, second);
  there = make_stream(second);
  fake_->reset();
  for (const cucore_stream* const stream : {stream_.get(), there.get()}) {
    launch_times(MANY, empty_, stream);
    EXPECT_EQ(last_is_function(), has_functions());
  }
  EXPECT_EQ(fake_->call_count("cuKernelGetFunction"), has_functions() ? 1u : 0u);
  EXPECT_EQ(fake_->violations(), 0u) << fake_->last_violation();
}

// Several threads find the function of a new context, whose predecessor only the kernel has.
TEST_F(ContextFunctions, AreFoundByManyThreadsAfterAReset) {
  NEEDS_FAKE_DRIVER();
  for (int resets = 0; resets < 20; ++resets) {
    graph_ = make_graph(device_);
    add_empty_kernel({}, grid(1, 1));
    graph_.reset();
    stream_.reset();
    SUCCEEDS(cucore_device_reset, device_);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([this] {
        const Graph graph = make_graph(device_);
        const cucore_launch_options options = grid(1, 1);
        cucore_node node = 0;
        SUCCEEDS(cucore_graph_add_kernel, graph, nullptr, 0, empty_, &options, nullptr, 0, &node);
      });
    for (std::thread& thread : threads) thread.join();
    stream_ = make_stream(device_);
  }
  EXPECT_EQ(fake_->violations(), 0u) << fake_->last_violation();
}

TEST_F(ContextFunctions, ArePartOfPreparedLaunches) {
  NEEDS_FAKE_DRIVER();
  const cucore_launch_options options = grid(1, 1);
  PreparedLaunch prepared;
  MUST(cucore_prepared_launch_create, empty_, stream_, &options, nullptr, 0, prepared.out());
  for (int i = 0; i < MANY; ++i) SUCCEEDS(cucore_prepared_launch_run, prepared);
  EXPECT_EQ(last_is_function(), has_functions());
  EXPECT_EQ(fake_->call_count("cuLaunchKernelEx"), uint64_t{MANY});
}

// The streams of a context and of a thread make the first launches with a kernel too.
TEST_F(ContextFunctions, AreFoundForDefaultStreams) {
  NEEDS_FAKE_DRIVER();
  for (const auto kind : {CUCORE_DEFAULT_STREAM_LEGACY, CUCORE_DEFAULT_STREAM_PER_THREAD}) {
    const Kernel kernel = find_kernel(make_ptx_code(), "empty");
    Stream stream;
    MUST(cucore_device_default_stream, device_, kind, stream.out());
    fake_->reset();
    launch_times(1, kernel, stream);
    EXPECT_EQ(fake_->call_count("cuKernelGetFunction"), 0u);
    launch_times(MANY, kernel, stream);
    EXPECT_EQ(last_is_function(), has_functions());
  }
}

TEST_F(ContextFunctions, AreCaptured) {
  NEEDS_FAKE_DRIVER();
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  launch_times(3, empty_, stream_);
  MUST(cucore_stream_end_capture, stream_, graph_.out());
  EXPECT_EQ(fake_->call_count("cuKernelGetFunction"), has_functions() ? 1u : 0u);
  run_on(stream_);
  EXPECT_EQ(fake_->launch_count(), 3u);
  EXPECT_EQ(last_is_function(), has_functions());
}

// NVIDIA's driver crashes if it adds a function without a current context.
TEST_F(ContextFunctions, AreAddedToAGraphIfTheContextIsCurrent) {
  NEEDS_FAKE_DRIVER();
  const NativeContext native;
  const CUcontext own = native.hold(0), other = native.hold(1);
  for (const CUcontext context : {CUcontext{nullptr}, own, other}) {
    graph_ = make_graph(device_);
    native.set(context);
    fake_->reset();
    Nodes nodes{add_empty_kernel({}, grid(1, 1))};  // finds the function
    for (int i = 0; i < 50; ++i) nodes.push_back(add_empty_kernel({nodes.back()}, grid(1, 1)));
    EXPECT_EQ(native.current(), context);
    const bool takes_function = context == own && has_functions();
    EXPECT_EQ(fake_->call_count("cuCtxGetCurrent") > 50, takes_function);  // else not for each
    native.set(nullptr);
    run_on(stream_);
    EXPECT_EQ(last_is_function(), takes_function);
  }
  native.let_go(0);
  native.let_go(1);
  EXPECT_EQ(fake_->violations(), 0u) << fake_->last_violation();
}

// A failed question for the current context counts as none.
TEST_F(ContextFunctions, AreNotNeededForANode) {
  NEEDS_FAKE_DRIVER();
  const NativeContext native;
  native.set(native.hold(0));
  Nodes nodes{add_empty_kernel({}, grid(1, 1))};
  for (int i = 0; i < 5; ++i) nodes.push_back(add_empty_kernel({nodes.back()}, grid(1, 1)));
  // Twice, because an addition that needs more memory begins again.
  for (const uint64_t call : {1, 2})
    fake_->fail_call("cuCtxGetCurrent", call, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  add_empty_kernel({nodes.back()}, grid(1, 1));
  fake_->forget_failures();
  native.set(nullptr);
  native.let_go(0);
  run_on(stream_);
  EXPECT_FALSE(last_is_function());
}

// All nodes compute, whichever handle each was added by, and also after a change.
TEST_F(ContextFunctions, ComputeAsKernelsDo) {
  if (fake_) GTEST_SKIP() << "needs a device that runs kernels";
  const void* const context = cucore_device_native_context(device_);
  const Buffer x = make_floats(1), y = make_floats(0);
  const NativeContext native;
  Nodes nodes;
  for (int i = 0; i < 6; ++i) {
    native.set(i % 2 ? static_cast<CUcontext>(const_cast<void*>(context)) : nullptr);
    nodes.push_back(add_saxpy(nodes.empty() ? Nodes{} : Nodes{nodes.back()}, 1, x, y));
  }
  native.set(nullptr);
  const Executable executable = make_executable(graph_);
  launch(executable);
  EXPECT_EQ(first(y), 6);
  const SaxpyArguments ten(10, x, y);
  for (const size_t changed : {size_t{2}, size_t{3}})
    MUST(cucore_executable_set_kernel, executable, nodes[changed], nullptr, nullptr, ten.list, 4);
  launch(executable);
  EXPECT_EQ(first(y), 6 + 24);
}

}  // namespace
