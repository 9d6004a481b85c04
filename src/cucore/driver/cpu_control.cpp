// SPDX-License-Identifier: Apache-2.0
#include "driver/cpu_control.hpp"

#include "driver/cuda.hpp"

namespace cucore::driver {
namespace {

std::string text_of(const CpuControl& control, CUcontext context) {
  char text[4096] = "";
  if (control.last_fault_text(context, text, sizeof text, nullptr) != CUDA_SUCCESS) return {};
  text[sizeof text - 1] = '\0';
  return text;
}

// The primary context of a device, held while its text is read.
std::string text_of_device(const CudaTable& table, CUdevice device) {
  unsigned flags = 0;
  int active = 0;
  if (table.cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || !active)
    return {};
  CUcontext context = nullptr;
  if (table.cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS) return {};
  std::string text = text_of(*table.cpu, context);
  table.cuDevicePrimaryCtxRelease(device);
  return text;
}

}  // namespace

const CpuControl* find_cpu_control(const CudaTable& table) {
  const void* found = nullptr;
  if (!table.cuGetExportTable || table.cuGetExportTable(&found, &CPU_CONTROL_ID) != CUDA_SUCCESS ||
      !found)
    return nullptr;
  const auto* control = static_cast<const CpuControl*>(found);
  return control->size >= offsetof(CpuControl, report) ? control : nullptr;
}

std::string fault_text(const CudaTable& table) {
  if (!table.cpu) return {};
  std::string text = text_of(*table.cpu, nullptr);
  int count = 0;
  if (!text.empty() || table.cuDeviceGetCount(&count) != CUDA_SUCCESS) return text;
  for (CUdevice device = 0; device < count && text.empty(); ++device)
    text = text_of_device(table, device);
  return text;
}

std::string failure_text(const CudaTable& table) {
  char text[1024] = "";
  if (!table.cpu || table.cpu->size < sizeof(CpuControl) ||
      table.cpu->last_failure(text, sizeof text, nullptr) != CUDA_SUCCESS)
    return {};
  return text;
}

std::string settings_text(const CudaTable& table) {
  char text[1024] = "";
  if (!table.cpu || table.cpu->size < offsetof(CpuControl, others) ||
      table.cpu->last_load_log(text, sizeof text, nullptr) != CUDA_SUCCESS)
    return {};
  return text;
}

}  // namespace cucore::driver
