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

/** Properties of a device, by the driver's numbers (CUdevice_attribute of CUDA's driver API);
 *  any number that the driver knows may be asked for, named here or not. */
typedef enum cucore_device_attribute_name {
  CUCORE_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK              = 1,
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X                    = 2,
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y                    = 3,
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z                    = 4,
  CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X                     = 5,
  CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y                     = 6,
  CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z                     = 7,
  CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK        = 8,
  CUCORE_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY              = 9,
  CUCORE_DEVICE_ATTRIBUTE_WARP_SIZE                          = 10,
  CUCORE_DEVICE_ATTRIBUTE_MAX_PITCH                          = 11,
  CUCORE_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK            = 12,
  CUCORE_DEVICE_ATTRIBUTE_CLOCK_RATE                         = 13, /**< kHz */
  CUCORE_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT               = 16,
  CUCORE_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT                = 17,
  CUCORE_DEVICE_ATTRIBUTE_INTEGRATED                         = 18,
  CUCORE_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY                = 19,
  CUCORE_DEVICE_ATTRIBUTE_COMPUTE_MODE                       = 20,
  CUCORE_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS                 = 31,
  CUCORE_DEVICE_ATTRIBUTE_ECC_ENABLED                        = 32,
  CUCORE_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE                  = 36, /**< kHz */
  CUCORE_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH            = 37, /**< bits */
  CUCORE_DEVICE_ATTRIBUTE_L2_CACHE_SIZE                      = 38,
  CUCORE_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR     = 39,
  CUCORE_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT                 = 40,
  CUCORE_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING                 = 41,
  CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR           = 75,
  CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR           = 76,
  CUCORE_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED        = 78,
  CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CUCORE_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR   = 82,
  CUCORE_DEVICE_ATTRIBUTE_MANAGED_MEMORY                     = 83,
  CUCORE_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS          = 89,
  CUCORE_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH                 = 95,
  CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN  = 97,
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR      = 106,
  CUCORE_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK   = 111,
  CUCORE_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED             = 115,
  CUCORE_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH                     = 120,
  CUCORE_DEVICE_ATTRIBUTE_FORCE_INT32                        = 0x7fffffff
} cucore_device_attribute_name;

/** The two streams that every context has without creating one. */
typedef enum cucore_default_stream {
  CUCORE_DEFAULT_STREAM_LEGACY     = 1, /**< waits for, and is waited for by, blocking streams */
  CUCORE_DEFAULT_STREAM_PER_THREAD = 2, /**< one for each host thread */
  CUCORE_DEFAULT_STREAM_FORCE_INT32 = 0x7fffffff
} cucore_default_stream;

/**
 * How many devices the driver in use has; 0, and CUCORE_OK, where there is no driver.
 * @retval CUCORE_ERROR_DRIVER_TOO_OLD  there is a driver, older than CUDA 12.0
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_count(int32_t *out, cucore_error **error);

/**
 * Opens a device. Its primary context is made on the first call that needs it, and kept. Opening
 * one device several times gives the same handle, one reference each time.
 *
 * @param ordinal  0 to cucore_device_count() - 1
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  no such ordinal; the message says how many there are
 * @retval CUCORE_ERROR_LIBRARY_MISSING   no driver
 * @retval CUCORE_ERROR_NO_DEVICE         a driver without a device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_open(int32_t ordinal, cucore_device **out,
                                            cucore_error **error);

/** One more reference to a device; gives back its argument. @since 0.1 */
CUCORE_API cucore_device *cucore_device_retain(const cucore_device *device);

/** Gives one reference back. @since 0.1 */
CUCORE_API void cucore_device_release(cucore_device *device);

/** Its number; 0 for NULL. @since 0.1 */
CUCORE_API int32_t cucore_device_ordinal(const cucore_device *device);

/** "NVIDIA H200". @since 0.1 */
CUCORE_API const char *cucore_device_name(const cucore_device *device);

/** The architecture to compile for, "sm_90". @since 0.1 */
CUCORE_API const char *cucore_device_arch(const cucore_device *device);

/** The address on the PCI bus, "0000:1b:00.0". @since 0.1 */
CUCORE_API const char *cucore_device_pci_bus_id(const cucore_device *device);

/** 1 for the CPU device, which runs PTX and no machine code. @since 0.1 */
CUCORE_API int32_t cucore_device_is_emulated(const cucore_device *device);

/** The compute capability, 9 and 0 for sm_90. @since 0.1 */
CUCORE_API cucore_status cucore_device_compute_capability(const cucore_device *device,
                                                          int32_t *major, int32_t *minor,
                                                          cucore_error **error);

/**
 * One property of a device.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the driver does not know the attribute
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_attribute(const cucore_device *device,
                                                 cucore_device_attribute_name name, int32_t *out,
                                                 cucore_error **error);

/** The 16 bytes that name this device on every machine and in every process. @since 0.1 */
CUCORE_API cucore_status cucore_device_uuid(const cucore_device *device, uint8_t out[16],
                                            cucore_error **error);

/** Device memory, in bytes, free at this moment and in all. @since 0.1 */
CUCORE_API cucore_status cucore_device_memory(const cucore_device *device, size_t *free_bytes,
                                              size_t *total_bytes, cucore_error **error);

/** Whether kernels on device may use the memory of peer directly. @since 0.1 */
CUCORE_API cucore_status cucore_device_can_access_peer(const cucore_device *device,
                                                       const cucore_device *peer, int32_t *out,
                                                       cucore_error **error);

/** The range of stream priorities: least is the default, greatest (a lower number) goes first.
 *  @since 0.1 */
CUCORE_API cucore_status cucore_device_stream_priorities(const cucore_device *device,
                                                         int32_t *least, int32_t *greatest,
                                                         cucore_error **error);

/**
 * Waits until all work of the device is complete.
 * @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context; see cucore_device_reset()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_synchronize(const cucore_device *device,
                                                   cucore_error **error);

/**
 * One of the device's default streams. PER_THREAD means the calling thread's at each use.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  kind is not one of the enumerators
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_default_stream(const cucore_device *device,
                                                      cucore_default_stream kind,
                                                      cucore_stream **out, cucore_error **error);

/**
 * Destroys the device's primary context and everything in it, for this process, and makes a new
 * one. Streams, events and buffers made before answer CUCORE_ERROR_INVALID_STATE from then on;
 * object code and kernels load again by themselves. Other users of the primary context in the
 * process lose it too.
 *
 * The reset begins when the calls of other threads that use the context have returned. Each call
 * that comes later fails with CUCORE_ERROR_INVALID_STATE.
 *
 * The CPU device goes on after CUCORE_ERROR_KERNEL_FAULT in this way. NVIDIA's driver does not
 * after most faults: the process has to be restarted, and this call says so.
 * @retval CUCORE_ERROR_KERNEL_FAULT  the driver makes no new context in this process
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_reset(const cucore_device *device, cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_DEVICE_H_INCLUDED */
