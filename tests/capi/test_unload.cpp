// Unloading: a release only queues, and nothing is unloaded under a kernel or into a capture.
#include <algorithm>
#include <chrono>
#include <thread>

#include "capi_testing.hpp"

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
  EXPECT_LE(fake_->live_objects("event"), 64u) << "an event a stream that has gone";
}

TEST_F(Unloads, NotFromThisThread) {
  const uint64_t before = fake_->live_objects("library");
  fake_->delay_call("cuLibraryUnload", 100);
  Code code = make_ptx_code();
  SUCCEEDS(cucore_objectcode_load, code, device_);
  const auto start = Clock::now();
  code.reset();
  EXPECT_LT(Clock::now() - start, std::chrono::milliseconds(50));
  EXPECT_TRUE(comes_to(before));
  const std::vector<std::string> log = fake_->log();
  EXPECT_LE(std::count(log.begin(), log.end(), "cuThreadExchangeStreamCaptureMode"), 1);
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

}  // namespace
