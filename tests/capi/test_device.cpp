// SPDX-License-Identifier: Apache-2.0
// Devices: one handle each, their properties, their default streams, and resets.
#include <cstring>

#include "capi_testing.hpp"
#include "native_context.hpp"

namespace {

using namespace capi_test;

class Devices : public OnDevice {};

TEST_F(Devices, OpenedTwiceAreTheSameHandle) {
  const Device again = open_device();
  EXPECT_EQ(again.get(), device_.get());
  EXPECT_EQ(cucore_device_ordinal(again), 0);
}

TEST_F(Devices, HaveANativeContext) {
  const NativeContext native;
  const CUcontext primary = native.hold(0);
  EXPECT_EQ(cucore_device_native_context(device_), static_cast<void*>(primary));
  native.let_go(0);
  EXPECT_EQ(cucore_device_native_context(nullptr), nullptr);
}

TEST_F(Devices, RefuseOrdinalsThatThereAreNot) {
  int32_t count = 0;
  SUCCEEDS(cucore_device_count, &count);
  for (const int32_t ordinal : {-1, count, INT32_MAX, INT32_MIN}) {
    cucore_device* device = reinterpret_cast<cucore_device*>(garbage());
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "ordinal is " + std::to_string(ordinal),
          cucore_device_open, ordinal, &device);
    EXPECT_EQ(device, nullptr);
  }
}

TEST_F(Devices, TellTheirNames) {
  EXPECT_STRNE(cucore_device_name(device_), "");
  EXPECT_EQ(std::string(cucore_device_arch(device_)).substr(0, 3), "sm_");
  EXPECT_EQ(std::string(cucore_device_pci_bus_id(device_)).size(), 12u);
  int32_t major = 0, minor = 0;
  SUCCEEDS(cucore_device_compute_capability, device_, &major, &minor);
  EXPECT_EQ("sm_" + std::to_string(major) + std::to_string(minor), cucore_device_arch(device_));
  if (!fake_) return;
  EXPECT_STREQ(cucore_device_name(device_), "Fake H200 0");
  EXPECT_STREQ(cucore_device_pci_bus_id(device_), "0000:1b:00.0");
  EXPECT_EQ(cucore_device_is_emulated(device_), 0);
}

TEST_F(Devices, TellTheirAttributes) {
  int32_t warp = 0;
  SUCCEEDS(cucore_device_attribute, device_, CUCORE_DEVICE_ATTRIBUTE_WARP_SIZE, &warp);
  EXPECT_EQ(warp, 32);
  for (const int number : {0, -1, 100000}) {
    warp = 7;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
          "attribute " + std::to_string(number) + "|CUdevice_attribute", cucore_device_attribute,
          device_, static_cast<cucore_device_attribute_name>(number), &warp);
    EXPECT_EQ(warp, 0);
  }
}

TEST_F(Devices, TellTheirMemory) {
  size_t free_bytes = 0, total = 0;
  SUCCEEDS(cucore_device_memory, device_, &free_bytes, &total);
  EXPECT_GT(total, 0u);
  EXPECT_LE(free_bytes, total);
}

TEST_F(Devices, HaveAnIdentity) {
  uint8_t first[16] = {}, second[16] = {};
  SUCCEEDS(cucore_device_uuid, device_, first);
  SUCCEEDS(cucore_device_uuid, device_, second);
  EXPECT_EQ(std::memcmp(first, second, 16), 0);
  uint8_t zero[16] = {};
  EXPECT_NE(std::memcmp(first, zero, 16), 0);
}

TEST_F(Devices, TellTheirPriorities) {
  int32_t least = 1, greatest = 1;
  SUCCEEDS(cucore_device_stream_priorities, device_, &least, &greatest);
  EXPECT_LE(greatest, least);
}

TEST_F(Devices, TellWhoReachesWhom) {
  int32_t can = 0;
  SUCCEEDS(cucore_device_can_access_peer, device_, device_, &can);
  EXPECT_EQ(can, 1);
  if (!fake_) return;
  SUCCEEDS(cucore_device_can_access_peer, device_, open_device(1), &can);
  EXPECT_EQ(can, 1);
}

TEST_F(Devices, HaveDefaultStreams) {
  for (const auto kind : {CUCORE_DEFAULT_STREAM_LEGACY, CUCORE_DEFAULT_STREAM_PER_THREAD}) {
    Stream stream;
    SUCCEEDS(cucore_device_default_stream, device_, kind, stream.out());
    SUCCEEDS(cucore_stream_synchronize, stream);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(cucore_stream_native(stream)),
              kind == CUCORE_DEFAULT_STREAM_LEGACY ? 1u : 2u);
  }
  for (const int kind : {0, 3, -1}) {
    cucore_stream* stream = nullptr;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "kind", cucore_device_default_stream, device_,
          static_cast<cucore_default_stream>(kind), &stream);
  }
}

TEST_F(Devices, AreUsableWithNoContextOfTheCallers) {
  NEEDS_FAKE_DRIVER();
  const NativeContext context;
  EXPECT_EQ(context.current(), nullptr);
  SUCCEEDS(cucore_device_synchronize, device_);
  EXPECT_EQ(context.current(), nullptr);
}

// Objects of the old context are lost; object code and kernels stay valid.
TEST_F(Devices, AResetLosesWhatLivedInTheContext) {
  NEEDS_FAKE_DRIVER();
  const Event event = make_event(device_);
  const Buffer buffer = make_buffer(device_, 64, stream_);
  const Code code = make_ptx_code();
  const Kernel kernel = find_kernel(code, "empty");
  SUCCEEDS(cucore_device_reset, device_);
  char bytes[4] = {};
  int32_t done = 7;
  cucore_buffer* other = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE, "stream|cucore_device_reset", cucore_stream_synchronize,
        stream_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "stream", cucore_stream_query, stream_, &done);
  FAILS(CUCORE_ERROR_INVALID_STATE, "event", cucore_event_query, event, &done);
  FAILS(CUCORE_ERROR_INVALID_STATE, "event", cucore_event_record, event, stream_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "buffer", cucore_buffer_read, buffer, 0, bytes, 4, stream_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "stream", cucore_buffer_create, device_, 4, stream_, &other);
  const cucore_launch_options options = grid(1, 1);
  FAILS(CUCORE_ERROR_INVALID_STATE, "stream", cucore_kernel_launch, kernel, stream_, &options,
        nullptr, 0);
  const Stream fresh = make_stream(device_);
  SUCCEEDS(cucore_kernel_launch, kernel, fresh, &options, nullptr, 0);
  SUCCEEDS(cucore_stream_synchronize, fresh);
  const Kernel again = find_kernel(code, "saxpy");
}

TEST_F(Devices, AResetIsTheWayOnAfterAFault) {
  NEEDS_FAKE_DRIVER();
  fake_->set_fault(700);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "CUDA_ERROR_ILLEGAL_ADDRESS|cucore_device_reset",
        cucore_device_synchronize, device_);
  fake_->set_fault(0);
  SUCCEEDS(cucore_device_reset, device_);
  SUCCEEDS(cucore_device_synchronize, device_);
}

}  // namespace
