// SPDX-License-Identifier: Apache-2.0
// Rows of memory pools and stream-ordered memory, each in a process of its own if it uses the
// default pool.
#include <cstring>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

CUmemPoolProps properties() {
  CUmemPoolProps p;
  std::memset(&p, 0, sizeof p);
  p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return p;
}

CUmemoryPool new_pool() {
  CUmemoryPool made = nullptr;
  const CUmemPoolProps p = properties();
  check(cu.cuMemPoolCreate(&made, &p), "cuMemPoolCreate");
  return made;
}

CUmemoryPool default_pool() {
  CUmemoryPool found = nullptr;
  check(cu.cuDeviceGetDefaultMemPool(&found, 0), "cuDeviceGetDefaultMemPool");
  return found;
}

const struct {
  const char* name;
  void (*change)(CUmemPoolProps& p);
} CREATES[] = {
    {"plain", [](CUmemPoolProps&) {}},
    {"allocation type 0", [](CUmemPoolProps& p) { p.allocType = CU_MEM_ALLOCATION_TYPE_INVALID; }},
    {"allocation type 2",
     [](CUmemPoolProps& p) { p.allocType = static_cast<CUmemAllocationType>(2); }},
    {"allocation type 9",
     [](CUmemPoolProps& p) { p.allocType = static_cast<CUmemAllocationType>(9); }},
    {"handle type file",
     [](CUmemPoolProps& p) { p.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR; }},
    {"handle type win32", [](CUmemPoolProps& p) { p.handleTypes = CU_MEM_HANDLE_TYPE_WIN32; }},
    {"handle type 64",
     [](CUmemPoolProps& p) { p.handleTypes = static_cast<CUmemAllocationHandleType>(64); }},
    {"device 1000", [](CUmemPoolProps& p) { p.location.id = 1000; }},
    {"device -1", [](CUmemPoolProps& p) { p.location.id = -1; }},
    {"location none", [](CUmemPoolProps& p) { p.location.type = CU_MEM_LOCATION_TYPE_INVALID; }},
    {"location 99",
     [](CUmemPoolProps& p) { p.location.type = static_cast<CUmemLocationType>(99); }},
    {"most bytes 1", [](CUmemPoolProps& p) { p.maxSize = 1; }},
    {"most bytes 2^60", [](CUmemPoolProps& p) { p.maxSize = size_t{1} << 60; }},
    {"usage 4", [](CUmemPoolProps& p) { p.usage = 4; }},
    {"reserved byte", [](CUmemPoolProps& p) { p.reserved[3] = 1; }},
};

void add_pool_create(Rows& rows) {
  rows.subject("cuMemPoolCreate");
  for (const auto& c : CREATES)
    rows.add(Start::SHARED, c.name, [c](Line& line) {
      CUmemPoolProps p = properties();
      c.change(p);
      auto* made = reinterpret_cast<CUmemoryPool>(UNSET);
      const CUresult result = cu.cuMemPoolCreate(&made, &p);
      line(result).handle("pool", made);
      if (result == CUDA_SUCCESS) line("destroy", cu.cuMemPoolDestroy(made));
    });
  rows.add(Start::SHARED, "NULL", [](Line& line) {
    CUmemoryPool made = nullptr;
    const CUmemPoolProps p = properties();
    line("output", cu.cuMemPoolCreate(nullptr, &p));
    line("properties", cu.cuMemPoolCreate(&made, nullptr));
  });
}

void add_pool_attributes(Rows& rows) {
  rows.subject("memory pool");
  for (bool is_default : {true, false})
    rows.add(
        Start::PROCESS, is_default ? "attributes of the default pool" : "attributes of a new pool",
        [is_default](Line& line) {
          new_context();
          CUmemoryPool pool = is_default ? default_pool() : new_pool();
          for (int which = 0; which <= 10; ++which) {
            uint64_t value = 0;
            line(std::to_string(which).c_str(),
                 cu.cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(which), &value));
            line.value("is", value);
          }
        });
  rows.add(Start::SHARED, "setting of attributes", [](Line& line) {
    CUmemoryPool pool = new_pool();
    for (int which = 0; which <= 10; ++which)
      for (uint64_t value : {uint64_t{0}, uint64_t{1}}) {
        uint64_t given = value;
        line((std::to_string(which) + " to " + std::to_string(value)).c_str(),
             cu.cuMemPoolSetAttribute(pool, static_cast<CUmemPool_attribute>(which), &given));
      }
    uint64_t two = 2;
    int kept = unset<int>();
    line("reuse 2",
         cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &two));
    line(cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &kept))
        .value("is", kept);
    line("NULL value", cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, nullptr));
    line("get NULL", cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, nullptr));
  });
  rows.add(Start::PROCESS, "memory in use", [](Line& line) {
    new_context();
    CUmemoryPool pool = new_pool();
    CUdeviceptr p = 0, q = 0;
    uint64_t value = 0;
    const auto used = [&](const char* step, CUmemPool_attribute which) {
      check(cu.cuMemPoolGetAttribute(pool, which, &value), "cuMemPoolGetAttribute");
      line.value(step, value);
    };
    line("1000 bytes", cu.cuMemAllocFromPoolAsync(&p, 1000, pool, nullptr));
    used("used", CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
    used("reserved", CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
    line("1 byte", cu.cuMemAllocFromPoolAsync(&q, 1, pool, nullptr));
    used("used", CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
    line("free", cu.cuMemFreeAsync(p, nullptr))("synchronize", cu.cuCtxSynchronize());
    used("used", CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
    used("high", CU_MEMPOOL_ATTR_USED_MEM_HIGH);
    line("trim", cu.cuMemPoolTrimTo(pool, 0));
    used("reserved", CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
    line("free", cu.cuMemFreeAsync(q, nullptr))("synchronize", cu.cuCtxSynchronize());
    used("reserved after synchronize", CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
    line("trim", cu.cuMemPoolTrimTo(pool, 0));
    used("reserved", CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  });
  rows.add(Start::SHARED, "trim", [](Line& line) {
    CUmemoryPool pool = new_pool();
    line("0", cu.cuMemPoolTrimTo(pool, 0));
    line("1", cu.cuMemPoolTrimTo(pool, 1));
    line("most", cu.cuMemPoolTrimTo(pool, SIZE_MAX));
    line("NULL", cu.cuMemPoolTrimTo(nullptr, 0));
  });
}

void add_access(Rows& rows) {
  rows.add(Start::SHARED, "access", [](Line& line) {
    CUmemoryPool pool = new_pool();
    CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, {0}},
        none{CU_MEM_LOCATION_TYPE_DEVICE, {1000}};
    CUmemLocation host{CU_MEM_LOCATION_TYPE_HOST, {0}};
    auto flags = unset<CUmemAccess_flags>();
    line("get", cu.cuMemPoolGetAccess(&flags, pool, &device)).value("is", static_cast<int>(flags));
    line("device 1000", cu.cuMemPoolGetAccess(&flags, pool, &none));
    line("host", cu.cuMemPoolGetAccess(&flags, pool, &host));
    line("NULL", cu.cuMemPoolGetAccess(nullptr, pool, &device));
    line("NULL location", cu.cuMemPoolGetAccess(&flags, pool, nullptr));
    for (int wanted : {0, 1, 2, 3}) {
      CUmemAccessDesc access{device, static_cast<CUmemAccess_flags>(wanted)};
      line(("set " + std::to_string(wanted)).c_str(), cu.cuMemPoolSetAccess(pool, &access, 1));
    }
    CUmemAccessDesc wrong{none, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    line("set device 1000", cu.cuMemPoolSetAccess(pool, &wrong, 1));
    line("set none", cu.cuMemPoolSetAccess(pool, &wrong, 0));
    line("set NULL", cu.cuMemPoolSetAccess(pool, nullptr, 1));
  });
  rows.add(Start::PROCESS, "pools of the device", [](Line& line) {
    new_context();
    CUmemoryPool pool = new_pool(), found = nullptr;
    line("default", cu.cuDeviceGetDefaultMemPool(&found, 0)).handle("is", found);
    line("NULL", cu.cuDeviceGetDefaultMemPool(nullptr, 0));
    line("device 1000", cu.cuDeviceGetDefaultMemPool(&found, 1000));
    line("current", cu.cuDeviceGetMemPool(&found, 0))
        .value("default", static_cast<int>(found == default_pool()));
    line("set", cu.cuDeviceSetMemPool(0, pool));
    line("current", cu.cuDeviceGetMemPool(&found, 0)).value("new", static_cast<int>(found == pool));
    line("set NULL", cu.cuDeviceSetMemPool(0, nullptr));
    line("destroy", cu.cuMemPoolDestroy(pool));
    line("current", cu.cuDeviceGetMemPool(&found, 0))
        .value("default", static_cast<int>(found == default_pool()));
    line("destroy default", cu.cuMemPoolDestroy(default_pool()));
    line("destroy NULL", cu.cuMemPoolDestroy(nullptr));
  });
  rows.add(Start::PROCESS, "pools of a location", [](Line& line) {
    new_context();
    CUmemoryPool found = nullptr;
    CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, none{CU_MEM_LOCATION_TYPE_INVALID, {0}};
    line("default", cu.cuMemGetDefaultMemPool(&found, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    line.value("of the device", static_cast<int>(found == default_pool()));
    line("current", cu.cuMemGetMemPool(&found, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    line("type 0", cu.cuMemGetDefaultMemPool(&found, &device, CU_MEM_ALLOCATION_TYPE_INVALID));
    line("no place", cu.cuMemGetDefaultMemPool(&found, &none, CU_MEM_ALLOCATION_TYPE_PINNED));
    line("NULL", cu.cuMemGetDefaultMemPool(nullptr, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    line("set", cu.cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, new_pool()));
  });
}

void add_allocations(Rows& rows) {
  rows.subject("cuMemAllocAsync");
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{1} << 45, size_t{1} << 60, SIZE_MAX})
    rows.add(Start::PROCESS, std::to_string(bytes) + " bytes", [bytes](Line& line) {
      new_context();
      CUdeviceptr p = UNSET;
      line(cu.cuMemAllocAsync(&p, bytes, nullptr)).handle("pointer", p);
      line("synchronize", cu.cuCtxSynchronize());
    });
  rows.add(Start::PROCESS, "NULL", [](Line& line) {
    new_context();
    CUdeviceptr p = 0;
    line("output", cu.cuMemAllocAsync(nullptr, 64, nullptr));
    line("pool", cu.cuMemAllocFromPoolAsync(&p, 64, nullptr, nullptr));
    line("pool 0 bytes", cu.cuMemAllocFromPoolAsync(&p, 0, new_pool(), nullptr));
  });
  rows.add(Start::PROCESS, "range", [](Line& line) {
    new_context();
    CUdeviceptr p = 0, base = 0;
    size_t size = 0;
    check(cu.cuMemAllocAsync(&p, 100, nullptr), "cuMemAllocAsync");
    line(cu.cuMemGetAddressRange_v2(&base, &size, p)).value("size", size);
    line.value("offset", static_cast<long long>(p - base))
        .value("alignment", static_cast<int>(p % 512));
  });
  rows.add(Start::PROCESS, "beyond the size of the pool", [](Line& line) {
    new_context();
    CUmemPoolProps p = properties();
    p.maxSize = 4 << 20;
    CUmemoryPool pool = nullptr;
    CUdeviceptr a = 0;
    check(cu.cuMemPoolCreate(&pool, &p), "cuMemPoolCreate");
    line("1 MiB", cu.cuMemAllocFromPoolAsync(&a, 1 << 20, pool, nullptr));
    line("64 MiB", cu.cuMemAllocFromPoolAsync(&a, 64 << 20, pool, nullptr));
  });
  rows.subject("cuMemFreeAsync");
  rows.add(Start::PROCESS, "0 and unknown", [](Line& line) {
    new_context();
    line("0", cu.cuMemFreeAsync(0, nullptr));
    line("0x1000", cu.cuMemFreeAsync(0x1000, nullptr));
    line("pinned", cu.cuMemFreeAsync(reinterpret_cast<CUdeviceptr>(allocate_host(64)), nullptr));
    line("managed", cu.cuMemFreeAsync(allocate_managed(64), nullptr));
    line("synchronize", cu.cuCtxSynchronize());
  });
  rows.add(Start::PROCESS, "memory of cuMemAlloc", [](Line& line) {
    new_context();
    const CUdeviceptr p = allocate(64);
    line(cu.cuMemFreeAsync(p, nullptr))("synchronize", cu.cuCtxSynchronize());
    line("again", cu.cuMemFree_v2(p));
  });
  rows.add(Start::PROCESS, "twice", [](Line& line) {
    new_context();
    CUdeviceptr p = 0;
    check(cu.cuMemAllocAsync(&p, 64, nullptr), "cuMemAllocAsync");
    line("once", cu.cuMemFreeAsync(p, nullptr));
    line("twice", cu.cuMemFreeAsync(p, nullptr));
  });
  rows.add(Start::PROCESS, "inner address", [](Line& line) {
    new_context();
    CUdeviceptr p = 0;
    check(cu.cuMemAllocAsync(&p, 4096, nullptr), "cuMemAllocAsync");
    line(cu.cuMemFreeAsync(p + 512, nullptr));
  });
  rows.add(Start::PROCESS, "cuMemFree of memory of a pool", [](Line& line) {
    new_context();
    CUdeviceptr p = 0;
    check(cu.cuMemAllocAsync(&p, 64, nullptr), "cuMemAllocAsync");
    line(cu.cuMemFree_v2(p))("again", cu.cuMemFree_v2(p));
  });
  rows.add(Start::PROCESS, "memory of a destroyed pool", [](Line& line) {
    new_context();
    CUmemoryPool pool = new_pool();
    CUdeviceptr p = 0;
    check(cu.cuMemAllocFromPoolAsync(&p, 64, pool, nullptr), "cuMemAllocFromPoolAsync");
    line("destroy", cu.cuMemPoolDestroy(pool));
    line("memset", cu.cuMemsetD8_v2(p, 1, 64));
    line("free", cu.cuMemFreeAsync(p, nullptr))("synchronize", cu.cuCtxSynchronize());
  });
}

}  // namespace

void add_pool(Rows& rows) {
  add_pool_create(rows);
  add_pool_attributes(rows);
  add_access(rows);
  add_allocations(rows);
}

}  // namespace cucore::cpu::record
