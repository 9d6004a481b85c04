/*
 * cucore/capture.h - captures: streams whose work becomes nodes of a graph.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Between cucore_stream_begin_capture() and cucore_stream_end_capture(), work that is added to a
 * stream does not run. It becomes nodes of a graph, and runs at each launch of the graph.
 *
 * Another stream joins the capture when it waits for a captured one, with
 * cucore_stream_wait_stream() or cucore_stream_wait_event(). That is a fork. The first stream must
 * wait for the fork before the end; that is a join. Everything that adds work to a stream works in
 * a capture without a change:
 *
 * - Launches, copies and fills keep the code and the buffers that they use, as nodes do that are
 *   added by hand. They may be released at once.
 * - A write keeps a pinned copy of its bytes.
 * - cucore_buffer_create() and cucore_buffer_from_pool() add a node that allocates. A release of
 *   such a buffer during the capture adds a node that frees, at the present end of its stream. A
 *   stream that uses the buffer must be joined before. Memory that is not released during the
 *   capture stays allocated after a launch; cucore_executable_options.free_on_launch frees it at
 *   the next one.
 *
 * These calls fail with CUCORE_ERROR_INVALID_STATE, and the capture goes on:
 *
 * - for the stream: a wait, a query, a read, a future, a launch or an upload of an executable,
 * - a wait for its device, and a reset of the device,
 * - a wait for an event whose last record was in a capture, and a query of it,
 * - a wait of the stream for work outside the capture.
 */
#ifndef CUCORE_CAPTURE_H_INCLUDED
#define CUCORE_CAPTURE_H_INCLUDED

#include "graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which calls of other code the driver forbids during a capture. Such a call fails and breaks it.
 * Of this library, work in the legacy stream can. So can a query, a wait for a device, and a release
 * that waits for one, at the instant of the begin. */
typedef enum cucore_capture_mode {
  CUCORE_CAPTURE_MODE_RELAXED = 0, /**< none; the capture may end on any thread */
  CUCORE_CAPTURE_MODE_THREAD = 1,  /**< those of the thread that began the capture */
  CUCORE_CAPTURE_MODE_PROCESS = 2, /**< those of all threads */
  CUCORE_CAPTURE_MODE_FORCE_INT32 = 0x7fffffff
} cucore_capture_mode;

/** The settings of a capture. */
typedef struct cucore_capture_options {
  size_t              struct_size; /**< sizeof(cucore_capture_options) */
  cucore_capture_mode mode;        /**< default RELAXED */
  int32_t             reserved;    /**< 0 */
  cucore_graph       *into;        /**< the graph that gets the nodes, or NULL for a new one */
  const cucore_node  *after;       /**< nodes of into that the first work comes after, or NULL */
  size_t              after_count; /**< of after; 0: the first work begins with the graph */
} cucore_capture_options;

#define CUCORE_CAPTURE_OPTIONS_INIT \
  { sizeof(cucore_capture_options), CUCORE_CAPTURE_MODE_RELAXED, 0, NULL, NULL, 0 }

/**
 * Begins a capture. The release of the last reference to the stream ends it, and nothing of it is
 * kept; the log contains that.
 *
 * A launch on a fork makes one more driver call; on other streams, see cucore_stream_native().
 *
 * @param stream   the stream; not the legacy default stream
 * @param options  NULL for the defaults
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE     the stream is captured already
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the stream cannot be captured, or an option is wrong
 * @retval CUCORE_ERROR_NOT_FOUND         after has a node that is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED       into needs a driver of CUDA 12.3
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_begin_capture(const cucore_stream *stream,
                                                     const cucore_capture_options *options,
                                                     cucore_error **error);

/**
 * Ends the capture of a stream and returns its graph. Work that is added afterwards runs as before.
 *
 * A capture that other code has begun with the driver may also end here. No other thread may add work
 * to the captured streams during the call: drivers of NVIDIA up to 13.0 can crash then. If they do not,
 * the work is a node, runs after the capture, or fails with CUCORE_ERROR_INVALID_STATE.
 *
 * @param stream  the stream in which the capture began
 * @param out     receives the graph: that of the option into, else a new one
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the stream is not captured, or was forked into the capture,
 *                                     or the mode is not RELAXED and another thread began. Forks
 *                                     that are not joined, and calls that broke the capture, end it
 *                                     without a graph. The message contains such a call if it was
 *                                     one of this library
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_end_capture(const cucore_stream *stream, cucore_graph **out,
                                                   cucore_error **error);

/**
 * Returns the graph of a capture under way, for nodes that are added by hand before its end. It cannot
 * be cloned, lose nodes or be made ready to launch before the end. If the capture fails, the graph
 * is lost with it, unless it is that of the option into.
 *
 * @param stream  a captured stream, also a fork
 * @param out     receives the graph, which cucore_stream_end_capture() will return
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the stream is not captured, the capture is broken, or other
 *                                     code has begun it
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_capture_graph(const cucore_stream *stream,
                                                     cucore_graph **out, cucore_error **error);

/**
 * Returns the nodes that the next work of a captured stream will come after.
 *
 * @param stream    a captured stream, also a fork
 * @param nodes     receives the nodes; NULL: only the count is needed
 * @param capacity  of nodes
 * @param count     receives the number of nodes
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than the count
 * @retval CUCORE_ERROR_INVALID_STATE     as for cucore_stream_capture_graph()
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_capture_nodes(const cucore_stream *stream,
                                                     cucore_node *nodes, size_t capacity,
                                                     size_t *count, cucore_error **error);

/**
 * Replaces the nodes that the next work of a captured stream will come after.
 *
 * @param stream  a captured stream, also a fork
 * @param nodes   nodes of the graph of the capture; NULL if count is 0
 * @param count   of nodes; 0: the next work begins with the graph
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND      a node is not in the graph of the capture
 * @retval CUCORE_ERROR_INVALID_STATE  as for cucore_stream_capture_graph()
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_set_capture_nodes(const cucore_stream *stream,
                                                         const cucore_node *nodes, size_t count,
                                                         cucore_error **error);

/**
 * Adds a node that records an event at each launch. cucore_event_record() in a capture instead marks
 * a place in the capture, for forks and joins.
 *
 * @param event   the event, which the graph keeps
 * @param stream  a captured stream of the event's device
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE     the stream is not captured
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  event and stream belong to different devices
 * @since 0.2
 */
CUCORE_API cucore_status cucore_event_record_in_graph(cucore_event *event,
                                                      const cucore_stream *stream,
                                                      cucore_error **error);

/**
 * Adds a node that waits for an event at each launch. The most recent record at that time counts.
 *
 * @param stream  a captured stream
 * @param event   the event, which the graph keeps
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the stream is not captured
 * @since 0.2
 */
CUCORE_API cucore_status cucore_stream_wait_in_graph(const cucore_stream *stream,
                                                     const cucore_event *event,
                                                     cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_CAPTURE_H_INCLUDED */
