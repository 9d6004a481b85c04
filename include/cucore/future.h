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
 * A future of all the work that is in a stream now. When that is complete, or has failed, one
 * completion with the token comes out of the queue, whether the future was released before or not;
 * none if this call fails. If a kernel has broken the context, the call succeeds and the future
 * has that fault as its outcome. Nothing is added to the stream but an event, and no function of
 * the caller is ever called.
 *
 * @param token  yours; comes back in the completion
 * @retval CUCORE_ERROR_INVALID_STATE  the queue is closed, or the stream is being captured
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_from_stream(const cucore_stream *stream,
                                                   cucore_queue *queue, uint64_t token,
                                                   cucore_future **out, cucore_error **error);

/** One more reference to a future; gives back its argument. @since 0.1 */
CUCORE_API cucore_future *cucore_future_retain(const cucore_future *future);

/** Gives one reference back. Its completion comes all the same: see cucore_future_detach().
 *  @since 0.1 */
CUCORE_API void cucore_future_release(cucore_future *future);

/** The token that it was made with. @since 0.1 */
CUCORE_API uint64_t cucore_future_token(const cucore_future *future);

/** Whether the work is complete: 1 or 0, at once; the driver is asked if need be.
 *  @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context; see cucore_future_error()
 *  @since 0.1 */
CUCORE_API cucore_status cucore_future_query(const cucore_future *future, int32_t *done,
                                             cucore_error **error);

/**
 * Waits until the work is complete, in any number of threads at once. Takes nothing out of the
 * queue.
 * @param timeout_ns  0 never waits, a negative number has no end
 * @retval CUCORE_ERROR_NOT_READY     the time is over
 * @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context; see cucore_future_error()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_wait(const cucore_future *future, int64_t timeout_ns,
                                            cucore_error **error);

/**
 * How the work ended, without asking the driver: CUCORE_OK, or why it failed.
 * @retval CUCORE_ERROR_NOT_READY      it has not ended, as far as is known
 * @retval CUCORE_ERROR_KERNEL_FAULT   a kernel broke the context; the message has the fault's text
 * @retval CUCORE_ERROR_INVALID_STATE  the context was reset, or the process is exiting
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_error(const cucore_future *future, cucore_error **error);

/**
 * Parts a future from its queue, for a waiter who does not wait any more. The work goes on, and the
 * future itself still completes.
 * @param detached  1: its completion will never come out of the queue; 0: it is in the queue, or
 *                  was taken out
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_detach(const cucore_future *future, int32_t *detached,
                                              cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_FUTURE_H_INCLUDED */
