/*
 * cucore/stream.h - streams: work that a device executes in order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_STREAM_H_INCLUDED
#define CUCORE_STREAM_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How to make a stream. */
typedef struct cucore_stream_options {
  size_t        struct_size; /**< sizeof(cucore_stream_options) */
  cucore_toggle nonblocking; /**< OFF: synchronises with the legacy default stream; default ON */
  int32_t       priority;    /**< see cucore_device_stream_priorities(); 0 is the default */
} cucore_stream_options;

#define CUCORE_STREAM_OPTIONS_INIT \
  { sizeof(cucore_stream_options), CUCORE_TOGGLE_DEFAULT, 0 }

/**
 * Makes a stream on a device.
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  priority is out of the range that the message gives
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_create(const cucore_device *device,
                                              const cucore_stream_options *options,
                                              cucore_stream **out, cucore_error **error);

/**
 * Wraps a CUstream that somebody else made; it is borrowed, never destroyed, and must outlive
 * the result. NULL and the driver's special values mean the default streams.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the stream belongs to another device or context
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_from_native(const cucore_device *device, void *native,
                                                   cucore_stream **out, cucore_error **error);

/** One more reference to a stream; gives back its argument. @since 0.1 */
CUCORE_API cucore_stream *cucore_stream_retain(const cucore_stream *stream);

/** Gives one reference back. Work already in the stream goes on. @since 0.1 */
CUCORE_API void cucore_stream_release(cucore_stream *stream);

/** The stream's device, one more reference to it. @since 0.1 */
CUCORE_API cucore_status cucore_stream_device(const cucore_stream *stream, cucore_device **out,
                                              cucore_error **error);

/** Waits until all work in the stream is complete.
 *  @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context @since 0.1 */
CUCORE_API cucore_status cucore_stream_synchronize(const cucore_stream *stream,
                                                   cucore_error **error);

/** Whether all work in the stream is complete: 1 or 0, at once. The query that first returns 1
 *  writes what kernels have printed, as a wait does.
 *  @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context @since 0.1 */
CUCORE_API cucore_status cucore_stream_query(const cucore_stream *stream, int32_t *done,
                                             cucore_error **error);

/** Work added to the stream from now on waits for the event as it is recorded now; an event
 *  never recorded is waited for by nobody. @since 0.1 */
CUCORE_API cucore_status cucore_stream_wait_event(const cucore_stream *stream,
                                                  const cucore_event *event, cucore_error **error);

/** Work added to the stream from now on waits for what is in other now. @since 0.1 */
CUCORE_API cucore_status cucore_stream_wait_stream(const cucore_stream *stream,
                                                   const cucore_stream *other,
                                                   cucore_error **error);

/** The CUstream. @since 0.1 */
CUCORE_API void *cucore_stream_native(const cucore_stream *stream);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_STREAM_H_INCLUDED */
