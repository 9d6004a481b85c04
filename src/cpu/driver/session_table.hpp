/* SPDX-License-Identifier: Apache-2.0
 * A table of the CPU device: sessions of checks, for libraries that are built on it. It is C.
 *
 *   cuGetExportTable((const void**)&table, (const CUuuid*)CUCORE_CPU_SESSIONS_ID)
 *
 * Requires cuInit. New functions are added only at the end: check `size`. */
#pragma once

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#define CUCORE_CPU_SESSIONS_ID "cucore-cpu-chk-1" /* 16 bytes without the final zero */

/* The settings of a session. A null text and a budget of 0 keep the present setting. */
struct cucore_cpu_session_settings { /* NOLINT(readability-identifier-naming): C */
  size_t size;                       /* of this struct in the caller */
  const char* checks;
  const char* schedule; /* "random" chooses a seed, which `json` returns */
  const char* faults;
  const char* trace_file;
  int stop; /* 1: a report ends its launch */
  int reserved;
  uint64_t launch_instructions; /* warp instructions of each launch */
  uint64_t launch_memory;       /* bytes of host memory for the running blocks of a launch */
  uint64_t launch_output;       /* bytes of text that a launch prints */
  const char* suppressions;     /* lines KIND KERNEL FILE:LINE; NULL for none */
};

struct cucore_cpu_sessions { /* NOLINT(readability-identifier-naming): C */
  size_t size;               /* of this struct in the library */

  /* Begins a session, after the work of all contexts. Replaces checks, schedule, fault plan and
   * trace file until its end; NULL keeps the present one. Reports, faults and calls count from
   * here. Returns ILLEGAL_STATE while another session is running, and INVALID_VALUE for a wrong
   * setting, whose description `reason` returns. */
  CUresult (*begin)(const char* checks, int stop, const char* schedule, const char* faults,
                    const char* trace_file);

  /* Waits for the work of all contexts, ends the session and restores the previous settings. With
   * the check `leak`, reports what was made in the session and is still alive. */
  CUresult (*end)(void);

  /* Writes the results of the session that is running, else of the last one, as lines of JSON. The
   * first one is {"dropped":0,"faults":0,"calls":{"cuInit":1},"schedule":"random:7"}, without
   * "schedule" for another order; each other one is a report. Writes at most `capacity` bytes with
   * the final zero. `length` receives the length of the whole text. */
  CUresult (*json)(char* buffer, size_t capacity, size_t* length);

  /* Writes the reason of INVALID_VALUE on this thread, in the same way. */
  CUresult (*reason)(char* buffer, size_t capacity, size_t* length);

  /* Waits for the work of all contexts; the fault of a context is not a failure. */
  CUresult (*wait)(void);

  /* The check `leak` ignores this stream or event, which a library keeps for its own use. */
  CUresult (*keep)(const void* handle);

  /* Begins a session as `begin` does, with all settings. Returns INVALID_VALUE also for a struct of
   * another size. */
  CUresult (*begin_with)(const struct cucore_cpu_session_settings* settings);
};

#ifdef __cplusplus
namespace cucore::cpu {
const cucore_cpu_sessions& session_table();
}  // namespace cucore::cpu
#endif
