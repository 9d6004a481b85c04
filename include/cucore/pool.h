/*
 * cucore/pool.h - pools: where the memory of buffers comes from.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_POOL_H_INCLUDED
#define CUCORE_POOL_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The memory of a pool. */
typedef enum cucore_pool_kind {
  CUCORE_POOL_KIND_DEFAULT = 0, /**< as DEVICE */
  CUCORE_POOL_KIND_DEVICE = 1,  /**< memory of the device */
  CUCORE_POOL_KIND_PINNED = 2,  /**< pinned memory of the host; not supported yet */
  CUCORE_POOL_KIND_MANAGED = 3, /**< managed memory; not supported yet */
  CUCORE_POOL_KIND_FORCE_INT32 = 0x7fffffff
} cucore_pool_kind;

/** A kind of place where memory is. */
typedef enum cucore_location_kind {
  CUCORE_LOCATION_KIND_NONE = 0,              /**< the default of the kind of memory */
  CUCORE_LOCATION_KIND_DEVICE = 1,            /**< a device, by its ordinal */
  CUCORE_LOCATION_KIND_HOST = 2,              /**< the memory of the host */
  CUCORE_LOCATION_KIND_HOST_NUMA = 3,         /**< a NUMA node of the host, by its number */
  CUCORE_LOCATION_KIND_HOST_NUMA_CURRENT = 4, /**< the NUMA node of the calling thread */
  CUCORE_LOCATION_KIND_FORCE_INT32 = 0x7fffffff
} cucore_location_kind;

/** A place where memory is. */
typedef struct cucore_location {
  cucore_location_kind kind; /**< the kind of the place */
  int32_t id;                /**< the ordinal of a device or the number of a NUMA node; else 0 */
} cucore_location;

/**
 * Frees something after an allocation has failed, for example an entry of a cache. Returns 1 to
 * try the allocation again, 0 to let it fail.
 *
 * It runs on the thread that allocates, and may release objects of this library.
 *
 * @param size       the requested bytes
 * @param attempt    1 for the first call of an allocation, at most 8
 * @param user_data  as given in the options
 */
typedef int32_t (*cucore_pool_exhausted_fn)(size_t size, uint32_t attempt, void *user_data);

/** The settings of a new pool. */
typedef struct cucore_pool_options {
  size_t struct_size;       /**< sizeof(cucore_pool_options) */
  cucore_pool_kind kind;    /**< 0 is DEVICE; the others return CUCORE_ERROR_UNSUPPORTED */
  int32_t shared;           /**< 1: other processes may map it; not supported yet */
  cucore_location location; /**< {0, 0}, or the device itself */
  uint64_t max_size;        /**< bytes of the pool, which the driver may round up; 0: no limit.
                                 Drivers before CUDA 12.2 refuse a limit */
  int64_t keep;             /**< bytes without use that stay reserved at a synchronization;
                                 0: all; -1: none */
  cucore_toggle reuse_follow_events;  /**< reuses memory of another stream that is freed before an
                                           event that the stream waits for; default ON */
  cucore_toggle reuse_opportunistic;  /**< reuses memory of another stream whose free is complete;
                                           default ON */
  cucore_toggle reuse_internal;       /**< reuses memory of another stream, and makes the stream
                                           wait for its free; default ON */
  int32_t reserved;                   /**< 0 */
  const char *name;                   /**< for messages; NULL: none */
  cucore_pool_exhausted_fn exhausted; /**< called if memory is exhausted after all else; or NULL */
  void *user_data;                    /**< for exhausted; it must outlive the pool */
} cucore_pool_options;

#define CUCORE_POOL_OPTIONS_INIT                                                          \
  { sizeof(cucore_pool_options), CUCORE_POOL_KIND_DEFAULT, 0,                             \
    { CUCORE_LOCATION_KIND_NONE, 0 }, 0, 0, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, \
    CUCORE_TOGGLE_DEFAULT, 0, NULL, NULL, NULL }

/** The state of a pool. */
typedef struct cucore_pool_info {
  size_t struct_size;     /**< set by the caller: sizeof(cucore_pool_info) */
  cucore_pool_kind kind;  /**< never DEFAULT */
  int32_t reserved_0;     /**< 0 */
  uint64_t used;          /**< bytes of allocations, of other libraries too */
  uint64_t used_peak;     /**< the most since cucore_pool_reset_peaks(), with what streams keep */
  uint64_t reserved;      /**< bytes that the pool has of the device */
  uint64_t reserved_peak; /**< the most since cucore_pool_reset_peaks() */
  uint64_t allocations;   /**< that this library has made */
  uint64_t frees;         /**< of these allocations, of which the work may still run */
  uint64_t failures;      /**< allocations that failed */
  uint64_t live;          /**< allocations that are not freed */
  uint64_t largest;       /**< bytes of the largest allocation so far */
  uint64_t max_size;      /**< as in the options; 0 for a pool of another owner */
  int64_t keep;           /**< as in the options */
} cucore_pool_info;

#define CUCORE_POOL_INFO_INIT \
  { sizeof(cucore_pool_info), CUCORE_POOL_KIND_DEFAULT, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Creates a pool of device memory. It keeps what is freed, and the next allocations reuse it.
 *
 * On a GPU, a stream of cucore_stream_create() keeps up to 8 released blocks, of 64 MiB together.
 * The next allocation of the same size on that stream takes such a block without a call of the
 * driver. The blocks go back with cucore_pool_trim(), with the stream or the pool, if memory is
 * exhausted, and before the stream may be captured. They count against keep, and not as used.
 *
 * @param device   the device
 * @param options  NULL for the defaults
 * @param out      receives the pool
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a field is out of its range, or the location is another
 *                                        place than the device
 * @retval CUCORE_ERROR_UNSUPPORTED       the device has no pools, or not of this kind
 * @since 0.2
 */
CUCORE_API cucore_status cucore_pool_create(const cucore_device *device,
                                            const cucore_pool_options *options, cucore_pool **out,
                                            cucore_error **error);

/**
 * Wraps a CUmemoryPool of another owner. The library never destroys it, and it must outlive the
 * result and all buffers that come from it.
 *
 * @param device  the device of the pool
 * @param native  the CUmemoryPool
 * @param out     receives the pool; each call returns a new object
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  native is NULL
 * @retval CUCORE_ERROR_UNSUPPORTED       the device has no pools
 * @since 0.2
 */
CUCORE_API cucore_status cucore_pool_from_native(const cucore_device *device, void *native,
                                                 cucore_pool **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param pool  the pool; NULL is allowed
 * @since 0.2
 */
CUCORE_API cucore_pool *cucore_pool_retain(const cucore_pool *pool);

/**
 * Removes a reference. Each buffer holds its pool. After the last reference, the driver destroys
 * the pool when all its memory is free; the call does not wait for that.
 *
 * @param pool  the pool; NULL is allowed
 * @since 0.2
 */
CUCORE_API void cucore_pool_release(cucore_pool *pool);

/**
 * Returns the pool's device with a new reference.
 *
 * @param pool   the pool
 * @param out    receives the device
 * @param error  NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_API cucore_status cucore_pool_device(const cucore_pool *pool, cucore_device **out,
                                            cucore_error **error);

/**
 * Allocates memory without a buffer, for allocators that keep bare addresses. Everything else is as
 * in cucore_buffer_from_pool().
 *
 * @param pool     the pool, which must outlive the memory
 * @param size     in bytes, not 0
 * @param stream   a stream of the pool's device, not under capture
 * @param address  receives the address on the device
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT      size is 0, or the stream belongs to another device
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  as for cucore_buffer_from_pool()
 * @retval CUCORE_ERROR_INVALID_STATE         the stream is captured into a graph, or the context of
 *                                            the pool was reset
 * @since 0.2
 */
CUCORE_API cucore_status cucore_pool_allocate(cucore_pool *pool, size_t size,
                                              const cucore_stream *stream, uint64_t *address,
                                              cucore_error **error);

/**
 * Frees memory of cucore_pool_allocate() in the order of a stream. The stream must come after all
 * work that uses the memory.
 *
 * @param pool     the pool
 * @param address  the address on the device
 * @param size     as given to cucore_pool_allocate()
 * @param stream   a stream of the pool's device, not under capture
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  address is 0, or the stream belongs to another device
 * @retval CUCORE_ERROR_INVALID_STATE     the stream is captured into a graph, or the context of the
 *                                        pool was reset
 * @since 0.2
 */
CUCORE_API cucore_status cucore_pool_free(cucore_pool *pool, uint64_t address, size_t size,
                                          const cucore_stream *stream, cucore_error **error);

/**
 * Returns the numbers of a pool. Those of the driver contain the memory of other libraries; the
 * counts contain the calls of this library alone.
 *
 * @param pool   the pool
 * @param out    receives the numbers; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the context of the pool was reset
 * @since 0.2
 */
CUCORE_API cucore_status cucore_pool_query(const cucore_pool *pool, cucore_pool_info *out,
                                           cucore_error **error);

/**
 * Changes how many bytes stay reserved without use when a stream or event is synchronized.
 *
 * @param pool   the pool; other users of a pool of the driver see the change
 * @param bytes  0: all; -1: none
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  bytes is less than -1
 * @retval CUCORE_ERROR_INVALID_STATE     the context of the pool was reset
 * @since 0.2
 */
CUCORE_API cucore_status cucore_pool_set_keep(cucore_pool *pool, int64_t bytes,
                                              cucore_error **error);

/**
 * Sets both peaks to the present numbers.
 *
 * @param pool   the pool
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the context of the pool was reset
 * @since 0.2
 */
CUCORE_API cucore_status cucore_pool_reset_peaks(cucore_pool *pool, cucore_error **error);

/**
 * Gives memory without use back to the device, until no more than some bytes are reserved. Memory
 * whose free is not complete stays: synchronize the stream before.
 *
 * @param pool   the pool
 * @param keep   the bytes that may stay reserved
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the context of the pool was reset
 * @since 0.2
 */
CUCORE_API cucore_status cucore_pool_trim(cucore_pool *pool, size_t keep, cucore_error **error);

/**
 * Returns the CUmemoryPool, for other libraries. It lives as long as the pool object.
 *
 * @param pool  the pool; NULL for NULL
 * @since 0.2
 */
CUCORE_API void *cucore_pool_native(const cucore_pool *pool);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_POOL_H_INCLUDED */
