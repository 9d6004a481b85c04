/*
 * cucore/executable.h - executables: graphs made ready to launch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_EXECUTABLE_H_INCLUDED
#define CUCORE_EXECUTABLE_H_INCLUDED

#include "graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The settings of a new executable. */
typedef struct cucore_executable_options {
  size_t  struct_size;    /**< sizeof(cucore_executable_options) */
  int32_t free_on_launch; /**< 1: a launch first frees what the previous one allocated and left */
  int32_t device_launch;  /**< 1: kernels may launch it; a CUDA 12.0 driver accepts kernels, copies,
                               fills and child graphs of one device only */
  int32_t node_priority;  /**< 1: kernels have the priority of their launch options; 0: the
                               stream's */
  int32_t reserved;       /**< 0 */
  const cucore_stream *upload; /**< NULL, or the stream in which the graph goes to the device now */
} cucore_executable_options;

#define CUCORE_EXECUTABLE_OPTIONS_INIT { sizeof(cucore_executable_options), 0, 0, 0, 0, NULL }

/**
 * Makes a graph ready to launch. The graph may be changed and released afterwards; the executable
 * does what the graph was at this call.
 *
 * @param graph    the graph
 * @param options  NULL for the defaults
 * @param out      receives the executable
 * @param error    NULL, or receives a new error on failure. The message names the node at fault
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the driver refuses a node, or an option is wrong
 * @retval CUCORE_ERROR_UNSUPPORTED       the driver does not support what a node does
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_create(const cucore_graph *graph,
                                                  const cucore_executable_options *options,
                                                  cucore_executable **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param executable  the executable; NULL is allowed
 * @since 0.2
 */
CUCORE_API cucore_executable *cucore_executable_retain(const cucore_executable *executable);

/**
 * Removes a reference and returns at once. Launches in flight go on. A thread of the library
 * destroys the executable, because the driver may wait for them. Without launches, the next
 * cucore_executable_create() may do so first, because it is faster then.
 *
 * @param executable  the executable; NULL is allowed
 * @since 0.2
 */
CUCORE_API void cucore_executable_release(cucore_executable *executable);

/**
 * Returns the device of the graph with a new reference.
 *
 * @param executable  the executable
 * @param out         receives the device
 * @param error       NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_device(const cucore_executable *executable,
                                                  cucore_device **out, cucore_error **error);

/**
 * Launches the whole graph in a stream, asynchronously, by one call of the driver. Two launches of
 * one executable run one after the other, also in different streams.
 *
 * A fault of a kernel is reported as for cucore_kernel_launch().
 *
 * @param executable  the executable
 * @param stream      the stream, also one of another device
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the stream is captured, or a reset lost it or the graph
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_launch(const cucore_executable *executable,
                                                  const cucore_stream *stream,
                                                  cucore_error **error);

/**
 * Sends the executable to the device in a stream, so that its first launch does not have to.
 *
 * @param executable  the executable
 * @param stream      the stream
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the stream is captured, or a reset lost it or the graph
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_upload(const cucore_executable *executable,
                                                  const cucore_stream *stream,
                                                  cucore_error **error);

/**
 * Gives the work of a graph to the executable, for later launches. The graph needs as many nodes as
 * the graph of the executable, of the same kinds, with the same edges, added in the same order. The
 * update also replaces earlier changes of single nodes. After a failure, nothing has changed.
 * Launches in flight go on as they began.
 *
 * @param executable  the executable
 * @param graph       the graph
 * @param culprit     NULL, or receives the node of the graph that the driver refuses, 0 for none
 * @param error       NULL, or receives a new error on failure. The message has the driver's reason
 *                    and the node with its kind and label
 * @retval CUCORE_ERROR_NOT_UPDATABLE  the graphs differ in more than an executable can change: make
 *                                     a new one
 * @retval CUCORE_ERROR_INVALID_STATE  a graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_update(cucore_executable *executable,
                                                  const cucore_graph *graph, cucore_node *culprit,
                                                  cucore_error **error);

/**
 * Changes the launch of a kernel node as cucore_graph_set_kernel() does, but not the attributes
 * among the options: cluster, cooperative and priority. The change is for later launches of this
 * executable alone. After a failure, nothing has changed.
 *
 * @param executable  the executable
 * @param node        a node of kind KERNEL of the graph that it was made from
 * @param kernel      NULL for the kernel before, or the kernel
 * @param options     NULL for the options before, or all options
 * @param arguments   NULL for the values before, or one per parameter, in order
 * @param count       of arguments
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_graph_set_kernel()
 * @retval CUCORE_ERROR_INVALID_HANDLE    an argument is a buffer that was released
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_kernel_launch()
 * @retval CUCORE_ERROR_NOT_UPDATABLE     the executable cannot take the change
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed from the graph, or the graph did not
 *                                        have it when the executable was made
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_set_kernel(cucore_executable *executable,
                                                      cucore_node node,
                                                      const cucore_kernel *kernel,
                                                      const cucore_launch_options *options,
                                                      const cucore_argument *arguments,
                                                      size_t count, cucore_error **error);

/**
 * Changes the buffers and the size of a copy as cucore_graph_set_copy() does. The change is for
 * later launches of this executable alone. After a failure, the executable is as before.
 *
 * @param executable  the executable
 * @param node                a node of kind COPY of the graph that it was made from
 * @param destination         the buffer that is written, on the device of the one before
 * @param destination_offset  in bytes
 * @param source              the buffer that is read, on the device of the one before
 * @param source_offset       in bytes
 * @param size                in bytes, at least 1
 * @param error               NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_graph_set_copy()
 * @retval CUCORE_ERROR_NOT_UPDATABLE     the executable cannot take the change
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed from the graph, or the graph did not
 *                                        have it when the executable was made
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_graph_set_copy()
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_set_copy(cucore_executable *executable,
                                                    cucore_node node, cucore_buffer *destination,
                                                    size_t destination_offset,
                                                    const cucore_buffer *source,
                                                    size_t source_offset, size_t size,
                                                    cucore_error **error);

/**
 * Gives a copy the boxes and the extent of another for later launches of this executable. Drivers
 * accept only copies of one row, before and after. NVIDIA's driver 580 also refuses other extents
 * in cucore_executable_update(); then make a new executable. After a failure, the executable is as
 * before.
 *
 * @param executable   the executable
 * @param node         a node of kind COPY of the graph that it was made from
 * @param destination  the box that is written
 * @param source       the box that is read; one of the two has a buffer
 * @param width        bytes of a row, at least 1
 * @param height       rows of a slice, at least 1
 * @param depth        slices, at least 1
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_graph_add_copy_box(), or the node has another
 *                                        kind
 * @retval CUCORE_ERROR_ABI_MISMATCH      a struct_size is unknown
 * @retval CUCORE_ERROR_NOT_UPDATABLE     the executable cannot take the change
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed from the graph, or the graph did not
 *                                        have it when the executable was made
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_graph_set_copy()
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_set_copy_box(cucore_executable *executable,
                                                        cucore_node node,
                                                        const cucore_box *destination,
                                                        const cucore_box *source, size_t width,
                                                        size_t height, size_t depth,
                                                        cucore_error **error);

/**
 * Changes the range and the pattern of a fill as cucore_graph_set_fill() does. The change is for
 * later launches of this executable alone. After a failure, nothing has changed.
 *
 * @param executable  the executable
 * @param node          a node of kind FILL of the graph that it was made from
 * @param buffer        the buffer, on the device of the one before
 * @param offset        in bytes, a multiple of pattern_size
 * @param size          in bytes, a multiple of pattern_size, at least 1
 * @param pattern       the bytes to repeat, copied
 * @param pattern_size  1, 2, 4 or 8
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_graph_add_fill(), or the node has another kind
 * @retval CUCORE_ERROR_NOT_UPDATABLE     the executable cannot take the change
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed from the graph, or the graph did not
 *                                        have it when the executable was made
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_set_fill(cucore_executable *executable,
                                                    cucore_node node, cucore_buffer *buffer,
                                                    size_t offset, size_t size,
                                                    const void *pattern, size_t pattern_size,
                                                    cucore_error **error);

/**
 * Changes the function and the data of a node that calls a function. The change is for later
 * launches of this executable alone. After a failure, nothing has changed.
 *
 * @param executable  the executable
 * @param node        a node of kind HOST of the graph that it was made from
 * @param fn          the function
 * @param user_data   passed to it
 * @param destroy     NULL, or ends user_data when nothing can call the function any more. It runs
 *                    on any thread and must not call CUDA
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind
 * @retval CUCORE_ERROR_NOT_UPDATABLE     the executable cannot take the change
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed from the graph, or the graph did not
 *                                        have it when the executable was made
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_set_host(cucore_executable *executable,
                                                    cucore_node node, cucore_host_fn fn,
                                                    void *user_data, cucore_destroy_fn destroy,
                                                    cucore_error **error);

/**
 * Changes the event of a node that records it or waits for it. The change is for later launches of
 * this executable alone. After a failure, nothing has changed.
 *
 * @param executable  the executable
 * @param node        a node of kind RECORD or WAIT of the graph that it was made from
 * @param event       the event
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind
 * @retval CUCORE_ERROR_NOT_UPDATABLE     the executable cannot take the change
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed from the graph, or the graph did not
 *                                        have it when the executable was made
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_set_event(cucore_executable *executable,
                                                     cucore_node node, cucore_event *event,
                                                     cucore_error **error);

/**
 * Changes the semaphore and the value of a node as cucore_graph_set_semaphore() does. The change is
 * for later launches of this executable alone. After a failure, nothing has changed.
 *
 * @param executable  the executable
 * @param node        a node of kind SEMAPHORE_SIGNAL or SEMAPHORE_WAIT of the graph that it was made
 *                    from
 * @param semaphore   the semaphore
 * @param value       the number of a timeline; a binary semaphore ignores it
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind
 * @retval CUCORE_ERROR_NOT_UPDATABLE     the executable cannot take the change
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed from the graph, or the graph did not
 *                                        have it when the executable was made
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_set_semaphore(cucore_executable *executable,
                                                         cucore_node node,
                                                         const cucore_external *semaphore,
                                                         uint64_t value, cucore_error **error);

/**
 * Gives the work of another graph, which has the same shape, to a child node. The change is for
 * later launches of this executable alone. After a failure, nothing has changed.
 *
 * @param executable  the executable
 * @param node        a node of kind CHILD of the graph that it was made from
 * @param child       the other graph in its present state
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind
 * @retval CUCORE_ERROR_NOT_UPDATABLE     the executable cannot take the change
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed from the graph, or the graph did not
 *                                        have it when the executable was made
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_set_child(cucore_executable *executable,
                                                     cucore_node node, const cucore_graph *child,
                                                     cucore_error **error);

/**
 * Leaves a node out of later launches, or takes it in again. The nodes after it begin as if it had
 * ended at once.
 *
 * @param executable  the executable
 * @param node        a node of kind KERNEL, COPY or FILL of the graph that it was made from
 * @param enabled     0: leave it out; 1: take it in
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind, or fills with a pattern of 8
 *                                        bytes whose halves differ
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed from the graph, or the graph did not
 *                                        have it when the executable was made
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_set_enabled(cucore_executable *executable,
                                                       cucore_node node, int32_t enabled,
                                                       cucore_error **error);

/**
 * Returns whether launches do the work of a node.
 *
 * @param executable  the executable
 * @param node        as for cucore_executable_set_enabled()
 * @param out         receives 1 if they do, else 0
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as for cucore_executable_set_enabled()
 * @retval CUCORE_ERROR_NOT_FOUND         as for cucore_executable_set_enabled()
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_is_enabled(const cucore_executable *executable,
                                                      cucore_node node, int32_t *out,
                                                      cucore_error **error);

/**
 * Returns the CUgraphExec, for other libraries. It lives as long as the executable. libcucore does
 * not see launches by other code: change or release the executable when none of them runs.
 *
 * @param executable  the executable; NULL for NULL
 * @since 0.2
 */
CUCORE_API void *cucore_executable_native(const cucore_executable *executable);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_EXECUTABLE_H_INCLUDED */
