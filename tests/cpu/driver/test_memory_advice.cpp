// SPDX-License-Identifier: Apache-2.0
// Advice about managed memory and its attributes, and batches of stream memory operations.
#include "driver.hpp"

namespace cutest {
namespace {

class Advice : public DeviceTest {
 protected:
  static constexpr size_t SIZE = 1 << 16;
  void SetUp() override {
    DeviceTest::SetUp();
    OK(cu.cuMemAllocManaged(&memory, SIZE, CU_MEM_ATTACH_GLOBAL));
  }
  int get(CUmem_range_attribute which, size_t offset = 0, size_t count = SIZE) {
    int value = 77;
    EXPECT_CU(0, cu.cuMemRangeGetAttribute(&value, sizeof value, which, memory + offset, count));
    return value;
  }
  CUdeviceptr memory = 0;
  CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 1}, host{CU_MEM_LOCATION_TYPE_HOST, 0};
};

TEST_F(Advice, IsRemembered) {
  EXPECT_EQ(0, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
  EXPECT_EQ(CU_DEVICE_INVALID, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
  EXPECT_EQ(CU_DEVICE_INVALID, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
  OK(cu.cuMemAdvise_v2(memory, SIZE, CU_MEM_ADVISE_SET_READ_MOSTLY, host));
  OK(cu.cuMemAdvise_v2(memory, SIZE, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
  OK(cu.cuMemPrefetchAsync_v2(memory, SIZE, host, 0, nullptr));
  EXPECT_EQ(1, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
  EXPECT_EQ(1, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
  EXPECT_EQ(CU_MEM_LOCATION_TYPE_DEVICE, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
  EXPECT_EQ(1, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID));
  EXPECT_EQ(CU_DEVICE_CPU, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
  OK(cu.cuMemAdvise(memory, SIZE, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0));
  OK(cu.cuMemPrefetchAsync(memory, SIZE, 0, nullptr));
  EXPECT_EQ(0, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
  EXPECT_EQ(0, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
}

TEST_F(Advice, APartHasItsOwn) {
  OK(cu.cuMemAdvise_v2(memory + 4096, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, host));
  OK(cu.cuMemPrefetchAsync_v2(memory, 8192, device, 0, nullptr));
  EXPECT_EQ(0, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
  EXPECT_EQ(1, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 4096, 4096));
  EXPECT_EQ(1, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 5000, 10));
  EXPECT_EQ(0, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 4095, 2));
  EXPECT_EQ(1, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 0, 8192));
  EXPECT_EQ(CU_DEVICE_INVALID, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
}

TEST_F(Advice, DevicesThatAccessIt) {
  OK(cu.cuMemAdvise(memory, SIZE, CU_MEM_ADVISE_SET_ACCESSED_BY, 1));
  OK(cu.cuMemAdvise(memory, SIZE, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
  int list[4] = {};
  OK(cu.cuMemRangeGetAttribute(list, sizeof list, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory,
                               SIZE));
  EXPECT_EQ((std::vector<int>{CU_DEVICE_CPU, 1, CU_DEVICE_INVALID, CU_DEVICE_INVALID}),
            std::vector<int>(list, list + 4));
  OK(cu.cuMemAdvise(memory, SIZE, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 1));
  int read_mostly = 7;
  void* data[] = {&read_mostly, list};
  size_t sizes[] = {sizeof read_mostly, sizeof list};
  CUmem_range_attribute which[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                   CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY};
  OK(cu.cuMemRangeGetAttributes(data, sizes, which, 2, memory, SIZE));
  EXPECT_EQ(0, read_mostly);
  EXPECT_EQ(CU_DEVICE_CPU, list[0]);
  EXPECT_EQ(CU_DEVICE_INVALID, list[1]);
}

TEST_F(Advice, BadArguments) {
  int value = 0;
  const auto get = [&](size_t size, int which, CUdeviceptr at, size_t count) {
    return cu.cuMemRangeGetAttribute(&value, size, static_cast<CUmem_range_attribute>(which), at,
                                     count);
  };
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, get(8, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, SIZE));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, get(3, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, SIZE));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, get(4, 99, memory, SIZE));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, get(4, 1, memory, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, get(4, 1, memory, SIZE + 1));
  CUdeviceptr plain = 0;
  OK(cu.cuMemAlloc_v2(&plain, 64));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, get(4, 1, plain, 64)) << "not managed";
  device.id = 50;
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE,
            cu.cuMemAdvise_v2(memory, SIZE, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cu.cuMemPrefetchAsync(memory, SIZE, 50, nullptr));
}

TEST_F(Advice, BatchesOfStreamMemoryOperations) {
  CUdeviceptr flags = 0;
  OK(cu.cuMemAlloc_v2(&flags, 64));
  OK(cu.cuMemsetD32_v2(flags, 0, 16));
  CUstream a = nullptr, b = nullptr;
  OK(cu.cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  OK(cu.cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  CUstreamBatchMemOpParams ops[4] = {};
  ops[0].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  ops[0].waitValue.address = flags;
  ops[0].waitValue.value = 3;
  ops[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  ops[1].operation = CU_STREAM_MEM_OP_BARRIER;
  ops[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  ops[2].writeValue.address = flags + 8;
  ops[2].writeValue.value64 = 0x123456789abcdef;
  ops[3].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
  OK(cu.cuStreamBatchMemOp_v2(a, 4, ops, 0));
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(a));
  OK(cu.cuStreamWriteValue32_v2(b, flags, 3, 0));
  OK(cu.cuStreamSynchronize(a));
  uint64_t value = 0;
  OK(cu.cuMemcpyDtoH_v2(&value, flags + 8, 8));
  EXPECT_EQ(0x123456789abcdefu, value);
  ops[3].operation = static_cast<CUstreamBatchMemOpType>(99);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuStreamBatchMemOp_v2(a, 4, ops, 0));
  EXPECT_CU(0, cu.cuStreamQuery(a)) << "no operation of a wrong batch runs";
  OK(cu.cuStreamBatchMemOp_v2(a, 0, ops, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuStreamBatchMemOp_v2(a, 257, ops, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuStreamBatchMemOp_v2(a, 1, nullptr, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuStreamBatchMemOp_v2(a, 1, ops, 1));
}

// The memory of a wait that is freed ends the wait as a fault.
TEST_F(Advice, AWaitForFreedMemoryIsAFault) {
  CUdeviceptr flag = 0;
  CUstream a = nullptr;
  OK(cu.cuMemAlloc_v2(&flag, 64));
  OK(cu.cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  OK(cu.cuStreamWaitValue32_v2(a, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
  std::thread([&] {  // a free in the context would wait for the stream
    CUcontext other = nullptr;
    OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 1));
    OK(cu.cuMemFree_v2(flag));
    OK(cu.cuCtxDestroy_v2(other));
  })
      .join();
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuStreamSynchronize(a));
  EXPECT_NE(std::string::npos, fault_text().find("wait for value")) << fault_text();
}

}  // namespace
}  // namespace cutest
