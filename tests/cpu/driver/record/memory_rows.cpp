// SPDX-License-Identifier: Apache-2.0
// Rows of device, pinned, managed and registered memory.
#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

void alloc(Line& line, size_t bytes) {
  CUdeviceptr p = UNSET;
  line(cu.cuMemAlloc_v2(&p, bytes)).handle("pointer", p);
}

// The range and alignment of an allocation.
void range(Line& line, CUdeviceptr p) {
  CUdeviceptr base = UNSET;
  size_t size = unset<size_t>();
  line("range", cu.cuMemGetAddressRange_v2(&base, &size, p)).value("size", size);
  if (base != UNSET) line.value("offset", static_cast<long long>(p - base));
}

void add_alloc(Rows& rows) {
  rows.subject("cuMemAlloc");
  for (size_t bytes :
       {size_t{0}, size_t{1}, size_t{1} << 45, size_t{1} << 60, SIZE_MAX - 511, SIZE_MAX})
    rows.add(Start::SHARED, std::to_string(bytes) + " bytes",
             [bytes](Line& line) { alloc(line, bytes); });
  rows.add(Start::SHARED, "NULL output", [](Line& line) {
    line("4", cu.cuMemAlloc_v2(nullptr, 4));
    line("0", cu.cuMemAlloc_v2(nullptr, 0));
  });
  for (size_t bytes :
       {size_t{1}, size_t{100}, size_t{512}, size_t{513}, size_t{1} << 20, (size_t{2} << 20) + 1})
    rows.add(Start::SHARED, "range of " + std::to_string(bytes) + " bytes", [bytes](Line& line) {
      const CUdeviceptr p = allocate(bytes);
      line.value("alignment", static_cast<int>(p % 512));
      range(line, p);
      range(line, p + bytes - 1);
    });
  rows.add(Start::SHARED, "range with NULL outputs, of no memory, of pinned memory",
           [](Line& line) {
             const CUdeviceptr p = allocate(64);
             CUdeviceptr base = UNSET;
             size_t size = 0;
             line("NULL", cu.cuMemGetAddressRange_v2(nullptr, nullptr, p));
             line("NULL size", cu.cuMemGetAddressRange_v2(&base, nullptr, p + 1));
             line("0", cu.cuMemGetAddressRange_v2(&base, &size, 0));
             line("0x1000", cu.cuMemGetAddressRange_v2(&base, &size, 0x1000));
             line("pinned", CUDA_SUCCESS);
             range(line, reinterpret_cast<CUdeviceptr>(allocate_host(100)));
             line("managed", CUDA_SUCCESS);
             range(line, allocate_managed(100));
             int local = 0;
             line("stack",
                  cu.cuMemGetAddressRange_v2(&base, &size, reinterpret_cast<CUdeviceptr>(&local)));
           });
  rows.add(Start::SHARED, "cuMemGetInfo", [](Line& line) {
    size_t free = 0, total = 0, bytes = 0;
    line(cu.cuMemGetInfo_v2(&free, &total)).value("less", static_cast<int>(free < total));
    check(cu.cuDeviceTotalMem_v2(&bytes, 0), "cuDeviceTotalMem");
    line.value("total of the device", static_cast<int>(total == bytes));
    line("NULL", cu.cuMemGetInfo_v2(nullptr, nullptr));
    line("NULL free", cu.cuMemGetInfo_v2(nullptr, &total));
  });
}

void pitch(Line& line, size_t width, size_t height, unsigned element) {
  CUdeviceptr p = UNSET;
  size_t got = unset<size_t>();
  line(cu.cuMemAllocPitch_v2(&p, &got, width, height, element)).value("pitch", got);
  line.handle("pointer", p);
}

void add_pitch(Rows& rows) {
  rows.subject("cuMemAllocPitch");
  const struct {
    size_t width, height;
    unsigned element;
  } boxes[] = {{1, 1, 4}, {512, 1, 4}, {513, 2, 4},      {1000, 7, 16},    {0, 1, 4},
               {1, 0, 4}, {4, 4, 0},   {4, 4, 1},        {4, 4, 2},        {4, 4, 3},
               {4, 4, 8}, {4, 4, 32},  {1u << 31, 1, 4}, {SIZE_MAX, 1, 4}, {4, SIZE_MAX, 4}};
  for (const auto& b : boxes)
    rows.add(Start::SHARED,
             std::to_string(b.width) + " by " + std::to_string(b.height) + " elements of " +
                 std::to_string(b.element),
             [b](Line& line) { pitch(line, b.width, b.height, b.element); });
  rows.add(Start::SHARED, "NULL outputs", [](Line& line) {
    CUdeviceptr p = 0;
    size_t got = 0;
    line("pointer", cu.cuMemAllocPitch_v2(nullptr, &got, 4, 4, 4));
    line("pitch", cu.cuMemAllocPitch_v2(&p, nullptr, 4, 4, 4));
  });
}

void add_free(Rows& rows) {
  rows.subject("cuMemFree");
  rows.add(Start::SHARED, "0", [](Line& line) { line(cu.cuMemFree_v2(0)); });
  rows.add(Start::SHARED, "unknown", [](Line& line) {
    line("1", cu.cuMemFree_v2(1));
    line("0x1000", cu.cuMemFree_v2(0x1000));
    line("most", cu.cuMemFree_v2(~CUdeviceptr{0}));
    int local = 0;
    line("stack", cu.cuMemFree_v2(reinterpret_cast<CUdeviceptr>(&local)));
  });
  rows.add(Start::SHARED, "twice", [](Line& line) {
    const CUdeviceptr p = allocate(64);
    line("once", cu.cuMemFree_v2(p));
    line("twice", cu.cuMemFree_v2(p));
  });
  rows.add(Start::SHARED, "inner address", [](Line& line) {
    const CUdeviceptr p = allocate(4096);
    line("1", cu.cuMemFree_v2(p + 1));
    line("512", cu.cuMemFree_v2(p + 512));
    line("end", cu.cuMemFree_v2(p + 4096));
  });
  rows.add(Start::SHARED, "pinned, managed, registered", [](Line& line) {
    line("pinned", cu.cuMemFree_v2(reinterpret_cast<CUdeviceptr>(allocate_host(64))));
    line("managed", cu.cuMemFree_v2(allocate_managed(64)));
    line("managed inner", cu.cuMemFree_v2(allocate_managed(64) + 4));
    Pages pages(4096);
    check(cu.cuMemHostRegister_v2(pages.data, 4096, 0), "register");
    line("registered", cu.cuMemFree_v2(reinterpret_cast<CUdeviceptr>(pages.data)));
    cu.cuMemHostUnregister(pages.data);
  });
  rows.add(Start::SHARED, "variable of a module", [](Line& line) {
    CUdeviceptr p = 0;
    size_t bytes = 0;
    check(cu.cuModuleGetGlobal_v2(&p, &bytes, load(), "counter"), "counter");
    line(cu.cuMemFree_v2(p));
  });
  rows.add(Start::SHARED, "memory of another context", [](Line& line) {
    const CUdeviceptr p = allocate(64);
    CUcontext other = new_context();
    line(cu.cuMemFree_v2(p));
    cu.cuCtxDestroy_v2(other);
  });
}

void managed(Line& line, size_t bytes, unsigned flags) {
  CUdeviceptr p = UNSET;
  line(cu.cuMemAllocManaged(&p, bytes, flags)).handle("pointer", p);
}

void add_managed(Rows& rows) {
  rows.subject("cuMemAllocManaged");
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 8u})
    rows.add(Start::SHARED, "flags " + std::to_string(flags),
             [flags](Line& line) { managed(line, 64, flags); });
  rows.add(Start::SHARED, "0 bytes", [](Line& line) { managed(line, 0, 1); });
  rows.add(Start::SHARED, "2^60 bytes", [](Line& line) { managed(line, size_t{1} << 60, 1); });
  rows.add(Start::SHARED, "NULL output",
           [](Line& line) { line(cu.cuMemAllocManaged(nullptr, 64, 1)); });
  rows.add(Start::SHARED, "cuMemAdvise", [](Line& line) {
    const CUdeviceptr p = allocate_managed(4096);
    const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    for (int advice : {0, 1, 2, 3, 4, 5, 6, 7})
      line(std::to_string(advice).c_str(),
           cu.cuMemAdvise_v2(p, 4096, static_cast<CUmem_advise>(advice), device));
    line("0 bytes", cu.cuMemAdvise_v2(p, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
    line("past the end", cu.cuMemAdvise_v2(p, 1 << 30, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
    line("device memory",
         cu.cuMemAdvise_v2(allocate(64), 64, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
  });
  rows.add(Start::SHARED, "cuMemPrefetchAsync", [](Line& line) {
    const CUdeviceptr p = allocate_managed(4096);
    const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    const CUmemLocation host{CU_MEM_LOCATION_TYPE_HOST, {0}};
    const CUmemLocation wrong{CU_MEM_LOCATION_TYPE_DEVICE, {1000}};
    const CUmemLocation none{CU_MEM_LOCATION_TYPE_INVALID, {0}};
    line("device", cu.cuMemPrefetchAsync_v2(p, 4096, device, 0, nullptr));
    line("host", cu.cuMemPrefetchAsync_v2(p, 4096, host, 0, nullptr));
    line("flags", cu.cuMemPrefetchAsync_v2(p, 4096, device, 1, nullptr));
    line("0 bytes", cu.cuMemPrefetchAsync_v2(p, 0, device, 0, nullptr));
    line("device 1000", cu.cuMemPrefetchAsync_v2(p, 4096, wrong, 0, nullptr));
    line("no place", cu.cuMemPrefetchAsync_v2(p, 4096, none, 0, nullptr));
    line("device memory", cu.cuMemPrefetchAsync_v2(allocate(64), 64, device, 0, nullptr));
    line("0", cu.cuMemPrefetchAsync_v2(0, 64, device, 0, nullptr));
  });
  rows.add(Start::SHARED, "cuStreamAttachMemAsync", [](Line& line) {
    const CUdeviceptr p = allocate_managed(4096);
    CUstream stream = new_stream();
    for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 8u})
      line(std::to_string(flags).c_str(), cu.cuStreamAttachMemAsync(stream, p, 0, flags));
    line("single to legacy", cu.cuStreamAttachMemAsync(nullptr, p, 0, CU_MEM_ATTACH_SINGLE));
    line("part", cu.cuStreamAttachMemAsync(stream, p, 64, CU_MEM_ATTACH_GLOBAL));
    line("whole", cu.cuStreamAttachMemAsync(stream, p, 4096, CU_MEM_ATTACH_GLOBAL));
    line("device memory", cu.cuStreamAttachMemAsync(stream, allocate(64), 0, CU_MEM_ATTACH_GLOBAL));
  });
}

}  // namespace

void add_memory(Rows& rows) {
  add_alloc(rows);
  add_pitch(rows);
  add_free(rows);
  add_managed(rows);
}

}  // namespace cucore::cpu::record
