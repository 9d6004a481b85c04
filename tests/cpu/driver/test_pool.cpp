// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation and memory pools.
#include "driver.hpp"

namespace cutest {
namespace {

class Pools : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    OK(cu.cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  }
  cuuint64_t get(CUmemPool_attribute which) {
    cuuint64_t value = 0;
    EXPECT_CU(0, cu.cuMemPoolGetAttribute(pool, which, &value));
    return value;
  }
  void set(CUmemPool_attribute which, cuuint64_t value) {
    EXPECT_CU(0, cu.cuMemPoolSetAttribute(pool, which, &value));
  }
  CUmemoryPool make(size_t max_size = 0) {
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    props.maxSize = max_size;
    CUmemoryPool made = nullptr;
    EXPECT_CU(0, cu.cuMemPoolCreate(&made, &props));
    return made;
  }
  CUmemoryPool pool = nullptr;
  CUstream stream = nullptr;
};

TEST_F(Pools, AllocateUseAndFreeInOrder) {
  CUdeviceptr p = 0;
  unsigned value = 3, n = 256;
  OK(cu.cuMemAllocAsync(&p, 1024, stream));
  OK(launch("fill", {&p, &value, &n}, 256, stream));
  std::vector<unsigned> back(256);
  OK(cu.cuMemcpyDtoHAsync_v2(back.data(), p, 1024, stream));
  OK(cu.cuMemFreeAsync(p, stream));
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(std::vector<unsigned>(256, 3), back);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeAsync(p, stream));
}

TEST_F(Pools, FreeHappensWhenTheStreamGetsThere) {
  CUdeviceptr p = 0;
  unsigned value = 3, n = 16;
  OK(cu.cuMemAllocAsync(&p, 64, stream));
  close_gate(stream);
  OK(launch("fill", {&p, &value, &n}, 16, stream));
  OK(cu.cuMemFreeAsync(p, stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeAsync(p, stream)) << "freed twice";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p));
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_CU(0, cu.cuStreamQuery(stream));
}

TEST_F(Pools, UseAfterTheFreeIsAFault) {
  CUdeviceptr p = 0;
  unsigned value = 3, n = 16;
  OK(cu.cuMemAllocAsync(&p, 64, stream));
  OK(cu.cuMemFreeAsync(p, stream));
  OK(launch("fill", {&p, &value, &n}, 16, stream));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuStreamSynchronize(stream));
}

TEST_F(Pools, CountsUsedAndReserved) {
  cuuint64_t keep = get(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
  EXPECT_EQ(0u, keep);
  set(CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0);
  set(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0);
  CUdeviceptr a = 0, b = 0;
  OK(cu.cuMemAllocAsync(&a, 1 << 20, stream));
  OK(cu.cuMemAllocAsync(&b, 2 << 20, stream));
  EXPECT_EQ(3u << 20, get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
  EXPECT_LE(3u << 20, get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
  set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 2 << 20);
  OK(cu.cuMemFreeAsync(a, stream));
  OK(cu.cuMemFreeAsync(b, stream));
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(0u, get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
  EXPECT_EQ(3u << 20, get(CU_MEMPOOL_ATTR_USED_MEM_HIGH));
  EXPECT_EQ(2u << 20, get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)) << "held up to the threshold";
  OK(cu.cuMemPoolTrimTo(pool, 1 << 20));
  EXPECT_EQ(1u << 20, get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
  set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 0);
  OK(cu.cuMemPoolTrimTo(pool, 0));
  EXPECT_EQ(0u, get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
  cuuint64_t five = 5;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &five));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &five));
}

TEST_F(Pools, OfTheirOwn) {
  CUmemoryPool own = make(1 << 20);
  CUdeviceptr p = 0, q = 0;
  OK(cu.cuMemAllocFromPoolAsync(&p, 1 << 19, own, stream));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAllocFromPoolAsync(&q, 1 << 20, own, stream));
  CUmemoryPool of_pointer = nullptr;
  OK(cu.cuPointerGetAttribute(&of_pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
  EXPECT_EQ(own, of_pointer);
  OK(cu.cuDeviceSetMemPool(0, own));
  CUmemoryPool current = nullptr;
  OK(cu.cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(own, current);
  OK(cu.cuMemPoolDestroy(own));
  OK(cu.cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(pool, current) << "back to the default pool";
  OK(cu.cuMemFreeAsync(p, stream));
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemPoolTrimTo(own, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemPoolDestroy(pool)) << "the default pool stays";
}

// A pool of the program has its own threshold, which a synchronization applies.
TEST_F(Pools, OfTheirOwnKeepUpToTheirThreshold) {
  pool = make();
  const auto take_and_free = [&] {
    CUdeviceptr p = 0;
    OK(cu.cuMemAllocFromPoolAsync(&p, 4 << 20, pool, stream));
    OK(cu.cuMemFreeAsync(p, stream));
    OK(cu.cuStreamSynchronize(stream));
  };
  size_t free_before = 0, free_after = 0, total = 0;
  OK(cu.cuMemGetInfo_v2(&free_before, &total));
  take_and_free();
  EXPECT_EQ(0u, get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
  set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 1 << 20);
  take_and_free();
  EXPECT_EQ(1u << 20, get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
  set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
  CUdeviceptr p = 0;
  OK(cu.cuMemAllocFromPoolAsync(&p, 4 << 20, pool, stream));
  OK(cu.cuMemPoolDestroy(pool));
  OK(cu.cuMemFreeAsync(p, stream));
  OK(cu.cuStreamSynchronize(stream));
  OK(cu.cuMemGetInfo_v2(&free_after, &total));
  EXPECT_EQ(free_before, free_after) << "a destroyed pool ends with its last allocation";
}

// Frees that are only queued make room, because allocation is in stream order too.
TEST_F(Pools, WaitForFreesWhenTheDeviceIsFull) {
  for (int i = 0; i < 8; ++i) {
    CUdeviceptr p = 0;
    ASSERT_CU(0, cu.cuMemAllocAsync(&p, size_t{700} << 20, stream)) << i;
    OK(cu.cuMemFreeAsync(p, stream));
  }
  OK(cu.cuStreamSynchronize(stream));
  CUdeviceptr p = 0;
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAllocAsync(&p, size_t{2} << 30, stream));
}

TEST_F(Pools, Access) {
  CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
  CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, 0}, there{CU_MEM_LOCATION_TYPE_DEVICE, 1};
  OK(cu.cuMemPoolGetAccess(&flags, pool, &here));
  EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
  OK(cu.cuMemPoolGetAccess(&flags, pool, &there));
  EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_NONE, flags);
  CUmemAccessDesc give{there, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemoryPool own = make();
  OK(cu.cuMemPoolSetAccess(own, &give, 1));
  OK(cu.cuMemPoolGetAccess(&flags, own, &there));
  EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
  std::thread([&] {  // a kernel of the other device reaches it without cuCtxEnablePeerAccess
    CUcontext other = nullptr;
    CUmodule code = nullptr;
    CUfunction fill = nullptr;
    CUdeviceptr p = 0;
    unsigned value = 8, n = 16, back = 0;
    OK(cu.cuMemAllocFromPoolAsync(&p, 64, own, stream));
    OK(cu.cuStreamSynchronize(stream));
    OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 1));
    OK(cu.cuModuleLoadData(&code, PTX));
    OK(cu.cuModuleGetFunction(&fill, code, "fill"));
    void* parameters[] = {&p, &value, &n};
    OK(cu.cuLaunchKernel(fill, 1, 1, 1, 16, 1, 1, 0, nullptr, parameters, nullptr));
    OK(cu.cuMemcpyDtoH_v2(&back, p + 60, 4));
    EXPECT_EQ(8u, back);
    OK(cu.cuCtxDestroy_v2(other));
    OK(cu.cuMemFreeAsync(p, stream));
  })
      .join();
  CUmemAccessDesc revoke{here, CU_MEM_ACCESS_FLAGS_PROT_NONE};
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cu.cuMemPoolSetAccess(own, &revoke, 1));
  OK(cu.cuMemPoolDestroy(own));
}

TEST_F(Pools, NoBytesHaveNoAddress) {
  CUdeviceptr p = 1, q = 1;
  OK(cu.cuMemAllocAsync(&p, 0, stream));
  OK(cu.cuMemAllocFromPoolAsync(&q, 0, pool, stream));
  EXPECT_EQ(0u, p);
  EXPECT_EQ(0u, q);
  EXPECT_EQ(0u, get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
  OK(cu.cuMemFreeAsync(0, stream));
}

TEST_F(Pools, OfManagedMemory) {
  CUmemLocation none{CU_MEM_LOCATION_TYPE_NONE, -1}, host{CU_MEM_LOCATION_TYPE_HOST, 0},
      here{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  constexpr auto MANAGED = CU_MEM_ALLOCATION_TYPE_MANAGED;
  CUmemoryPool standard = nullptr, current = nullptr, of_host = nullptr, made = nullptr;
  OK(cu.cuMemGetDefaultMemPool(&standard, &none, MANAGED));
  OK(cu.cuMemGetMemPool(&current, &none, MANAGED));
  OK(cu.cuMemGetMemPool(&of_host, &host, MANAGED));
  EXPECT_EQ(standard, current);
  EXPECT_NE(standard, of_host);
  EXPECT_NE(standard, pool);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemPoolDestroy(standard));
  CUmemPoolProps props{};
  props.allocType = MANAGED;
  props.location = here;
  OK(cu.cuMemPoolCreate(&made, &props));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuDeviceSetMemPool(0, made));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemSetMemPool(&here, MANAGED, pool));
  OK(cu.cuMemSetMemPool(&here, MANAGED, made));
  OK(cu.cuMemGetMemPool(&current, &here, MANAGED));
  EXPECT_EQ(made, current);
  CUmemAccess_flags access{};
  OK(cu.cuMemPoolGetAccess(&access, made, &here));
  EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, access);

  CUdeviceptr p = 0;
  unsigned value = 5, n = 16, managed = 1;
  OK(cu.cuMemAllocFromPoolAsync(&p, 64, made, stream));
  OK(cu.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
  EXPECT_EQ(0u, managed) << "only memory of cuMemAllocManaged";
  OK(launch("fill", {&p, &value, &n}, 16, stream));
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(5u, reinterpret_cast<unsigned*>(p)[15]) << "the host reads it";
  OK(cu.cuMemFreeAsync(p, stream));
  OK(cu.cuStreamSynchronize(stream));
  OK(cu.cuMemPoolDestroy(made));
  OK(cu.cuMemGetMemPool(&current, &here, MANAGED));
  EXPECT_NE(made, current);
  props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cu.cuMemPoolCreate(&made, &props));
}

TEST_F(Pools, BadArguments) {
  CUdeviceptr p = 0;
  OK(cu.cuMemAlloc_v2(&p, 64));
  OK(cu.cuMemFreeAsync(p, stream)) << "not of a pool";
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeAsync(p, stream));
  OK(cu.cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL));
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cu.cuMemFreeAsync(p, stream));
  OK(cu.cuMemAllocAsync(&p, 0, stream));
  EXPECT_EQ(0u, p);
  OK(cu.cuMemFreeAsync(0, stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemAllocAsync(nullptr, 16, stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemPoolCreate(nullptr, nullptr));
  CUmemPoolProps props{};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 50};
  CUmemoryPool made = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemPoolCreate(&made, &props));
}

}  // namespace
}  // namespace cutest
