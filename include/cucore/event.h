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

/** How to make an event; each field 0 or 1. */
typedef struct cucore_event_options {
  size_t  struct_size;   /**< sizeof(cucore_event_options) */
  int32_t timing;        /**< 1: cucore_event_elapsed() works; costs a little on each record */
  int32_t blocking_sync; /**< 1: synchronize sleeps instead of spinning */
  int32_t interprocess;  /**< 1: may be shared with other processes; not with timing */
  int32_t reserved;      /**< 0 */
} cucore_event_options;

#define CUCORE_EVENT_OPTIONS_INIT \
  { sizeof(cucore_event_options), 0, 0, 0, 0 }

/**
 * Makes an event on a device, not recorded yet. It is recorded later, on any stream of the
 * device, as often as wanted.
 * @param options  NULL for the defaults: no timing
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a field is neither 0 nor 1, or interprocess with timing
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_create(const cucore_device *device,
                                             const cucore_event_options *options,
                                             cucore_event **out, cucore_error **error);

/** One more reference to an event; gives back its argument. @since 0.1 */
CUCORE_API cucore_event *cucore_event_retain(const cucore_event *event);

/** Gives one reference back. @since 0.1 */
CUCORE_API void cucore_event_release(cucore_event *event);

/** The event's device, one more reference to it. @since 0.1 */
CUCORE_API cucore_status cucore_event_device(const cucore_event *event, cucore_device **out,
                                             cucore_error **error);

/** 1 if the event was made with timing. @since 0.1 */
CUCORE_API int32_t cucore_event_has_timing(const cucore_event *event);

/**
 * Records the event: it completes when everything now in the stream has. Recording again moves
 * the event.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  event and stream belong to different devices
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_record(cucore_event *event, const cucore_stream *stream,
                                             cucore_error **error);

/** Waits until the event is complete; an event never recorded is. @since 0.1 */
CUCORE_API cucore_status cucore_event_synchronize(const cucore_event *event, cucore_error **error);

/** Whether the event is complete: 1 or 0, at once; an event never recorded is. The query that first
 *  returns 1 writes what kernels have printed, as a wait does. @since 0.1 */
CUCORE_API cucore_status cucore_event_query(const cucore_event *event, int32_t *done,
                                            cucore_error **error);

/**
 * The time between two events, in milliseconds, with a resolution of about half a microsecond.
 * @retval CUCORE_ERROR_INVALID_STATE  one was made without timing, or was never recorded, or
 *                                     they belong to different devices: three messages
 * @retval CUCORE_ERROR_NOT_READY      one is not complete: synchronize it first
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_elapsed(const cucore_event *start, const cucore_event *end,
                                              float *milliseconds, cucore_error **error);

/** The CUevent. @since 0.1 */
CUCORE_API void *cucore_event_native(const cucore_event *event);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_EVENT_H_INCLUDED */
