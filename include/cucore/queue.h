/*
 * cucore/queue.h - queues, from which a program takes completions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_QUEUE_H_INCLUDED
#define CUCORE_QUEUE_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How eagerly the end of the work is looked for: nothing wakes a thread when a GPU has finished,
 *  so one thread a device asks, while futures are pending and never else. Time against CPU use. */
typedef struct cucore_queue_options {
  size_t  struct_size; /**< sizeof(cucore_queue_options) */
  int64_t spin_ns;     /**< asks without a pause for so long after the last future made or
                            completed, and waiters spin as long before they sleep; 0: 50 000;
                            -1: never; at most 1 000 000 000 */
  int64_t sweep_ns;    /**< then asks once in so long; 0: 20 000; 1 000 to 1 000 000 000 */
} cucore_queue_options;

#define CUCORE_QUEUE_OPTIONS_INIT \
  { sizeof(cucore_queue_options), 0, 0 }

/** What comes out of a queue: 32 bytes, for ever. */
typedef struct cucore_completion {
  uint64_t      token;  /**< as given to cucore_future_from_stream() */
  cucore_status status; /**< CUCORE_OK, or how the work failed: see cucore_future_error() */
  uint32_t      reserved[5];
} cucore_completion;

/** What cucore_queue_query() tells. */
typedef struct cucore_queue_info {
  size_t   struct_size; /**< set by you: sizeof(cucore_queue_info) */
  uint64_t pending;     /**< futures whose work is not complete, detached ones too */
  uint64_t waiting;     /**< completions that nobody has taken yet */
  uint64_t completed;   /**< completions that ever came to the queue */
  uint64_t cpu_ns;      /**< CPU time that asking has cost, for all queues of the process */
  int32_t  is_closed;   /**< 1 after cucore_queue_close() */
  int32_t  reserved;
} cucore_queue_info;

#define CUCORE_QUEUE_INFO_INIT \
  { sizeof(cucore_queue_info), 0, 0, 0, 0, 0, 0 }

/**
 * Makes a queue. Futures of any stream of any device may complete into it, and any number of
 * threads may take completions out: each comes out once, those of a stream in the stream's order.
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a field is out of its range
 * @retval CUCORE_ERROR_IO                the process has no file descriptor left
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_create(const cucore_queue_options *options,
                                             cucore_queue **out, cucore_error **error);

/** One more reference to a queue; gives back its argument. @since 0.1 */
CUCORE_API cucore_queue *cucore_queue_retain(const cucore_queue *queue);

/** Gives one reference back. With the last one, completions that were not taken are dropped;
 *  futures still pending complete by themselves. @since 0.1 */
CUCORE_API void cucore_queue_release(cucore_queue *queue);

/** A file descriptor that is readable while a completion waits, and once the queue is closed: for
 *  poll, epoll and event loops. It belongs to the queue: never read, write or close it. -1 for
 *  NULL and dead handles. @since 0.1 */
CUCORE_API int32_t cucore_queue_descriptor(const cucore_queue *queue);

/**
 * Waits until a completion is there, and takes as many as are, up to capacity, oldest first.
 * That the time is over is no failure: *count is 0.
 *
 * @param timeout_ns  0 never waits, a negative number has no end
 * @param out         NULL only with a capacity of 0: then nothing is taken
 * @param count       how many were taken
 * @retval CUCORE_ERROR_INVALID_STATE  the queue was closed and is empty, or the process is exiting
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_wait(const cucore_queue *queue, int64_t timeout_ns,
                                           cucore_completion *out, size_t capacity, size_t *count,
                                           cucore_error **error);

/**
 * Ends a queue for all who wait: what is in it can still be taken, nothing more comes in, and then
 * cucore_queue_wait() is INVALID_STATE. Futures that are pending complete by themselves. Closing
 * again does nothing.
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_close(cucore_queue *queue, cucore_error **error);

/**
 * Tells how much a queue holds, and what asking for it costs.
 * @param out  filled in; struct_size must be set
 * @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_query(const cucore_queue *queue, cucore_queue_info *out,
                                            cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_QUEUE_H_INCLUDED */
