// SPDX-License-Identifier: Apache-2.0
// Rows of virtual memory management, memory between processes, batches of stream memory operations,
// and the launch functions before CUDA 4.
#include <cstring>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

constexpr size_t GRANULE = size_t{2} << 20;
using Handle = CUmemGenericAllocationHandle;

CUmemAllocationProp physical_properties() {
  CUmemAllocationProp p;
  std::memset(&p, 0, sizeof p);
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return p;
}

const struct {
  const char* name;
  void (*change)(CUmemAllocationProp& p);
} PHYSICALS[] = {
    {"plain", [](CUmemAllocationProp&) {}},
    {"type 0", [](CUmemAllocationProp& p) { p.type = CU_MEM_ALLOCATION_TYPE_INVALID; }},
    {"type 9", [](CUmemAllocationProp& p) { p.type = static_cast<CUmemAllocationType>(9); }},
    {"file handle",
     [](CUmemAllocationProp& p) {
       p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
     }},
    {"win32 handle",
     [](CUmemAllocationProp& p) { p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32; }},
    {"handle type 64",
     [](CUmemAllocationProp& p) {
       p.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(64);
     }},
    {"device 1000", [](CUmemAllocationProp& p) { p.location.id = 1000; }},
    {"location 0", [](CUmemAllocationProp& p) { p.location.type = CU_MEM_LOCATION_TYPE_INVALID; }},
    {"location 99",
     [](CUmemAllocationProp& p) { p.location.type = static_cast<CUmemLocationType>(99); }},
    {"usage 99", [](CUmemAllocationProp& p) { p.allocFlags.usage = 99; }},
};

void add_physical(Rows& rows) {
  rows.subject("cuMemCreate");
  for (const auto& c : PHYSICALS)
    rows.add(Start::SHARED, c.name, [c](Line& line) {
      CUmemAllocationProp p = physical_properties();
      c.change(p);
      Handle made = UNSET;
      size_t granularity = unset<size_t>();
      line("granularity",
           cu.cuMemGetAllocationGranularity(&granularity, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
      const CUresult result = cu.cuMemCreate(&made, GRANULE, &p, 0);
      line("create", result).handle("handle", made);
      if (result == CUDA_SUCCESS) line("release", cu.cuMemRelease(made));
    });
  for (size_t size : {size_t{0}, size_t{1}, size_t{4096}, size_t{1} << 50})
    rows.add(Start::SHARED, "size " + std::to_string(size), [size](Line& line) {
      const CUmemAllocationProp p = physical_properties();
      Handle made = UNSET;
      line(cu.cuMemCreate(&made, size, &p, 0)).handle("handle", made);
    });
  rows.add(Start::SHARED, "released handles", [](Line& line) {
    const CUmemAllocationProp p = physical_properties();
    Handle made = 0;
    check(cu.cuMemCreate(&made, GRANULE, &p, 0), "cuMemCreate");
    line("release", cu.cuMemRelease(made))("again", cu.cuMemRelease(made));
    line("zero", cu.cuMemRelease(0));
    CUmemAllocationProp found;
    line("properties", cu.cuMemGetAllocationPropertiesFromHandle(&found, made));
  });
}

void add_reservations(Rows& rows) {
  rows.subject("cuMemAddressReserve");
  for (size_t size : {size_t{0}, size_t{1}, size_t{4096}, GRANULE, size_t{1} << 60})
    for (size_t align : {size_t{0}, size_t{3}, size_t{4096}, GRANULE * 4})
      rows.add(Start::SHARED, std::to_string(size) + " aligned to " + std::to_string(align),
               [size, align](Line& line) {
                 CUdeviceptr p = UNSET;
                 const CUresult result = cu.cuMemAddressReserve(&p, size, align, 0, 0);
                 line(result).handle("address", p);
                 if (result == CUDA_SUCCESS) line("free", cu.cuMemAddressFree(p, size));
               });
  rows.add(Start::SHARED, "wrong frees and flags", [](Line& line) {
    CUdeviceptr p = 0, other = 0;
    check(cu.cuMemAddressReserve(&p, 2 * GRANULE, 0, 0, 0), "cuMemAddressReserve");
    line("half", cu.cuMemAddressFree(p, GRANULE));
    line("inside", cu.cuMemAddressFree(p + GRANULE, GRANULE));
    line("free", cu.cuMemAddressFree(p, 2 * GRANULE))("again", cu.cuMemAddressFree(p, 2 * GRANULE));
    line("flags", cu.cuMemAddressReserve(&other, GRANULE, 0, 0, 1));
  });
}

// Two granules of addresses, of which the first is mapped.
struct Mapped {
  Mapped() {
    const CUmemAllocationProp p = physical_properties();
    check(cu.cuMemAddressReserve(&address, 2 * GRANULE, 0, 0, 0), "cuMemAddressReserve");
    check(cu.cuMemCreate(&handle, GRANULE, &p, 0), "cuMemCreate");
    check(cu.cuMemMap(address, GRANULE, 0, handle, 0), "cuMemMap");
  }
  ~Mapped() {
    cu.cuMemUnmap(address, GRANULE);
    cu.cuMemRelease(handle);
    cu.cuMemAddressFree(address, 2 * GRANULE);
  }
  CUresult allow(size_t size, int flags, int device = 0) const {
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, device},
                                 static_cast<CUmemAccess_flags>(flags)};
    return cu.cuMemSetAccess(address, size, &access, 1);
  }
  CUdeviceptr address = 0;
  Handle handle = 0;
};

void add_maps(Rows& rows) {
  rows.subject("cuMemMap");
  rows.add(Start::SHARED, "wrong arguments", [](Line& line) {
    const Mapped m;
    const CUdeviceptr second = m.address + GRANULE;
    line("mapped already", cu.cuMemMap(m.address, GRANULE, 0, m.handle, 0));
    line("larger", cu.cuMemMap(m.address, 2 * GRANULE, 0, m.handle, 0));
    line("offset", cu.cuMemMap(second, GRANULE, GRANULE, m.handle, 0));
    line("part", cu.cuMemMap(second, 4096, 0, m.handle, 0));
    line("flags", cu.cuMemMap(second, GRANULE, 0, m.handle, 1));
    line("handle", cu.cuMemMap(second, GRANULE, 0, m.handle ^ 0x100, 0));
    line("not reserved", cu.cuMemMap(m.address + 64 * GRANULE, GRANULE, 0, m.handle, 0));
    line("twice", cu.cuMemMap(second, GRANULE, 0, m.handle, 0));
    line("unmap", cu.cuMemUnmap(second, GRANULE))("again", cu.cuMemUnmap(second, GRANULE));
    line("unmap more", cu.cuMemUnmap(m.address, 2 * GRANULE));
    line("free mapped", cu.cuMemAddressFree(m.address, 2 * GRANULE));
    line("cuMemFree", cu.cuMemFree_v2(m.address));
  });
  rows.add(Start::SHARED, "access", [](Line& line) {
    const Mapped m;
    CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, 0};
    unsigned long long flags = unset<unsigned long long>();
    line("get", cu.cuMemGetAccess(&flags, &here, m.address)).value("flags", flags);
    for (int wanted : {1, 3, 0, 2, 9}) {
      line("set", m.allow(GRANULE, wanted));
      line("get", cu.cuMemGetAccess(&flags, &here, m.address + 64)).value("flags", flags);
    }
    line("more", m.allow(2 * GRANULE, 3))("part", m.allow(4096, 3));
    line("device 1000", m.allow(GRANULE, 3, 1000));
    line("unmapped", cu.cuMemGetAccess(&flags, &here, m.address + GRANULE));
  });
  rows.add(Start::CONTEXT, "copies without access", [](Line& line) {
    const Mapped m;
    unsigned word = 0;
    line("read", cu.cuMemcpyDtoH_v2(&word, m.address, 4));
    line("unmapped", cu.cuMemcpyDtoH_v2(&word, m.address + GRANULE, 4));
    line("read only", m.allow(GRANULE, 1))("write", cu.cuMemcpyHtoD_v2(m.address, &word, 4));
    line("synchronize", cu.cuCtxSynchronize());
  });
  rows.add(Start::SHARED, "pointer attributes", [](Line& line) {
    const Mapped m;
    for (int which : {1, 2, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}) {
      unsigned long long value = 0;
      const auto attribute = static_cast<CUpointer_attribute>(which);
      line(std::to_string(which).c_str(), cu.cuPointerGetAttribute(&value, attribute, m.address));
    }
    CUdeviceptr base = 0;
    size_t size = 0;
    line("range", cu.cuMemGetAddressRange_v2(&base, &size, m.address + 64));
    line.value("size", size).value("at start", static_cast<int>(base == m.address));
  });
  rows.add(Start::SHARED, "retained handle", [](Line& line) {
    const Mapped m;
    Handle handle = 0;
    line("inside",
         cu.cuMemRetainAllocationHandle(&handle, reinterpret_cast<void*>(m.address + 64)));
    line.value("same", static_cast<int>(handle == m.handle));
    line("release", cu.cuMemRelease(handle));
    line("unmapped",
         cu.cuMemRetainAllocationHandle(&handle, reinterpret_cast<void*>(m.address + GRANULE)));
    int file = -1;
    line("export", cu.cuMemExportToShareableHandle(&file, m.handle,
                                                   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    line("import", cu.cuMemImportFromShareableHandle(&handle, nullptr,
                                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  });
}

void add_ipc(Rows& rows) {
  rows.subject("between processes");
  rows.add(Start::CONTEXT, "memory in its own process", [](Line& line) {
    CUipcMemHandle handle;
    CUdeviceptr p = allocate(4096), opened = UNSET;
    line("get", cu.cuIpcGetMemHandle(&handle, p))("inside", cu.cuIpcGetMemHandle(&handle, p + 8));
    line("open", cu.cuIpcOpenMemHandle_v2(&opened, handle, 1)).handle("address", opened);
    line("flags 0", cu.cuIpcOpenMemHandle_v2(&opened, handle, 0));
    line("zeros", cu.cuIpcOpenMemHandle_v2(&opened, {}, 1));
    line("close", cu.cuIpcCloseMemHandle(p))("zero", cu.cuIpcCloseMemHandle(0));
    line("managed", cu.cuIpcGetMemHandle(&handle, allocate_managed(64)));
    line("unknown", cu.cuIpcGetMemHandle(&handle, 64));
  });
  rows.add(Start::CONTEXT, "events in their own process", [](Line& line) {
    CUevent event = nullptr, opened = nullptr;
    CUipcEventHandle handle{};
    line("timed", cu.cuEventCreate(&event, CU_EVENT_INTERPROCESS));
    line("plain", cu.cuIpcGetEventHandle(&handle, new_event()));
    line("create", cu.cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    line("get", cu.cuIpcGetEventHandle(&handle, event));
    line("open", cu.cuIpcOpenEventHandle(&opened, handle));
    line("zeros", cu.cuIpcOpenEventHandle(&opened, {}));
  });
}

void add_older_calls(Rows& rows) {
  rows.subject("older and combined calls");
  rows.add(Start::CONTEXT, "launch before CUDA 4", [](Line& line) {
    const CUfunction f = function("nothing");
    line("no shape", cu.cuLaunch(f))("shape 0", cu.cuFuncSetBlockShape(f, 0, 1, 1));
    line("shape 2000", cu.cuFuncSetBlockShape(f, 2000, 1, 1));
    line("shape", cu.cuFuncSetBlockShape(f, 1, 1, 1))("launch", cu.cuLaunch(f));
    line("grid 0", cu.cuLaunchGrid(f, 0, 1))("size", cu.cuParamSetSize(f, 5000));
    line("offset", cu.cuParamSeti(f, -4, 1))("far", cu.cuParamSeti(f, 4096, 1));
    line("synchronize", cu.cuCtxSynchronize());
  });
  rows.add(Start::CONTEXT, "batches of stream memory operations", [](Line& line) {
    CUstreamBatchMemOpParams op{};
    op.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    op.writeValue.address = allocate(64);
    const CUstream stream = new_stream();
    line(cu.cuStreamBatchMemOp_v2(stream, 1, &op, 0));
    line("none", cu.cuStreamBatchMemOp_v2(stream, 0, &op, 0));
    line("flags", cu.cuStreamBatchMemOp_v2(stream, 1, &op, 1));
    op.operation = static_cast<CUstreamBatchMemOpType>(99);
    line("operation 99", cu.cuStreamBatchMemOp_v2(stream, 1, &op, 0));
  });
  rows.add(Start::CONTEXT, "attributes of managed memory", [](Line& line) {
    const CUdeviceptr p = allocate_managed(1 << 16);
    for (int which : {0, 1, 2, 4, 5, 6, 7, 8, 9}) {
      int value = unset<int>();
      const auto attribute = static_cast<CUmem_range_attribute>(which);
      line(std::to_string(which).c_str(),
           cu.cuMemRangeGetAttribute(&value, sizeof value, attribute, p, 1 << 16));
      line.value("is", value);
    }
    int value = 0;
    line("size 8", cu.cuMemRangeGetAttribute(&value, 8, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 64));
    line("empty", cu.cuMemRangeGetAttribute(&value, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 0));
  });
}

}  // namespace

void add_virtual(Rows& rows) {
  add_physical(rows);
  add_reservations(rows);
  add_maps(rows);
  add_ipc(rows);
  add_older_calls(rows);
}

}  // namespace cucore::cpu::record
