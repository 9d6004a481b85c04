/*
 * cucore_perf.h - what the machine allows, and what compiled code would do on it.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The conventions are those of cucore.h. Errors are its errors. No function of this header needs a
 * device, a driver or a library of CUDA.
 *
 * - Occupancy: how many blocks of a kernel one multiprocessor runs at a time, for any architecture.
 *
 * Any number of threads may call each function.
 */
#ifndef CUCORE_PERF_H_INCLUDED
#define CUCORE_PERF_H_INCLUDED

#include <cucore.h>

#if defined(_WIN32) && defined(CUCORE_PERF_BUILDING)
#  define CUCORE_PERF_API __declspec(dllexport)
#elif defined(_WIN32)
#  define CUCORE_PERF_API __declspec(dllimport)
#elif defined(__GNUC__)
#  define CUCORE_PERF_API __attribute__((visibility("default"), nothrow)) /* no exception passes */
#else
#  define CUCORE_PERF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The resource that a multiprocessor exhausts first. */
typedef enum cucore_occupancy_limiter {
  CUCORE_OCCUPANCY_LIMITER_NONE      = 0, /**< of a struct that is not filled in */
  CUCORE_OCCUPANCY_LIMITER_WARPS     = 1, /**< the warps that it runs */
  CUCORE_OCCUPANCY_LIMITER_BLOCKS    = 2, /**< the blocks that it runs, whatever their size */
  CUCORE_OCCUPANCY_LIMITER_REGISTERS = 3, /**< its registers */
  CUCORE_OCCUPANCY_LIMITER_SHARED    = 4, /**< its shared memory */
  CUCORE_OCCUPANCY_LIMITER_FORCE_INT32 = 0x7fffffff
} cucore_occupancy_limiter;

/** The resources that one block of a kernel needs. */
typedef struct cucore_occupancy_needs {
  size_t   struct_size; /**< sizeof(cucore_occupancy_needs) */
  uint32_t registers;   /**< per thread, 0 to 255 */
  uint32_t threads;     /**< per block, 1 to 1024 */
  uint32_t shared;      /**< bytes per block, static and dynamic together */
  uint32_t reserved;    /**< 0 */
} cucore_occupancy_needs;

#define CUCORE_OCCUPANCY_NEEDS_INIT \
  { sizeof(cucore_occupancy_needs), 0, 0, 0, 0 }

/** The number of blocks and warps that one multiprocessor runs at a time. */
typedef struct cucore_occupancy_info {
  size_t   struct_size; /**< set by the caller: sizeof(cucore_occupancy_info) */
  uint32_t blocks;      /**< per multiprocessor; 0: such a block cannot be launched */
  uint32_t warps;       /**< of these blocks */
  double   fraction;    /**< warps, divided by the largest number of warps of the architecture */
  cucore_occupancy_limiter limiter; /**< why no further block fits; the first in the order of its
                                         enumerators, if several allow the same number of blocks */
  int32_t  registers_for_more; /**< the largest number per thread with which a further block fits;
                                    -1: fewer registers alone do not help */
  int32_t  shared_for_more;    /**< the largest number of bytes per block with which a further block
                                    fits; -1: less shared memory alone does not help */
  int32_t  reserved;           /**< 0 */
} cucore_occupancy_info;

#define CUCORE_OCCUPANCY_INFO_INIT \
  { sizeof(cucore_occupancy_info), 0, 0, 0.0, CUCORE_OCCUPANCY_LIMITER_NONE, 0, 0, 0 }

/**
 * Computes how many blocks of a kernel one multiprocessor of an architecture runs at a time, as the
 * driver does. All shared memory of the multiprocessor is available to blocks, as if the kernel had
 * opted in to large blocks.
 *
 * @param arch   the architecture, "sm_90", "sm_90a" or "compute_90": from sm_70 to sm_121
 * @param needs  the resources of one block
 * @param out    receives the result; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a number of `needs` is out of its range, or arch is not
 *                                        the name of an architecture
 * @retval CUCORE_ERROR_UNSUPPORTED       the limits of the architecture are unknown; the message
 *                                        lists those that are known
 * @retval CUCORE_ERROR_ABI_MISMATCH      a struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_occupancy_query(const char *arch,
                                                     const cucore_occupancy_needs *needs,
                                                     cucore_occupancy_info *out,
                                                     cucore_error **error);

/**
 * Returns the version of the library: major * 10000 + minor * 100 + patch.
 *
 * @since 0.2
 */
CUCORE_PERF_API uint32_t cucore_perf_version(void);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_PERF_H_INCLUDED */
