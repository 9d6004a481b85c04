// SPDX-License-Identifier: Apache-2.0
/* The control table of the CPU device: what a test or a library may ask it beyond the CUDA API.
 *
 *   static const CUuuid id = CUCORE_CPU_CONTROL_ID;
 *   const struct cucore_cpu_control* control;
 *   if (cuGetExportTable((const void**)&control, &id) == CUDA_SUCCESS) ...
 *
 * Works before cuInit. C and C++; may be copied into programs, nothing of it is linked. Functions
 * are only ever added at the end: check `size`. */
#pragma once

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#define CUCORE_CPU_CONTROL_ID                                                          \
  {                                                                                    \
    { 'c', 'u', 'c', 'o', 'r', 'e', '-', 'c', 'p', 'u', '-', 'c', 't', 'l', '-', '1' } \
  }

struct cucore_cpu_control { /* NOLINT(readability-identifier-naming): C */
  size_t size;              /* of this struct in the library */

  /* Replaces the fault plan (CUCORE_CPU_FAULT); "" ends it. INVALID_VALUE: not a plan. */
  CUresult (*set_fault_plan)(const char* plan);

  /* What made the context fail: kernel, block, thread, address, and the place at its end: "; at
   * saxpy.cu:12 (PTX line 34)", or "; at PTX line 34" without line information. Empty text if
   * nothing did. NULL: the thread's current context. Writes at most `capacity` bytes with the final
   * zero; `length` (may be NULL) gets the whole text's length. */
  CUresult (*last_fault_text)(CUcontext context, char* buffer, size_t capacity, size_t* length);

  /* JSON: calls by name, calls of functions that are not implemented, live objects and memory, what
   * ended contexts had not freed. Buffer as above. */
  CUresult (*report)(char* buffer, size_t capacity, size_t* length);

  /* Counts of calls and leaks start at 0. */
  CUresult (*reset_report)(void);

  /* Calls of one function, by exported or base name; 0 for unknown names. */
  uint64_t (*call_count)(const char* name);

  /* Writes what kernels have printed to stdout, as a synchronisation does. */
  CUresult (*flush_printf)(void);

  /* Why the last cuLibraryLoad*, cuModuleLoad* or cuLink* of this thread failed: what the JIT
   * options' error log holds; after a cuInit that failed, which setting is wrong. Buffer as above.
   */
  CUresult (*last_load_log)(char* buffer, size_t capacity, size_t* length);
};

#ifdef __cplusplus
#include <string>
namespace cucore::cpu {
inline constexpr unsigned char CONTROL_TABLE_ID[16] = {'c', 'u', 'c', 'o', 'r', 'e', '-', 'c',
                                                       'p', 'u', '-', 'c', 't', 'l', '-', '1'};
const cucore_cpu_control& control_table();
void note_load_log(const std::string& log);  // for last_load_log
}  // namespace cucore::cpu
#endif
