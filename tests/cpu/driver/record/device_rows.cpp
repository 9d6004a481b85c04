// SPDX-License-Identifier: Apache-2.0
// Rows of devices: attributes, identity, peers.
#include <cstring>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

void attribute(Line& line, int which, CUdevice device = 0) {
  int number = unset<int>();
  line(cu.cuDeviceGetAttribute(&number, static_cast<CUdevice_attribute>(which), device));
  line.value("value", number);
}

// Limits and abilities that programs branch on, and that are the same on every GPU of sm_90.
const struct {
  const char* name;
  CUdevice_attribute which;
} DEVICE_ATTRIBUTES[] = {
#define NAMED(name) \
  { #name, CU_DEVICE_ATTRIBUTE_##name }
    NAMED(MAX_THREADS_PER_BLOCK),
    NAMED(MAX_BLOCK_DIM_X),
    NAMED(MAX_BLOCK_DIM_Z),
    NAMED(MAX_GRID_DIM_X),
    NAMED(MAX_GRID_DIM_Y),
    NAMED(MAX_SHARED_MEMORY_PER_BLOCK),
    NAMED(TOTAL_CONSTANT_MEMORY),
    NAMED(WARP_SIZE),
    NAMED(MAX_PITCH),
    NAMED(MAX_REGISTERS_PER_BLOCK),
    NAMED(TEXTURE_ALIGNMENT),
    NAMED(TEXTURE_PITCH_ALIGNMENT),
    NAMED(SURFACE_ALIGNMENT),
    NAMED(CAN_MAP_HOST_MEMORY),
    NAMED(UNIFIED_ADDRESSING),
    NAMED(MAX_THREADS_PER_MULTIPROCESSOR),
    NAMED(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
    NAMED(MAX_REGISTERS_PER_MULTIPROCESSOR),
    NAMED(MAX_BLOCKS_PER_MULTIPROCESSOR),
    NAMED(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
    NAMED(RESERVED_SHARED_MEMORY_PER_BLOCK),
    NAMED(STREAM_PRIORITIES_SUPPORTED),
    NAMED(MANAGED_MEMORY),
    NAMED(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM),
    NAMED(COOPERATIVE_LAUNCH),
    NAMED(CLUSTER_LAUNCH),
    NAMED(HOST_REGISTER_SUPPORTED),
    NAMED(READ_ONLY_HOST_REGISTER_SUPPORTED),
    NAMED(MEMORY_POOLS_SUPPORTED),
    NAMED(MEM_SYNC_DOMAIN_COUNT),
    NAMED(CAN_USE_64_BIT_STREAM_MEM_OPS),
    NAMED(COMPUTE_PREEMPTION_SUPPORTED),
    NAMED(GPU_OVERLAP),
    NAMED(ASYNC_ENGINE_COUNT),
    NAMED(GLOBAL_L1_CACHE_SUPPORTED),
    NAMED(LOCAL_L1_CACHE_SUPPORTED),
    NAMED(UNIFIED_FUNCTION_POINTERS),
#undef NAMED
};

void add_device_attributes(Rows& rows) {
  rows.subject("device attribute");
  for (const auto& a : DEVICE_ATTRIBUTES)
    rows.add(Start::EMPTY, a.name, [a](Line& line) { attribute(line, a.which); });
  for (int which : {-1, 0, 7, 44, 92, 93, 94, 200, 1000})
    rows.add(Start::EMPTY, "number " + std::to_string(which),
             [which](Line& line) { attribute(line, which); });
  for (int device : {-1, 16, 64, 1000})
    rows.add(Start::EMPTY, "of device " + std::to_string(device),
             [device](Line& line) { attribute(line, 1, device); });
  rows.add(Start::EMPTY, "NULL output", [](Line& line) {
    line(cu.cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  });
}

void add_identity(Rows& rows) {
  rows.subject("device");
  rows.add(Start::EMPTY, "cuDeviceGet", [](Line& line) {
    CUdevice device = unset<CUdevice>();
    line("-1", cu.cuDeviceGet(&device, -1)).value("device", device);
    line("1000", cu.cuDeviceGet(&device, 1000)).value("device", device);
    line("NULL", cu.cuDeviceGet(nullptr, 0));
    line("0", cu.cuDeviceGet(&device, 0)).value("device", device);
    line("count NULL", cu.cuDeviceGetCount(nullptr));
  });
  for (int length : {-1, 0, 1, 4}) {
    rows.add(Start::EMPTY, "name in " + std::to_string(length) + " bytes", [length](Line& line) {
      char name[16] = "zzzzzzzz";
      line(cu.cuDeviceGetName(name, length, 0)).value("length", std::strlen(name));
    });
    rows.add(Start::EMPTY, "PCI bus id in " + std::to_string(length) + " bytes",
             [length](Line& line) {
               char id[32] = "zzzzzzzz";
               line(cu.cuDeviceGetPCIBusId(id, length, 0)).value("length", std::strlen(id));
             });
  }
  for (int length : {8, 12, 13, 14, 20})
    rows.add(Start::EMPTY, "PCI bus id in " + std::to_string(length) + " bytes",
             [length](Line& line) {
               char id[32] = "zzzzzzzzzzzzzzzzzzzzzzzzz";
               line(cu.cuDeviceGetPCIBusId(id, length, 0)).value("length", std::strlen(id));
             });
  rows.add(Start::EMPTY, "name NULL or of no device", [](Line& line) {
    char name[16] = "";
    line("NULL", cu.cuDeviceGetName(nullptr, 16, 0));
    line("1000", cu.cuDeviceGetName(name, 16, 1000));
    line("bus id NULL", cu.cuDeviceGetPCIBusId(nullptr, 16, 0));
    line("bus id 1000", cu.cuDeviceGetPCIBusId(name, 16, 1000));
    line("uuid NULL", cu.cuDeviceGetUuid_v2(nullptr, 0));
    line("memory NULL", cu.cuDeviceTotalMem_v2(nullptr, 0));
    size_t bytes = 0;
    line("memory 1000", cu.cuDeviceTotalMem_v2(&bytes, 1000));
  });
  rows.add(Start::EMPTY, "compute capability", [](Line& line) {
    int major = unset<int>(), minor = unset<int>();
    line(cu.cuDeviceComputeCapability(&major, &minor, 0)).value("major", major);
    line.value("minor", minor);
    line("NULL", cu.cuDeviceComputeCapability(nullptr, &minor, 0));
    line("NULL minor", cu.cuDeviceComputeCapability(&major, nullptr, 0));
  });
  rows.add(Start::EMPTY, "properties", [](Line& line) {
    CUdevprop p{};
    line(cu.cuDeviceGetProperties(&p, 0)).value("threads", p.maxThreadsPerBlock);
    line.value("warp", p.SIMDWidth).value("shared", p.sharedMemPerBlock);
    line.value("registers", p.regsPerBlock).value("pitch", p.memPitch);
    line("NULL", cu.cuDeviceGetProperties(nullptr, 0));
  });
}

void add_bus_ids(Rows& rows) {
  rows.subject("cuDeviceGetByPCIBusId");
  for (const char* text :
       {"", "zz", "0", "ffff:ff:1f.0", "ffff:ff:1f.7", "0000:ff:1f.0x", "0000-ff-1f.0", "ff:1f.0",
        "ff:1f", "0000:ff:1f", "GPU-0", "0000:zz:00.0"})
    rows.add(Start::EMPTY, "'" + std::string(text) + "'", [text](Line& line) {
      CUdevice device = unset<CUdevice>();
      line(cu.cuDeviceGetByPCIBusId(&device, text)).value("device", device);
    });
  rows.add(Start::EMPTY, "NULL", [](Line& line) {
    CUdevice device = 0;
    line("text", cu.cuDeviceGetByPCIBusId(&device, nullptr));
    line("output", cu.cuDeviceGetByPCIBusId(nullptr, "0000:00:00.0"));
  });
  rows.add(Start::EMPTY, "forms of the device's own id", [](Line& line) {
    char id[32] = "";
    check(cu.cuDeviceGetPCIBusId(id, sizeof id, 0), "cuDeviceGetPCIBusId");
    CUdevice device = unset<CUdevice>();
    line("own", cu.cuDeviceGetByPCIBusId(&device, id)).value("device", device);
    const std::string whole = id;
    const std::string base = whole.substr(0, whole.find('.'));
    line("no function", cu.cuDeviceGetByPCIBusId(&device, base.c_str()));
    line("no domain", cu.cuDeviceGetByPCIBusId(&device, whole.substr(whole.find(':') + 1).c_str()));
    line("text after it", cu.cuDeviceGetByPCIBusId(&device, (whole + "x").c_str()));
    line("space before it", cu.cuDeviceGetByPCIBusId(&device, (" " + whole).c_str()));
    line("long domain", cu.cuDeviceGetByPCIBusId(&device, ("0000" + whole).c_str()));
    line("function 1", cu.cuDeviceGetByPCIBusId(&device, (base + ".1").c_str()));
  });
}

void add_peers(Rows& rows) {
  rows.subject("peer");
  rows.add(Start::EMPTY, "access of the device to itself", [](Line& line) {
    int can = unset<int>();
    line(cu.cuDeviceCanAccessPeer(&can, 0, 0)).value("can", can);
    line("NULL", cu.cuDeviceCanAccessPeer(nullptr, 0, 0));
    line("1000", cu.cuDeviceCanAccessPeer(&can, 0, 1000));
    line("-1", cu.cuDeviceCanAccessPeer(&can, -1, 0));
  });
  rows.add(Start::EMPTY, "attributes of the device to itself", [](Line& line) {
    for (int which : {0, 1, 2, 3, 4, 5, 6}) {
      int number = unset<int>();
      line(std::to_string(which).c_str(),
           cu.cuDeviceGetP2PAttribute(&number, static_cast<CUdevice_P2PAttribute>(which), 0, 0));
      line.value("value", number);
    }
    line("NULL",
         cu.cuDeviceGetP2PAttribute(nullptr, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 0, 0));
  });
  rows.add(Start::CONTEXT, "enable of the own context", [](Line& line) {
    CUcontext own = nullptr;
    check(cu.cuCtxGetCurrent(&own), "cuCtxGetCurrent");
    line("enable", cu.cuCtxEnablePeerAccess(own, 0));
    line("disable", cu.cuCtxDisablePeerAccess(own));
    line("flags", cu.cuCtxEnablePeerAccess(own, 1));
    line("NULL", cu.cuCtxEnablePeerAccess(nullptr, 0));
    line("disable NULL", cu.cuCtxDisablePeerAccess(nullptr));
  });
  rows.add(Start::CONTEXT, "enable of another context of the device", [](Line& line) {
    CUcontext own = nullptr;
    check(cu.cuCtxGetCurrent(&own), "cuCtxGetCurrent");
    CUcontext other = new_context();
    check(cu.cuCtxSetCurrent(own), "cuCtxSetCurrent");
    line("enable", cu.cuCtxEnablePeerAccess(other, 0));
    line("again", cu.cuCtxEnablePeerAccess(other, 0));
    line("disable", cu.cuCtxDisablePeerAccess(other));
    line("again", cu.cuCtxDisablePeerAccess(other));
    cu.cuCtxDestroy_v2(other);
  });
  rows.add(Start::EMPTY, "affinity support", [](Line& line) {
    for (int type : {-1, 0, 1, 2}) {
      int number = unset<int>();
      line(std::to_string(type).c_str(),
           cu.cuDeviceGetExecAffinitySupport(&number, static_cast<CUexecAffinityType>(type), 0));
      line.value("value", number);
    }
  });
}

}  // namespace

void add_device(Rows& rows) {
  add_device_attributes(rows);
  add_identity(rows);
  add_bus_ids(rows);
  add_peers(rows);
}

}  // namespace cucore::cpu::record
