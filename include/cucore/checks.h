/*
 * cucore/checks.h - checks of kernels, injected faults, traces and leaks on the CPU device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_CHECKS_H_INCLUDED
#define CUCORE_CHECKS_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The checks that run, and the faults that the CPU device injects. Every string is copied by
 * cucore_checks_create().
 */
typedef struct cucore_checks_options {
  size_t      struct_size;      /**< sizeof(cucore_checks_options) */
  const char *kinds;            /**< "memory,init,race,barrier,host,leak", a part of it, "all" for
                                     all but leak, or "none"; default: "all" */
  const char *schedule;         /**< "parallel", "sequential", "random" or "random:SEED"; default:
                                     as before */
  uint64_t    seed;             /**< of schedule "random"; 0: the device chooses one, which
                                     cucore_checks_schedule() returns */
  const char *suppressions;     /**< lines "KIND KERNEL FILE:LINE"; reports that match one are
                                     dropped; the characters * and ? match any text */
  const char *const *suppression_files; /**< files with further lines */
  size_t      suppression_file_count;   /**< of suppression_files */
  const char *faults;           /**< faults to inject, "allocation@3=2" or "cuLaunchKernel@2=700";
                                     default: as before */
  const char *trace_file;       /**< receives a line of JSON per driver call; default: as before */
  int32_t     stop_at_report;   /**< 1: a report ends its launch with a fault */
  int32_t     reserved;         /**< 0 */
  uint64_t    launch_instructions; /**< warp instructions of one launch, beyond which it fails;
                                        time asleep counts too; 0: as before */
  uint64_t    launch_memory;    /**< bytes of host memory for the running blocks of one launch; a
                                     launch that needs more fails; 0: as before */
  uint64_t    launch_output;    /**< bytes of text that one launch prints, beyond which it fails;
                                     0: as before */
} cucore_checks_options;

#define CUCORE_CHECKS_OPTIONS_INIT \
  { sizeof(cucore_checks_options), NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, 0, 0, 0, 0, 0 }

/**
 * One report. Strings live as long as the checks; an unknown string is "", an unknown number 0.
 */
typedef struct cucore_checks_report_info {
  size_t      struct_size;     /**< set by the caller: sizeof(cucore_checks_report_info) */
  const char *kind;            /**< "shared-race", "out-of-bounds" ...: docs/cpu_device.md */
  const char *kernel;          /**< its name, "reverse"; or the work of the driver */
  const char *message;         /**< the access or the event */
  const char *file;            /**< of the source; requires line information */
  const char *space;           /**< of the access: "global", "shared", "local" */
  const char *allocated_by;    /**< the origin of the allocation: "call 3 of cuMemAlloc_v2" */
  const char *freed_by;        /**< the call that freed it */
  const char *other;           /**< the other access of a race */
  const char *other_file;      /**< its source file */
  const char *schedule;        /**< "random:7"; "" under other schedules */
  const char *text;            /**< the whole report in one line */
  const char *json;            /**< the whole report as a JSON object */
  uint64_t    address;         /**< of the access; in shared memory from its start */
  uint64_t    size;            /**< of the access */
  uint64_t    allocation;      /**< address of the allocation */
  uint64_t    allocation_size; /**< 0: the access is not near an allocation */
  uint64_t    seed;            /**< of schedule */
  uint64_t    times;           /**< how often it happened */
  int32_t     line;            /**< in the source; 0: unknown */
  int32_t     ptx_line;        /**< in the PTX; 0: unknown */
  int32_t     other_line;      /**< of the other access; 0: unknown */
  int32_t     other_ptx_line;  /**< of the other access; 0: unknown */
  uint32_t    block[3];        /**< index of the block, if has_thread is 1 */
  uint32_t    thread[3];       /**< index of the thread in its block, if has_thread is 1 */
  int32_t     has_thread;      /**< 1: one thread made the access */
  int32_t     reserved;        /**< 0 */
} cucore_checks_report_info;

#define CUCORE_CHECKS_REPORT_INFO_INIT                                                      \
  { sizeof(cucore_checks_report_info), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
    NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0 }

/**
 * Starts checks of the whole process on the CPU device, and opens the driver. The call waits for
 * the work of all contexts. Reports, faults and calls count from here. At the end, the settings of
 * the environment return.
 *
 * A process has one running checks object at a time. Its end waits for all work again: call
 * cucore_checks_end() or cucore_checks_verify(), or release the last reference.
 *
 * @param options  NULL for the defaults
 * @param out      receives the checks
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the field that is wrong
 * @retval CUCORE_ERROR_ABI_MISMATCH      options have fields that this library does not have
 * @retval CUCORE_ERROR_UNSUPPORTED       the driver in use is not the CPU device, or an older one
 * @retval CUCORE_ERROR_INVALID_STATE     other checks are running
 * @retval CUCORE_ERROR_NOT_FOUND         a suppression file does not exist
 * @retval CUCORE_ERROR_IO                a suppression file cannot be read
 * @since 0.2
 */
CUCORE_API cucore_status cucore_checks_create(const cucore_checks_options *options,
                                              cucore_checks **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param checks  the checks; NULL is allowed
 * @since 0.2
 */
CUCORE_API cucore_checks *cucore_checks_retain(const cucore_checks *checks);

/**
 * Removes a reference. The last one ends the checks if they are running.
 *
 * @param checks  the checks; NULL is allowed
 * @since 0.2
 */
CUCORE_API void cucore_checks_release(cucore_checks *checks);

/**
 * Reads the reports of the work that has ended so far, and returns their number without suppressed
 * ones. The properties and cucore_checks_report_at() refer to what was read last.
 *
 * @param checks        the checks; after their end nothing changes
 * @param report_count  receives the number of reports
 * @param error         NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_API cucore_status cucore_checks_query(const cucore_checks *checks, size_t *report_count,
                                             cucore_error **error);

/**
 * Waits for the work of all contexts, ends the checks, reads the reports, and restores the previous
 * settings. With "leak", memory and objects that were made since the start and are alive are
 * reports. A second call has no effect.
 *
 * @param checks  the checks
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_PERMITTED  the call comes from a host function of a stream
 * @since 0.2
 */
CUCORE_API cucore_status cucore_checks_end(const cucore_checks *checks, cucore_error **error);

/**
 * Ends the checks, and fails if there are reports. The message has the first reports, and
 * cucore_error_log() all of them, one per line.
 *
 * @param checks  the checks
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_CHECKS         there are reports
 * @retval CUCORE_ERROR_NOT_PERMITTED  as for cucore_checks_end()
 * @since 0.2
 */
CUCORE_API cucore_status cucore_checks_verify(const cucore_checks *checks, cucore_error **error);

/**
 * Returns 1 until the checks end.
 *
 * @param checks  the checks
 * @since 0.2
 */
CUCORE_API int32_t cucore_checks_is_running(const cucore_checks *checks);

/**
 * Returns the number of reports that were read last, without suppressed ones.
 *
 * @param checks  the checks
 * @since 0.2
 */
CUCORE_API size_t cucore_checks_report_count(const cucore_checks *checks);

/**
 * Returns one of the reports that were read last.
 *
 * @param checks  the checks
 * @param index   less than cucore_checks_report_count()
 * @param out     receives the report; its struct_size must be set
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is too large
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_API cucore_status cucore_checks_report_at(const cucore_checks *checks, size_t index,
                                                 cucore_checks_report_info *out,
                                                 cucore_error **error);

/**
 * Returns the reports that were read last, one per line.
 *
 * @param checks  the checks
 * @since 0.2
 */
CUCORE_API const char *cucore_checks_text(const cucore_checks *checks);

/**
 * Returns the reports that were read last as JSON: {"reports":[...],"dropped":0}. The device keeps
 * 1000 reports, and counts others as dropped. Under a random schedule, the object also has
 * "schedule":"random:7".
 *
 * @param checks  the checks
 * @since 0.2
 */
CUCORE_API const char *cucore_checks_json(const cucore_checks *checks);

/**
 * Returns the random schedule with its seed, "random:7", which repeats the order. Returns "" for
 * other schedules. A schedule without a seed is known from the start, another one from the first
 * read on.
 *
 * @param checks  the checks
 * @since 0.2
 */
CUCORE_API const char *cucore_checks_schedule(const cucore_checks *checks);

/**
 * Returns the number of injected faults up to the last read.
 *
 * @param checks  the checks
 * @since 0.2
 */
CUCORE_API uint64_t cucore_checks_fault_count(const cucore_checks *checks);

/**
 * Returns the number of calls of a driver function from the start up to the last read.
 *
 * @param checks  the checks
 * @param name    "cuMemAlloc_v2", or "cuMemAlloc" for all versions of the function
 * @param out     receives the number; 0 for a function that was not called
 * @param error   NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_API cucore_status cucore_checks_call_count(const cucore_checks *checks, const char *name,
                                                  uint64_t *out, cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_CHECKS_H_INCLUDED */
