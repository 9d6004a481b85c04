// SPDX-License-Identifier: Apache-2.0
// Facts that the CPU device reports beyond the CUDA API, through cuGetExportTable: that it is the
// CPU device, and the reason of a kernel's failure. The layout is fixed (see its control.hpp):
// fields are added only at its end.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace cucore::driver {

struct CudaTable;

struct CpuControl {
  size_t size;
  CUresult (*set_fault_plan)(const char* plan);
  CUresult (*last_fault_text)(CUcontext context, char* buffer, size_t capacity, size_t* length);
  CUresult (*report)(char* buffer, size_t capacity, size_t* length);
  CUresult (*reset_report)(void);
  uint64_t (*call_count)(const char* name);
  CUresult (*flush_printf)(void);
  CUresult (*last_load_log)(char* buffer, size_t capacity, size_t* length);
  void (*others[10])(void);  // set_checks to trace_launch
  CUresult (*last_failure)(char* buffer, size_t capacity, size_t* length);
};

inline constexpr CUuuid CPU_CONTROL_ID = {
    {'c', 'u', 'c', 'o', 'r', 'e', '-', 'c', 'p', 'u', '-', 'c', 't', 'l', '-', '1'}};

// Returns null if the driver is not the CPU device.
const CpuControl* find_cpu_control(const CudaTable& table);

// Returns "kernel saxpy, block (0,0,0) ...", or "": of the current context, else of the first that
// has one.
std::string fault_text(const CudaTable& table);

// Returns the reason of the last call of this thread that failed, if its result does not have it.
std::string failure_text(const CudaTable& table);

// Returns the setting that made cuInit of the CPU device fail, or "".
std::string settings_text(const CudaTable& table);

}  // namespace cucore::driver
