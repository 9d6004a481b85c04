// SPDX-License-Identifier: Apache-2.0
// Launches: the checks before the driver is called, and the single driver call.
#include <cstring>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

class Launches : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    code_ = make_ptx_code();
    empty_ = find_kernel(code_, "empty");
    saxpy_ = find_kernel(code_, "saxpy");
    mixed_ = find_kernel(code_, "mixed");
    if (fake_) fake_->reset();
  }
  void TearDown() override {
    for (Kernel* kernel : {&empty_, &saxpy_, &mixed_}) kernel->reset();
    code_.reset();
    OnDevice::TearDown();
  }

  void refuses(cucore_status status, const std::string& parts,
               const cucore_launch_options& options) {
    FAILS(status, parts, cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
    EXPECT_TRUE(!fake_ || fake_->call_count("cuLaunchKernelEx") == 0) << "the driver was asked";
  }
  int32_t attribute(cucore_device_attribute_name name) {
    int32_t value = 0;
    MUST(cucore_device_attribute, device_, name, &value);
    return value;
  }
  fake_launch last() {
    fake_launch launch{};
    EXPECT_TRUE(fake_->launch_at(fake_->launch_count() - 1, &launch));
    return launch;
  }

  Code code_;
  Kernel empty_, saxpy_, mixed_;
};

TEST_F(Launches, AreExactlyOneDriverCall) {
  NEEDS_FAKE_DRIVER();
  const float a = 2;
  const uint64_t x = 64, y = 128;
  const uint32_t n = 5;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(x), CUCORE_ARGUMENT(y),
                                       CUCORE_ARGUMENT(n)};
  const cucore_launch_options options = grid(3, 64);
  SUCCEEDS(cucore_kernel_launch, saxpy_, stream_, &options, arguments, 4);
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
  const fake_launch launch = last();
  EXPECT_STREQ(launch.kernel, "saxpy");
  EXPECT_EQ(launch.stream, cucore_stream_native(stream_));
  EXPECT_EQ(launch.grid[0], 3u);
  EXPECT_EQ(launch.grid[1], 1u);
  EXPECT_EQ(launch.grid[2], 1u);
  EXPECT_EQ(launch.block[0], 64u);
  EXPECT_EQ(launch.block[1], 1u);
  EXPECT_EQ(launch.block[2], 1u);
  EXPECT_EQ(launch.dynamic_shared, 0u);
  EXPECT_EQ(launch.cooperative + launch.programmatic_serialization + launch.has_priority, 0);
  EXPECT_EQ(launch.argument_size, 28u);
  EXPECT_EQ(std::memcmp(launch.arguments, &a, 4), 0);
  EXPECT_EQ(std::memcmp(launch.arguments + 8, &x, 8), 0);
  EXPECT_EQ(std::memcmp(launch.arguments + 16, &y, 8), 0);
  EXPECT_EQ(std::memcmp(launch.arguments + 24, &n, 4), 0);
}

TEST_F(Launches, PackedAreOneDriverCallToo) {
  NEEDS_FAKE_DRIVER();
  struct {
    uint8_t a = 1;
    uint64_t b = 2;
    uint16_t c = 3;
    uint32_t d = 4;
  } arguments;
  const cucore_launch_options options = grid(1, 1);
  SUCCEEDS(cucore_kernel_launch_packed, mixed_, stream_, &options, &arguments, sizeof arguments);
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
  EXPECT_EQ(last().packed, 1);
  EXPECT_EQ(last().argument_size, 24u);
  EXPECT_EQ(std::memcmp(last().arguments, &arguments, 24), 0);
  SUCCEEDS(cucore_kernel_launch_packed, empty_, stream_, &options, nullptr, 0);
}

TEST_F(Launches, PackedOfAnotherSizeAreRefused) {
  unsigned char bytes[64] = {};
  const cucore_launch_options options = grid(1, 1);
  for (const size_t size : {0, 27, 29, 30, 31, 33, 40, 43, 44, 64})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "saxpy|28 bytes|" + std::to_string(size),
          cucore_kernel_launch_packed, saxpy_, stream_, &options, bytes, size);
  for (size_t size = 25; size < 64; ++size)
    if (size != 32)
      FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "mixed|24 bytes|" + std::to_string(size),
            cucore_kernel_launch_packed, mixed_, stream_, &options, bytes, size);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "empty|0 bytes|1", cucore_kernel_launch_packed, empty_,
        stream_, &options, bytes, 1);
}

TEST_F(Launches, PackedMayEndWithThePaddingOfAStruct) {
  NEEDS_FAKE_DRIVER();
  const unsigned char bytes[32] = {};
  const cucore_launch_options options = grid(1, 1);
  for (const size_t size : {size_t{28}, size_t{32}}) {
    SUCCEEDS(cucore_kernel_launch_packed, saxpy_, stream_, &options, bytes, size);
    EXPECT_EQ(last().argument_size, 28u);
  }
  SUCCEEDS(cucore_kernel_launch_packed, mixed_, stream_, &options, bytes, 32);
  EXPECT_EQ(last().argument_size, 24u);
}

TEST_F(Launches, NameTheArgumentThatIsWrong) {
  const uint32_t four = 4;
  const uint64_t eight = 8;
  const cucore_launch_options options = grid(1, 1);
  cucore_argument arguments[] = {CUCORE_ARGUMENT(four), CUCORE_ARGUMENT(eight),
                                 CUCORE_ARGUMENT(eight), CUCORE_ARGUMENT(four),
                                 CUCORE_ARGUMENT(four)};
  for (const size_t count : {0, 3, 5})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "saxpy takes 4 arguments, got " + std::to_string(count),
          cucore_kernel_launch, saxpy_, stream_, &options, arguments, count);
  const char* classes[] = {"float", "pointer", "pointer", "integer"};
  for (size_t i = 0; i < 4; ++i) {
    cucore_argument wrong[4];
    std::memcpy(wrong, arguments, sizeof wrong);
    const std::string which = "argument " + std::to_string(i) + " of kernel saxpy";
    const size_t right = wrong[i].size;
    for (const size_t size : {size_t{0}, right - 1, right + 1, SIZE_MAX - 1}) {
      wrong[i].size = size;
      FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
            which + "|" + std::to_string(size) + " bytes|parameter has " + std::to_string(right) +
                " bytes (" + classes[i] + ")",
            cucore_kernel_launch, saxpy_, stream_, &options, wrong, 4);
    }
    wrong[i] = {nullptr, right};
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, which + "|NULL", cucore_kernel_launch, saxpy_, stream_,
          &options, wrong, 4);
  }
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "empty takes 0 arguments, got 1", cucore_kernel_launch,
        empty_, stream_, &options, arguments, 1);
  if (fake_) {
    EXPECT_EQ(fake_->total_calls(), 0u);
  }
}

TEST_F(Launches, ChecksGridsAndBlocks) {
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "grid[0] is 0", grid(0, 32));
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "block[0] is 0", grid(1, 0));
  const uint32_t threads =
      static_cast<uint32_t>(attribute(CUCORE_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "block[0] is " + std::to_string(threads + 1) + "|device 0",
          grid(1, threads + 1));
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "grid[0] is 4294967295|in x", grid(UINT32_MAX, 1));
  cucore_launch_options options = grid(1, 32);
  options.grid[1] = 1 << 30;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "grid[1]|in y", options);
  options.grid[1] = 0;
  options.grid[2] = 1 << 30;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "grid[2]|in z", options);
  options.grid[2] = 0;
  options.block[2] = 65;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "block[2] is 65", options);
  options.block[2] = 2;
  options.block[1] = threads / 2;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "32 x|threads; |launch smaller blocks", options);
}

TEST_F(Launches, TakeAllThreeDimensions) {
  cucore_launch_options options = grid(2, 4);
  options.grid[1] = 3;
  options.grid[2] = 5;
  options.block[1] = 2;
  options.block[2] = 7;
  SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  if (!fake_) return;
  EXPECT_EQ(last().grid[1], 3u);
  EXPECT_EQ(last().grid[2], 5u);
  EXPECT_EQ(last().block[1], 2u);
  EXPECT_EQ(last().block[2], 7u);
}

TEST_F(Launches, RaiseTheDynamicSharedMemoryUpwardsOnly) {
  NEEDS_FAKE_DRIVER();
  cucore_launch_options options = grid(1, 32);
  const auto launch = [&](uint32_t bytes) {
    options.dynamic_shared = bytes;
    MUST(cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
  };
  launch(48 * 1024);
  EXPECT_EQ(fake_->call_count("cuKernelSetAttribute"), 0u);
  launch(100000);
  EXPECT_EQ(fake_->call_count("cuKernelSetAttribute"), 1u);
  launch(64000);
  launch(100000);
  EXPECT_EQ(fake_->call_count("cuKernelSetAttribute"), 1u) << "downwards, or again";
  fake_->reset();
  launch(100000);
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
  int32_t allowed = 0;
  SUCCEEDS(cucore_kernel_attribute, empty_, CUCORE_KERNEL_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
           device_, &allowed);
  EXPECT_EQ(allowed, 100000);
  fake_->reset();
  options.dynamic_shared = 232449;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "dynamic_shared is 232449|232448", options);
  // A value that the user lowers is raised again.
  SUCCEEDS(cucore_kernel_set_attribute, empty_,
           CUCORE_KERNEL_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, device_, 1024);
  launch(100000);
}

TEST_F(Launches, TakeTheirAttributes) {
  NEEDS_FAKE_DRIVER();
  cucore_launch_options options = grid(8, 32);
  options.cluster[0] = 4;
  options.cooperative = 1;
  options.programmatic_serialization = 1;
  options.priority = -2;
  // The range is known after the first launch with a priority.
  SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
  fake_->reset();
  SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
  const fake_launch launch = last();
  EXPECT_EQ(launch.cluster[0], 4u);
  EXPECT_EQ(launch.cluster[1], 1u);
  EXPECT_EQ(launch.cluster[2], 1u);
  EXPECT_EQ(launch.grid[0], 8u) << "the grid counts blocks";
  EXPECT_EQ(launch.cooperative, 1);
  EXPECT_EQ(launch.programmatic_serialization, 1);
  EXPECT_EQ(launch.priority, -2);
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
}

TEST_F(Launches, RefusePrioritiesThatNoStreamHas) {
  int32_t least = 0, greatest = 0;
  SUCCEEDS(cucore_device_stream_priorities, device_, &least, &greatest);
  cucore_launch_options options = grid(1, 32);
  for (const int32_t priority : {least + 1, greatest - 1, 99, INT32_MIN, INT32_MAX}) {
    options.priority = priority;
    refuses(CUCORE_ERROR_INVALID_ARGUMENT,
            "cucore_launch_options.priority is " + std::to_string(priority) + "|" +
                std::to_string(least) + " (least) to " + std::to_string(greatest) + " (greatest)",
            options);
  }
  for (const int32_t priority : {least, greatest}) {
    options.priority = priority;
    SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
  }
}

TEST_F(Launches, RefuseAttributesOutOfRange) {
  cucore_launch_options options = grid(8, 32);
  options.cooperative = 2;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "cooperative is 2", options);
  options = grid(8, 32);
  options.programmatic_serialization = -1;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "programmatic_serialization is -1", options);
  if (!fake_) return;
  options = grid(8, 32);
  options.cluster[0] = 3;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "grid[0] is 8|cluster[0]", options);
  options.cluster[0] = 2;
  options.cluster[1] = 2;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "grid[1] is 1|cluster[1]", options);
}

TEST_F(Launches, RefuseClustersWhereThereAreNone) {
  int32_t clusters = 0, major = 0;
  SUCCEEDS(cucore_device_attribute, device_, CUCORE_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &clusters);
  if (clusters) GTEST_SKIP() << "the device has clusters";
  SUCCEEDS(cucore_device_attribute, device_, CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
           &major);
  cucore_launch_options options = grid(8, 32);
  options.cluster[0] = 2;
  Error error;
  EXPECT_EQ(cucore_kernel_launch(empty_, stream_, &options, nullptr, 0, error.out()),
            CUCORE_ERROR_UNSUPPORTED);
  const std::string message = cucore_error_message(error);
  EXPECT_NE(message.find("has no clusters"), message.npos) << message;
  EXPECT_EQ(message.find("came with sm_90") != message.npos, major < 9) << message;
}

TEST_F(Launches, SayWhatAKernelNeeds) {
  NEEDS_FAKE_DRIVER();
  fake_->set_kernel_attribute("empty", 0, 128);
  fake_->set_kernel_attribute("empty", 4, 255);
  const cucore_launch_options options = grid(1, 256);
  for (const int32_t native : {1, 701}) {
    fake_->fail_call("cuLaunchKernelEx", 1, native);
    FAILS_ONCE(CUCORE_ERROR_LAUNCH, "empty|256 threads|128|255 registers", cucore_kernel_launch,
               empty_, stream_, &options, nullptr, 0);
  }
  fake_->fail_call("cuLaunchKernelEx", 1, 720);
  FAILS_ONCE(CUCORE_ERROR_LAUNCH, "grid is 1 block; at most|per multiprocessor|device 0",
             cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
  fake_->fail_call("cuLaunchKernelEx", 1, 700);
  FAILS_ONCE(CUCORE_ERROR_KERNEL_FAULT, "launch kernel empty|cucore_device_reset",
             cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
}

TEST_F(Launches, OnDefaultStreamsUseTheDevicesContext) {
  const cucore_launch_options options = grid(1, 32);
  for (const auto kind : {CUCORE_DEFAULT_STREAM_LEGACY, CUCORE_DEFAULT_STREAM_PER_THREAD}) {
    Stream stream;
    SUCCEEDS(cucore_device_default_stream, device_, kind, stream.out());
    SUCCEEDS(cucore_kernel_launch, empty_, stream, &options, nullptr, 0);
    SUCCEEDS(cucore_stream_synchronize, stream);
    if (fake_) {
      EXPECT_EQ(last().stream, cucore_stream_native(stream));
    }
  }
}

TEST_F(Launches, ComputeWhatTheKernelSays) {
  if (fake_) GTEST_SKIP() << "needs a device that runs kernels";
  const uint32_t n = 1000;
  std::vector<float> x(n), y(n), result(n);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i), y[i] = static_cast<float>(2 * i);
  const Buffer dx = make_buffer(device_, n * 4, stream_), dy = make_buffer(device_, n * 4, stream_);
  SUCCEEDS(cucore_buffer_write, dx, 0, x.data(), n * 4, stream_);
  SUCCEEDS(cucore_buffer_write, dy, 0, y.data(), n * 4, stream_);
  const float a = 3;
  const uint64_t to_x = cucore_buffer_address(dx), to_y = cucore_buffer_address(dy);
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(to_x),
                                       CUCORE_ARGUMENT(to_y), CUCORE_ARGUMENT(n)};
  const cucore_launch_options options = grid(8, 128);
  SUCCEEDS(cucore_kernel_launch, saxpy_, stream_, &options, arguments, 4);
  SUCCEEDS(cucore_buffer_read, dy, 0, result.data(), n * 4, stream_);
  for (size_t i = 0; i < n; ++i) ASSERT_EQ(result[i], 3 * x[i] + y[i]) << i;
}

}  // namespace
