// SPDX-License-Identifier: Apache-2.0
// Rows of pinned and registered host memory.
#include <sys/mman.h>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

void flags_of(Line& line, void* p) {
  unsigned flags = unset<unsigned>();
  CUdeviceptr device = UNSET;
  line("flags", cu.cuMemHostGetFlags(&flags, p)).value("are", flags);
  line("device", cu.cuMemHostGetDevicePointer_v2(&device, p, 0));
  line.value("same", static_cast<int>(device == reinterpret_cast<CUdeviceptr>(p)));
}

void add_pinned(Rows& rows) {
  rows.subject("cuMemHostAlloc");
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 0x10u, 0x80000000u})
    rows.add(Start::SHARED, "flags " + std::to_string(flags), [flags](Line& line) {
      void* p = reinterpret_cast<void*>(UNSET);
      const CUresult result = cu.cuMemHostAlloc(&p, 64, flags);
      line(result).handle("pointer", p);
      if (result == CUDA_SUCCESS) flags_of(line, p);
    });
  rows.add(Start::SHARED, "sizes and NULL", [](Line& line) {
    void* p = reinterpret_cast<void*>(UNSET);
    line("0", cu.cuMemHostAlloc(&p, 0, 0)).handle("pointer", p);
    line("2^60", cu.cuMemHostAlloc(&p, size_t{1} << 60, 0)).handle("pointer", p);
    line("most", cu.cuMemHostAlloc(&p, SIZE_MAX, 0)).handle("pointer", p);
    line("NULL", cu.cuMemHostAlloc(nullptr, 64, 0));
    line("cuMemAllocHost 0", cu.cuMemAllocHost_v2(&p, 0)).handle("pointer", p);
    line("cuMemAllocHost NULL", cu.cuMemAllocHost_v2(nullptr, 64));
  });
  rows.add(Start::SHARED, "flags of cuMemAllocHost", [](Line& line) {
    void* p = nullptr;
    line(cu.cuMemAllocHost_v2(&p, 64));
    flags_of(line, p);
  });
  rows.add(Start::SHARED, "queries of an inner address", [](Line& line) {
    char* p = static_cast<char*>(allocate_host(4096));
    flags_of(line, p + 100);
  });
  rows.add(Start::SHARED, "queries of other memory", [](Line& line) {
    int local = 0;
    unsigned flags = unset<unsigned>();
    CUdeviceptr device = UNSET;
    auto* memory = reinterpret_cast<void*>(allocate(64));
    line("stack flags", cu.cuMemHostGetFlags(&flags, &local));
    line("stack pointer", cu.cuMemHostGetDevicePointer_v2(&device, &local, 0));
    line("device flags", cu.cuMemHostGetFlags(&flags, memory));
    line("device pointer", cu.cuMemHostGetDevicePointer_v2(&device, memory, 0));
    auto* managed = reinterpret_cast<void*>(allocate_managed(64));
    line("managed flags", cu.cuMemHostGetFlags(&flags, managed));
    line("managed pointer", cu.cuMemHostGetDevicePointer_v2(&device, managed, 0));
    void* pinned = allocate_host(64);
    line("NULL flags", cu.cuMemHostGetFlags(nullptr, pinned));
    line("NULL pointer", cu.cuMemHostGetDevicePointer_v2(nullptr, pinned, 0));
    line("flag 1", cu.cuMemHostGetDevicePointer_v2(&device, pinned, 1));
    line("NULL memory", cu.cuMemHostGetFlags(&flags, nullptr));
  });
}

void add_host_free(Rows& rows) {
  rows.subject("cuMemFreeHost");
  rows.add(Start::SHARED, "NULL", [](Line& line) { line(cu.cuMemFreeHost(nullptr)); });
  rows.add(Start::SHARED, "twice", [](Line& line) {
    void* p = allocate_host(64);
    line("once", cu.cuMemFreeHost(p));
    line("twice", cu.cuMemFreeHost(p));
  });
  rows.add(Start::SHARED, "inner address", [](Line& line) {
    line(cu.cuMemFreeHost(static_cast<char*>(allocate_host(4096)) + 64));
  });
  rows.add(Start::SHARED, "other memory", [](Line& line) {
    Pages pages(4096);
    line("pageable", cu.cuMemFreeHost(pages.data));
    line("device", cu.cuMemFreeHost(reinterpret_cast<void*>(allocate(64))));
    line("managed", cu.cuMemFreeHost(reinterpret_cast<void*>(allocate_managed(64))));
    check(cu.cuMemHostRegister_v2(pages.data, 4096, 0), "register");
    line("registered", cu.cuMemFreeHost(pages.data));
    cu.cuMemHostUnregister(pages.data);
  });
  rows.add(Start::SHARED, "memory of another context", [](Line& line) {
    void* p = allocate_host(64);
    CUcontext other = new_context();
    line(cu.cuMemFreeHost(p));
    cu.cuCtxDestroy_v2(other);
  });
}

void add_register(Rows& rows) {
  rows.subject("cuMemHostRegister");
  for (unsigned flags : {0u, 1u, 2u, 3u, 8u, 0x10u, 0x20u})
    rows.add(Start::SHARED, "flags " + std::to_string(flags), [flags](Line& line) {
      Pages pages(8192);
      const CUresult result = cu.cuMemHostRegister_v2(pages.data, 8192, flags);
      line(result);
      if (result != CUDA_SUCCESS) return;
      flags_of(line, pages.data);
      line("unregister", cu.cuMemHostUnregister(pages.data));
    });
  rows.add(Start::SHARED, "bad arguments", [](Line& line) {
    Pages pages(8192);
    line("NULL", cu.cuMemHostRegister_v2(nullptr, 4096, 0));
    line("0 bytes", cu.cuMemHostRegister_v2(pages.data, 0, 0));
    line("most", cu.cuMemHostRegister_v2(pages.data, SIZE_MAX, 0));
    line("not mapped", cu.cuMemHostRegister_v2(reinterpret_cast<void*>(0x1000), 4096, 0));
    line("unregister NULL", cu.cuMemHostUnregister(nullptr));
    line("unregister other", cu.cuMemHostUnregister(pages.data));
  });
  rows.add(Start::SHARED, "beyond the end of the mapping", [](Line& line) {
    Pages pages(65536);
    munmap(pages.data + 32768, 32768);
    line("part", cu.cuMemHostRegister_v2(pages.data, 65536, 0));
  });
  rows.add(Start::SHARED, "unaligned", [](Line& line) {
    Pages pages(16384);
    char* inner = pages.data + 100;
    line("register", cu.cuMemHostRegister_v2(inner, 5000, 0));
    unsigned flags = unset<unsigned>();
    line("start", cu.cuMemHostGetFlags(&flags, inner));
    line("page", cu.cuMemHostGetFlags(&flags, pages.data));
    line("last", cu.cuMemHostGetFlags(&flags, inner + 4999));
    line("after", cu.cuMemHostGetFlags(&flags, inner + 5000));
    line("end of page", cu.cuMemHostGetFlags(&flags, pages.data + 8191));
    line("next page", cu.cuMemHostGetFlags(&flags, pages.data + 8192));
    line("unregister page", cu.cuMemHostUnregister(pages.data));
    line("unregister inner", cu.cuMemHostUnregister(inner + 8));
    line("unregister", cu.cuMemHostUnregister(inner));
  });
  rows.add(Start::SHARED, "twice", [](Line& line) {
    Pages pages(16384);
    line("once", cu.cuMemHostRegister_v2(pages.data, 8192, 0));
    line("twice", cu.cuMemHostRegister_v2(pages.data, 8192, 0));
    line("part", cu.cuMemHostRegister_v2(pages.data + 4096, 4096, 0));
    line("overlap", cu.cuMemHostRegister_v2(pages.data + 4096, 8192, 0));
    line("next", cu.cuMemHostRegister_v2(pages.data + 8192, 4096, 0));
    line("unregister", cu.cuMemHostUnregister(pages.data));
    line("unregister", cu.cuMemHostUnregister(pages.data));
    line("unregister next", cu.cuMemHostUnregister(pages.data + 8192));
  });
  rows.add(Start::SHARED, "two parts of one page", [](Line& line) {
    Pages pages(4096);
    line("first", cu.cuMemHostRegister_v2(pages.data, 100, 0));
    line("second", cu.cuMemHostRegister_v2(pages.data + 200, 100, 0));
    line("unregister", cu.cuMemHostUnregister(pages.data));
    line("unregister second", cu.cuMemHostUnregister(pages.data + 200));
  });
  rows.add(Start::SHARED, "memory of the driver", [](Line& line) {
    line("pinned", cu.cuMemHostRegister_v2(allocate_host(4096), 4096, 0));
    line("managed",
         cu.cuMemHostRegister_v2(reinterpret_cast<void*>(allocate_managed(4096)), 4096, 0));
    line("device", cu.cuMemHostRegister_v2(reinterpret_cast<void*>(allocate(4096)), 4096, 0));
    line("unregister pinned", cu.cuMemHostUnregister(allocate_host(4096)));
  });
  rows.add(Start::SHARED, "from two contexts", [](Line& line) {
    Pages pages(4096);
    line("first", cu.cuMemHostRegister_v2(pages.data, 4096, 0));
    CUcontext other = new_context();
    line("second", cu.cuMemHostRegister_v2(pages.data, 4096, 0));
    line("unregister", cu.cuMemHostUnregister(pages.data));
    cu.cuCtxDestroy_v2(other);
  });
}

}  // namespace

void add_host_memory(Rows& rows) {
  add_pinned(rows);
  add_host_free(rows);
  add_register(rows);
}

}  // namespace cucore::cpu::record
