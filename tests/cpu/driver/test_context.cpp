// SPDX-License-Identifier: Apache-2.0
// Contexts: primary and created ones, the stack of each thread, limits, peers.
#include <atomic>
#include <chrono>
#include <thread>

#include "driver.hpp"

namespace cutest {
namespace {

class Contexts : public ::testing::Test {
 protected:
  void TearDown() override {
    CUcontext c = nullptr;
    while (cu.cuCtxPopCurrent_v2(&c) == CUDA_SUCCESS) {
    }
  }
  CUcontext current() {
    CUcontext c = nullptr;
    EXPECT_CU(0, cu.cuCtxGetCurrent(&c));
    return c;
  }
  bool active(CUdevice device) {
    unsigned flags = 0;
    int on = -1;
    EXPECT_CU(0, cu.cuDevicePrimaryCtxGetState(device, &flags, &on));
    return on == 1;
  }
  Driver& cu = DeviceTest::driver();
};

TEST_F(Contexts, WithoutOneFunctionsFail) {
  CUdeviceptr p = 0;
  CUdevice device = 0;
  CUstream stream = nullptr;
  EXPECT_EQ(nullptr, current());
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuMemAlloc_v2(&p, 16));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxGetDevice(&device));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxSynchronize());
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuStreamCreate(&stream, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuStreamSynchronize(nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuStreamQuery(CU_STREAM_PER_THREAD));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxPopCurrent_v2(nullptr));
}

TEST_F(Contexts, PrimaryIsCountedAndHasOneHandle) {
  CUcontext a = nullptr, b = nullptr;
  EXPECT_FALSE(active(0));
  OK(cu.cuDevicePrimaryCtxRetain(&a, 0));
  OK(cu.cuDevicePrimaryCtxRetain(&b, 0));
  EXPECT_EQ(a, b);
  EXPECT_TRUE(active(0));
  EXPECT_EQ(nullptr, current()) << "retaining does not make it current";
  OK(cu.cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_TRUE(active(0));
  OK(cu.cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_FALSE(active(0));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxDestroy_v2(a));
}

TEST_F(Contexts, ResetEndsEverythingAndARetainRevives) {
  CUcontext c = nullptr;
  OK(cu.cuDevicePrimaryCtxRetain(&c, 0));
  OK(cu.cuCtxSetCurrent(c));
  CUdeviceptr p = 0;
  CUstream stream = nullptr;
  size_t free_before = 0, free_after = 0;
  OK(cu.cuMemGetInfo_v2(&free_before, nullptr));
  OK(cu.cuMemAlloc_v2(&p, 1 << 20));
  OK(cu.cuStreamCreate(&stream, 0));
  OK(cu.cuDevicePrimaryCtxReset_v2(0));
  EXPECT_FALSE(active(0));
  EXPECT_CU(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu.cuMemAlloc_v2(&p, 16));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuStreamSynchronize(stream));
  CUcontext again = nullptr;
  OK(cu.cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT_EQ(c, again);
  OK(cu.cuMemGetInfo_v2(&free_after, nullptr));
  EXPECT_EQ(free_before, free_after);
  OK(cu.cuDevicePrimaryCtxRelease_v2(0));
  OK(cu.cuDevicePrimaryCtxRelease_v2(0));
}

// A thread's stream in the former context is not ordered with those of the new one.
TEST_F(Contexts, ARevivedPrimaryHasNewPerThreadStreams) {
  CUcontext c = nullptr;
  unsigned long long before = 0, after = 0;
  OK(cu.cuDevicePrimaryCtxRetain(&c, 0));
  OK(cu.cuCtxSetCurrent(c));
  OK(cu.cuStreamGetId(CU_STREAM_PER_THREAD, &before));
  OK(cu.cuDevicePrimaryCtxReset_v2(0));
  OK(cu.cuDevicePrimaryCtxRetain(&c, 0));
  OK(cu.cuStreamGetId(CU_STREAM_PER_THREAD, &after));
  EXPECT_NE(before, after);
  std::atomic<bool> is_done{false};
  const auto work = [](void* done) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    *static_cast<std::atomic<bool>*>(done) = true;
  };
  OK(cu.cuLaunchHostFunc(CU_STREAM_PER_THREAD, work, &is_done));
  OK(cu.cuStreamSynchronize(CU_STREAM_LEGACY));
  OK(cu.cuCtxSynchronize());
  EXPECT_TRUE(is_done);
  OK(cu.cuStreamSynchronize(CU_STREAM_PER_THREAD));
  OK(cu.cuDevicePrimaryCtxRelease_v2(0));
  OK(cu.cuDevicePrimaryCtxRelease_v2(0));
}

TEST_F(Contexts, FlagsOfThePrimary) {
  OK(cu.cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_BLOCKING_SYNC));
  unsigned flags = 0;
  int on = 0;
  OK(cu.cuDevicePrimaryCtxGetState(0, &flags, &on));
  EXPECT_EQ(static_cast<unsigned>(CU_CTX_SCHED_BLOCKING_SYNC), flags);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuDevicePrimaryCtxSetFlags_v2(0, 0x1000));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD));
  OK(cu.cuDevicePrimaryCtxSetFlags_v2(0, 0));
}

TEST_F(Contexts, StackOfAThread) {
  CUcontext a = nullptr, b = nullptr, popped = nullptr;
  OK(cu.cuCtxCreate_v4(&a, nullptr, 0, 0));
  OK(cu.cuCtxCreate_v2(&b, 0, 1));
  EXPECT_EQ(b, current());
  OK(cu.cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(b, popped);
  EXPECT_EQ(a, current());
  OK(cu.cuCtxPushCurrent_v2(b));
  OK(cu.cuCtxSetCurrent(a));  // replaces the top
  EXPECT_EQ(a, current());
  OK(cu.cuCtxSetCurrent(nullptr));  // pops
  EXPECT_EQ(a, current());
  std::thread([&] { EXPECT_EQ(nullptr, current()); }).join();
  OK(cu.cuCtxDestroy_v2(a));
  EXPECT_EQ(nullptr, current()) << "destroying the current context pops it";
  OK(cu.cuCtxDestroy_v2(b));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxPushCurrent_v2(b));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxSetCurrent(b));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxDestroy_v2(b));
}

TEST_F(Contexts, MadeUpHandlesAreRefused) {
  for (uintptr_t bits : {uintptr_t{1}, uintptr_t{0x1234}, reinterpret_cast<uintptr_t>(this),
                         ~uintptr_t{0}, uintptr_t{0x00cc000010000010}}) {
    EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxSetCurrent(reinterpret_cast<CUcontext>(bits)));
    EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuEventQuery(reinterpret_cast<CUevent>(bits)));
    EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuLibraryUnload(reinterpret_cast<CUlibrary>(bits)));
  }
}

TEST_F(Contexts, DestroyedElsewhereIsNoticedHere) {
  CUcontext c = nullptr;
  OK(cu.cuCtxCreate_v4(&c, nullptr, 0, 0));
  std::thread([&] { EXPECT_CU(0, cu.cuCtxDestroy_v2(c)); }).join();
  CUdeviceptr p = 0;
  EXPECT_CU(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu.cuMemAlloc_v2(&p, 16));
}

TEST_F(Contexts, IdentityAndVersions) {
  CUcontext a = nullptr, b = nullptr;
  unsigned long long ida = 0, idb = 0;
  unsigned version = 0, flags = 0;
  OK(cu.cuCtxCreate_v4(&a, nullptr, CU_CTX_SCHED_YIELD, 0));
  OK(cu.cuCtxGetFlags(&flags));
  EXPECT_EQ(static_cast<unsigned>(CU_CTX_SCHED_YIELD), flags & CU_CTX_SCHED_MASK);
  OK(cu.cuCtxCreate_v4(&b, nullptr, 0, 1));
  OK(cu.cuCtxGetId(a, &ida));
  OK(cu.cuCtxGetId(nullptr, &idb));
  EXPECT_NE(ida, idb);
  OK(cu.cuCtxGetApiVersion(a, &version));
  EXPECT_EQ(3020u, version);
  CUdevice device = -1;
  OK(cu.cuCtxGetDevice(&device));
  EXPECT_EQ(1, device);
  OK(cu.cuCtxGetDevice_v2(&device, a));
  EXPECT_EQ(0, device);
  OK(cu.cuCtxDestroy_v2(b));
  OK(cu.cuCtxDestroy_v2(a));
}

TEST_F(Contexts, BadArguments) {
  CUcontext c = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuCtxCreate_v4(nullptr, nullptr, 0, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cu.cuCtxCreate_v4(&c, nullptr, 0, 99));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cu.cuCtxCreate_v4(&c, nullptr, 0, -1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuCtxCreate_v4(&c, nullptr, 0x800000, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuInit(1));
  EXPECT_EQ(nullptr, current());
}

class ContextState : public DeviceTest {};

TEST_F(ContextState, Limits) {
  size_t value = 0;
  OK(cu.cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE));
  EXPECT_EQ(size_t{1} << 20, value);
  OK(cu.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 64 << 20));
  OK(cu.cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
  EXPECT_EQ(size_t{64} << 20, value);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, SIZE_MAX));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuCtxGetLimit(&value, CU_LIMIT_MAX));
  EXPECT_CU(CUDA_ERROR_UNSUPPORTED_LIMIT,
            cu.cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
  int least = 1, greatest = 1;
  OK(cu.cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(0, least);
  EXPECT_EQ(-5, greatest);
}

TEST_F(ContextState, PeerAccess) {
  CUcontext other = nullptr, popped = nullptr;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 1));
  CUdeviceptr there = 0;
  unsigned value = 5;
  OK(cu.cuMemAlloc_v2(&there, 64));
  OK(cu.cuMemsetD32_v2(there, 0, 16));
  OK(cu.cuCtxSynchronize());
  OK(cu.cuCtxPopCurrent_v2(&popped));

  int can = -1;
  OK(cu.cuDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(1, can);
  OK(cu.cuDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(0, can);
  EXPECT_CU(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cu.cuCtxDisablePeerAccess(other));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuCtxEnablePeerAccess(other, 1));
  EXPECT_CU(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cu.cuCtxEnablePeerAccess(context, 0));
  OK(cu.cuCtxEnablePeerAccess(other, 0));
  EXPECT_CU(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cu.cuCtxEnablePeerAccess(other, 0));
  OK(launch("increase", {&there, &value}));
  OK(cu.cuCtxSynchronize());
  unsigned result = 0;
  OK(cu.cuMemcpyDtoH_v2(&result, there, 4));
  EXPECT_EQ(5u, result);
  OK(cu.cuCtxDisablePeerAccess(other));
  OK(launch("increase", {&there, &value}));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
  OK(cu.cuCtxDestroy_v2(other));
}

TEST_F(ContextState, DestroyWaitsForItsWork) {
  CUcontext c = nullptr;
  OK(cu.cuCtxCreate_v4(&c, nullptr, 0, 0));
  CUstream stream = nullptr;
  OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  static std::atomic<bool> ran;
  ran = false;
  OK(cu.cuLaunchHostFunc(
      stream,
      [](void*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ran = true;
      },
      nullptr));
  OK(cu.cuCtxDestroy_v2(c));
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace cutest
