// SPDX-License-Identifier: Apache-2.0
// Initialisation, versions, error names, export tables.
#include <cstring>

#include "cpu/driver/api.hpp"
#include "cpu/driver/code_table.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/fault_plan.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/driver/session_table.hpp"

namespace cucore::cpu::api {
namespace {

struct Result {
  CUresult code;
  const char* name;
  const char* text;
};
constexpr Result RESULTS[] = {
#define RESULT(name, text) {name, #name, text},
#include "cpu/driver/results.inc"
#undef RESULT
};

const Result* find_result(CUresult code) {
  for (const Result& result : RESULTS)
    if (result.code == code) return &result;
  return nullptr;
}

CUresult describe(CUresult code, const char** text, const char* Result::*field) {
  require(text != nullptr);
  const Result* result = find_result(code);
  *text = result ? result->*field : nullptr;
  return result ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult cuInit(unsigned int flags) {
  require(flags == 0);
  CUresult result = Process::init();
  if (result != CUDA_SUCCESS) return result;
  if (auto limit = FaultPlan::instance().memory_limit())
    for (const auto& device : Process::get().devices()) device->set_memory_limit(*limit);
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* driverVersion) {
  require(driverVersion != nullptr);
  *driverVersion = DRIVER_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** pStr) {
  return describe(error, pStr, &Result::name);
}

CUresult cuGetErrorString(CUresult error, const char** pStr) {
  return describe(error, pStr, &Result::text);
}

// Programs that request a private table of the NVIDIA driver receive an error.
CUresult cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
  require(ppExportTable && pExportTableId);
  *ppExportTable = nullptr;
  if (std::memcmp(pExportTableId->bytes, CONTROL_TABLE_ID, 16) == 0)
    *ppExportTable = &control_table();
  else if (std::memcmp(pExportTableId->bytes, CUCORE_CPU_CODE_ID, 16) == 0)
    *ppExportTable = &code_table();
  else if (std::memcmp(pExportTableId->bytes, CUCORE_CPU_SESSIONS_ID, 16) == 0)
    *ppExportTable = &session_table();
  return *ppExportTable ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace cucore::cpu::api
