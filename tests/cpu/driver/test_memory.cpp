// SPDX-License-Identifier: Apache-2.0
// Device, pinned, registered and managed memory, and pointer attributes.
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "driver.hpp"

namespace cutest {
namespace {

class Memory : public DeviceTest {
 protected:
  size_t free_bytes() {
    size_t n = 0;
    EXPECT_CU(0, cu.cuMemGetInfo_v2(&n, nullptr));
    return n;
  }
  template <class T>
  T attribute(CUpointer_attribute which, CUdeviceptr p) {
    T value{};
    EXPECT_CU(0, cu.cuPointerGetAttribute(&value, which, p));
    return value;
  }
};

TEST_F(Memory, IsAlignedZeroAndAccounted) {
  size_t before = free_bytes();
  CUdeviceptr a = 0, b = 0;
  OK(cu.cuMemAlloc_v2(&a, 1));
  OK(cu.cuMemAlloc_v2(&b, 1000));
  EXPECT_EQ(0u, a % 512);
  EXPECT_EQ(0u, b % 512);
  EXPECT_EQ(before - 512 - 1024, free_bytes());
  OK(cu.cuMemFree_v2(a));
  OK(cu.cuMemFree_v2(b));
  EXPECT_EQ(before, free_bytes());
  OK(cu.cuMemFree_v2(0));
}

TEST_F(Memory, HasALimit) {
  size_t total = 0, free_before = 0;
  OK(cu.cuMemGetInfo_v2(&free_before, &total));
  size_t device_total = 0;
  OK(cu.cuDeviceTotalMem_v2(&device_total, 0));
  EXPECT_EQ(device_total, total);
  EXPECT_EQ(size_t{1} << 30, total) << "the test runs with CUCORE_CPU_MEMORY=1G";
  CUdeviceptr p = 0, q = 0;
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAlloc_v2(&p, total + 1));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAlloc_v2(&p, SIZE_MAX));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAlloc_v2(&p, SIZE_MAX - 100));
  OK(cu.cuMemAlloc_v2(&p, free_before - 4096));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAlloc_v2(&q, 8192));
  OK(cu.cuMemFree_v2(p));
  OK(cu.cuMemAlloc_v2(&q, 8192));
  OK(cu.cuMemFree_v2(q));
}

TEST_F(Memory, BadFrees) {
  CUdeviceptr p = 0;
  OK(cu.cuMemAlloc_v2(&p, 4096));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p + 512));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(0x1234));
  OK(cu.cuMemFree_v2(p));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemAlloc_v2(&p, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemAlloc_v2(nullptr, 16));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeHost(&p));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(reinterpret_cast<CUdeviceptr>(gate)));
  size_t bytes = 0;
  OK(cu.cuModuleGetGlobal_v2(&p, &bytes, module, "counter"));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p)) << "variables are not the program's";
}

TEST_F(Memory, FreeWaitsForWork) {
  CUstream s = nullptr;
  CUdeviceptr p = 0;
  unsigned value = 1, n = 1;
  OK(cu.cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cu.cuMemAlloc_v2(&p, 4));
  close_gate(s);
  OK(launch("fill", {&p, &value, &n}, 1, s));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    open_gate();
  });
  OK(cu.cuMemFree_v2(p));
  EXPECT_CU(0, cu.cuStreamQuery(s));
  opener.join();
}

TEST_F(Memory, Pitch) {
  CUdeviceptr p = 0;
  size_t pitch = 0;
  OK(cu.cuMemAllocPitch_v2(&p, &pitch, 100, 10, 4));
  EXPECT_GE(pitch, 100u);
  EXPECT_EQ(0u, pitch % 512);
  size_t size = 0;
  CUdeviceptr base = 0;
  OK(cu.cuMemGetAddressRange_v2(&base, &size, p + 3 * pitch));
  EXPECT_EQ(p, base);
  EXPECT_EQ(10 * pitch, size);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemAllocPitch_v2(&p, &pitch, 100, 10, 5));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemAllocPitch_v2(&p, &pitch, 0, 10, 4));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAllocPitch_v2(&p, &pitch, SIZE_MAX / 4, 100, 4));
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cu.cuMemGetAddressRange_v2(&base, &size, 0x1000));
}

TEST_F(Memory, Pinned) {
  int* p = nullptr;
  OK(cu.cuMemHostAlloc(reinterpret_cast<void**>(&p), 4096, CU_MEMHOSTALLOC_PORTABLE));
  p[1023] = 5;
  CUdeviceptr d = 0;
  unsigned flags = 0;
  OK(cu.cuMemHostGetDevicePointer_v2(&d, p, 0));
  EXPECT_EQ(reinterpret_cast<CUdeviceptr>(p), d);
  OK(cu.cuMemHostGetFlags(&flags, p));
  EXPECT_EQ(unsigned{CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP}, flags);
  CUdeviceptr last = d + 4092;
  unsigned value = 4;
  OK(launch("increase", {&last, &value}));
  OK(cu.cuCtxSynchronize());
  EXPECT_EQ(9, p[1023]);
  OK(cu.cuMemFreeHost(p));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeHost(p));
  OK(cu.cuMemFreeHost(nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemHostAlloc(reinterpret_cast<void**>(&p), 4096, 0x100));
}

TEST_F(Memory, Registered) {
  std::vector<int> host(4096, 1);
  OK(cu.cuMemHostRegister_v2(host.data(), host.size() * 4, CU_MEMHOSTREGISTER_DEVICEMAP));
  EXPECT_CU(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
            cu.cuMemHostRegister_v2(host.data() + 1024, 4096, 0));
  CUdeviceptr d = 0;
  unsigned value = 7;
  OK(cu.cuMemHostGetDevicePointer_v2(&d, host.data(), 0));
  OK(launch("increase", {&d, &value}));
  OK(cu.cuCtxSynchronize());
  EXPECT_EQ(8, host[0]);
  OK(cu.cuMemHostUnregister(host.data()));
  EXPECT_CU(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cu.cuMemHostUnregister(host.data()));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemHostGetDevicePointer_v2(&d, host.data(), 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemHostRegister_v2(nullptr, 16, 0));
}

TEST_F(Memory, Managed) {
  CUdeviceptr d = 0;
  OK(cu.cuMemAllocManaged(&d, 4096, CU_MEM_ATTACH_GLOBAL));
  auto* p = reinterpret_cast<unsigned*>(d);
  unsigned value = 9, n = 1024;
  OK(launch("fill", {&d, &value, &n}, 256, nullptr, 4));
  OK(cu.cuCtxSynchronize());
  for (unsigned i = 0; i < n; ++i) ASSERT_EQ(9u, p[i]);
  EXPECT_EQ(1u, attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, d));
  CUmemLocation there{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  OK(cu.cuMemPrefetchAsync_v2(d, 4096, there, 0, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemPrefetchAsync_v2(d, 8192, there, 0, nullptr));
  OK(cu.cuMemFree_v2(d));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemAllocManaged(&d, 4096, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemAllocManaged(&d, 0, CU_MEM_ATTACH_GLOBAL));
}

TEST_F(Memory, PointerAttributes) {
  CUdeviceptr d = 0;
  OK(cu.cuMemAlloc_v2(&d, 1000));
  CUdeviceptr inside = d + 40;
  EXPECT_EQ(context, attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, inside));
  EXPECT_EQ(static_cast<unsigned>(CU_MEMORYTYPE_DEVICE),
            attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, inside));
  EXPECT_EQ(inside, attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, inside));
  EXPECT_EQ(d, attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside));
  EXPECT_EQ(1000u, attribute<size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, inside));
  EXPECT_EQ(0, attribute<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, inside));
  EXPECT_EQ(0u, attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, inside));
  EXPECT_EQ(nullptr, attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, inside));
  void* host = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, inside));
  auto pinned = reinterpret_cast<CUdeviceptr>(gate);
  EXPECT_EQ(static_cast<unsigned>(CU_MEMORYTYPE_HOST),
            attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pinned));
  EXPECT_EQ(pinned, attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_HOST_POINTER, pinned));
  EXPECT_NE(attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, d),
            attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, pinned));
  unsigned on = 1;
  OK(cu.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
  EXPECT_EQ(1u, attribute<unsigned>(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
}

TEST_F(Memory, SeveralPointerAttributesAtOnce) {
  int local = 0;
  unsigned type = 99, managed = 99;
  CUdeviceptr pointer = 99;
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
  void* values[] = {&type, &managed, &pointer};
  // The program's own memory: no error, and no attributes.
  OK(cu.cuPointerGetAttributes(3, names, values, reinterpret_cast<CUdeviceptr>(&local)));
  EXPECT_EQ(0u, type);
  EXPECT_EQ(0u, managed);
  EXPECT_EQ(0u, pointer);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                     reinterpret_cast<CUdeviceptr>(&local)));
}

TEST_F(Memory, HostCannotTouchDeviceMemory) {
  CUdeviceptr d = 0;
  OK(cu.cuMemAlloc_v2(&d, 64));
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        std::signal(SIGBUS, SIG_DFL);
        *reinterpret_cast<volatile int*>(d) = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace cutest
