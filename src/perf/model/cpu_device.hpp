// SPDX-License-Identifier: Apache-2.0
// The CPU device as a library that counts what kernels do. It is opened at the first use, also in a
// process with a GPU, and no work of the caller runs on it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cpu/driver/kernel_trace.hpp"

namespace cucore::perf {

// The head of the control table of the CPU device. Its layout is fixed (see its control.hpp).
struct CpuControlTable {
  size_t size;
  void* earlier_functions[6];
  int (*last_load_log)(char* buffer, size_t capacity, size_t* length);
  void* check_functions[6];
  int (*trace_begin)(const cucore_cpu_trace_options* options);
  int (*trace_end)(cucore_cpu_trace** trace);
  void (*trace_free)(cucore_cpu_trace* trace);
  int (*trace_launch)(const char* ptx, size_t size, const char* kernel,
                      const cucore_cpu_trace_shape* shape, void* const* params,
                      const cucore_cpu_trace_options* options, cucore_cpu_trace** trace);
};

class CpuTrace {
 public:
  CpuTrace(const CpuControlTable& table, cucore_cpu_trace* trace)
      : trace_(trace, table.trace_free) {}
  const cucore_cpu_trace_launch& launch() const { return trace_->launches[0]; }
  size_t row_size() const { return trace_->row_size; }

 private:
  std::unique_ptr<cucore_cpu_trace, void (*)(cucore_cpu_trace*)> trace_;
};

// Opens the library once per process.
// @throws Error LIBRARY_MISSING with the paths that were tried, CUDA if it does not start
const CpuControlTable& cpu_control_table();

// The log of the last failed load of the thread.
std::string last_load_log(const CpuControlTable& table);

}  // namespace cucore::perf
