// SPDX-License-Identifier: Apache-2.0
// Prepared launches: what the creation checks and keeps, the calls of the driver, and updates.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "capi_testing.hpp"
#include "native_capture.hpp"

namespace {

using namespace capi_test;

class PreparedLaunches : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    code_ = make_ptx_code();
    empty_ = find_kernel(code_, "empty");
    saxpy_ = find_kernel(code_, "saxpy");
    if (fake_) fake_->reset();
  }
  void TearDown() override {
    saxpy_.reset();
    empty_.reset();
    code_.reset();
    OnDevice::TearDown();
  }

  PreparedLaunch prepare_saxpy(const cucore_buffer* x, const cucore_buffer* y, float a = 2) const {
    const uint32_t n = COUNT;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(a),
                                         {x, CUCORE_ARGUMENT_OBJECT},
                                         {y, CUCORE_ARGUMENT_OBJECT},
                                         CUCORE_ARGUMENT(n)};
    const cucore_launch_options options = grid(1, 32);
    PreparedLaunch prepared;
    MUST(cucore_prepared_launch_create, saxpy_, stream_, &options, arguments, 4, prepared.out());
    return prepared;
  }
  Buffer make_values(const std::vector<float>& values) const {
    Buffer buffer = make_buffer(device_, values.size() * sizeof(float), stream_);
    MUST(cucore_buffer_write, buffer, 0, values.data(), values.size() * sizeof(float), stream_);
    return buffer;
  }
  std::vector<float> read(const cucore_buffer* buffer) const {
    std::vector<float> values(COUNT);
    MUST(cucore_buffer_read, buffer, 0, values.data(), COUNT * sizeof(float), stream_);
    return values;
  }
  fake_launch last() {
    fake_launch launch{};
    EXPECT_TRUE(fake_->launch_at(fake_->launch_count() - 1, &launch));
    return launch;
  }
  bool comes_to(uint64_t memory) const {
    for (int i = 0; i < 20000 && fake_->live_objects("memory") != memory; ++i)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return fake_->live_objects("memory") == memory;
  }

  static constexpr uint32_t COUNT = 4;
  Code code_;
  Kernel empty_, saxpy_;
};

TEST_F(PreparedLaunches, AreExactlyOneDriverCallPerRun) {
  NEEDS_FAKE_DRIVER();
  const float a = 2;
  const uint64_t x = 64, y = 128;
  const uint32_t n = 5;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(x), CUCORE_ARGUMENT(y),
                                       CUCORE_ARGUMENT(n)};
  cucore_launch_options options = grid(3, 64);
  options.cluster[0] = 3;
  PreparedLaunch prepared;
  SUCCEEDS(cucore_prepared_launch_create, saxpy_, stream_, &options, arguments, 4, prepared.out());
  EXPECT_EQ(fake_->total_calls(), 0u) << "nothing is launched yet";
  for (int run = 0; run < 2; ++run) {
    fake_->reset();
    SUCCEEDS(cucore_prepared_launch_run, prepared);
    EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
    const fake_launch launch = last();
    EXPECT_STREQ(launch.kernel, "saxpy");
    EXPECT_EQ(launch.grid[0], 3u);
    EXPECT_EQ(launch.block[0], 64u);
    EXPECT_EQ(launch.cluster[0], 3u);
    EXPECT_EQ(std::memcmp(launch.arguments, &a, 4), 0);
    EXPECT_EQ(std::memcmp(launch.arguments + 8, &x, 8), 0);
    EXPECT_EQ(std::memcmp(launch.arguments + 16, &y, 8), 0);
    EXPECT_EQ(std::memcmp(launch.arguments + 24, &n, 4), 0);
  }
}

TEST_F(PreparedLaunches, RefuseWhatLaunchesRefuse) {
  const float a = 2;
  const uint64_t address = 0;
  const uint32_t n = 4;
  const cucore_argument right[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(address),
                                   CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(n)};
  const cucore_launch_options options = grid(1, 32);
  cucore_prepared_launch* out = nullptr;
  const auto refuses = [&](cucore_status status, const std::string& parts, const auto& how,
                           const cucore_argument* arguments, size_t count) {
    FAILS(status, parts, cucore_prepared_launch_create, saxpy_, stream_, &how, arguments, count,
          &out);
    EXPECT_EQ(out, nullptr);
  };
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "saxpy takes 4 arguments, got 3", options, right, 3);
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "grid[0] is 0", grid(0, 32), right, 4);
  cucore_launch_options wrong = options;
  wrong.cooperative = 2;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "cooperative is 2", wrong, right, 4);
  wrong = options;
  wrong.dynamic_shared = 1 << 30;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "dynamic_shared is 1073741824", wrong, right, 4);
  cucore_argument list[4];
  std::copy_n(right, 4, list);
  list[3].size = 8;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "argument 3 of kernel saxpy has 8 bytes|(integer)",
          options, list, 4);
  list[3] = {nullptr, CUCORE_ARGUMENT_OBJECT};
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "argument 3|NULL", options, list, 4);
  Buffer buffer = make_buffer(device_, 16, stream_);
  list[3] = {buffer.get(), CUCORE_ARGUMENT_OBJECT};
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "argument 3 of kernel saxpy is a buffer", options, list,
          4);
  std::copy_n(right, 4, list);
  list[1] = {buffer.get(), CUCORE_ARGUMENT_OBJECT};
  buffer.reset();
  refuses(CUCORE_ERROR_INVALID_HANDLE, "argument 1 of kernel saxpy is a released buffer", options,
          list, 4);
}

TEST_F(PreparedLaunches, RefuseClustersWhereThereAreNone) {
  int32_t clusters = 0;
  SUCCEEDS(cucore_device_attribute, device_, CUCORE_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &clusters);
  if (clusters) GTEST_SKIP() << "the device has clusters";
  cucore_launch_options options = grid(8, 32);
  options.cluster[0] = 2;
  cucore_prepared_launch* out = nullptr;
  FAILS(CUCORE_ERROR_UNSUPPORTED, "has no clusters", cucore_prepared_launch_create, empty_, stream_,
        &options, nullptr, 0, &out);
}

TEST_F(PreparedLaunches, ComputeWithUpdatedArguments) {
  if (fake_) GTEST_SKIP() << "needs a device that runs kernels";
  const Buffer x = make_values({1, 2, 3, 4}), y = make_values({10, 20, 30, 40});
  const PreparedLaunch prepared = prepare_saxpy(x, y);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  EXPECT_EQ(read(y), (std::vector<float>{12, 24, 36, 48}));
  const float a = -1;
  const cucore_argument factor = CUCORE_ARGUMENT(a);
  SUCCEEDS(cucore_prepared_launch_update, prepared, 0, &factor);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  EXPECT_EQ(read(y), (std::vector<float>{11, 22, 33, 44}));
  const Buffer z = make_values({5, 6, 7, 8});
  const cucore_argument buffer = {z.get(), CUCORE_ARGUMENT_OBJECT};
  SUCCEEDS(cucore_prepared_launch_update, prepared, 2, &buffer);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  EXPECT_EQ(read(z), (std::vector<float>{4, 4, 4, 4}));
  EXPECT_EQ(read(y), (std::vector<float>{11, 22, 33, 44}));
  const uint64_t address = cucore_buffer_address(y);
  const cucore_argument pointer = CUCORE_ARGUMENT(address);
  SUCCEEDS(cucore_prepared_launch_update, prepared, 2, &pointer);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  EXPECT_EQ(read(y), (std::vector<float>{10, 20, 30, 40}));
}

TEST_F(PreparedLaunches, KeepTheirArgumentsIfAnUpdateFails) {
  const Buffer x = make_values({1, 2, 3, 4}), y = make_values({10, 20, 30, 40});
  const PreparedLaunch prepared = prepare_saxpy(x, y);
  const double wide = 3;
  const cucore_argument too_wide = CUCORE_ARGUMENT(wide);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "argument 0 of kernel saxpy has 8 bytes|4 bytes (float)",
        cucore_prepared_launch_update, prepared, 0, &too_wide);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "index is 4; kernel saxpy takes 4 arguments",
        cucore_prepared_launch_update, prepared, 4, &too_wide);
  const cucore_argument nothing = {nullptr, 4};
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "argument 0|NULL", cucore_prepared_launch_update, prepared,
        0, &nothing);
  Buffer z = make_values({5, 6, 7, 8});
  const cucore_argument buffer = {z.get(), CUCORE_ARGUMENT_OBJECT};
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "argument 0 of kernel saxpy is a buffer",
        cucore_prepared_launch_update, prepared, 0, &buffer);
  z.reset();
  FAILS(CUCORE_ERROR_INVALID_HANDLE, "argument 2 of kernel saxpy is a released buffer",
        cucore_prepared_launch_update, prepared, 2, &buffer);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  if (fake_) return;
  EXPECT_EQ(read(y), (std::vector<float>{12, 24, 36, 48}));
}

TEST_F(PreparedLaunches, KeepWhatTheyUse) {
  Buffer x = make_values({1, 2, 3, 4}), y = make_values({10, 20, 30, 40});
  const PreparedLaunch prepared = prepare_saxpy(x, y);
  const uint64_t address = cucore_buffer_address(y);
  saxpy_.reset();
  empty_.reset();
  code_.reset();
  x.reset();
  y.reset();
  if (fake_) fake_->reset();
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  Buffer view;
  SUCCEEDS(cucore_buffer_from_native, device_, address, 16, view.out());
  if (fake_) {
    EXPECT_EQ(fake_->log(), (std::vector<std::string>{"cuLaunchKernelEx", "cuLaunchKernelEx"}));
    EXPECT_EQ(fake_->live_objects("memory"), 2u);
  } else {
    EXPECT_EQ(read(view), (std::vector<float>{14, 28, 42, 56}));
  }
}

TEST_F(PreparedLaunches, ReleaseABufferThatAnUpdateReplaces) {
  NEEDS_FAKE_DRIVER();
  Buffer x = make_buffer(device_, 16, stream_);
  const Buffer y = make_buffer(device_, 16, stream_);
  const PreparedLaunch prepared = prepare_saxpy(x, y);
  x.reset();
  EXPECT_EQ(fake_->live_objects("memory"), 2u);
  const cucore_argument other = {y.get(), CUCORE_ARGUMENT_OBJECT};
  SUCCEEDS(cucore_prepared_launch_update, prepared, 1, &other);
  EXPECT_TRUE(comes_to(1));
}

TEST_F(PreparedLaunches, RecordTheUseOfBuffersOfOtherStreams) {
  NEEDS_FAKE_DRIVER();
  const Stream other = make_stream(device_);
  Buffer x = make_buffer(device_, 16, other);
  PreparedLaunch prepared = prepare_saxpy(x, x);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  fake_->reset();
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
  x.reset();
  prepared.reset();
  EXPECT_GE(fake_->call_count("cuStreamWaitEvent"), 1u) << "freed before the launch ended";
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 1u);
}

TEST_F(PreparedLaunches, KeepBuffersForTheGraphThatCapturesThem) {
  const NativeGraphs graphs;
  if (!graphs) GTEST_SKIP() << "this driver has no graphs";
  Buffer x = make_values({1, 2, 3, 4}), y = make_values({10, 20, 30, 40});
  const uint64_t address = cucore_buffer_address(y);
  PreparedLaunch prepared = prepare_saxpy(x, y);
  ASSERT_EQ(graphs.begin(stream_), CUDA_SUCCESS);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  ASSERT_EQ(graphs.end(stream_, graph), CUDA_SUCCESS);
  ASSERT_EQ(graphs.instantiate(executable, graph), CUDA_SUCCESS);
  prepared.reset();
  x.reset();
  y.reset();
  if (fake_) {
    EXPECT_EQ(fake_->live_objects("memory"), 2u) << "the graph uses both";
  } else {
    ASSERT_EQ(graphs.launch(executable, stream_), CUDA_SUCCESS);
    Buffer view;
    SUCCEEDS(cucore_buffer_from_native, device_, address, 16, view.out());
    EXPECT_EQ(read(view), (std::vector<float>{12, 24, 36, 48}));
  }
  graphs.destroy(graph, executable);
}

TEST_F(PreparedLaunches, ReportFailuresAsLaunchesDo) {
  NEEDS_FAKE_DRIVER();
  fake_->set_kernel_attribute("empty", 0, 128);
  fake_->set_kernel_attribute("empty", 4, 255);
  const cucore_launch_options options = grid(1, 256);
  PreparedLaunch prepared;
  SUCCEEDS(cucore_prepared_launch_create, empty_, stream_, &options, nullptr, 0, prepared.out());
  fake_->fail_call("cuLaunchKernelEx", 1, 701);
  FAILS_ONCE(CUCORE_ERROR_LAUNCH, "empty|256 threads|128|255 registers", cucore_prepared_launch_run,
             prepared);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
}

TEST_F(PreparedLaunches, AreInvalidAfterAReset) {
  Buffer x = make_buffer(device_, 16, stream_);
  const PreparedLaunch prepared = prepare_saxpy(x, x), other = prepare(empty_, stream_);
  SUCCEEDS(cucore_device_reset, device_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "reset", cucore_prepared_launch_run, prepared);
  FAILS(CUCORE_ERROR_INVALID_STATE, "stream", cucore_prepared_launch_run, other);
  const cucore_launch_options options = grid(1, 1);
  cucore_prepared_launch* out = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE, "stream", cucore_prepared_launch_create, empty_, stream_,
        &options, nullptr, 0, &out);
  x.reset();
  stream_ = make_stream(device_);
}

// Each launch has values of one update: never a part of another.
TEST_F(PreparedLaunches, RunAndAreUpdatedByManyThreads) {
  constexpr int THREADS = 8, ROUNDS = 200;
  const Buffer x = make_values({1, 2, 3, 4}), y = make_values({10, 20, 30, 40});
  const PreparedLaunch prepared = prepare_saxpy(x, y, 0);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < ROUNDS; ++round) {
        const cucore_argument buffer = {i % 2 ? x.get() : y.get(), CUCORE_ARGUMENT_OBJECT};
        const cucore_status status =
            i < 2 ? cucore_prepared_launch_update(prepared, 1, &buffer, nullptr)
                  : cucore_prepared_launch_run(prepared, nullptr);
        failures += status != CUCORE_OK;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(cucore_stream_synchronize(stream_, nullptr), CUCORE_OK);
  if (!fake_) {
    EXPECT_EQ(read(y), (std::vector<float>{10, 20, 30, 40}));
    return;
  }
  EXPECT_EQ(fake_->call_count("cuLaunchKernelEx"), static_cast<uint64_t>((THREADS - 2) * ROUNDS));
  const uint64_t addresses[] = {cucore_buffer_address(x), cucore_buffer_address(y)};
  for (uint64_t i = 0; i < fake_->launch_count(); ++i) {
    fake_launch launch{};
    if (!fake_->launch_at(i, &launch)) continue;
    uint64_t given = 0;
    std::memcpy(&given, launch.arguments + 8, sizeof given);
    ASSERT_TRUE(given == addresses[0] || given == addresses[1]) << given;
  }
}

}  // namespace
