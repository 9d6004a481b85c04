// SPDX-License-Identifier: Apache-2.0
// Executables: creation, launches, and their release while they run.
#include <cuda.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "graph_testing.hpp"

namespace {

using namespace capi_test;
using std::chrono::milliseconds;

class Executables : public OnGraph {};

TEST_F(Executables, DoWhatTheGraphWas) {
  const Buffer y = make_floats(0);
  const cucore_node fill = add_fill({}, y, 2);
  const Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_graph_remove_node, graph_, fill);
  add_fill({}, y, 3);
  launch(executable);
  EXPECT_EQ(first(y), 2);
  run();
  EXPECT_EQ(first(y), 3);
  graph_.reset();
  launch(executable);
  EXPECT_EQ(first(y), 2);
  Device device;
  SUCCEEDS(cucore_executable_device, executable, device.out());
  EXPECT_EQ(device, device_);
  EXPECT_NE(cucore_executable_native(executable), nullptr);
  graph_ = make_graph(device_);
}

TEST_F(Executables, AreLaunchedByOneDriverCall) {
  NEEDS_FAKE_DRIVER();
  add_empty_kernel({}, grid(1, 1));
  const Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  const uint64_t before = fake_->total_calls();
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  EXPECT_EQ(fake_->total_calls(), before + 1);
  EXPECT_STREQ(fake_->log_at(fake_->log_size() - 1), "cuGraphLaunch");
}

// The driver is queried for captures of a stream only while the library captures it, or if other
// code may.
TEST_F(Executables, AreLaunchedByOneDriverCallAfterACaptureOfTheStream) {
  NEEDS_FAKE_DRIVER();
  const Stream fork = make_stream(device_);
  // Kept, because the library's thread destroys what is released, by calls that count too.
  std::vector<Graph> graphs(3);
  std::vector<Executable> executables;
  const auto capture = [&](Graph& graph) -> const cucore_executable* {
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    MUST(cucore_stream_wait_stream, fork, stream_);
    const cucore_launch_options options = grid(1, 1);
    MUST(cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
    MUST(cucore_kernel_launch, empty_, fork, &options, nullptr, 0);
    MUST(cucore_stream_wait_stream, stream_, fork);
    MUST(cucore_stream_end_capture, stream_, graph.out());
    executables.push_back(make_executable(graph));
    return executables.back();
  };
  const auto calls_of_launch = [&](const cucore_executable* executable,
                                   const cucore_stream* stream) {
    MUST(cucore_executable_launch, executable, stream);
    const uint64_t before = fake_->total_calls();
    MUST(cucore_executable_launch, executable, stream);
    return fake_->total_calls() - before;
  };
  for (int i = 0; i < 2; ++i) {
    const cucore_executable* const executable = capture(graphs[i]);
    EXPECT_EQ(calls_of_launch(executable, stream_), 1u);
    EXPECT_EQ(calls_of_launch(executable, fork), 1u);
  }
  (void)cucore_stream_native(stream_);
  const cucore_executable* const executable = capture(graphs[2]);
  EXPECT_EQ(calls_of_launch(executable, stream_), 2u);  // other code may have begun a capture
  EXPECT_EQ(calls_of_launch(executable, fork), 2u);  // the fork has waited for work of other code
}

// The event has recorded a capture, and records work outside of captures now.
TEST_F(Executables, AreLaunchedByOneDriverCallAfterAnEventOfACapture) {
  NEEDS_FAKE_DRIVER();
  const Stream fork = make_stream(device_);
  const Event there = make_event(device_), back = make_event(device_);
  const auto fork_and_join = [&] {
    MUST(cucore_event_record, there, stream_);
    MUST(cucore_stream_wait_event, fork, there);
    MUST(cucore_event_record, back, fork);
    MUST(cucore_stream_wait_event, stream_, back);
  };
  Graph captured;
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  fork_and_join();
  MUST(cucore_stream_end_capture, stream_, captured.out());
  fork_and_join();
  const Executable executable = make_executable(graph_);
  for (const cucore_stream* stream : {stream_.get(), fork.get()}) {
    MUST(cucore_executable_launch, executable, stream);
    const uint64_t before = fake_->total_calls();
    MUST(cucore_executable_launch, executable, stream);
    EXPECT_EQ(fake_->total_calls(), before + 1);
  }
}

TEST_F(Executables, AreLaunchedByOneDriverCallAfterARefusedCapture) {
  NEEDS_FAKE_DRIVER();
  const cucore_node unknown = 999;
  cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
  const Graph into = make_graph(device_);
  options.into = into;
  options.after = &unknown;
  options.after_count = 1;
  Error error;
  EXPECT_NE(cucore_stream_begin_capture(stream_, &options, error.out()), CUCORE_OK);
  const Executable executable = make_executable(graph_);
  MUST(cucore_executable_launch, executable, stream_);
  const uint64_t before = fake_->total_calls();
  MUST(cucore_executable_launch, executable, stream_);
  EXPECT_EQ(fake_->total_calls(), before + 1);
}

TEST_F(Executables, AreLaunchedByOneDriverCallAfterABrokenCapture) {
  NEEDS_FAKE_DRIVER();
  cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
  options.nonblocking = CUCORE_TOGGLE_OFF;
  Stream blocking, legacy;
  MUST(cucore_stream_create, device_, &options, blocking.out());
  MUST(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  const Buffer x = make_floats(0);
  add_fill({}, x, 1);
  const Executable executable = make_executable(graph_);
  MUST(cucore_stream_begin_capture, blocking, nullptr);
  (void)cucore_buffer_fill(x, 0, BYTES, "x", 1, legacy, nullptr);
  cucore_graph* broken = nullptr;
  EXPECT_EQ(cucore_stream_end_capture(blocking, &broken, nullptr), CUCORE_ERROR_INVALID_STATE);
  SUCCEEDS(cucore_executable_launch, executable, blocking);
  const uint64_t before = fake_->total_calls();
  SUCCEEDS(cucore_executable_launch, executable, blocking);
  EXPECT_EQ(fake_->total_calls(), before + 1);
}

TEST_F(Executables, AreUploaded) {
  const Buffer y = make_floats(0);
  add_fill({}, y, 2);
  cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
  options.upload = stream_;
  options.node_priority = options.free_on_launch = 1;
  Executable executable;
  SUCCEEDS(cucore_executable_create, graph_, &options, executable.out());
  SUCCEEDS(cucore_executable_upload, executable, stream_);
  launch(executable);
  EXPECT_EQ(first(y), 2);
}

TEST_F(Executables, RefuseWrongOptions) {
  Executable executable;
  cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
  for (int32_t* flag : {&options.free_on_launch, &options.device_launch, &options.node_priority}) {
    *flag = 2;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_executable_options.| is 2, neither 0 nor 1",
          cucore_executable_create, graph_, &options, executable.out());
    *flag = 0;
  }
  options.reserved = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_executable_options.reserved",
        cucore_executable_create, graph_, &options, executable.out());
  struct {
    cucore_executable_options options;
    uint64_t later;
  } newer{CUCORE_EXECUTABLE_OPTIONS_INIT, 0};
  newer.options.struct_size = sizeof newer;
  SUCCEEDS(cucore_executable_create, graph_, &newer.options, executable.out());
  newer.later = 1;
  FAILS(CUCORE_ERROR_ABI_MISMATCH, "cucore_executable_options", cucore_executable_create, graph_,
        &newer.options, executable.out());
}

TEST_F(Executables, NameTheNodeAtFault) {
  add_empty_kernel({}, grid(1, 1));
  const cucore_node host = add_host(
      {}, [](void*) {}, nullptr);
  SUCCEEDS(cucore_graph_set_label, graph_, host, "stage 2");
  cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
  options.device_launch = 1;
  cucore_executable* out = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "create the executable; node " + std::to_string(host) +
            " (host function, \"stage 2\") is at fault "
            "(CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED)",
        cucore_executable_create, graph_, &options, &out);
  EXPECT_EQ(out, nullptr);
}

TEST_F(Executables, RunOnDefaultStreamsAndOnThoseOfOtherDevices) {
  std::atomic<int> calls{0};
  add_host(
      {}, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &calls);
  const Executable executable = make_executable(graph_);
  Stream legacy, own;
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_PER_THREAD, own.out());
  for (const Stream& stream : {legacy, own}) {
    SUCCEEDS(cucore_executable_launch, executable, stream);
    SUCCEEDS(cucore_stream_synchronize, stream);
  }
  EXPECT_EQ(calls, 2);
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices < 2) return;
  const Device second = open_device(1);
  const Stream there = make_stream(second);
  SUCCEEDS(cucore_executable_launch, executable, there);
  SUCCEEDS(cucore_stream_synchronize, there);
  EXPECT_EQ(calls, 3);
}

TEST_F(Executables, ReportFailuresOfTheDriver) {
  NEEDS_FAKE_DRIVER();
  const Executable executable = make_executable(graph_);
  fake_->fail_call("cuGraphLaunch", 1, CUDA_ERROR_UNKNOWN);
  FAILS_ONCE(CUCORE_ERROR_CUDA, "launch an executable graph on a stream of device 0: |UNKNOWN",
             cucore_executable_launch, executable, stream_);
  for (const uint64_t nth : {1, 2})
    fake_->fail_call("cuGraphInstantiateWithParams", nth, CUDA_ERROR_OUT_OF_MEMORY);
  cucore_executable* out = nullptr;
  FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "create the executable: ", cucore_executable_create,
             graph_, nullptr, &out);
}

// A host function that takes longer than a release may.
struct Slow {
  std::atomic<bool> started{false}, ended{false}, may_end{false};
  static void run(void* data) {
    auto* self = static_cast<Slow*>(data);
    self->started = true;
    while (!self->may_end) std::this_thread::sleep_for(milliseconds(1));
    self->ended = true;
  }
};

TEST_F(Executables, AreReleasedAtOnceWhileTheyRun) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs host functions in the launch";
  Slow slow;
  const Buffer y = make_floats(0);
  const cucore_node host = add_host({}, Slow::run, &slow);
  add_fill({host}, y, 4);
  Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  ASSERT_TRUE(comes_true([&] { return slow.started.load(); }));
  const auto begin = std::chrono::steady_clock::now();
  executable.reset();
  graph_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(500));
  EXPECT_FALSE(slow.ended);
  slow.may_end = true;
  SUCCEEDS(cucore_stream_synchronize, stream_);
  EXPECT_TRUE(slow.ended);
  EXPECT_EQ(first(y), 4);
  graph_ = make_graph(device_);
}

// A creation is slow during a destruction, and cannot take its memory.
TEST_F(Executables, WithoutLaunchesEndBeforeTheNextCreation) {
  NEEDS_FAKE_DRIVER();
  make_executable(graph_);
  Executable executable = make_executable(graph_);
  const uint64_t before = fake_->call_count("cuGraphExecDestroy");
  int late = 0;
  for (uint64_t i = 1; i <= 200; ++i) {
    executable.reset();
    executable = make_executable(graph_);
    late += fake_->call_count("cuGraphExecDestroy") < before + i;
  }
  EXPECT_LT(late, 20);  // on a busy machine, the library's thread can pause during a destruction
}

TEST_F(Executables, WithoutLaunchesEndWithoutAnotherCreation) {
  NEEDS_FAKE_DRIVER();
  Executable executable = make_executable(graph_);
  const uint64_t before = fake_->call_count("cuGraphExecDestroy");
  executable.reset();
  for (int i = 0; i < 500 && fake_->call_count("cuGraphExecDestroy") == before; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_GT(fake_->call_count("cuGraphExecDestroy"), before);
}

// The library's thread leaves them to the next creation for a time, but not if memory is needed.
TEST_F(Executables, WithoutLaunchesEndAtOnceForMemory) {
  NEEDS_FAKE_DRIVER();
  const Stream stream = make_stream(device_);
  for (int i = 0; i < 20; ++i) {
    Executable executable = make_executable(graph_);
    const uint64_t before = fake_->call_count("cuGraphExecDestroy");
    fake_->fail_call("cuMemAllocAsync", 1, CUDA_ERROR_OUT_OF_MEMORY);
    executable.reset();
    make_buffer(device_, 1 << 20, stream);
    EXPECT_GT(fake_->call_count("cuGraphExecDestroy"), before);
  }
}

TEST_F(Executables, WithoutLaunchesEndForACreationThatLacksMemory) {
  NEEDS_FAKE_DRIVER();
  std::vector<Executable> executables;
  for (int i = 0; i < 3; ++i) executables.push_back(make_executable(graph_));
  const uint64_t before = fake_->call_count("cuGraphExecDestroy");
  fake_->fail_call("cuGraphInstantiateWithParams", 1, CUDA_ERROR_OUT_OF_MEMORY);
  executables.clear();
  make_executable(graph_);
  EXPECT_GE(fake_->call_count("cuGraphExecDestroy"), before + 3);
}

// Afterwards, their context is lost.
TEST_F(Executables, WithoutLaunchesEndBeforeAReset) {
  NEEDS_FAKE_DRIVER();
  Executable executable = make_executable(graph_);
  const uint64_t before = fake_->call_count("cuGraphExecDestroy");
  executable.reset();
  SUCCEEDS(cucore_device_reset, device_);
  EXPECT_GT(fake_->call_count("cuGraphExecDestroy"), before);
}

// Lets a thread spend `milliseconds` in a destruction.
std::thread destroy_slowly(const fake::Client& driver, const cucore_graph* graph,
                           int milliseconds) {
  make_executable(graph);
  driver.delay_call("cuGraphExecDestroy", milliseconds);
  const uint64_t before = driver.call_count("cuGraphExecDestroy");
  std::thread thread([graph] { make_executable(graph); });
  while (driver.call_count("cuGraphExecDestroy") == before)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return thread;
}

// The release takes no lock that a destruction holds.
TEST_F(Executables, AreReleasedAtOnceWhileOthersEnd) {
  NEEDS_FAKE_DRIVER();
  std::vector<Executable> executables;
  for (int i = 0; i < 8; ++i) executables.push_back(make_executable(graph_));
  std::thread thread = destroy_slowly(*fake_, graph_, 900);
  const auto begin = std::chrono::steady_clock::now();
  executables.clear();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(600));
  fake_->delay_call("cuGraphExecDestroy", 0);
  thread.join();
}

TEST_F(Executables, ThatOtherThreadsEndAreWaitedForIfMemoryIsNeeded) {
  NEEDS_FAKE_DRIVER();
  const Stream stream = make_stream(device_);
  const auto begin = std::chrono::steady_clock::now();
  std::thread thread = destroy_slowly(*fake_, graph_, 300);
  fake_->fail_call("cuMemAllocAsync", 1, CUDA_ERROR_OUT_OF_MEMORY);
  make_buffer(device_, 1 << 20, stream);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(300));
  fake_->delay_call("cuGraphExecDestroy", 0);
  thread.join();
}

// A new stream may get the address of one that ended.
TEST_F(Executables, WaitForTheLastOfManyStreams) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs host functions in the launch";
  Slow slow;
  slow.may_end = true;
  std::atomic<int> ended{0};
  add_host({}, Slow::run, &slow);
  SUCCEEDS(cucore_graph_hold, graph_, &ended,
           [](void* data) { ++*static_cast<std::atomic<int>*>(data); });
  Executable executable = make_executable(graph_);
  graph_ = make_graph(device_);
  for (int i = 0; i < 100; ++i) {
    const Stream stream = make_stream(device_);
    SUCCEEDS(cucore_executable_launch, executable, stream);
    SUCCEEDS(cucore_stream_synchronize, stream);
  }
  slow.started = slow.may_end = slow.ended = false;
  const Stream last = make_stream(device_);
  SUCCEEDS(cucore_executable_launch, executable, last);
  ASSERT_TRUE(comes_true([&] { return slow.started.load(); }));
  executable.reset();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(ended, 0);
  slow.may_end = true;
  SUCCEEDS(cucore_stream_synchronize, last);
  EXPECT_TRUE(slow.ended);
  EXPECT_TRUE(comes_true([&] { return ended == 1; }));
}

TEST_F(Executables, CanBeLaunchedByManyThreads) {
  std::atomic<int> calls{0};
  add_host(
      {}, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &calls);
  const Executable executable = make_executable(graph_);
  constexpr int THREADS = 8, EACH = 20;
  std::vector<std::thread> threads;
  for (int t = 0; t < THREADS; ++t)
    threads.emplace_back([&] {
      const Stream stream = make_stream(device_);
      for (int i = 0; i < EACH; ++i)
        EXPECT_EQ(cucore_executable_launch(executable, stream, nullptr), CUCORE_OK);
      EXPECT_EQ(cucore_stream_synchronize(stream, nullptr), CUCORE_OK);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, THREADS * EACH);
}

TEST_F(Executables, OfALostDeviceAreInvalid) {
  std::atomic<int> ended{0};
  const auto end = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
  const Buffer y = make_floats(0);
  add_fill({}, y, 1);
  add_host(
      {}, [](void*) {}, &ended, end);
  SUCCEEDS(cucore_graph_hold, graph_, &ended, end);
  Executable executable = make_executable(graph_);
  code_.reset(), empty_.reset(), saxpy_.reset();
  SUCCEEDS(cucore_device_reset, device_);
  const Stream stream = make_stream(device_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "executable", cucore_executable_launch, executable, stream);
  cucore_node node = 0;
  FAILS(CUCORE_ERROR_INVALID_STATE, "graph", cucore_graph_add_empty, graph_, nullptr, 0, &node);
  cucore_graph* copy = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE, "graph", cucore_graph_clone, graph_, &copy);
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
  executable.reset();
  graph_.reset();
  EXPECT_TRUE(comes_true([&] { return ended == 2; }));
}

}  // namespace
