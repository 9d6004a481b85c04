// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: reserved addresses, physical memory, maps and their access.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.hpp"

namespace cutest {
namespace {

constexpr size_t MIB2 = size_t{2} << 20;

CUmemAllocationProp properties(int device = 0, unsigned types = 0) {
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  prop.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(types);
  return prop;
}

class Virtual : public DeviceTest {
 protected:
  using Handle = CUmemGenericAllocationHandle;

  CUdeviceptr reserve(size_t size, CUdeviceptr wanted = 0) {
    CUdeviceptr p = 0;
    EXPECT_CU(0, cu.cuMemAddressReserve(&p, size, 0, wanted, 0));
    return p;
  }
  Handle create(size_t size, unsigned types = 0) {
    const CUmemAllocationProp prop = properties(0, types);
    Handle handle = 0;
    EXPECT_CU(0, cu.cuMemCreate(&handle, size, &prop, 0));
    return handle;
  }
  CUresult allow(CUdeviceptr p, size_t size, int flags, int device = 0) {
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, device},
                                 static_cast<CUmemAccess_flags>(flags)};
    return cu.cuMemSetAccess(p, size, &access, 1);
  }
  // Maps new memory, opens it to device 0, and forgets the handle.
  void map_new(CUdeviceptr p, size_t size) {
    const Handle handle = create(size);
    ASSERT_CU(0, cu.cuMemMap(p, size, 0, handle, 0));
    ASSERT_CU(0, cu.cuMemRelease(handle));
    ASSERT_CU(0, allow(p, size, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  }
  CUresult increase(CUdeviceptr p, unsigned by = 1) {
    EXPECT_CU(0, launch("increase", {&p, &by}));
    return cu.cuCtxSynchronize();
  }
  unsigned word(CUdeviceptr p) {
    unsigned value = ~0u;
    EXPECT_CU(0, cu.cuMemcpyDtoH_v2(&value, p, 4));
    return value;
  }
  size_t free_memory() {
    size_t free = 0, total = 0;
    EXPECT_CU(0, cu.cuMemGetInfo_v2(&free, &total));
    return free;
  }
  // The context is poisoned, so the test continues in a new one.
  void expect_fault(CUdeviceptr p, const std::string& text) {
    EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, increase(p));
    EXPECT_NE(std::string::npos, fault_text().find(text)) << fault_text();
    OK(cu.cuCtxDestroy_v2(context));
    DeviceTest::SetUp();
  }
};

TEST_F(Virtual, MapUseUnmap) {
  const size_t before = free_memory();
  const CUdeviceptr p = reserve(4 * MIB2);
  EXPECT_EQ(0u, p % MIB2);
  EXPECT_EQ(before, free_memory()) << "addresses use no memory";
  map_new(p, MIB2);
  EXPECT_EQ(before - MIB2, free_memory());
  EXPECT_EQ(0u, word(p + MIB2 - 4)) << "new memory is zero";
  EXPECT_CU(0, increase(p + 4, 7));
  EXPECT_EQ(7u, word(p + 4));
  OK(cu.cuMemUnmap(p, MIB2));
  EXPECT_EQ(before, free_memory()) << "the last reference ends the memory";
  EXPECT_CU(0, cu.cuMemAddressFree(p, 4 * MIB2));
}

TEST_F(Virtual, TheRequestedAddressIsUsed) {
  const CUdeviceptr p = reserve(MIB2);
  const CUdeviceptr next = reserve(2 * MIB2, p + MIB2);
  EXPECT_EQ(p + MIB2, next) << "the addresses behind it are free";
  const CUdeviceptr other = reserve(MIB2, p);
  EXPECT_NE(p, other) << "taken addresses are only a hint";
  CUdeviceptr plain = 0;
  OK(cu.cuMemAlloc_v2(&plain, 3 * MIB2));
  EXPECT_TRUE(plain + 3 * MIB2 <= p || plain >= p + 3 * MIB2);
  OK(cu.cuMemAddressFree(other, MIB2));
  OK(cu.cuMemAddressFree(next, 2 * MIB2));
  EXPECT_EQ(p + MIB2, reserve(MIB2, p + MIB2)) << "free again";
  OK(cu.cuMemAddressFree(p + MIB2, MIB2));
  OK(cu.cuMemAddressFree(p, MIB2));
}

TEST_F(Virtual, AdjacentMapsAreOneRangeForCopies) {
  const CUdeviceptr p = reserve(3 * MIB2);
  for (int i = 0; i < 3; ++i) map_new(p + i * MIB2, MIB2);
  std::vector<unsigned> data(3 * MIB2 / 4), back(data.size());
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned>(i * 2654435761u);
  OK(cu.cuMemcpyHtoD_v2(p, data.data(), 3 * MIB2));
  OK(cu.cuMemcpyDtoH_v2(back.data(), p, 3 * MIB2));
  EXPECT_EQ(data, back);
  unsigned value = 5, n = static_cast<unsigned>(data.size());
  CUdeviceptr at = p;
  OK(launch("fill", {&at, &value, &n}, 1024, nullptr, n / 1024));
  OK(cu.cuMemcpyDtoH_v2(back.data(), p, 3 * MIB2));
  EXPECT_EQ(std::vector<unsigned>(data.size(), 5), back);
  OK(cu.cuMemUnmap(p + MIB2, MIB2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyHtoD_v2(p, data.data(), 3 * MIB2))
      << "nothing is mapped in the middle";
  OK(cu.cuMemUnmap(p, MIB2));
  OK(cu.cuMemUnmap(p + 2 * MIB2, MIB2));
  OK(cu.cuMemAddressFree(p, 3 * MIB2));
}

TEST_F(Virtual, OneMemoryAtTwoAddresses) {
  const CUdeviceptr p = reserve(2 * MIB2);
  const Handle handle = create(MIB2);
  for (int i = 0; i < 2; ++i) OK(cu.cuMemMap(p + i * MIB2, MIB2, 0, handle, 0));
  OK(allow(p, 2 * MIB2, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  OK(increase(p + 8, 3));
  EXPECT_EQ(3u, word(p + MIB2 + 8));
  OK(cu.cuMemUnmap(p, MIB2));
  OK(increase(p + MIB2 + 8, 1));
  OK(cu.cuMemUnmap(p + MIB2, MIB2));
  OK(cu.cuMemMap(p, MIB2, 0, handle, 0));
  OK(allow(p, MIB2, CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT_EQ(4u, word(p + 8)) << "the bytes belong to the handle, not to the map";
  OK(cu.cuMemUnmap(p, MIB2));
  OK(cu.cuMemRelease(handle));
  OK(cu.cuMemAddressFree(p, 2 * MIB2));
}

TEST_F(Virtual, FaultsWithoutMapOrAccess) {
  const CUdeviceptr p = reserve(2 * MIB2);
  expect_fault(p + MIB2, "reservation at");
  const Handle handle = create(MIB2);
  OK(cu.cuMemMap(p, MIB2, 0, handle, 0));
  expect_fault(p, "mapped without access by device 0");
  OK(allow(p, MIB2, CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT_EQ(0u, word(p));
  unsigned zero = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyHtoD_v2(p, &zero, 4));
  expect_fault(p, "mapped for reads only by device 0");
  OK(allow(p, MIB2, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  OK(increase(p));
  OK(allow(p, MIB2, CU_MEM_ACCESS_FLAGS_PROT_NONE));
  expect_fault(p, "mapped without access");
  OK(cu.cuMemUnmap(p, MIB2));
  expect_fault(p, "where nothing is mapped");
  OK(cu.cuMemRelease(handle));
  OK(cu.cuMemAddressFree(p, 2 * MIB2));
  unsigned value = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyDtoH_v2(&value, p, 4));
}

// A stream that already waits to run a kernel uses the map at the time of the kernel.
TEST_F(Virtual, KernelsUseTheMapsOfTheirTime) {
  const CUdeviceptr p = reserve(MIB2);
  CUstream stream = nullptr;
  OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  close_gate(stream);
  unsigned one = 1;
  CUdeviceptr at = p;
  OK(launch("increase", {&at, &one}, 1, stream));
  map_new(p, MIB2);
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(1u, word(p));
  OK(cu.cuMemUnmap(p, MIB2));
  OK(cu.cuMemAddressFree(p, MIB2));
}

// A kernel of another context that still runs keeps its host pointers; no other memory changes.
TEST_F(Virtual, UnmapWhileAKernelUsesIt) {
  const CUdeviceptr p = reserve(MIB2);
  map_new(p, MIB2);
  CUdeviceptr at = p;
  OK(launch("spin", {&at}));
  std::thread([&] {  // a thread without context does not wait for the kernel
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    OK(cu.cuMemUnmap(p, MIB2));
  })
      .join();
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
  OK(cu.cuMemAddressFree(p, MIB2));
}

TEST_F(Virtual, AccessIsSetPerDevice) {
  const CUdeviceptr p = reserve(MIB2);
  const Handle handle = create(MIB2);
  OK(cu.cuMemMap(p, MIB2, 0, handle, 0));
  OK(allow(p, MIB2, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 1));
  CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, 0}, there{CU_MEM_LOCATION_TYPE_DEVICE, 1};
  unsigned long long flags = 9;
  OK(cu.cuMemGetAccess(&flags, &here, p + 8));
  EXPECT_EQ(0u, flags);
  OK(cu.cuMemGetAccess(&flags, &there, p));
  EXPECT_EQ(static_cast<unsigned>(CU_MEM_ACCESS_FLAGS_PROT_READWRITE), flags);
  std::thread([&] {
    CUcontext other = nullptr;
    CUmodule code = nullptr;
    CUfunction f = nullptr;
    OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 1));
    OK(cu.cuModuleLoadData(&code, PTX));
    OK(cu.cuModuleGetFunction(&f, code, "increase"));
    CUdeviceptr at = p;
    unsigned five = 5;
    void* parameters[] = {&at, &five};
    OK(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    OK(cu.cuCtxSynchronize());
    OK(cu.cuCtxDestroy_v2(other));
  }).join();
  expect_fault(p, "mapped without access by device 0");
  OK(allow(p, MIB2, CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT_EQ(5u, word(p));
  OK(cu.cuMemUnmap(p, MIB2));
  OK(cu.cuMemRelease(handle));
  OK(cu.cuMemAddressFree(p, MIB2));
}

TEST_F(Virtual, PointerAttributes) {
  const CUdeviceptr p = reserve(2 * MIB2);
  const Handle handle = create(MIB2, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  OK(cu.cuMemMap(p, MIB2, 0, handle, 0));
  OK(allow(p, MIB2, CU_MEM_ACCESS_FLAGS_PROT_READ));
  const auto get = [&](CUpointer_attribute which, CUdeviceptr at) {
    unsigned long long value = 0;
    EXPECT_CU(0, cu.cuPointerGetAttribute(&value, which, at)) << which;
    return value;
  };
  EXPECT_EQ(CU_MEMORYTYPE_DEVICE, get(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  EXPECT_EQ(0u, get(CU_POINTER_ATTRIBUTE_CONTEXT, p));
  EXPECT_EQ(p, get(CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, p + 5));
  EXPECT_EQ(MIB2, get(CU_POINTER_ATTRIBUTE_MAPPING_SIZE, p + 5));
  EXPECT_EQ(1u, get(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p));
  EXPECT_EQ(1u, get(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
  EXPECT_EQ(0u, get(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p));
  unsigned type = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + MIB2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p)) << "cuMemUnmap ends a map";
  OK(cu.cuMemUnmap(p, MIB2));
  OK(cu.cuMemRelease(handle));
  OK(cu.cuMemAddressFree(p, 2 * MIB2));
}

TEST_F(Virtual, HandlesAreCounted) {
  const size_t before = free_memory();
  const CUdeviceptr p = reserve(MIB2);
  const Handle handle = create(MIB2);
  OK(cu.cuMemMap(p, MIB2, 0, handle, 0));
  Handle again = 0;
  OK(cu.cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(p + 4)));
  EXPECT_EQ(handle, again);
  OK(cu.cuMemRelease(handle));
  CUmemAllocationProp prop{};
  OK(cu.cuMemGetAllocationPropertiesFromHandle(&prop, handle));
  EXPECT_EQ(CU_MEM_ALLOCATION_TYPE_PINNED, prop.type);
  EXPECT_EQ(0, prop.location.id);
  OK(cu.cuMemRelease(handle));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemRelease(handle));
  OK(cu.cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(p)));
  OK(cu.cuMemUnmap(p, MIB2));
  EXPECT_EQ(before - MIB2, free_memory()) << "the handle keeps the memory";
  OK(cu.cuMemRelease(again));
  EXPECT_EQ(before, free_memory());
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(p)));
  OK(cu.cuMemAddressFree(p, MIB2));
}

TEST_F(Virtual, FileDescriptors) {
  const Handle handle = create(MIB2, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  const auto type = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  int file = -1;
  OK(cu.cuMemExportToShareableHandle(&file, handle, type, 0));
  Handle imported = 0;
  const auto as_handle = [](int f) { return reinterpret_cast<void*>(static_cast<intptr_t>(f)); };
  OK(cu.cuMemImportFromShareableHandle(&imported, as_handle(file), type));
  EXPECT_NE(handle, imported);
  EXPECT_NE(0, ftruncate(file, 4096)) << "another process must not shrink the memory";
  close(file);
  const CUdeviceptr p = reserve(2 * MIB2);
  OK(cu.cuMemMap(p, MIB2, 0, handle, 0));
  OK(cu.cuMemMap(p + MIB2, MIB2, 0, imported, 0));
  OK(allow(p, 2 * MIB2, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  OK(increase(p, 9));
  EXPECT_EQ(9u, word(p + MIB2));
  OK(cu.cuMemUnmap(p, 2 * MIB2));
  OK(cu.cuMemRelease(handle));
  OK(cu.cuMemRelease(imported));
  OK(cu.cuMemAddressFree(p, 2 * MIB2));
  const Handle closed = create(MIB2);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemExportToShareableHandle(&file, closed, type, 0))
      << "the memory was made without this type of handle";
  OK(cu.cuMemRelease(closed));
}

// Files that the device has not made, or whose size another process can change.
TEST_F(Virtual, OtherFilesAreRefused) {
  const auto type = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  const auto import = [&](int file) {
    Handle handle = 0;
    return cu.cuMemImportFromShareableHandle(
        &handle, reinterpret_cast<void*>(static_cast<intptr_t>(file)), type);
  };
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, import(-1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, import(100000));
  int ends[2];
  ASSERT_EQ(0, pipe(ends));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, import(ends[0]));
  close(ends[0]);
  close(ends[1]);
  const Handle real = create(MIB2, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  int file = -1;
  OK(cu.cuMemExportToShareableHandle(&file, real, type, 0));
  std::vector<char> bytes(MIB2 + 4096);
  ASSERT_EQ(static_cast<ssize_t>(bytes.size()), pread(file, bytes.data(), bytes.size(), 0));
  for (const int seals : {0, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL}) {
    const int copy = memfd_create("cucore-cpu", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    bytes[MIB2 + 16] ^= static_cast<char>(seals ? 1 : 0);  // the size in the description
    ASSERT_EQ(static_cast<ssize_t>(bytes.size()), write(copy, bytes.data(), bytes.size()));
    ASSERT_EQ(0, fcntl(copy, F_ADD_SEALS, seals));
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, import(copy)) << seals;
    close(copy);
  }
  close(file);
  OK(cu.cuMemRelease(real));
}

TEST_F(Virtual, BadArguments) {
  const auto bad = [](CUresult result) { return result == CUDA_ERROR_INVALID_VALUE; };
  CUdeviceptr p = 0;
  EXPECT_TRUE(bad(cu.cuMemAddressReserve(nullptr, MIB2, 0, 0, 0)));
  EXPECT_TRUE(bad(cu.cuMemAddressReserve(&p, 0, 0, 0, 0)));
  EXPECT_TRUE(bad(cu.cuMemAddressReserve(&p, 4096, 0, 0, 0)));
  EXPECT_TRUE(bad(cu.cuMemAddressReserve(&p, MIB2, 3, 0, 0)));
  EXPECT_TRUE(bad(cu.cuMemAddressReserve(&p, MIB2, 0, 0, 1)));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAddressReserve(&p, size_t{1} << 46, 0, 0, 0));
  CUmemAllocationProp prop = properties();
  Handle handle = 0;
  size_t granularity = 0;
  OK(cu.cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT_EQ(MIB2, granularity);
  EXPECT_TRUE(bad(cu.cuMemGetAllocationGranularity(
      &granularity, &prop, static_cast<CUmemAllocationGranularity_flags>(7))));
  EXPECT_TRUE(bad(cu.cuMemCreate(&handle, 4096, &prop, 0)));
  EXPECT_TRUE(bad(cu.cuMemCreate(&handle, MIB2, &prop, 1)));
  EXPECT_TRUE(bad(cu.cuMemCreate(&handle, MIB2, nullptr, 0)));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemCreate(&handle, size_t{4} << 30, &prop, 0));
  prop.location.id = 50;
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cu.cuMemCreate(&handle, MIB2, &prop, 0));
  prop = properties(0, CU_MEM_HANDLE_TYPE_FABRIC);
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cu.cuMemCreate(&handle, MIB2, &prop, 0));
  p = reserve(2 * MIB2);
  handle = create(MIB2);
  EXPECT_TRUE(bad(cu.cuMemMap(p + 4096, MIB2, 0, handle, 0)));
  EXPECT_TRUE(bad(cu.cuMemMap(p, 2 * MIB2, 0, handle, 0))) << "larger than the memory";
  EXPECT_TRUE(bad(cu.cuMemMap(p + 2 * MIB2, MIB2, 0, handle, 0))) << "not reserved";
  EXPECT_TRUE(bad(cu.cuMemMap(p, MIB2, 0, handle + 1, 0)));
  OK(cu.cuMemMap(p, MIB2, 0, handle, 0));
  EXPECT_TRUE(bad(cu.cuMemMap(p, MIB2, 0, handle, 0))) << "mapped already";
  EXPECT_TRUE(bad(allow(p, 2 * MIB2, CU_MEM_ACCESS_FLAGS_PROT_READ))) << "half is not mapped";
  EXPECT_TRUE(bad(allow(p, MIB2, 2)));
  EXPECT_TRUE(bad(allow(p, MIB2, CU_MEM_ACCESS_FLAGS_PROT_READ, 50)));
  EXPECT_TRUE(bad(cu.cuMemUnmap(p, 2 * MIB2)));
  EXPECT_TRUE(bad(cu.cuMemAddressFree(p, 2 * MIB2))) << "still mapped";
  OK(cu.cuMemUnmap(p, MIB2));
  EXPECT_TRUE(bad(cu.cuMemUnmap(p, MIB2)));
  EXPECT_TRUE(bad(cu.cuMemAddressFree(p, MIB2)));
  OK(cu.cuMemAddressFree(p, 2 * MIB2));
  OK(cu.cuMemRelease(handle));
}

TEST_F(Virtual, TheReportCountsThem) {
  const auto report = [&] {
    std::string json(1 << 16, 0);
    size_t length = 0;
    EXPECT_CU(0, cu.control().report(json.data(), json.size(), &length));
    return json.substr(0, length);
  };
  const CUdeviceptr p = reserve(MIB2);
  const Handle handle = create(MIB2);
  OK(cu.cuMemMap(p, MIB2, 0, handle, 0));
  const std::string full = report();
  EXPECT_NE(std::string::npos, full.find("\"physical_memories\":1")) << full;
  EXPECT_NE(std::string::npos, full.find("\"mappings\":1,\"reservations\":1")) << full;
  OK(cu.cuMemUnmap(p, MIB2));
  OK(cu.cuMemRelease(handle));
  OK(cu.cuMemAddressFree(p, MIB2));
  EXPECT_NE(std::string::npos, report().find("\"mappings\":0,\"reservations\":0"));
}

TEST_F(Virtual, CallsCanFailOnRequest) {
  OK(cu.control().set_fault_plan("cuMemCreate@2=2;cuMemMap@1=1"));
  const CUmemAllocationProp prop = properties();
  Handle first = 0, second = 0;
  OK(cu.cuMemCreate(&first, MIB2, &prop, 0));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemCreate(&second, MIB2, &prop, 0));
  const CUdeviceptr p = reserve(MIB2);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemMap(p, MIB2, 0, first, 0));
  OK(cu.control().set_fault_plan(""));
  OK(cu.cuMemRelease(first));
  OK(cu.cuMemAddressFree(p, MIB2));
}

// Two addresses of one memory have one shadow.
TEST_F(Virtual, ChecksSeeMappedMemory) {
  OK(cu.control().set_checks("all", 0));
  OK(cu.control().clear_checks());
  const CUdeviceptr p = reserve(2 * MIB2);
  map_new(p, MIB2);
  OK(increase(p));
  EXPECT_EQ(0u, cu.control().check_count()) << "mapped memory counts as initialised";
  OK(increase(p + MIB2));
  EXPECT_EQ(2u, cu.control().check_count()) << "a load and a store";
  OK(cu.control().clear_checks());
  CUstream a = nullptr, b = nullptr;
  OK(cu.cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  OK(cu.cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  CUdeviceptr at = p;
  unsigned one = 1;
  OK(launch("increase", {&at, &one}, 1, a));
  OK(launch("increase", {&at, &one}, 1, b));
  OK(cu.cuStreamSynchronize(a));
  OK(cu.cuStreamSynchronize(b));
  EXPECT_LE(1u, cu.control().check_count()) << "two streams without an order";
  OK(cu.control().set_checks("", 0));
  OK(cu.control().clear_checks());
  OK(cu.cuMemUnmap(p, MIB2));
  OK(cu.cuMemAddressFree(p, 2 * MIB2));
}

}  // namespace
}  // namespace cutest
