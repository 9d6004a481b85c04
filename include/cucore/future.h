/*
 * cucore/future.h - futures: the end of the work that is in a stream.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_FUTURE_H_INCLUDED
#define CUCORE_FUTURE_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates a future of all work that is in a stream now. When that work is complete, or has failed,
 * one completion with the token arrives in the queue.
 *
 * The completion arrives whether the future was released before or not. If this call fails, none
 * arrives. If a kernel has broken the context, the call succeeds and the future has that fault as
 * its outcome. The call adds only an event to the stream, and the library calls no function of the
 * caller.
 *
 * @param stream  the stream; work that is added later does not count
 * @param queue   the queue, which the future holds until it ends
 * @param token   any number, which the completion contains
 * @param out     receives the future
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the queue is closed, or the stream is being captured
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_from_stream(const cucore_stream *stream,
                                                   cucore_queue *queue, uint64_t token,
                                                   cucore_future **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param future  the future; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_future *cucore_future_retain(const cucore_future *future);

/**
 * Removes a reference. The completion still arrives: see cucore_future_detach().
 *
 * @param future  the future; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_future_release(cucore_future *future);

/**
 * Returns the token that was given at the creation.
 *
 * @param future  the future; 0 for NULL
 * @since 0.1
 */
CUCORE_API uint64_t cucore_future_token(const cucore_future *future);

/**
 * Returns at once whether the work is complete. The driver is queried if the end is not known yet.
 *
 * @param future  the future
 * @param done    receives 1 or 0
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context; see cucore_future_error()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_query(const cucore_future *future, int32_t *done,
                                             cucore_error **error);

/**
 * Waits until the work is complete, in any number of threads at once. The completion stays in the
 * queue.
 *
 * @param future      the future
 * @param timeout_ns  0 never waits; a negative number has no limit
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_READY     the timeout has ended
 * @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context; see cucore_future_error()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_wait(const cucore_future *future, int64_t timeout_ns,
                                            cucore_error **error);

/**
 * Returns the outcome of the work without a query of the driver: CUCORE_OK, or the reason of its
 * failure. If a thread has the completion, the outcome is known.
 *
 * @param future  the future
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_READY      the end of the work is not known yet
 * @retval CUCORE_ERROR_KERNEL_FAULT   a kernel broke the context; the message has the fault's text
 * @retval CUCORE_ERROR_INVALID_STATE  the context was reset, or the process is exiting
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_error(const cucore_future *future, cucore_error **error);

/**
 * Separates a future from its queue, for a program that no longer awaits it. The work goes on, and
 * the future itself still completes.
 *
 * @param future    the future
 * @param detached  receives 1 if its completion never arrives, also at a second call. It receives 0
 *                  if the completion is in the queue already or was taken
 * @param error     NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_detach(const cucore_future *future, int32_t *detached,
                                              cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_FUTURE_H_INCLUDED */
