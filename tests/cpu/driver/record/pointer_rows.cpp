// SPDX-License-Identifier: Apache-2.0
// Rows of pointer attributes, for each kind of memory.
#include <cstring>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

enum class Show : uint8_t { WORD, HANDLE, LONG, OFFSET };

const struct {
  const char* name;
  CUpointer_attribute which;
  Show show;
} ATTRIBUTES[] = {
    {"context", CU_POINTER_ATTRIBUTE_CONTEXT, Show::HANDLE},
    {"type", CU_POINTER_ATTRIBUTE_MEMORY_TYPE, Show::WORD},
    {"device", CU_POINTER_ATTRIBUTE_DEVICE_POINTER, Show::OFFSET},
    {"host", CU_POINTER_ATTRIBUTE_HOST_POINTER, Show::OFFSET},
    {"sync", CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, Show::WORD},
    {"id", CU_POINTER_ATTRIBUTE_BUFFER_ID, Show::HANDLE},
    {"managed", CU_POINTER_ATTRIBUTE_IS_MANAGED, Show::WORD},
    {"ordinal", CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, Show::WORD},
    {"ipc", CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, Show::WORD},
    {"start", CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, Show::OFFSET},
    {"size", CU_POINTER_ATTRIBUTE_RANGE_SIZE, Show::LONG},
    {"mapped", CU_POINTER_ATTRIBUTE_MAPPED, Show::WORD},
    {"handles", CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, Show::LONG},
    {"rdma", CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, Show::WORD},
    {"access", CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, Show::WORD},
    {"pool", CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, Show::HANDLE},
    {"mapping", CU_POINTER_ATTRIBUTE_MAPPING_SIZE, Show::HANDLE},
    {"mapping base", CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, Show::HANDLE},
    {"block", CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, Show::HANDLE},
};
constexpr size_t COUNT = std::size(ATTRIBUTES);

void show(Line& line, size_t i, uint64_t bits, CUdeviceptr p) {
  const auto& a = ATTRIBUTES[i];
  int32_t word = 0;
  std::memcpy(&word, &bits, sizeof word);
  switch (a.show) {
    case Show::WORD:
      line.value(a.name, word);
      return;
    case Show::HANDLE:
      line.handle(a.name, bits);
      return;
    case Show::LONG:
      line.value(a.name, bits);
      return;
    case Show::OFFSET:
      line.text(a.name, bits == 0       ? "0"
                        : bits == UNSET ? "unset"
                                        : "p" + std::to_string(static_cast<int64_t>(bits - p)));
  }
}

void each(Line& line, CUdeviceptr p) {
  for (size_t i = 0; i < COUNT; ++i) {
    uint64_t bits = UNSET;
    const CUresult result = cu.cuPointerGetAttribute(&bits, ATTRIBUTES[i].which, p);
    if (result == CUDA_SUCCESS)
      show(line, i, bits, p);
    else
      line(ATTRIBUTES[i].name, result);
  }
}

void together(Line& line, CUdeviceptr p) {
  CUpointer_attribute which[COUNT];
  uint64_t bits[COUNT];
  void* data[COUNT];
  for (size_t i = 0; i < COUNT; ++i) {
    which[i] = ATTRIBUTES[i].which;
    bits[i] = UNSET;
    data[i] = &bits[i];
  }
  line(cu.cuPointerGetAttributes(COUNT, which, data, p));
  for (size_t i = 0; i < COUNT; ++i) show(line, i, bits[i], p);
}

using Make = CUdeviceptr (*)();
const struct {
  const char* name;
  Make make;
} KINDS[] = {
    {"device memory", [] { return allocate(4096); }},
    {"inner address of device memory", [] { return allocate(4096) + 100; }},
    {"pinned memory", [] { return reinterpret_cast<CUdeviceptr>(allocate_host(4096)); }},
    {"managed memory", [] { return allocate_managed(4096); }},
    {"managed memory of the host",
     [] {
       CUdeviceptr p = 0;
       check(cu.cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_HOST), "cuMemAllocManaged");
       return p;
     }},
    {"registered memory",
     [] {
       auto* pages = new Pages(4096);  // lives until the process ends
       check(cu.cuMemHostRegister_v2(pages->data, 4096, 0), "cuMemHostRegister");
       return reinterpret_cast<CUdeviceptr>(pages->data);
     }},
    {"memory of a pool",
     [] {
       CUdeviceptr p = 0;
       check(cu.cuMemAllocAsync(&p, 4096, nullptr), "cuMemAllocAsync");
       check(cu.cuCtxSynchronize(), "cuCtxSynchronize");
       return p;
     }},
    {"variable of a module",
     [] {
       CUdeviceptr p = 0;
       size_t bytes = 0;
       check(cu.cuModuleGetGlobal_v2(&p, &bytes, load(), "table"), "table");
       return p;
     }},
    {"managed variable",
     [] {
       CUdeviceptr p = 0;
       size_t bytes = 0;
       check(cu.cuModuleGetGlobal_v2(&p, &bytes, load(), "shared_value"), "shared_value");
       return p;
     }},
    {"constant variable",
     [] {
       CUdeviceptr p = 0;
       size_t bytes = 0;
       check(cu.cuModuleGetGlobal_v2(&p, &bytes, load(), "scale"), "scale");
       return p;
     }},
    {"pageable memory", [] { return reinterpret_cast<CUdeviceptr>((new Pages(4096))->data); }},
    {"freed memory",
     [] {
       const CUdeviceptr p = allocate(4096);
       check(cu.cuMemFree_v2(p), "cuMemFree");
       return p;
     }},
    {"end of device memory", [] { return allocate(size_t{4} << 20) + (size_t{4} << 20); }},
    {"address 0", []() -> CUdeviceptr { return 0; }},
    {"address 0x1000", []() -> CUdeviceptr { return 0x1000; }},
};

}  // namespace

void add_pointer(Rows& rows) {
  rows.subject("cuPointerGetAttribute");
  for (const auto& kind : KINDS)
    rows.add(Start::CONTEXT, kind.name, [kind](Line& line) { each(line, kind.make()); });
  rows.subject("cuPointerGetAttributes");
  for (const auto& kind : KINDS)
    rows.add(Start::CONTEXT, kind.name, [kind](Line& line) { together(line, kind.make()); });
  rows.subject("pointer attribute");
  rows.add(Start::CONTEXT, "bad arguments", [](Line& line) {
    const CUdeviceptr p = allocate(64);
    uint64_t bits = UNSET;
    void* data = &bits;
    auto which = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void* nowhere = nullptr;
    line("NULL", cu.cuPointerGetAttribute(nullptr, which, p));
    for (int number : {-1, 0, 5, 22, 23, 1000})
      line(std::to_string(number).c_str(),
           cu.cuPointerGetAttribute(&bits, static_cast<CUpointer_attribute>(number), p));
    line("none", cu.cuPointerGetAttributes(0, &which, &data, p));
    line("NULL attributes", cu.cuPointerGetAttributes(1, nullptr, &data, p));
    line("NULL data", cu.cuPointerGetAttributes(1, &which, nullptr, p));
    line("NULL item", cu.cuPointerGetAttributes(1, &which, &nowhere, p));
    which = static_cast<CUpointer_attribute>(1000);
    line("number 1000", cu.cuPointerGetAttributes(1, &which, &data, p));
  });
  rows.add(Start::CONTEXT, "cuPointerSetAttribute", [](Line& line) {
    const CUdeviceptr p = allocate(64);
    unsigned on = 1, kept = unset<unsigned>();
    const auto sync = CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
    line("set", cu.cuPointerSetAttribute(&on, sync, p));
    line("get", cu.cuPointerGetAttribute(&kept, sync, p)).value("is", kept);
    on = 7;
    line("7", cu.cuPointerSetAttribute(&on, sync, p + 4));
    line("get", cu.cuPointerGetAttribute(&kept, sync, p)).value("is", kept);
    line("NULL", cu.cuPointerSetAttribute(nullptr, sync, p));
    line("other", cu.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    line("pinned",
         cu.cuPointerSetAttribute(&on, sync, reinterpret_cast<CUdeviceptr>(allocate_host(64))));
    line("managed", cu.cuPointerSetAttribute(&on, sync, allocate_managed(64)));
    line("0", cu.cuPointerSetAttribute(&on, sync, 0));
    line("stack", cu.cuPointerSetAttribute(&on, sync, reinterpret_cast<CUdeviceptr>(&on)));
  });
}

}  // namespace cucore::cpu::record
