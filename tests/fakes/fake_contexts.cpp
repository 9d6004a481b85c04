// SPDX-License-Identifier: Apache-2.0
// The fake driver's devices and contexts.
#include <cstdio>
#include <cstring>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake::api {
namespace {

bool is_device(CUdevice device) { return device >= 0 && device < driver().settings.device_count; }

int default_attribute(CUdevice_attribute attribute) {
  switch (attribute) {
#define ATTRIBUTE(name, value)     \
  case CU_DEVICE_ATTRIBUTE_##name: \
    return value;
#include "fakes/device_attributes.inc"
#undef ATTRIBUTE
    default:
      return 0;
  }
}

const char* find_name(CUresult result) {
  switch (result) {
    case CUDA_SUCCESS:
      return "CUDA_SUCCESS";
#define RESULT(name, status, advice) \
  case name:                         \
    return #name;
#include "driver/error_map.inc"
#undef RESULT
    default:
      return nullptr;
  }
}

// The same layout as in the CPU device's control.hpp.
struct CpuControl {
  size_t size;
  CUresult (*set_fault_plan)(const char*);
  CUresult (*last_fault_text)(CUcontext, char*, size_t, size_t*);
};

CUresult last_fault_text(CUcontext handle, char* out, size_t capacity, size_t*) {
  const auto lock = locked();
  NEED(handle || !context_stack().empty(), CUDA_ERROR_INVALID_CONTEXT);
  std::snprintf(out, capacity, "%s", driver().settings.fault_text.c_str());
  return CUDA_SUCCESS;
}

CUresult ready() { return driver().initialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED; }

}  // namespace

CUresult cuInit(unsigned flags) {
  const auto lock = locked();
  NEED(flags == 0, CUDA_ERROR_INVALID_VALUE);
  NEED(driver().settings.device_count > 0, CUDA_ERROR_NO_DEVICE);
  driver().initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  const auto lock = locked();
  *version = driver().version;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = find_name(error);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = find_name(error) ? "as the fake driver was told" : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  static const CpuControl control{sizeof(CpuControl), nullptr, &last_fault_text};
  *table = nullptr;
  if (VARIANT.is_cpu && std::memcmp(id->bytes, "cucore-cpu-ctl-1", 16) == 0) *table = &control;
  if (VARIANT.version >= 13000 && std::memcmp(id->bytes, "cucore-cpu-chk-1", 16) == 0)
    *table = check_sessions();
  return *table ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuDeviceGetCount(int* count) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready());
  *count = driver().settings.device_count;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready());
  NEED(is_device(ordinal), CUDA_ERROR_INVALID_DEVICE);
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  const auto lock = locked();
  NEED(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  std::snprintf(name, static_cast<size_t>(size), "Fake H200 %d", device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  const auto lock = locked();
  NEED(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  std::memcpy(uuid->bytes, "fake device uuid", 16);
  uuid->bytes[15] = static_cast<char>(device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  const auto lock = locked();
  NEED(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  NEED(attribute > 0 && attribute < CU_DEVICE_ATTRIBUTE_MAX, CUDA_ERROR_INVALID_VALUE);
  const auto set = driver().settings.device_attributes.find({device, attribute});
  *value =
      set == driver().settings.device_attributes.end() ? default_attribute(attribute) : set->second;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  const auto lock = locked();
  NEED(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  *bytes = driver().settings.total_memory;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice device) {
  const auto lock = locked();
  NEED(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  std::snprintf(text, static_cast<size_t>(size), "0000:%02x:00.0", 0x1b + device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  const auto lock = locked();
  NEED(is_device(device) && is_device(peer), CUDA_ERROR_INVALID_DEVICE);
  *can = device != peer && driver().settings.has_peer_access;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready());
  NEED(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  Context& context = driver().contexts[static_cast<size_t>(device)];
  context.active = true;
  ++context.references;
  *out = context.handle;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  const auto lock = locked();
  NEED(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  Context& context = driver().contexts[static_cast<size_t>(device)];
  NEED(context.references > 0, CUDA_ERROR_INVALID_CONTEXT);
  if (--context.references == 0) destroy_contents(context);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  const auto lock = locked();
  NEED(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  destroy_contents(driver().contexts[static_cast<size_t>(device)]);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  const auto lock = locked();
  NEED(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  *flags = 0;
  *active = driver().contexts[static_cast<size_t>(device)].active;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* out) {
  const auto lock = locked();
  RETURN_IF_FAILED(ready());
  *out = context_stack().empty() ? nullptr : context_stack().back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  const auto lock = locked();
  NEED(!context || context_of(context), CUDA_ERROR_INVALID_CONTEXT);
  auto& stack = context_stack();
  if (!stack.empty()) stack.pop_back();
  if (context) stack.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext handle) {
  const auto lock = locked();
  const Context* context = context_of(handle);
  NEED(context, CUDA_ERROR_INVALID_CONTEXT);
  NEED(context->active, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  context_stack().push_back(handle);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* out) {
  const auto lock = locked();
  auto& stack = context_stack();
  NEED(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT);
  if (out) *out = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  const auto lock = locked();
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  *device = context->device;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  auto lock = locked();
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  NEED(!invalidate_captures([context](const Stream& s) { return s.context == context; }),
       CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  wait_until_let_go(lock);
  return usable(context);
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  const auto lock = locked();
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  static thread_local CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::swap(own, *mode);
  return CUDA_SUCCESS;
}

}  // namespace fake::api
