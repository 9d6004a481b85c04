// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation and memory pools.
#include <functional>

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
  CUmemoryPool make(size_t max_size = 0, int device = 0) {
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
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

// All 240 rows of two H200 with driver 580 follow one rule. Work fails with INVALID_VALUE unless
// the pool of each side is open to the device of the stream. Calls that name contexts need no
// access.
TEST_F(Pools, AreUsedByWorkOfTheDevicesThatTheyAreOpenTo) {
  constexpr size_t N = 64;
  CUcontext other = nullptr, popped = nullptr;
  CUmemoryPool pools[2] = {make(0, 0), make(0, 1)};
  CUstream streams[2] = {stream, nullptr};
  CUdeviceptr pooled[2] = {}, plain[2] = {}, managed = 0, pinned = 0;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 1));
  OK(cu.cuCtxPopCurrent_v2(&popped));
  OK(cu.cuCtxSetCurrent(other));
  OK(cu.cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING));
  const CUcontext contexts[2] = {context, other};
  for (int i = 0; i < 2; ++i) {
    OK(cu.cuCtxSetCurrent(contexts[i]));
    OK(cu.cuMemAllocFromPoolAsync(&pooled[i], 2 * N, pools[i], streams[i]));
    OK(cu.cuStreamSynchronize(streams[i]));
    OK(cu.cuMemAlloc_v2(&plain[i], N));
  }
  OK(cu.cuMemAllocManaged(&managed, N, CU_MEM_ATTACH_GLOBAL));
  void* host = nullptr;
  OK(cu.cuMemHostAlloc(&host, N, CU_MEMHOSTALLOC_PORTABLE));
  pinned = reinterpret_cast<CUdeviceptr>(host);

  struct Call {
    const char* name;
    std::vector<int> uses;  // the devices of the pools
    std::function<CUresult(CUstream)> run;
  };
  const auto copy = [&](CUdeviceptr to, CUdeviceptr from) {
    return [this, to, from](CUstream s) { return cu.cuMemcpyAsync(to, from, N, s); };
  };
  const std::vector<Call> calls = {
      {"pool 0 to pool 1", {0, 1}, copy(pooled[1], pooled[0])},
      {"pool 1 to pool 0", {0, 1}, copy(pooled[0], pooled[1])},
      {"within pool 0", {0}, copy(pooled[0], pooled[0] + N)},
      {"memory of 0 to pool 0", {0}, copy(pooled[0], plain[0])},
      {"memory of 1 to pool 0", {0}, copy(pooled[0], plain[1])},
      {"pool 0 to memory of 1", {0}, copy(plain[1], pooled[0])},
      {"memory of 0 to pool 1", {1}, copy(pooled[1], plain[0])},
      {"memory of 0 to that of 1", {}, copy(plain[1], plain[0])},
      {"managed to pool 0", {0}, copy(pooled[0], managed)},
      {"pinned to pool 1", {1}, copy(pooled[1], pinned)},
      {"pool 0 to pinned", {0}, copy(pinned, pooled[0])},
      {"read of pool 1",
       {1},
       [&](CUstream s) { return cu.cuMemcpyDtoHAsync_v2(host, pooled[1], N, s); }},
      {"fill of pool 0", {0}, [&](CUstream s) { return cu.cuMemsetD8Async(pooled[0], 1, N, s); }},
      {"with contexts",
       {},
       [&](CUstream s) {
         return cu.cuMemcpyPeerAsync(pooled[1], other, pooled[0], context, N, s);
       }},
      {"with contexts, from pinned",
       {},
       [&](CUstream s) { return cu.cuMemcpyPeerAsync(pooled[1], other, pinned, context, N, s); }},
  };
  const auto open = [&](int of, int to, bool is_open) {
    const auto flags = is_open ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, {to}}, flags};
    OK(cu.cuMemPoolSetAccess(pools[of], &access, 1));
  };
  for (const int state : {0, 1, 2, 3}) {
    const bool is_open[2] = {(state & 1) != 0, (state & 2) != 0};
    open(0, 1, is_open[0]);
    open(1, 0, is_open[1]);
    for (int device = 0; device < 2; ++device) {
      OK(cu.cuCtxSetCurrent(contexts[device]));
      for (const Call& call : calls) {
        SCOPED_TRACE(testing::Message()
                     << call.name << ", state " << state << ", stream of " << device);
        bool is_usable = true;
        for (const int used : call.uses) is_usable = is_usable && (used == device || is_open[used]);
        EXPECT_CU(is_usable ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, call.run(streams[device]));
        OK(cu.cuStreamSynchronize(streams[device]));
      }
      // Fills are kernels of the device, so even plain memory of another one is refused.
      EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
                cu.cuMemsetD8Async(plain[1 - device], 1, N, streams[device]));
    }
    const bool is_swapped_refused = !is_open[0] || !is_open[1];
    EXPECT_CU(is_swapped_refused ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS,
              cu.cuMemcpyPeerAsync(pooled[1], context, pooled[0], other, N, streams[1]));
  }
  OK(cu.cuCtxSetCurrent(context));
  OK(cu.cuMemFree_v2(plain[0]));
  OK(cu.cuMemFreeHost(host));
  OK(cu.cuMemFreeAsync(pooled[0], stream));
  OK(cu.cuMemPoolDestroy(pools[0]));
  OK(cu.cuCtxDestroy_v2(other));
}

// Nodes follow the device of their context.
TEST_F(Pools, AreUsedByNodesOfTheDevicesThatTheyAreOpenTo) {
  CUdeviceptr here = 0;
  OK(cu.cuMemAllocAsync(&here, 64, stream));
  OK(cu.cuStreamSynchronize(stream));
  CUcontext other = nullptr, popped = nullptr;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 1));
  CUdeviceptr there = 0;
  OK(cu.cuMemAlloc_v2(&there, 64));
  OK(cu.cuCtxPopCurrent_v2(&popped));
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  OK(cu.cuGraphCreate(&graph, 0));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = here;
  copy.dstDevice = there;
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = 64;
  copy.srcHeight = copy.dstHeight = copy.Height = copy.Depth = 1;
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = here;
  fill.elementSize = 1;
  fill.width = 64;
  fill.height = 1;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, other));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, other));
  OK(cu.cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context));
  OK(cu.cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context));
  const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, {1}},
                               CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  OK(cu.cuMemPoolSetAccess(pool, &access, 1));
  OK(cu.cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, other));
  OK(cu.cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, other));
  OK(cu.cuGraphDestroy(graph));
  OK(cu.cuCtxDestroy_v2(other));
  OK(cu.cuMemFreeAsync(here, stream));
}

// Streams capture no call that names contexts.
TEST_F(Pools, AreNotCopiedWithContextsInACapture) {
  CUdeviceptr p = 0;
  CUgraph graph = nullptr;
  OK(cu.cuMemAllocAsync(&p, 128, stream));
  OK(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            cu.cuMemcpyPeerAsync(p, context, p + 64, context, 64, stream));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu.cuStreamEndCapture(stream, &graph));
  OK(cu.cuMemFreeAsync(p, stream));
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
