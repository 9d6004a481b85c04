// SPDX-License-Identifier: Apache-2.0
/* The control table of the CPU device: functions beyond the CUDA API, for tests and libraries.
 *
 *   static const CUuuid id = CUCORE_CPU_CONTROL_ID;
 *   const struct cucore_cpu_control* control;
 *   if (cuGetExportTable((const void**)&control, &id) == CUDA_SUCCESS) ...
 *
 * Works before cuInit. The header is C and C++, links nothing, and may be copied into programs with
 * kernel_trace.hpp. New functions are added only at the end: check `size`. */
#pragma once

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/driver/kernel_trace.hpp"

#define CUCORE_CPU_CONTROL_ID                                                          \
  {                                                                                    \
    { 'c', 'u', 'c', 'o', 'r', 'e', '-', 'c', 'p', 'u', '-', 'c', 't', 'l', '-', '1' } \
  }

struct cucore_cpu_control { /* NOLINT(readability-identifier-naming): C */
  size_t size;              /* of this struct in the library */

  /* Replaces the fault plan (CUCORE_CPU_FAULT); "" removes it. Returns INVALID_VALUE if `plan` is
   * not a plan. */
  CUresult (*set_fault_plan)(const char* plan);

  /* Returns the fault of a context: kernel, block, thread and address. The text ends with "; at
   * saxpy.cu:12 (PTX line 34)", or without line information with "; at PTX line 34". The text is
   * empty without a fault. NULL means the thread's current context. Writes at most `capacity` bytes
   * with the final zero. `length`, which may be NULL, receives the length of the whole text. */
  CUresult (*last_fault_text)(CUcontext context, char* buffer, size_t capacity, size_t* length);

  /* Writes JSON: calls by name, calls of functions that are not implemented, live objects and
   * memory, and the leaks of ended contexts. The buffer is used as above. */
  CUresult (*report)(char* buffer, size_t capacity, size_t* length);

  /* Sets the counts of calls and leaks to 0. */
  CUresult (*reset_report)(void);

  /* Returns the number of calls of a function, by exported or base name; 0 for unknown names. */
  uint64_t (*call_count)(const char* name);

  /* Writes the kernels' output to stdout, as a synchronisation does. */
  CUresult (*flush_printf)(void);

  /* Returns the reason that the last cuLibraryLoad*, cuModuleLoad* or cuLink* of this thread
   * failed, the text of the JIT options' error log. After a cuInit that failed, it names the
   * invalid setting. The buffer is used as above. */
  CUresult (*last_load_log)(char* buffer, size_t capacity, size_t* length);

  /* Replaces the checks (CUCORE_CPU_CHECK) of later launches; "" disables them. With `stop`, a
   * report ends its launch. Returns INVALID_VALUE for an unknown check. */
  CUresult (*set_checks)(const char* checks, int stop);

  /* Replaces the schedule (CUCORE_CPU_SCHEDULE) of later launches. "random" chooses a seed, which
   * check_json returns. */
  CUresult (*set_schedule)(const char* schedule);

  /* Returns the reports of the checks, one per line or as JSON. The buffer is used as above. */
  CUresult (*check_text)(char* buffer, size_t capacity, size_t* length);
  CUresult (*check_json)(char* buffer, size_t capacity, size_t* length);

  /* Returns the number of different reports. */
  uint64_t (*check_count)(void);

  /* Removes all reports. */
  CUresult (*clear_checks)(void);

  /* Begins a trace of all launches of the process, after the work of all contexts. Launches take up
   * to four times as long. Returns ILLEGAL_STATE while another trace is running, NOT_INITIALIZED
   * before cuInit, and NOT_PERMITTED in a host function. NULL means the default options. */
  CUresult (*trace_begin)(const struct cucore_cpu_trace_options* options);

  /* Waits for the work of all contexts, ends the trace and returns it. trace_free frees it. */
  CUresult (*trace_end)(struct cucore_cpu_trace** trace);

  /* Frees a trace and all that it points to. NULL is ignored. Any thread may call it. */
  void (*trace_free)(struct cucore_cpu_trace* trace);

  /* Traces one launch of a kernel of a PTX text, without a context. Global memory has no bytes:
   * loads from it read zero, and stores to it do nothing, so pointers may have any value. Other
   * memory works. `params` is as for cuLaunchKernel. Fails like a load of the text, whose log
   * last_load_log returns, or like a launch. Returns NOT_FOUND for an unknown kernel, and
   * NOT_SUPPORTED for one that drivers for GPUs do not find; the log then has the reason.
   *
   * If the kernel itself fails, the call succeeds, and `result` and `fault` of the launch have the
   * reason. NOT_SUPPORTED is the result for textures and tensor copies, which need memory.
   * LAUNCH_TIMEOUT is the result beyond max_warp_instructions. */
  CUresult (*trace_launch)(const char* ptx, size_t size, const char* kernel,
                           const struct cucore_cpu_trace_shape* shape, void* const* params,
                           const struct cucore_cpu_trace_options* options,
                           struct cucore_cpu_trace** trace);

  /* Returns the reason of the last call of this thread that failed, for example with NOT_FOUND for
   * a kernel that the module has. The text is empty for calls without a reason beyond the result.
   * The buffer is used as above. */
  CUresult (*last_failure)(char* buffer, size_t capacity, size_t* length);
};

#ifdef __cplusplus
#include <string>
namespace cucore::cpu {
inline constexpr unsigned char CONTROL_TABLE_ID[16] = {'c', 'u', 'c', 'o', 'r', 'e', '-', 'c',
                                                       'p', 'u', '-', 'c', 't', 'l', '-', '1'};
const cucore_cpu_control& control_table();
void note_load_log(const std::string& log);  // for last_load_log
// kernel_trace.cpp
CUresult trace_begin(const cucore_cpu_trace_options* options);
CUresult trace_end(cucore_cpu_trace** trace);
void trace_free(cucore_cpu_trace* trace);
CUresult trace_launch(const char* ptx, size_t size, const char* kernel,
                      const cucore_cpu_trace_shape* shape, void* const* params,
                      const cucore_cpu_trace_options* options, cucore_cpu_trace** trace);
// Fills a buffer of the caller, as the functions of the tables do.
void copy_text(const std::string& text, char* buffer, size_t capacity, size_t* length);
}  // namespace cucore::cpu
#endif
