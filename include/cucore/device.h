/*
 * cucore/device.h - devices, their properties and their contexts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_DEVICE_H_INCLUDED
#define CUCORE_DEVICE_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Properties of a device, by the driver's numbers (CUdevice_attribute of CUDA's driver API). Any
 *  number that the driver has may be queried, named here or not. Flags are 0 or 1. */
typedef enum cucore_device_attribute_name {
  CUCORE_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK              = 1,  /**< threads */
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X                    = 2,  /**< threads */
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y                    = 3,  /**< threads */
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z                    = 4,  /**< threads */
  CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X                     = 5,  /**< blocks */
  CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y                     = 6,  /**< blocks */
  CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z                     = 7,  /**< blocks */
  CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK        = 8,  /**< bytes, without opt-in */
  CUCORE_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY              = 9,  /**< bytes per kernel */
  CUCORE_DEVICE_ATTRIBUTE_WARP_SIZE                          = 10, /**< threads */
  CUCORE_DEVICE_ATTRIBUTE_MAX_PITCH                          = 11, /**< bytes of a 2D copy's row */
  CUCORE_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK            = 12, /**< 32-bit registers */
  CUCORE_DEVICE_ATTRIBUTE_CLOCK_RATE                         = 13, /**< kHz */
  CUCORE_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT               = 16, /**< multiprocessors */
  CUCORE_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT                = 17, /**< flag: kernels time out */
  CUCORE_DEVICE_ATTRIBUTE_INTEGRATED                         = 18, /**< flag: shares host memory */
  CUCORE_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY                = 19, /**< flag */
  CUCORE_DEVICE_ATTRIBUTE_COMPUTE_MODE                       = 20, /**< a CUcomputemode */
  CUCORE_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS                 = 31, /**< flag */
  CUCORE_DEVICE_ATTRIBUTE_ECC_ENABLED                        = 32, /**< flag */
  CUCORE_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE                  = 36, /**< kHz */
  CUCORE_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH            = 37, /**< bits */
  CUCORE_DEVICE_ATTRIBUTE_L2_CACHE_SIZE                      = 38, /**< bytes */
  CUCORE_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR     = 39, /**< threads */
  CUCORE_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT                 = 40, /**< copy engines */
  CUCORE_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING                 = 41, /**< flag */
  CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR           = 75, /**< 9 for sm_90 */
  CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR           = 76, /**< 0 for sm_90 */
  CUCORE_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED        = 78, /**< flag */
  CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81, /**< bytes */
  CUCORE_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR   = 82, /**< 32-bit registers */
  CUCORE_DEVICE_ATTRIBUTE_MANAGED_MEMORY                     = 83, /**< flag */
  CUCORE_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS          = 89, /**< flag: with the host */
  CUCORE_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH                 = 95, /**< flag */
  CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN  = 97, /**< bytes, with opt-in */
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR      = 106, /**< blocks */
  CUCORE_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK   = 111, /**< bytes, of the driver */
  CUCORE_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED             = 115, /**< flag */
  CUCORE_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH                     = 120, /**< flag */
  CUCORE_DEVICE_ATTRIBUTE_FORCE_INT32                        = 0x7fffffff
} cucore_device_attribute_name;

/** The memory that the graphs of a device have, as cucore_device_graph_memory() reads it. */
typedef struct cucore_graph_memory_info {
  size_t   struct_size;   /**< set by the caller: sizeof(cucore_graph_memory_info) */
  uint64_t used;          /**< bytes that launches have allocated and not freed */
  uint64_t used_peak;     /**< the largest `used` since the peaks were reset */
  uint64_t reserved;      /**< bytes that the driver keeps for graphs */
  uint64_t reserved_peak; /**< the largest `reserved` since the peaks were reset */
} cucore_graph_memory_info;

#define CUCORE_GRAPH_MEMORY_INFO_INIT { sizeof(cucore_graph_memory_info), 0, 0, 0, 0 }

/** The two streams that every context has without a creation. */
typedef enum cucore_default_stream {
  CUCORE_DEFAULT_STREAM_LEGACY     = 1, /**< ordered with the work of all blocking streams */
  CUCORE_DEFAULT_STREAM_PER_THREAD = 2, /**< one for each host thread */
  CUCORE_DEFAULT_STREAM_FORCE_INT32 = 0x7fffffff
} cucore_default_stream;

/**
 * Returns the number of devices of the driver in use. Without a driver the number is 0, and the
 * call succeeds.
 *
 * @param out    receives the number
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_DRIVER_TOO_OLD  the driver is older than CUDA 12.0
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_count(int32_t *out, cucore_error **error);

/**
 * Opens a device. A second call for one device returns the same handle with one more reference.
 *
 * The primary context is created by the first call that needs it. The library then holds it until
 * cucore_device_reset() or the end of the process.
 *
 * @param ordinal  0 to cucore_device_count() - 1
 * @param out      receives the device
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  no such ordinal; the message has their number
 * @retval CUCORE_ERROR_LIBRARY_MISSING   no driver
 * @retval CUCORE_ERROR_NO_DEVICE         a driver without a device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_open(int32_t ordinal, cucore_device **out,
                                            cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param device  the device; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_device *cucore_device_retain(const cucore_device *device);

/**
 * Removes a reference. Objects of the device and its primary context remain.
 *
 * @param device  the device; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_device_release(cucore_device *device);

/**
 * Returns the ordinal of a device, as given to cucore_device_open().
 *
 * @param device  the device; 0 for NULL
 * @since 0.1
 */
CUCORE_API int32_t cucore_device_ordinal(const cucore_device *device);

/**
 * Returns the name of a device, "NVIDIA H200".
 *
 * @param device  the device, which owns the string; "" for NULL
 * @since 0.1
 */
CUCORE_API const char *cucore_device_name(const cucore_device *device);

/**
 * Returns the architecture to compile for, "sm_90". It never has a suffix such as "a".
 *
 * @param device  the device, which owns the string; "" for NULL
 * @since 0.1
 */
CUCORE_API const char *cucore_device_arch(const cucore_device *device);

/**
 * Returns the address on the PCI bus, "0000:1b:00.0".
 *
 * @param device  the device, which owns the string; "" for NULL
 * @since 0.1
 */
CUCORE_API const char *cucore_device_pci_bus_id(const cucore_device *device);

/**
 * Returns 1 for the CPU device, which runs PTX and no machine code.
 *
 * @param device  the device; 0 for NULL
 * @since 0.1
 */
CUCORE_API int32_t cucore_device_is_emulated(const cucore_device *device);

/**
 * Returns the compute capability, 9 and 0 for sm_90.
 *
 * @param device  the device
 * @param major   receives the first number
 * @param minor   receives the second number
 * @param error   NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_compute_capability(const cucore_device *device,
                                                          int32_t *major, int32_t *minor,
                                                          cucore_error **error);

/**
 * Returns one property of a device.
 *
 * @param device  the device
 * @param name    an enumerator, or another number of the driver's CUdevice_attribute
 * @param out     receives the value, in the unit that the enumerator documents
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the driver does not have the attribute
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_attribute(const cucore_device *device,
                                                 cucore_device_attribute_name name, int32_t *out,
                                                 cucore_error **error);

/**
 * Returns the 16 bytes that identify this device on every machine and in every process.
 *
 * @param device  the device
 * @param out     receives 16 bytes
 * @param error   NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_uuid(const cucore_device *device, uint8_t out[16],
                                            cucore_error **error);

/**
 * Returns the size of the device memory, for all processes together.
 *
 * @param device       the device
 * @param free_bytes   receives the bytes that are free at this moment
 * @param total_bytes  receives the bytes of the device
 * @param error        NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_memory(const cucore_device *device, size_t *free_bytes,
                                              size_t *total_bytes, cucore_error **error);

/**
 * Returns whether kernels on a device may use the memory of another device directly. The call
 * enables no access.
 *
 * @param device  the device of the kernels
 * @param peer    the device of the memory; 1 if it is the same device
 * @param out     receives 1 or 0
 * @param error   NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_can_access_peer(const cucore_device *device,
                                                       const cucore_device *peer, int32_t *out,
                                                       cucore_error **error);

/**
 * Returns the range of stream priorities. A lower number goes first.
 *
 * Today's drivers have 0 as the least and a negative number as the greatest priority. A device
 * without priorities has 0 for both.
 *
 * @param device    the device
 * @param least     receives the least priority, the highest number
 * @param greatest  receives the greatest priority, the lowest number
 * @param error     NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_stream_priorities(const cucore_device *device,
                                                         int32_t *least, int32_t *greatest,
                                                         cucore_error **error);

/**
 * Returns the CUcontext, for other libraries. It is the primary context of the device, which the
 * call creates if needed. It is valid until cucore_device_reset().
 *
 * @param device  the device; NULL for NULL, and if the context cannot be created
 * @since 0.2
 */
CUCORE_API void *cucore_device_native_context(const cucore_device *device);

/**
 * Waits until all work of the device's primary context is complete, also that of other libraries.
 *
 * @param device  the device
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context; see cucore_device_reset()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_synchronize(const cucore_device *device,
                                                   cucore_error **error);

/**
 * Returns one of the device's default streams. Each call returns a new object.
 *
 * @param device  the device
 * @param kind    PER_THREAD is the stream of the calling thread, at each use of the object
 * @param out     receives the stream
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  kind is not one of the enumerators
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_default_stream(const cucore_device *device,
                                                      cucore_default_stream kind,
                                                      cucore_stream **out, cucore_error **error);

/**
 * Returns the pool that cucore_buffer_create() takes memory from: that of cucore_device_set_pool(),
 * else the driver's default pool, which all libraries of the process share.
 *
 * @param device  the device
 * @param out     receives the pool
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_UNSUPPORTED  the device has no pools
 * @since 0.2
 */
CUCORE_API cucore_status cucore_device_pool(const cucore_device *device, cucore_pool **out,
                                            cucore_error **error);

/**
 * Sets the pool that cucore_buffer_create() takes memory from, for this library in this process.
 * The device holds it until the next call, or until cucore_device_reset().
 *
 * @param device  the device
 * @param pool    NULL for the driver's default pool, or a pool of the device
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the pool belongs to another device
 * @retval CUCORE_ERROR_INVALID_STATE     the context of the pool was reset
 * @retval CUCORE_ERROR_UNSUPPORTED       the device has no pools
 * @since 0.2
 */
CUCORE_API cucore_status cucore_device_set_pool(const cucore_device *device, cucore_pool *pool,
                                                cucore_error **error);

/**
 * Reads how much memory the graphs of the device have in this process.
 *
 * @param device  the device
 * @param out     receives the numbers
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_ABI_MISMATCH  struct_size was not set
 * @retval CUCORE_ERROR_UNSUPPORTED   the device has no pools
 * @since 0.2
 */
CUCORE_API cucore_status cucore_device_graph_memory(const cucore_device *device,
                                                    cucore_graph_memory_info *out,
                                                    cucore_error **error);

/**
 * Gives the memory that the driver keeps for graphs, and that no launch uses, back to the device.
 *
 * @param device       the device
 * @param reset_peaks  1: the peaks begin again at the present numbers; 0: they stay
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  reset_peaks is neither 0 nor 1
 * @retval CUCORE_ERROR_UNSUPPORTED       the device has no pools
 * @since 0.2
 */
CUCORE_API cucore_status cucore_device_trim_graph_memory(const cucore_device *device,
                                                         int32_t reset_peaks,
                                                         cucore_error **error);

/**
 * Destroys the device's primary context and everything in it, for this process, and makes a new
 * one. Other users of the primary context in the process lose it also.
 *
 * Streams, events and buffers made before return CUCORE_ERROR_INVALID_STATE from then on, and the
 * contents of buffers are lost. Object code and kernels load again automatically. Pending futures
 * end with CUCORE_ERROR_INVALID_STATE.
 *
 * The reset begins when the calls of other threads that use the context have returned. A release of
 * pinned or managed memory that waits for the device is such a call, of the library's own thread.
 * Each call that comes later fails with CUCORE_ERROR_INVALID_STATE.
 *
 * The library does not notice a reset by other code, such as cuDevicePrimaryCtxReset(). After one,
 * no object of the device may be used, and no kernel may be launched on it.
 *
 * The CPU device continues after CUCORE_ERROR_KERNEL_FAULT in this way. NVIDIA's driver does not
 * after most faults: this call then fails, and the process must be restarted.
 *
 * @param device  the device, whose handle remains usable
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_KERNEL_FAULT  the driver makes no new context in this process
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_reset(const cucore_device *device, cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_DEVICE_H_INCLUDED */
