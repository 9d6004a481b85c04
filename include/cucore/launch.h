/*
 * cucore/launch.h - the execution of a kernel with a grid and arguments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_LAUNCH_H_INCLUDED
#define CUCORE_LAUNCH_H_INCLUDED

#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The placement of the blocks of a cluster. */
typedef enum cucore_cluster_scheduling {
  CUCORE_CLUSTER_SCHEDULING_DEFAULT = 0,  /**< as the kernel or the driver chooses */
  CUCORE_CLUSTER_SCHEDULING_SPREAD = 1,   /**< spread over the multiprocessors */
  CUCORE_CLUSTER_SCHEDULING_BALANCED = 2, /**< the hardware balances the load */
  CUCORE_CLUSTER_SCHEDULING_FORCE_INT32 = 0x7fffffff
} cucore_cluster_scheduling;

/** An attribute of a launch that the driver has and this library has no field for. */
typedef struct cucore_launch_attribute {
  int32_t id;        /**< a CUlaunchAttributeID */
  int32_t reserved;  /**< 0 */
  uint8_t value[64]; /**< the bytes of its CUlaunchAttributeValue */
} cucore_launch_attribute;

/** The configuration of a launch. */
typedef struct cucore_launch_options {
  size_t   struct_size; /**< sizeof(cucore_launch_options) */
  uint32_t grid[3];     /**< blocks, also with a cluster; grid[0] must be set, 0 in others is 1 */
  uint32_t block[3];    /**< threads per block; block[0] must be set, 0 in others is 1 */
  uint32_t cluster[3];  /**< blocks per cluster, which divide the grid; all 0: none, or the cluster
                             that the kernel was compiled with. If one is set, 0 in others is 1 */
  uint32_t dynamic_shared; /**< bytes per block; above 48 KiB the kernel's attribute is raised */
  int32_t  cooperative;    /**< 1: all blocks run at once and may synchronise */
  int32_t  programmatic_serialization; /**< 1: may start before the previous kernel has ended */
  int32_t  priority; /**< 0: the stream's; else one of cucore_device_stream_priorities() */
  int32_t  reserved;                   /**< 0 */
  uint32_t preferred_cluster[3]; /**< a multiple of cluster, which must be set, with the same third
                                      number; the device uses it where it fits. All 0: none; else 0
                                      in others is 1. CUDA 12.8 */
  cucore_cluster_scheduling cluster_scheduling; /**< the placement of the blocks of a cluster */
  int32_t shared_carveout; /**< percent of the L1 cache that is preferred as shared memory, 1 to
                                100; 0: the kernel's, -1: none. CUDA 12.5 */
  int32_t memory_domain;   /**< 1: the remote domain of memory_domain_map. A fence of the kernel
                                does not wait for accesses of another domain. 0: the stream's */
  int32_t device_updatable; /**< 1: kernels may update the node of the graph, so the stream must be
                                 captured. CUDA 12.4 */
  int32_t nvlink_scheduling; /**< 1: scheduled for the use of NVLink. CUDA 13.0 */
  cucore_event *programmatic_event; /**< NULL, or recorded when all blocks have triggered the start
                                         of dependent kernels. Without timing, not interprocess */
  cucore_event *completion_event;   /**< NULL, or recorded when all blocks have begun. Without
                                         timing, not interprocess. CUDA 12.3 */
  int32_t programmatic_at_start; /**< 1: each block triggers programmatic_event when it begins */
  int32_t memory_domain_map; /**< the number of the default domain | that of the remote domain << 8;
                                  0: the stream's */
  const cucore_access_window *access_window; /**< NULL: the stream's. Only read during the call */
  const cucore_launch_attribute *attributes; /**< further attributes, each of which is set once */
  size_t attribute_count; /**< of attributes, at most 32 */
  uint64_t bytes_read;    /**< hint for observers: bytes that the kernel reads from device memory, as
                               its author counts them; 0: unknown. The launch ignores the hints */
  uint64_t bytes_written; /**< hint: bytes that it writes; 0: unknown */
  uint64_t operations;    /**< hint: its arithmetic operations; 0: unknown */
} cucore_launch_options;

#define CUCORE_LAUNCH_OPTIONS_INIT                                                           \
  { sizeof(cucore_launch_options), { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0, 0, 0,     \
    { 0, 0, 0 }, CUCORE_CLUSTER_SCHEDULING_DEFAULT, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, 0, 0, 0, 0 }

/**
 * Returns how many clusters of such a launch fit on the device at a time.
 *
 * @param kernel    the kernel
 * @param device    the device
 * @param options   as for cucore_kernel_launch(), with cluster set
 * @param clusters  receives the number of clusters
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_UNSUPPORTED  the device has no clusters
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_max_active_clusters(const cucore_kernel *kernel,
                                                           const cucore_device *device,
                                                           const cucore_launch_options *options,
                                                           int32_t *clusters,
                                                           cucore_error **error);

/**
 * The size of an argument whose data is a cucore_buffer handle, not a value. The kernel receives
 * the buffer's address.
 *
 * The launch checks that the parameter is a pointer, if its class is known, and that the stream's
 * device can use the buffer. It holds the buffer and records the use: see cucore_buffer_release().
 * Another thread may release the handle at any time. The launch then either holds the buffer or
 * fails with CUCORE_ERROR_INVALID_HANDLE.
 */
#define CUCORE_ARGUMENT_OBJECT ((size_t)-1)

/** One argument: the place and the size of its value. */
typedef struct cucore_argument {
  const void *data; /**< the value; a cucore_buffer * if size is CUCORE_ARGUMENT_OBJECT */
  size_t      size; /**< in bytes, or CUCORE_ARGUMENT_OBJECT */
} cucore_argument;

/** An argument from a variable. In C89 only for static objects; else CUCORE_ARGUMENT_SET. */
#define CUCORE_ARGUMENT(value) { &(value), sizeof(value) }

/** Sets an argument from a variable. */
#define CUCORE_ARGUMENT_SET(argument, value) \
  ((argument).data = &(value), (argument).size = sizeof(value))

/**
 * Launches a kernel on a stream, asynchronously. The call returns when the driver has accepted the
 * launch, and does not wait for the kernel.
 *
 * A fault of the kernel is CUCORE_ERROR_KERNEL_FAULT at a later call on the device, of any thread.
 * A call that waits for the work reports it at the latest. This call can report the fault of an
 * earlier kernel.
 *
 * The launch compares the number of arguments and the size of each with the kernel's parameters. It
 * compares the grid and the block with the limits of the device. Classes are not checked: see
 * cucore_kernel_parameters(). The values are copied before the call returns. The kernel, its code
 * and its stream may be released while the kernel runs, and so may buffers that are arguments with
 * CUCORE_ARGUMENT_OBJECT.
 *
 * On a stream that cucore_stream_create() made this is exactly one driver call. More calls are made
 * in these cases:
 * - the code is not loaded on the device yet,
 * - the stream may be captured: its native handle was taken, or it waited for such a stream,
 * - dynamic_shared exceeds 48 KiB and each earlier value, or the priority is the device's first,
 * - the code or a buffer has been used on 16 streams or more,
 * - the driver refuses the launch, and the message names the reason.
 *
 * @param kernel     the kernel
 * @param stream     the stream, which determines the device
 * @param options    grid[0] and block[0] must be set, so NULL is INVALID_ARGUMENT. An option that
 *                   the driver lacks is CUCORE_ERROR_UNSUPPORTED, with the version that has it
 * @param arguments  one per parameter, in order; a pointer parameter accepts an address (uint64_t)
 *                   or a buffer (CUCORE_ARGUMENT_OBJECT)
 * @param count      of arguments
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the wrong argument, size or option
 * @retval CUCORE_ERROR_INVALID_HANDLE    an argument is a buffer that was released, or an event or
 *                                        the access window's buffer in the options was
 * @retval CUCORE_ERROR_INVALID_STATE     device_updatable is set and the stream is not captured
 * @retval CUCORE_ERROR_LAUNCH            too many registers, threads or shared memory for this
 *                                        kernel, or more blocks than a cooperative launch can hold
 * @retval CUCORE_ERROR_UNSUPPORTED       clusters, cooperative launches or access windows on a
 *                                        device without them, or an option on an older driver
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_launch(const cucore_kernel *kernel,
                                              const cucore_stream *stream,
                                              const cucore_launch_options *options,
                                              const cucore_argument *arguments, size_t count,
                                              cucore_error **error);

/**
 * Launches a kernel as cucore_kernel_launch() does, with arguments that already have the layout of
 * the kernel's parameter block. Addresses in it are not recorded as uses of buffers.
 *
 * @param kernel     the kernel
 * @param stream     the stream, which determines the device
 * @param options    as for cucore_kernel_launch()
 * @param arguments  every parameter at its offset, copied; see cucore_kernel_parameters()
 * @param size       bytes up to the end of the last parameter. It may be rounded up to a multiple
 *                   of 2, 4, 8 or 16, as sizeof of a struct is
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the size is wrong, or as cucore_kernel_launch()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_launch_packed(const cucore_kernel *kernel,
                                                     const cucore_stream *stream,
                                                     const cucore_launch_options *options,
                                                     const void *arguments, size_t size,
                                                     cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_LAUNCH_H_INCLUDED */
