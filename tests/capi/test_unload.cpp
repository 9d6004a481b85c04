// SPDX-License-Identifier: Apache-2.0
// Unloading: a release only queues, and code is never unloaded under a kernel or into a capture.
#include <algorithm>
#include <chrono>
#include <thread>

#include "capi_testing.hpp"
#include "native_capture.hpp"
#include "support/idle_events.hpp"

namespace {

using namespace capi_test;
using Clock = std::chrono::steady_clock;

class Unloads : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!IsSkipped() && !fake_) GTEST_SKIP() << "needs the scripted driver";
  }
  void TearDown() override {
    if (fake_) fake_->hold_streams(0);
    OnDevice::TearDown();
  }

  bool comes_to(uint64_t libraries) const {
    for (int i = 0; i < 20000 && fake_->live_objects("library") != libraries; ++i)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return fake_->live_objects("library") == libraries;
  }
  void launch(const Kernel& kernel, const cucore_stream* stream) const {
    const cucore_launch_options one = grid(1, 1);
    MUST(cucore_kernel_launch, kernel, stream, &one, nullptr, 0);
  }
  static void wait_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }
};

TEST_F(Unloads, EveryLoad) {
  const uint64_t before = fake_->live_objects("library");
  for (int i = 0; i < 50; ++i) {
    const Code code = make_ptx_code();
    launch(find_kernel(code, "empty"), stream_);
  }
  EXPECT_TRUE(comes_to(before));
  EXPECT_EQ(fake_->call_count("cuLibraryLoadData"), 50u);
  EXPECT_EQ(fake_->call_count("cuLibraryUnload"), 50u);
}

TEST_F(Unloads, OnlyAfterTheKernelsHaveRun) {
  const uint64_t before = fake_->live_objects("library");
  Code code = make_ptx_code();
  Kernel kernel = find_kernel(code, "empty");
  fake_->hold_streams(1);
  launch(kernel, stream_);
  const auto start = Clock::now();
  code.reset();
  kernel.reset();
  EXPECT_LT(Clock::now() - start, std::chrono::milliseconds(20)) << "a release waited for a kernel";
  wait_a_while();
  EXPECT_EQ(fake_->live_objects("library"), before + 1) << "unloaded under a kernel";
  fake_->hold_streams(0);
  EXPECT_TRUE(comes_to(before));
}

TEST_F(Unloads, AlsoWhenTheStreamHasGoneBefore) {
  const uint64_t before = fake_->live_objects("library");
  Code code = make_ptx_code();
  Kernel kernel = find_kernel(code, "empty");
  Stream stream = make_stream(device_);
  fake_->hold_streams(1);
  launch(kernel, stream);
  stream.reset();
  kernel.reset();
  code.reset();
  wait_a_while();
  EXPECT_EQ(fake_->live_objects("library"), before + 1) << "unloaded under a kernel";
  fake_->hold_streams(0);
  EXPECT_TRUE(comes_to(before));
}

TEST_F(Unloads, AfterLaunchesOnStreamsThatAreNotOurs) {
  const uint64_t before = fake_->live_objects("library");
  Code code = make_ptx_code();
  Kernel kernel = find_kernel(code, "empty");
  for (const cucore_default_stream kind :
       {CUCORE_DEFAULT_STREAM_LEGACY, CUCORE_DEFAULT_STREAM_PER_THREAD}) {
    Stream stream;
    SUCCEEDS(cucore_device_default_stream, device_, kind, stream.out());
    launch(kernel, stream);
  }
  fake_->hold_streams(1);
  kernel.reset();
  code.reset();
  wait_a_while();
  EXPECT_EQ(fake_->live_objects("library"), before + 1) << "unloaded under a kernel";
  fake_->hold_streams(0);
  EXPECT_TRUE(comes_to(before));
}

TEST_F(Unloads, ManyStreamsCostNothingForEver) {
  const Code code = make_ptx_code();
  const Kernel kernel = find_kernel(code, "empty");
  for (int i = 0; i < 300; ++i) launch(kernel, make_stream(device_));
  EXPECT_LE(fake_->live_objects("event"), 64u + 2 * test_support::IDLE_EVENTS)
      << "an event a stream that has gone";
}

TEST_F(Unloads, ManyStreamsWhoseEndIsUnknownCostNothingForEver) {
  const Code code = make_ptx_code();
  const Kernel kernel = find_kernel(code, "empty");
  for (int i = 0; i < 300; ++i) {
    const Stream stream = make_stream(device_);
    launch(kernel, stream);
    fake_->fail_call("cuEventRecord", 1, 999);
  }
  EXPECT_LE(fake_->live_objects("event"), 64u + 2 * test_support::IDLE_EVENTS)
      << "an event a stream that has gone";
}

// CUDA_ERROR_UNKNOWN, after which the context continues.
TEST_F(Unloads, NotUnderAKernelWhoseEndCannotBeQueried) {
  const uint64_t before = fake_->live_objects("library");
  Stream legacy;
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  for (const auto& [call, stream] :
       {std::pair("cuEventQuery", stream_.get()), std::pair("cuCtxSynchronize", legacy.get())}) {
    Code code = make_ptx_code();
    Kernel kernel = find_kernel(code, "empty");
    fake_->hold_streams(1);
    launch(kernel, stream);
    fake_->fail_call(call, 1, 999);
    kernel.reset();
    code.reset();
    wait_a_while();
    EXPECT_TRUE(fake_->failures_used()) << call;
    EXPECT_EQ(fake_->live_objects("library"), before + 1) << "unloaded under a kernel: " << call;
    fake_->hold_streams(0);
    EXPECT_TRUE(comes_to(before)) << call;
  }
}

TEST_F(Unloads, NotFromThisThread) {
  const uint64_t before = fake_->live_objects("library");
  fake_->delay_call("cuLibraryUnload", 100);
  Code code = make_ptx_code();
  SUCCEEDS(cucore_objectcode_load, code, device_);
  const auto count_exchanges = [this] {
    const std::vector<std::string> log = fake_->log();
    return std::count(log.begin(), log.end(), "cuThreadExchangeStreamCaptureMode");
  };
  const auto exchanges = count_exchanges();
  const auto start = Clock::now();
  code.reset();
  EXPECT_LT(Clock::now() - start, std::chrono::milliseconds(50));
  EXPECT_TRUE(comes_to(before));
  EXPECT_LE(count_exchanges() - exchanges, 1);
}

TEST_F(Unloads, AfterAReset) {
  const uint64_t before = fake_->live_objects("library");
  const Device other = open_device(1);
  Code code = make_ptx_code();
  Kernel kernel = find_kernel(code, "empty");
  Stream stream = make_stream(other);
  launch(kernel, stream);
  SUCCEEDS(cucore_device_reset, other);
  kernel.reset();
  code.reset();
  stream.reset();
  EXPECT_TRUE(comes_to(before));
  EXPECT_EQ(fake_->violations(), 0u) << fake_->last_violation();
}

TEST_F(Unloads, TheLastOfManyThreadsReferences) {
  const uint64_t before = fake_->live_objects("library");
  for (int round = 0; round < 10; ++round) {
    Code code = make_ptx_code();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, own = cucore_objectcode_retain(code)] {
        const Stream stream = make_stream(device_);
        for (int n = 0; n < 20; ++n) launch(find_kernel(own, "empty"), stream);
        cucore_objectcode_release(own);
      });
    code.reset();
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_TRUE(comes_to(before));
  EXPECT_EQ(fake_->call_count("cuLibraryLoadData"), fake_->call_count("cuLibraryUnload"));
}

TEST_F(Unloads, AFailedLoadIsTriedAgain) {
  const Code code = make_ptx_code();
  fake_->fail_call("cuLibraryLoadData", 1, 218);  // CUDA_ERROR_INVALID_PTX
  FAILS_ONCE(CUCORE_ERROR_INVALID_CODE, "PTX", cucore_objectcode_load, code, device_);
  EXPECT_EQ(cucore_objectcode_is_loaded(code), 0);
  SUCCEEDS(cucore_objectcode_load, code, device_);
  EXPECT_EQ(cucore_objectcode_is_loaded(code), 1);
}

// A graph is a reference, whether its capture was active at the release or had ended; so is an
// executable graph made from it.
TEST_F(Unloads, OnlyAfterTheGraphsThatLaunchIt) {
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  for (const bool released_within : {true, false}) {
    const uint64_t before = fake_->live_objects("library");
    Code code = make_ptx_code();
    Kernel kernel = find_kernel(code, "empty");
    const Stream stream = make_stream(device_);
    ASSERT_EQ(graphs.begin(stream), CUDA_SUCCESS);
    launch(kernel, stream);
    CUgraph graph = nullptr;
    if (!released_within) {
      ASSERT_EQ(graphs.end(stream, graph), CUDA_SUCCESS);
    }
    kernel.reset();
    code.reset();
    if (released_within) {
      ASSERT_EQ(graphs.end(stream, graph), CUDA_SUCCESS);
    }
    CUgraphExec exec = nullptr;
    ASSERT_EQ(graphs.instantiate(exec, graph), CUDA_SUCCESS);
    graphs.destroy(graph, nullptr);
    wait_a_while();
    EXPECT_EQ(fake_->live_objects("library"), before + 1) << "unloaded under a graph";
    EXPECT_EQ(graphs.launch(exec, stream), CUDA_SUCCESS);
    graphs.destroy(nullptr, exec);
    EXPECT_TRUE(comes_to(before));
  }
}

// Another stream joins the capture through an event.
TEST_F(Unloads, OnlyAfterTheGraphsThatOtherStreamsBegan) {
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  const Stream origin = make_stream(device_), joined = make_stream(device_);
  const Kernel warm = find_kernel(make_ptx_code(), "empty");
  const auto queries = [&] { return fake_->call_count("cuStreamGetCaptureInfo"); };
  launch(warm, joined);
  EXPECT_EQ(queries(), 0u) << "asked of a stream that nobody else can have";
  (void)cucore_stream_native(origin);
  const Event event = make_event(device_);
  SUCCEEDS(cucore_event_record, event, origin);
  SUCCEEDS(cucore_stream_wait_event, joined, event);
  const uint64_t before = queries();
  launch(warm, joined);
  EXPECT_EQ(queries(), before + 1);
}

// Work of a stream before its capture is waited for after the capture.
TEST_F(Unloads, AfterACaptureOfTheStream) {
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  const uint64_t before = fake_->live_objects("library");
  Code code = make_ptx_code();
  Kernel kernel = find_kernel(code, "empty");
  const Stream stream = make_stream(device_);
  launch(kernel, stream);
  ASSERT_EQ(graphs.begin(stream), CUDA_SUCCESS);
  kernel.reset();
  code.reset();
  wait_a_while();
  EXPECT_EQ(fake_->live_objects("library"), before + 1);
  CUgraph graph = nullptr;
  ASSERT_EQ(graphs.end(stream, graph), CUDA_SUCCESS);
  EXPECT_TRUE(comes_to(before));
  graphs.destroy(graph, nullptr);
}

}  // namespace
