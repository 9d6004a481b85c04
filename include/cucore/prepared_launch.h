/*
 * cucore/prepared_launch.h - launches that are checked once and repeated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_PREPARED_LAUNCH_H_INCLUDED
#define CUCORE_PREPARED_LAUNCH_H_INCLUDED

#include "launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Prepares a launch: checks the configuration and the arguments as cucore_kernel_launch() does, and
 * copies them. Nothing is launched yet; cucore_prepared_launch_run() launches without these checks.
 *
 * The prepared launch keeps the kernel, its code, the stream, and each buffer that is an argument
 * with CUCORE_ARGUMENT_OBJECT. All of them may be released before it.
 *
 * @param kernel     the kernel
 * @param stream     the stream of each launch, which determines the device
 * @param options    as for cucore_kernel_launch()
 * @param arguments  as for cucore_kernel_launch()
 * @param count      of arguments
 * @param out        receives the prepared launch
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the wrong argument, size or option
 * @retval CUCORE_ERROR_INVALID_HANDLE    an argument is a buffer that was released
 * @retval CUCORE_ERROR_INVALID_STATE     the context of the stream was reset
 * @retval CUCORE_ERROR_UNSUPPORTED       clusters or cooperative launches on a device without them
 * @since 0.2
 */
CUCORE_API cucore_status cucore_prepared_launch_create(const cucore_kernel *kernel,
                                                       const cucore_stream *stream,
                                                       const cucore_launch_options *options,
                                                       const cucore_argument *arguments,
                                                       size_t count, cucore_prepared_launch **out,
                                                       cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param prepared  the prepared launch; NULL is allowed
 * @since 0.2
 */
CUCORE_API cucore_prepared_launch *cucore_prepared_launch_retain(
    const cucore_prepared_launch *prepared);

/**
 * Removes a reference. With the last one the prepared launch releases what it keeps. Kernels that
 * it launched still run to their end.
 *
 * @param prepared  the prepared launch; NULL is allowed
 * @since 0.2
 */
CUCORE_API void cucore_prepared_launch_release(cucore_prepared_launch *prepared);

/**
 * Replaces one argument for all later launches. The value is copied. Kernels that are already
 * launched keep their values. If the call fails, the argument has its previous value.
 *
 * @param prepared  the prepared launch
 * @param index     of the argument, from 0
 * @param argument  a value of the size of the parameter, or a buffer (CUCORE_ARGUMENT_OBJECT)
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  no argument has this index, or the message names the size
 * @retval CUCORE_ERROR_INVALID_HANDLE    the argument is a buffer that was released
 * @since 0.2
 */
CUCORE_API cucore_status cucore_prepared_launch_update(cucore_prepared_launch *prepared,
                                                       size_t index,
                                                       const cucore_argument *argument,
                                                       cucore_error **error);

/**
 * Launches the kernel with the present arguments, as cucore_kernel_launch() does. It makes one call
 * of the driver, and more in the cases that cucore_kernel_launch() lists. Calls of several threads
 * on one prepared launch follow each other, and so do updates.
 *
 * @param prepared  the prepared launch
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the context of the stream or of a buffer was reset
 * @retval CUCORE_ERROR_LAUNCH         too many registers, threads or shared memory for this kernel,
 *                                     or more blocks than a cooperative launch can hold
 * @since 0.2
 */
CUCORE_API cucore_status cucore_prepared_launch_run(const cucore_prepared_launch *prepared,
                                                    cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_PREPARED_LAUNCH_H_INCLUDED */
