// SPDX-License-Identifier: Apache-2.0
// Devices: attributes, identity, peers, pools.
#include <algorithm>
#include <cstring>

#include "cpu/driver/api.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/pool.hpp"
#include "cpu/driver/process.hpp"

namespace cucore::cpu::api {
namespace {

void copy_text(const std::string& text, char* to, int size) {
  require(to && size > 0);
  size_t n = std::min(text.size(), static_cast<size_t>(size) - 1);
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

}  // namespace

CUresult cuDeviceGetCount(int* count) {
  require(count != nullptr);
  *count = static_cast<int>(Process::get().devices().size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* out, int ordinal) {
  require(out != nullptr);
  *out = find_device(ordinal).ordinal();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
  copy_text(find_device(dev).name(), name, len);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice dev) {
  require(uuid != nullptr);
  *uuid = find_device(dev).uuid();
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) { return api::cuDeviceGetUuid_v2(uuid, dev); }

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice dev) {
  require(bytes != nullptr);
  *bytes = find_device(dev).memory_limit();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
  require(pi != nullptr);
  Device& d = find_device(dev);
  auto value = d.profile().attribute(attrib);
  require(value.has_value());
  // The bus number distinguishes several CPU devices.
  *pi = attrib == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID ? d.ordinal() : *value;
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  require(major && minor);
  *major = find_device(dev).profile().value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  *minor = find_device(dev).profile().value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop* prop, CUdevice dev) {
  require(prop != nullptr);
  const Profile& p = find_device(dev).profile();
  *prop = {};
  prop->maxThreadsPerBlock = p.value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  for (int i = 0; i < 3; ++i) {
    prop->maxThreadsDim[i] =
        p.value(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i));
    prop->maxGridSize[i] =
        p.value(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i));
  }
  prop->sharedMemPerBlock = p.value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  prop->totalConstantMemory = p.value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  prop->SIMDWidth = p.value(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  prop->memPitch = p.value(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
  prop->regsPerBlock = p.value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  prop->clockRate = p.value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  prop->textureAlign = p.value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  const std::string id = find_device(dev).pci_bus_id();
  copy_text(id, pciBusId, len);
  require(id.size() < static_cast<size_t>(len));  // the part that fits is written
  return CUDA_SUCCESS;
}

// Parses domain, bus, device and function; like NVIDIA's driver, domain and function are optional.
CUresult cuDeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
  require(dev && pciBusId);
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  char end = 0;
  bool good = std::sscanf(pciBusId, "%x:%x:%x.%x%c", &domain, &bus, &slot, &function, &end) == 4 ||
              std::sscanf(pciBusId, "%x:%x:%x%c", &domain, &bus, &slot, &end) == 3;
  if (!good) {
    domain = function = 0;
    good = std::sscanf(pciBusId, "%x:%x.%x%c", &bus, &slot, &function, &end) == 3;
  }
  require(good);
  require(domain == 0 && slot == 0 && function == 0 && bus < Process::get().devices().size(),
          CUDA_ERROR_INVALID_DEVICE);
  *dev = static_cast<CUdevice>(bus);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  require(canAccessPeer != nullptr);
  *canAccessPeer = &find_device(dev) != &find_device(peerDev);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice) {
  require(value != nullptr);
  find_device(srcDevice);
  find_device(dstDevice);
  require(srcDevice != dstDevice, CUDA_ERROR_INVALID_DEVICE);
  switch (attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
      *value = 0;
      break;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
      *value = 1;
      break;
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
      *value = 0;
      break;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetExecAffinitySupport(int* pi, CUexecAffinityType, CUdevice dev) {
  require(pi != nullptr);
  find_device(dev);
  *pi = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  require(pool_out != nullptr);
  *pool_out = handle_of<CUmemoryPool>(*find_device(dev).default_pool());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
  require(pool != nullptr);
  *pool = handle_of<CUmemoryPool>(*find_device(dev).current_pool());
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  Device& d = find_device(dev);
  auto wanted = lookup<Pool>(pool, CUDA_ERROR_INVALID_VALUE);
  require(wanted->memory_kind() == MemoryKind::DEVICE);
  require(&wanted->device() == &d);
  d.set_current_pool(std::move(wanted));
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
