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

/**
 * A function of the program that the driver calls between the work of a stream or of a graph.
 *
 * It runs on a thread of the driver and must not call this library, except for releases, and not
 * CUDA. Other work of the device may wait for its return.
 *
 * @param user_data  as given together with the function
 */
typedef void (*cucore_host_fn)(void *user_data);

/** The settings of a new stream. */
typedef struct cucore_stream_options {
  size_t        struct_size; /**< sizeof(cucore_stream_options) */
  cucore_toggle nonblocking; /**< OFF: ordered with the legacy default stream; default ON */
  int32_t       priority;    /**< one of cucore_device_stream_priorities(); 0, the least priority
                                  of today's drivers, is the default */
} cucore_stream_options;

#define CUCORE_STREAM_OPTIONS_INIT \
  { sizeof(cucore_stream_options), CUCORE_TOGGLE_DEFAULT, 0 }

/**
 * Creates a stream on a device.
 *
 * @param device   the device
 * @param options  NULL for the defaults
 * @param out      receives the stream
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  priority is outside the range, which the message contains
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_create(const cucore_device *device,
                                              const cucore_stream_options *options,
                                              cucore_stream **out, cucore_error **error);

/**
 * Wraps a CUstream of another owner. The library never destroys it, and it must outlive the
 * result.
 *
 * The stream must belong to the primary context of the device. NULL and the driver's special
 * values are the default streams.
 *
 * @param device  the device of the stream
 * @param native  the CUstream
 * @param out     receives the stream; each call returns a new object
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the stream belongs to another device or context
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_from_native(const cucore_device *device, void *native,
                                                   cucore_stream **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param stream  the stream; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_stream *cucore_stream_retain(const cucore_stream *stream);

/**
 * Removes a reference. With the last one a stream of cucore_stream_create() is destroyed, without a
 * wait. Work that is already in the stream goes on.
 *
 * @param stream  the stream; NULL is allowed. Buffers of the stream hold it longer
 * @since 0.1
 */
CUCORE_API void cucore_stream_release(cucore_stream *stream);

/**
 * Returns the stream's device with a new reference.
 *
 * @param stream  the stream
 * @param out     receives the device
 * @param error   NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_device(const cucore_stream *stream, cucore_device **out,
                                              cucore_error **error);

/**
 * Waits until all work in the stream is complete. This is one of the calls that report the fault
 * of a kernel, and that write the output of kernels.
 *
 * @param stream  the stream
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_synchronize(const cucore_stream *stream,
                                                   cucore_error **error);

/**
 * Returns at once whether all work in the stream is complete. The first query that returns 1
 * writes the output of kernels, as a wait does.
 *
 * @param stream  the stream
 * @param done    receives 1 or 0
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_query(const cucore_stream *stream, int32_t *done,
                                             cucore_error **error);

/**
 * Makes work that is added to the stream from now on wait for the event. The device waits; the
 * call returns at once.
 *
 * The most recent record of the event counts; a later one has no effect on this wait. An event that
 * was never recorded holds up nothing.
 *
 * @param stream  the stream whose later work waits
 * @param event   the event, also one of another device
 * @param error   NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_wait_event(const cucore_stream *stream,
                                                  const cucore_event *event, cucore_error **error);

/**
 * Makes work that is added to the stream from now on wait for the work that is in another stream
 * now. The device waits; the call returns at once.
 *
 * @param stream  the stream whose later work waits
 * @param other   the stream to wait for, also one of another device; nothing happens if it is
 *                the same stream
 * @param error   NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_wait_stream(const cucore_stream *stream,
                                                   const cucore_stream *other,
                                                   cucore_error **error);

/** How the L2 cache treats accesses. */
typedef enum cucore_access_property {
  CUCORE_ACCESS_PROPERTY_NORMAL = 0,     /**< as other accesses */
  CUCORE_ACCESS_PROPERTY_STREAMING = 1,  /**< evicted first */
  CUCORE_ACCESS_PROPERTY_PERSISTING = 2, /**< evicted last */
  CUCORE_ACCESS_PROPERTY_FORCE_INT32 = 0x7fffffff
} cucore_access_property;

/** A part of a buffer whose accesses the L2 cache treats in its own way. The driver keeps the
 *  addresses and not the buffer. */
typedef struct cucore_access_window {
  const cucore_buffer   *buffer;    /**< the buffer */
  size_t                 offset;    /**< in bytes */
  size_t                 size;      /**< in bytes, at least 1. The device has a limit, which the
                                         message of a refusal contains */
  float                  hit_ratio; /**< the part of the accesses that gets hit, 0 to 1; the others
                                         get miss */
  cucore_access_property hit;       /**< of that part */
  cucore_access_property miss;      /**< of the others: NORMAL or STREAMING */
  int32_t                reserved;  /**< 0 */
} cucore_access_window;

/**
 * Sets how the L2 cache treats the accesses of kernels that are launched on the stream from now on.
 * A launch may have a window of its own.
 *
 * @param stream  the stream
 * @param window  NULL: none; only read during the call
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a field is out of its range, or the buffer belongs to
 *                                        another device
 * @retval CUCORE_ERROR_INVALID_HANDLE    the buffer was released
 * @retval CUCORE_ERROR_UNSUPPORTED       the device has no such windows
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_set_access_window(const cucore_stream *stream,
                                                         const cucore_access_window *window,
                                                         cucore_error **error);

/**
 * Adds a function to the stream, which runs when the work before it is complete. The call returns
 * at once.
 *
 * The function runs once, or on a captured stream at each launch of the graph. It does not run after
 * a fault of a kernel. A thread of the library calls destroy once, after the function has run. The
 * function of a graph ends with the graph and all executables from it. A function that a fault kept
 * from running ends with the reset of the device. When the process exits, and in a forked process,
 * destroy is not called. It may release objects of this library and must not wait for work.
 *
 * @param stream     the stream
 * @param fn         the function
 * @param user_data  the argument of both functions
 * @param destroy    NULL, or ends user_data; if this call fails, it does so before it returns
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_UNSUPPORTED  the driver has no host functions
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_launch_host(const cucore_stream *stream, cucore_host_fn fn,
                                                   void *user_data, cucore_destroy_fn destroy,
                                                   cucore_error **error);

/**
 * Adds a function of another language to the stream. When the work before it is complete, a
 * completion with kind HOST arrives in the queue. The thread that takes it runs the function.
 *
 * With waits, work after it starts after cucore_queue_resume() with the ticket of the completion.
 * It also starts if the queue is closed, the process exits, or host_timeout_ms of the queue's
 * options have passed. The log reports the last case. On a captured stream a completion arrives at
 * each launch of the graph, each with a ticket of its own.
 *
 * @param stream  the stream, which holds the queue until then
 * @param queue   receives the completion; a closed queue receives nothing
 * @param token   for the completion, any number
 * @param waits   1: the stream waits until it is resumed; 0: it goes on at once, and ticket is 0
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the queue is closed
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_launch_host_queued(const cucore_stream *stream,
                                                          cucore_queue *queue, uint64_t token,
                                                          int32_t waits, cucore_error **error);

/** How a stream compares a word with a value. */
typedef enum cucore_comparison {
  CUCORE_COMPARISON_GREATER_EQUAL = 1, /**< the word minus the value, as a signed number, is not
                                            negative */
  CUCORE_COMPARISON_EQUAL = 2,   /**< they are equal */
  CUCORE_COMPARISON_ANY_BIT = 3, /**< they have a bit in common */
  CUCORE_COMPARISON_NOR = 4,     /**< one of their bits is 0 in both; not on every device */
  CUCORE_COMPARISON_FORCE_INT32 = 0x7fffffff
} cucore_comparison;

/**
 * Writes a word to a buffer when the work before it is complete. Other devices and the host see
 * that work before they see the word.
 *
 * @param stream  the stream, of the buffer's device
 * @param buffer  the buffer: pinned, or borrowed memory of the device. Drivers refuse memory
 *                of a pool, as that of cucore_buffer_create(), seen with CUDA 13.0
 * @param offset  of the word in bytes, a multiple of its size
 * @param value   the value
 * @param size    of the word: 4 or 8 bytes
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a number is out of its range, which the message contains,
 *         or the driver refuses the memory of a pool
 * @retval CUCORE_ERROR_UNSUPPORTED       the device does not write such words
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_write_value(const cucore_stream *stream,
                                                   cucore_buffer *buffer, size_t offset,
                                                   uint64_t value, size_t size,
                                                   cucore_error **error);

/**
 * Lets work that is added to the stream from now on wait until a word of a buffer has a value. The
 * device waits; the call returns at once. A kernel, another stream, another device or the host may
 * write the word.
 *
 * @param stream      the stream, of the buffer's device
 * @param buffer      the buffer: pinned, or borrowed memory of the device. Drivers refuse memory
 *                    of a pool, as that of cucore_buffer_create(), seen with CUDA 13.0
 * @param offset      of the word in bytes, a multiple of its size
 * @param value       the value
 * @param size        of the word: 4 or 8 bytes
 * @param comparison  of the word with the value
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a number is out of its range, which the message contains,
 *         or the driver refuses the memory of a pool
 * @retval CUCORE_ERROR_UNSUPPORTED       the device does not wait for such words
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_wait_value(const cucore_stream *stream,
                                                  const cucore_buffer *buffer, size_t offset,
                                                  uint64_t value, size_t size,
                                                  cucore_comparison comparison,
                                                  cucore_error **error);

/**
 * Returns the priority of a stream. A lower number goes first.
 *
 * @param stream  the stream; 0 for NULL, and for default streams
 * @since 0.1
 */
CUCORE_API int32_t cucore_stream_priority(const cucore_stream *stream);

/**
 * Returns 1 if the stream is not ordered with the legacy default stream.
 *
 * @param stream  the stream; 0 for NULL, and for default streams
 * @since 0.1
 */
CUCORE_API int32_t cucore_stream_is_nonblocking(const cucore_stream *stream);

/**
 * Returns 1 while the stream is captured into a graph. Work that a thread adds during the capture
 * becomes a node of the graph and runs when the graph is launched.
 *
 * The driver is queried only if the stream can be captured. That is the case after
 * cucore_stream_native() or a wait for such a stream. It is also the case for a CUstream of another
 * owner, and for the default stream of the thread.
 *
 * @param stream  the stream; 0 for NULL, for the legacy default stream, and after a reset
 * @since 0.2
 */
CUCORE_API int32_t cucore_stream_is_capturing(const cucore_stream *stream);

/**
 * Returns a number that all objects of one CUstream have in common, and no others in the process.
 * Unlike cucore_stream_native(), the call does not make launches slower.
 *
 * @param stream  the stream; 0 for NULL
 * @since 0.1
 */
CUCORE_API uint64_t cucore_stream_id(const cucore_stream *stream);

/**
 * Returns the CUstream, for other libraries. It lives as long as the stream object.
 *
 * The other library may capture the stream. Each launch on it therefore makes one more driver call
 * from then on, which queries the capture.
 *
 * @param stream  the stream; NULL for NULL
 * @since 0.1
 */
CUCORE_API void *cucore_stream_native(const cucore_stream *stream);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_STREAM_H_INCLUDED */
