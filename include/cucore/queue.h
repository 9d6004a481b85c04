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

/** The pace of the polling for the end of work. A GPU wakes no thread when it has finished, so one
 *  thread per device polls while futures are pending. The two settings trade latency for CPU time.
 *  If several queues have pending futures on one device, the largest spin_ns and the smallest
 *  sweep_ns apply. */
typedef struct cucore_queue_options {
  size_t  struct_size; /**< sizeof(cucore_queue_options) */
  int64_t spin_ns;     /**< time of polls without a pause, after the last future was made or
                            completed. Waiters spin as long before they sleep. 0: 50 000. At most
                            1 000 000 000; -1 disables it */
  int64_t sweep_ns;    /**< interval of the polls after that, 1 000 to 1 000 000 000; 0: 20 000 */
  int32_t host_timeout_ms; /**< how long a host function waits for cucore_queue_resume(), up to
                                2 147 483 647; 0: 60 000. Then its stream goes on */
  int32_t reserved;        /**< 0 */
} cucore_queue_options;

#define CUCORE_QUEUE_OPTIONS_INIT \
  { sizeof(cucore_queue_options), 0, 0, 0, 0 }

/** A kind of completion. */
typedef enum cucore_completion_kind {
  CUCORE_COMPLETION_KIND_FUTURE = 0, /**< the end of work: see cucore_future_from_stream() */
  CUCORE_COMPLETION_KIND_HOST = 1,   /**< a host function: see cucore_stream_launch_host_queued() */
  CUCORE_COMPLETION_KIND_FORCE_INT32 = 0x7fffffff
} cucore_completion_kind;

/** One completion of a queue. The struct has 32 bytes and never grows. */
typedef struct cucore_completion {
  uint64_t      token;  /**< as given to cucore_future_from_stream(), or for the host function */
  cucore_status status; /**< CUCORE_OK, or the failure of the work: see cucore_future_error() */
  cucore_completion_kind kind; /**< the kind */
  uint64_t      ticket;      /**< of a host function that waits: for cucore_queue_resume(). Else 0 */
  uint32_t      reserved[2]; /**< 0 */
} cucore_completion;

/** The state of a queue. */
typedef struct cucore_queue_info {
  size_t   struct_size; /**< set by the caller: sizeof(cucore_queue_info) */
  uint64_t pending;     /**< futures whose work is not complete, detached ones included */
  uint64_t waiting;     /**< completions that no thread has taken yet */
  uint64_t completed;   /**< completions that ever came to the queue */
  uint64_t cpu_ns;      /**< CPU time of the polling, for all queues of the process */
  int32_t  is_closed;   /**< 1 after cucore_queue_close() */
  int32_t  reserved;    /**< 0 */
} cucore_queue_info;

#define CUCORE_QUEUE_INFO_INIT \
  { sizeof(cucore_queue_info), 0, 0, 0, 0, 0, 0 }

/**
 * Creates a queue. Futures of any stream of any device may complete into it, and any number of
 * threads may take completions from it. Each completion is taken once, those of one stream in the
 * stream's order.
 *
 * @param options  NULL for the defaults
 * @param out      receives the queue
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a field is out of its range
 * @retval CUCORE_ERROR_IO                the process has no file descriptor left
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_create(const cucore_queue_options *options,
                                             cucore_queue **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param queue  the queue; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_queue *cucore_queue_retain(const cucore_queue *queue);

/**
 * Removes a reference. With the last one, completions that were not taken are dropped. Pending
 * futures still complete, and hold the descriptor until then.
 *
 * @param queue  the queue; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_queue_release(cucore_queue *queue);

/**
 * Returns a file descriptor for poll, epoll and event loops. It is readable while the queue has a
 * completion, and after the queue is closed.
 *
 * The descriptor belongs to the queue: never read, write or close it.
 *
 * @param queue  the queue; -1 for NULL
 * @since 0.1
 */
CUCORE_API int32_t cucore_queue_descriptor(const cucore_queue *queue);

/**
 * Waits for a completion and takes as many as the queue has, up to capacity, oldest first. The end
 * of the timeout is not a failure: *count is 0.
 *
 * @param queue       the queue
 * @param timeout_ns  0 never waits; a negative number has no limit
 * @param out         an array of `capacity` elements; NULL only with capacity 0
 * @param capacity    elements that `out` can hold; with 0 the call waits and takes nothing
 * @param count       receives the number of completions that were taken
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the queue was closed and is empty, or the process is exiting
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_wait(const cucore_queue *queue, int64_t timeout_ns,
                                           cucore_completion *out, size_t capacity, size_t *count,
                                           cucore_error **error);

/**
 * Lets the stream or graph go on that waits for a host function of the queue. Call it when the
 * function has run, also if it has failed.
 *
 * @param queue   the queue of cucore_stream_launch_host_queued()
 * @param ticket  of the completion
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND  no host function waits with the ticket. It was resumed, or its
 *                                 time limit is over, or the queue was closed
 * @since 0.2
 */
CUCORE_API cucore_status cucore_queue_resume(cucore_queue *queue, uint64_t ticket,
                                             cucore_error **error);

/**
 * Closes a queue and wakes all threads that wait for it. Completions in the queue can still be
 * taken; then cucore_queue_wait() is CUCORE_ERROR_INVALID_STATE.
 *
 * No further completion arrives, and no future can be made for the queue. Pending futures still
 * complete. Host functions that wait go on, and later ones do not wait. A second close does nothing.
 *
 * @param queue  the queue
 * @param error  NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_close(cucore_queue *queue, cucore_error **error);

/**
 * Returns the counts of a queue and the CPU time of the polling.
 *
 * @param queue  the queue
 * @param out    receives the counts; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_query(const cucore_queue *queue, cucore_queue_info *out,
                                            cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_QUEUE_H_INCLUDED */
