/*
 * cucore/event.h - events: points in the work of a stream.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_EVENT_H_INCLUDED
#define CUCORE_EVENT_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The settings of a new event. */
typedef struct cucore_event_options {
  size_t  struct_size;   /**< sizeof(cucore_event_options) */
  int32_t timing;        /**< 1: cucore_event_elapsed() works; each record costs a little more */
  int32_t blocking_sync; /**< 1: cucore_event_synchronize() sleeps instead of spinning */
  int32_t interprocess;  /**< 1: its native handle may be exported; not with timing */
  int32_t reserved;      /**< 0 */
} cucore_event_options;

#define CUCORE_EVENT_OPTIONS_INIT \
  { sizeof(cucore_event_options), 0, 0, 0, 0 }

/**
 * Creates an event on a device, not recorded yet. It can be recorded any number of times, on any
 * stream of the device.
 *
 * @param device   the device
 * @param options  NULL for the defaults: no timing, waits spin
 * @param out      receives the event
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a field is neither 0 nor 1, or interprocess with timing
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_create(const cucore_device *device,
                                             const cucore_event_options *options,
                                             cucore_event **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param event  the event; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_event *cucore_event_retain(const cucore_event *event);

/**
 * Removes a reference. With the last one the event is destroyed, without a wait. Streams that wait
 * for it still do.
 *
 * @param event  the event; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_event_release(cucore_event *event);

/**
 * Returns the event's device with a new reference.
 *
 * @param event  the event
 * @param out    receives the device
 * @param error  NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_device(const cucore_event *event, cucore_device **out,
                                             cucore_error **error);

/**
 * Returns 1 if the event was created with timing.
 *
 * @param event  the event; 0 for NULL
 * @since 0.1
 */
CUCORE_API int32_t cucore_event_has_timing(const cucore_event *event);

/**
 * Returns 1 if waits for the event sleep instead of spinning.
 *
 * @param event  the event; 0 for NULL
 * @since 0.1
 */
CUCORE_API int32_t cucore_event_is_blocking_sync(const cucore_event *event);

/**
 * Records the event: it completes when all work that is in the stream now has completed. A second
 * record moves the event.
 *
 * @param event   the event
 * @param stream  a stream of the event's device
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  event and stream belong to different devices
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_record(cucore_event *event, const cucore_stream *stream,
                                             cucore_error **error);

/**
 * Waits until the event is complete. An event that was never recorded is complete.
 *
 * @param event  the event
 * @param error  NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_synchronize(const cucore_event *event, cucore_error **error);

/**
 * Returns at once whether the event is complete. An event that was never recorded is complete. The
 * first query that returns 1 writes the output of kernels, as a wait does.
 *
 * @param event  the event
 * @param done   receives 1 or 0
 * @param error  NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_query(const cucore_event *event, int32_t *done,
                                            cucore_error **error);

/**
 * Returns the time between two events, with a resolution of about half a microsecond.
 *
 * @param start         the first event
 * @param end           the second event, of the same device
 * @param milliseconds  receives the time
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  an event was created without timing, an event was never
 *                                     recorded, or they belong to different devices
 * @retval CUCORE_ERROR_NOT_READY      an event is not complete; synchronize it first
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_elapsed(const cucore_event *start, const cucore_event *end,
                                              float *milliseconds, cucore_error **error);

/**
 * Returns the CUevent, for other libraries. It lives as long as the event object.
 *
 * @param event  the event; NULL for NULL
 * @since 0.1
 */
CUCORE_API void *cucore_event_native(const cucore_event *event);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_EVENT_H_INCLUDED */
