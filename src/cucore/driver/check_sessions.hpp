// SPDX-License-Identifier: Apache-2.0
// Sessions of checks, which the CPU device offers through cuGetExportTable. The layout is fixed
// (see src/cpu/driver/session_table.hpp): functions are added only at its end.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace cucore::driver {

struct CudaTable;

struct CheckSettings {
  size_t size;
  const char *checks, *schedule, *faults, *trace_file;
  int stop;
  int reserved;
  uint64_t launch_instructions, launch_memory, launch_output;
  const char* suppressions;
};

struct CheckSessions {
  size_t size;
  CUresult (*begin)(const char* checks, int stop, const char* schedule, const char* faults,
                    const char* trace_file);
  CUresult (*end)(void);
  CUresult (*json)(char* buffer, size_t capacity, size_t* length);
  CUresult (*reason)(char* buffer, size_t capacity, size_t* length);
  CUresult (*wait)(void);
  CUresult (*keep)(const void* handle);
  CUresult (*begin_with)(const CheckSettings* settings);
};

// Returns null if the driver has no checks.
const CheckSessions* find_check_sessions(const CudaTable& table);

// Returns the sessions of the driver in use, or throws UNSUPPORTED.
const CheckSessions& require_check_sessions(const CudaTable& table);

// Marks an object of the library's own use, which is not a leak of the program.
void keep_for_library(const CudaTable& table, const void* handle) noexcept;
// Makes an event or a stream that is marked.
CUresult create_own_event(const CudaTable& table, CUevent* event) noexcept;
CUresult create_own_stream(const CudaTable& table, CUstream* stream) noexcept;

}  // namespace cucore::driver
