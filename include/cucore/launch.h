/*
 * cucore/launch.h - the execution of a kernel with a grid and arguments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_LAUNCH_H_INCLUDED
#define CUCORE_LAUNCH_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How to launch a kernel. */
typedef struct cucore_launch_options {
  size_t   struct_size; /**< sizeof(cucore_launch_options) */
  uint32_t grid[3];     /**< blocks, also with a cluster; grid[0] must be set, the others 0 is 1 */
  uint32_t block[3];    /**< threads a block; block[0] must be set, the others 0 is 1 */
  uint32_t cluster[3];  /**< blocks a cluster; 0: none, or what the kernel was compiled with */
  uint32_t dynamic_shared; /**< bytes a block; above 48 KiB the kernel's attribute is raised */
  int32_t  cooperative;    /**< 1: all blocks run at once and may synchronise */
  int32_t  programmatic_serialization; /**< 1: may start before the kernel before it ends */
  int32_t  priority; /**< 0: the stream's; else one of cucore_device_stream_priorities() */
  int32_t  reserved;                   /**< 0 */
} cucore_launch_options;

#define CUCORE_LAUNCH_OPTIONS_INIT \
  { sizeof(cucore_launch_options), { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0, 0, 0 }

/**
 * How many clusters of such a launch fit on the device at a time.
 * @param options  as for cucore_kernel_launch(), cluster set
 * @retval CUCORE_ERROR_UNSUPPORTED  the device has no clusters
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_max_active_clusters(const cucore_kernel *kernel,
                                                           const cucore_device *device,
                                                           const cucore_launch_options *options,
                                                           int32_t *clusters,
                                                           cucore_error **error);

/** The size of an argument whose data is a cucore_buffer handle, not a value: the kernel gets the
 *  buffer's address. The launch checks that the parameter is a pointer, if its class is known, and
 *  that the stream's device can use the buffer. It holds the buffer and records the use: see
 *  cucore_buffer_release(). Another thread may release the handle at any time: the launch then
 *  either holds the buffer or fails with INVALID_HANDLE. */
#define CUCORE_ARGUMENT_OBJECT ((size_t)-1)

/** One argument: where its value is, and its size in bytes. */
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
 * Launches a kernel on a stream. Before the driver is called, the number of arguments and the
 * size of each are checked against the kernel's parameters, the grid and block against the
 * device. Classes are not checked: see cucore_kernel_parameters(). The values are copied: arguments
 * may go once this returns.
 *
 * On a stream that cucore_stream_create() made this is exactly one driver call. More calls are made
 * in these cases:
 * - the code is not loaded on the device yet,
 * - the stream may be captured: its native handle was taken, or it waited for such a stream,
 * - dynamic_shared exceeds 48 KiB and each earlier value, or the priority is the device's first,
 * - the code or a buffer has been used on 16 streams or more,
 * - the driver refuses the launch, and the message names the reason.
 *
 * @param options    grid[0] and block[0] must be set, so NULL is INVALID_ARGUMENT
 * @param arguments  one a parameter, in order; a pointer parameter takes an address (uint64_t) or
 *                   a buffer (CUCORE_ARGUMENT_OBJECT)
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message says which argument or size is wrong
 * @retval CUCORE_ERROR_INVALID_HANDLE    an argument is a buffer that was released
 * @retval CUCORE_ERROR_LAUNCH            too many registers, threads or shared memory for this
 *                                        kernel, or more blocks than a cooperative launch can hold
 * @retval CUCORE_ERROR_UNSUPPORTED       clusters or cooperative launches on a device without
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_launch(const cucore_kernel *kernel,
                                              const cucore_stream *stream,
                                              const cucore_launch_options *options,
                                              const cucore_argument *arguments, size_t count,
                                              cucore_error **error);

/**
 * The same with the arguments already laid out as the kernel's parameter block.
 * @param arguments  every parameter at its offset; see cucore_kernel_parameters()
 * @param size       bytes up to the end of the last parameter, or that number rounded up to a
 *                   multiple of 2, 4, 8 or 16, as sizeof of a struct is
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
