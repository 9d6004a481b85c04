/*
 * cucore/graph.h - graphs: work and its order, to be run many times.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A graph is made of nodes, each of which does one piece of work, and of edges, which are its
 * order. An executable is a graph made ready to launch: see cucore/executable.h.
 *
 * A node is a number, not an object. No other node of the process has it, and it is never used
 * again. A clone of a graph has the same numbers.
 *
 * Nodes keep the objects that they use: the code of a kernel, buffers, events, and data of host
 * functions. An object lives as long as the graph, each executable that was made with it, and each
 * launch in flight. Launches of an executable are waited for on a thread of the library, which then
 * drops what they used.
 *
 * Any number of threads may use a graph at once. One call at a time reads or changes it.
 */
#ifndef CUCORE_GRAPH_H_INCLUDED
#define CUCORE_GRAPH_H_INCLUDED

#include "buffer.h"
#include "external.h"
#include "launch.h"
#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A node of a graph, and of what was made from the graph. 0 is not a node. */
typedef uint64_t cucore_node;

/** The work of a node. */
typedef enum cucore_node_kind {
  CUCORE_NODE_KIND_UNKNOWN = 0, /**< work that other code has added, and that is none of these */
  CUCORE_NODE_KIND_KERNEL = 1,  /**< launches a kernel */
  CUCORE_NODE_KIND_COPY = 2,    /**< copies bytes */
  CUCORE_NODE_KIND_FILL = 3,    /**< repeats a pattern */
  CUCORE_NODE_KIND_HOST = 4,    /**< calls a function of the program */
  CUCORE_NODE_KIND_RECORD = 5,  /**< records an event */
  CUCORE_NODE_KIND_WAIT = 6,    /**< waits for an event */
  CUCORE_NODE_KIND_EMPTY = 7,   /**< only joins and forks edges */
  CUCORE_NODE_KIND_CHILD = 8,   /**< runs a copy of another graph */
  CUCORE_NODE_KIND_CONDITIONAL = 9, /**< runs one of its graphs, or none */
  CUCORE_NODE_KIND_ALLOCATION = 10, /**< allocates memory */
  CUCORE_NODE_KIND_FREE = 11,       /**< frees memory */
  CUCORE_NODE_KIND_VALUE = 12,      /**< writes a word, or waits for one */
  CUCORE_NODE_KIND_SEMAPHORE_SIGNAL = 13, /**< signals a semaphore of another library */
  CUCORE_NODE_KIND_SEMAPHORE_WAIT = 14,   /**< waits for a semaphore of another library */
  CUCORE_NODE_KIND_FORCE_INT32 = 0x7fffffff
} cucore_node_kind;

/** The way in which a condition decides a conditional node. */
typedef enum cucore_conditional {
  CUCORE_CONDITIONAL_IF = 0,     /**< runs body 0 unless the condition is 0, then body 1 if any */
  CUCORE_CONDITIONAL_WHILE = 1,  /**< runs body 0 again and again until the condition is 0 */
  CUCORE_CONDITIONAL_SWITCH = 2, /**< runs the body of that index, none if it is too large */
  CUCORE_CONDITIONAL_FORCE_INT32 = 0x7fffffff
} cucore_conditional;

/**
 * A node as cucore_graph_node_query() reads it. Fields that the kind of the node does not have are
 * 0 or "". The driver returns the fields of a node that a capture or other code has added. It does
 * so for kernels, copies, fills, memory, and records and waits of events. Their names of kernels
 * need a driver of CUDA 12.3. Nodes of other kinds then have only a kind and neighbours.
 */
typedef struct cucore_node_info {
  size_t           struct_size; /**< sizeof(cucore_node_info), set before the call */
  cucore_node_kind kind;        /**< the work of the node */
  int32_t          reserved;    /**< 0 */
  const char *label;        /**< of cucore_graph_set_label(), or ""; lives as long as the graph */
  const char *kernel;       /**< the name of the kernel; lives as long as the graph */
  uint32_t grid[3];         /**< blocks of the kernel */
  uint32_t block[3];        /**< threads per block */
  uint32_t cluster[3];      /**< blocks per cluster; all 0: none, or the kernel's */
  uint32_t dynamic_shared;  /**< bytes per block */
  uint64_t destination;     /**< the address that a copy or a fill writes, of the memory that the
                                 node allocates or frees, or of a word */
  uint64_t source;          /**< the address that a copy reads */
  uint64_t size;            /**< bytes of a copy, a fill, memory or a word */
  uint64_t pattern;         /**< of a fill, the first byte is the lowest; the value of a word or
                                 of a semaphore */
  uint64_t pattern_size;    /**< bytes of the pattern */
  uint64_t dependency_count; /**< nodes that it comes directly after */
  uint64_t dependent_count;  /**< nodes that come directly after it */
  uint64_t tools_id;        /**< the number that profilers show for the node; 0: not known */
  void    *event;           /**< the CUevent; cucore_graph_node_event() returns its object */
  void    *native;          /**< the CUgraphNode, for other libraries */
  uint64_t condition;       /**< of a conditional node */
  int32_t  comparison;      /**< of a node that waits for a word: a cucore_comparison; 0: it writes */
  int32_t  reserved_0;      /**< 0 */
  uint64_t width;           /**< bytes per row of the box that a copy copies; size without a box */
  uint64_t height;          /**< rows per slice of the box; 1 without a box */
  uint64_t depth;           /**< slices of the box; 1 without a box */
  uint64_t destination_row_bytes;  /**< bytes from a row of the destination to the next; 0: no box */
  uint64_t destination_slice_rows; /**< rows from a slice of it to the next; 0: no box */
  uint64_t source_row_bytes;       /**< the same of the source */
  uint64_t source_slice_rows;      /**< the same of the source */
} cucore_node_info;

#define CUCORE_NODE_INFO_INIT                                                                     \
  { sizeof(cucore_node_info), CUCORE_NODE_KIND_UNKNOWN, 0, NULL, NULL, { 0, 0, 0 }, { 0, 0, 0 }, \
    { 0, 0, 0 }, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Creates a graph without nodes. Its kernels run on the device.
 *
 * @param device  the device
 * @param out     receives the graph
 * @param error   NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_create(const cucore_device *device, cucore_graph **out,
                                             cucore_error **error);

/**
 * Makes a copy of a graph. Nodes have the same numbers and labels in the copy. Later changes of one
 * of the graphs have no effect on the other.
 *
 * @param graph  the graph
 * @param out    receives the copy
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_UNSUPPORTED    the graph has conditions, or allocates or frees memory
 * @retval CUCORE_ERROR_INVALID_STATE  the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_clone(const cucore_graph *graph, cucore_graph **out,
                                            cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param graph  the graph; NULL is allowed
 * @since 0.2
 */
CUCORE_API cucore_graph *cucore_graph_retain(const cucore_graph *graph);

/**
 * Removes a reference. Executables that were made from the graph, and their launches, go on.
 *
 * @param graph  the graph; NULL is allowed
 * @since 0.2
 */
CUCORE_API void cucore_graph_release(cucore_graph *graph);

/**
 * Returns the graph's device with a new reference.
 *
 * @param graph  the graph
 * @param out    receives the device
 * @param error  NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_device(const cucore_graph *graph, cucore_device **out,
                                             cucore_error **error);

/**
 * Adds a node that launches a kernel on the graph's device. Options and arguments are checked and
 * copied as by cucore_kernel_launch(). The node keeps the code of the kernel, and the buffers that
 * are arguments with CUCORE_ARGUMENT_OBJECT. Other addresses must stay valid.
 *
 * With programmatic_serialization, the kernel may begin before the kernels that it comes directly
 * after have ended. Drivers before CUDA 12.3 wait for their end.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param kernel       the kernel
 * @param options      grid[0] and block[0] must be set, so NULL is INVALID_ARGUMENT
 * @param arguments    one per parameter, in order
 * @param count        of arguments
 * @param out          receives the node
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_kernel_launch(), or a node is twice in `after`
 * @retval CUCORE_ERROR_INVALID_HANDLE    an argument is a buffer that was released
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_kernel_launch()
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_kernel(cucore_graph *graph, const cucore_node *after,
                                                 size_t after_count, const cucore_kernel *kernel,
                                                 const cucore_launch_options *options,
                                                 const cucore_argument *arguments, size_t count,
                                                 cucore_node *out, cucore_error **error);

/**
 * Adds a node that copies bytes from one buffer to another, or within one. It opens the
 * default pools of two devices as cucore_buffer_copy() does in a capture. The node keeps the buffers.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param destination         the buffer that is written
 * @param destination_offset  in bytes
 * @param source              the buffer that is read, also of another device
 * @param source_offset       in bytes
 * @param size                in bytes, at least 1
 * @param out                 receives the node
 * @param error               NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a range leaves its buffer, the ranges overlap, size is 0,
 *                                        or a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @retval CUCORE_ERROR_UNSUPPORTED       the device of the destination cannot use the memory of the
 *                                        source, or the source is of a closed pool that is
 *                                        not a default pool
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_copy(cucore_graph *graph, const cucore_node *after,
                                               size_t after_count, cucore_buffer *destination,
                                               size_t destination_offset,
                                               const cucore_buffer *source, size_t source_offset,
                                               size_t size, cucore_node *out,
                                               cucore_error **error);

/**
 * Adds a node that copies a box of one, two or three dimensions, as cucore_buffer_copy_box() does.
 * The node keeps the buffers. Memory of the program is read or written at each launch, so it must
 * stay valid.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param destination  the box that is written
 * @param source       the box that is read; one of the two has a buffer
 * @param width        bytes of a row, at least 1
 * @param height       rows of a slice, at least 1
 * @param depth        slices, at least 1
 * @param out          receives the node
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_buffer_copy_box(), an extent is 0, or a node is
 *                                        twice in `after`
 * @retval CUCORE_ERROR_ABI_MISMATCH      a struct_size is unknown
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_graph_add_copy()
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_copy_box(cucore_graph *graph, const cucore_node *after,
                                                   size_t after_count,
                                                   const cucore_box *destination,
                                                   const cucore_box *source, size_t width,
                                                   size_t height, size_t depth, cucore_node *out,
                                                   cucore_error **error);

/**
 * Adds a node that fills bytes of a buffer with a pattern, as cucore_buffer_fill() does. The node
 * keeps the buffer.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param buffer        the buffer
 * @param offset        in bytes, a multiple of pattern_size
 * @param size          in bytes, a multiple of pattern_size, at least 1
 * @param pattern       the bytes to repeat, copied
 * @param pattern_size  1, 2, 4 or 8
 * @param out           receives the node
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the range leaves the buffer, sizes do not fit, size is 0,
 *                                        or a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_fill(cucore_graph *graph, const cucore_node *after,
                                               size_t after_count, cucore_buffer *buffer,
                                               size_t offset, size_t size, const void *pattern,
                                               size_t pattern_size, cucore_node *out,
                                               cucore_error **error);

/**
 * Adds a node that calls a function of the program at each launch. The driver calls it on a thread
 * of its own. The function must not call this library, except for releases, and not CUDA.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param fn         the function
 * @param user_data  passed to it
 * @param destroy    NULL, or ends user_data when nothing can call the function any more. It runs on
 *                   any thread and must not call CUDA
 * @param out        receives the node
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_host(cucore_graph *graph, const cucore_node *after,
                                               size_t after_count, cucore_host_fn fn,
                                               void *user_data, cucore_destroy_fn destroy,
                                               cucore_node *out, cucore_error **error);

/**
 * Adds a node that puts a completion of the kind CUCORE_COMPLETION_KIND_HOST into a queue at each
 * launch, for functions of other languages. With waits, work that comes after the node starts after
 * cucore_queue_resume(), as for cucore_stream_launch_host_queued(). The node keeps the queue.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param queue        receives a completion at each launch
 * @param token        of the completions
 * @param waits        1: the graph waits for cucore_queue_resume(); 0: it goes on
 * @param out          receives the node
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  waits is neither 0 nor 1, or a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the queue was closed, or the graph was lost in a reset of
 *                                        its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_host_queued(cucore_graph *graph,
                                                      const cucore_node *after,
                                                      size_t after_count, cucore_queue *queue,
                                                      uint64_t token, int32_t waits,
                                                      cucore_node *out, cucore_error **error);

/**
 * Adds a node that writes a word of a buffer, or waits until the word has a value, as
 * cucore_stream_write_value() and cucore_stream_wait_value() do. The node keeps the buffer.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param buffer       the buffer: pinned, or borrowed memory of the device. Drivers refuse memory
 *                     of a pool, seen with CUDA 13.0
 * @param offset       in bytes; the address must be a multiple of size
 * @param value        the value to write, or to compare the word with
 * @param size         4 or 8, the bytes of the word
 * @param comparison   0: the node writes; else a cucore_comparison, and the node waits
 * @param out          receives the node
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the buffer has no such word, the value does not fit it,
 *                                        comparison is unknown, the driver refuses the memory of a
 *                                        pool, or a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED       the device has no such nodes
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_value(cucore_graph *graph, const cucore_node *after,
                                                size_t after_count, cucore_buffer *buffer,
                                                size_t offset, uint64_t value, size_t size,
                                                int32_t comparison, cucore_node *out,
                                                cucore_error **error);

/**
 * Adds a node that signals a semaphore of another library at each launch, or waits for it, as
 * cucore_external_signal() and cucore_external_wait() do. The node keeps the semaphore.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param semaphore    the semaphore
 * @param value        the number of a timeline; a binary semaphore ignores it
 * @param signal       1: the node signals; 0: it waits
 * @param out          receives the node
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  signal is neither 0 nor 1, or a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED       the driver has no such nodes
 * @retval CUCORE_ERROR_INVALID_STATE     the graph or the semaphore was lost in a reset of its
 *                                        device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_semaphore(cucore_graph *graph, const cucore_node *after,
                                                    size_t after_count,
                                                    const cucore_external *semaphore,
                                                    uint64_t value, int32_t signal,
                                                    cucore_node *out, cucore_error **error);

/**
 * Adds a node that records an event at each launch. The node keeps the event.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param event  the event
 * @param out    receives the node
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_record(cucore_graph *graph, const cucore_node *after,
                                                 size_t after_count, cucore_event *event,
                                                 cucore_node *out, cucore_error **error);

/**
 * Adds a node that waits for an event at each launch: for the record that is the last one when the
 * node is reached. The node keeps the event.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param event  the event, also one of another device
 * @param out    receives the node
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_wait(cucore_graph *graph, const cucore_node *after,
                                               size_t after_count, const cucore_event *event,
                                               cucore_node *out, cucore_error **error);

/**
 * Adds a node that does nothing, to join several nodes and to fork from one.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param out    receives the node
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_empty(cucore_graph *graph, const cucore_node *after,
                                                size_t after_count, cucore_node *out,
                                                cucore_error **error);

/**
 * Adds a node that runs a copy of another graph, as that graph is now. Later changes of the other
 * graph have no effect on the copy.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param child  the other graph
 * @param out    receives the node
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a node is twice in `after`
 * @retval CUCORE_ERROR_UNSUPPORTED       the other graph has conditions, or allocates or frees
 *                                        memory
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_child(cucore_graph *graph, const cucore_node *after,
                                                size_t after_count, const cucore_graph *child,
                                                cucore_node *out, cucore_error **error);

/**
 * Adds a node that allocates memory of the graph's device. The memory has the same address at each
 * launch. Work that comes after the node may use it.
 *
 * A node of cucore_graph_add_free() frees the memory, in this graph or in another one. Otherwise
 * the memory stays allocated after the launch, and work on other streams may use it too. The end of
 * the last reference to the buffer frees it in the order of the last launch. Later launches then
 * free it at their end. Nodes that use the buffer have references to it.
 *
 * A launch is CUCORE_ERROR_INVALID_STATE while the memory of the one before is allocated, except
 * for an executable with free_on_launch, which frees it first.
 *
 * The driver has limits for a graph with memory. It has one executable at a time. It cannot be
 * cloned, and cannot be a child. Its nodes and edges stay.
 *
 * @param graph        the graph, not that of a node
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param size         in bytes, at least 1
 * @param peers        further devices whose kernels may use the memory; NULL if peer_count is 0
 * @param peer_count   of peers
 * @param buffer       receives the buffer, whose memory exists from the node on
 * @param out          receives the node
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  size is 0, the graph belongs to a node, a peer cannot
 *                                        access memory of the device, or a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the device cannot have that much
 * @retval CUCORE_ERROR_UNSUPPORTED       the device has no memory pools
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_buffer(cucore_graph *graph, const cucore_node *after,
                                                 size_t after_count, size_t size,
                                                 const cucore_device *const *peers,
                                                 size_t peer_count, cucore_buffer **buffer,
                                                 cucore_node *out, cucore_error **error);

/**
 * Adds a node that frees memory of a graph. Work that uses the memory must come before the node.
 *
 * @param graph        the graph of cucore_graph_add_buffer(), or another one
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param buffer       of cucore_graph_add_buffer(), or created in a capture. Its own graph frees it
 *                     once, and then no other graph does
 * @param out          receives the node, which keeps the buffer
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  no graph allocates the buffer, a node frees it already,
 *                                        the graph belongs to a node, or a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_free(cucore_graph *graph, const cucore_node *after,
                                               size_t after_count, cucore_buffer *buffer,
                                               cucore_node *out, cucore_error **error);

/**
 * Adds a condition: a number that kernels of the graph set with cudaGraphSetConditional(), and that
 * decides one conditional node. The graph has one executable at a time from then on. It cannot be
 * cloned, and cannot be a child.
 *
 * @param graph            the graph, or the graph of a node, that will have the conditional node
 * @param value            the number at the launch, if reset_at_launch is 1
 * @param reset_at_launch  1: each launch begins with `value`; 0: with the number of the last one. That
 *                         of the first launch is then not defined until a kernel sets it
 * @param condition        receives the condition, an argument of 8 bytes for kernels
 * @param error            NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_UNSUPPORTED    the driver is older than CUDA 12.3
 * @retval CUCORE_ERROR_INVALID_STATE  the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_condition(cucore_graph *graph, uint32_t value,
                                                    int32_t reset_at_launch, uint64_t *condition,
                                                    cucore_error **error);

/**
 * Adds a node that runs one of its graphs, or none, as a condition decides. The graphs are empty at
 * first. They take kernels of one device, copies, fills, empty nodes, conditional nodes, and child
 * graphs of these.
 *
 * @param graph        the graph
 * @param after        the nodes that the new one comes after; NULL if after_count is 0
 * @param after_count  of after; 0: the node begins with the graph
 * @param condition    of cucore_graph_add_condition() for this graph
 * @param kind         the way in which the condition decides
 * @param body_count   1 for IF, 2 for IF with an else, 1 for WHILE, 1 to 65536 for SWITCH
 * @param bodies       receives body_count graphs, which belong to the node. The caller releases
 *                     them
 * @param out          receives the node
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the condition belongs to another graph, or decides another
 *                                        node, body_count is wrong, or a node is twice in `after`
 * @retval CUCORE_ERROR_NOT_FOUND         a node of `after` was removed, or is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED       the driver is older than CUDA 12.3, or than 12.8 for
 *                                        SWITCH and an else
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_conditional(cucore_graph *graph, const cucore_node *after,
                                                      size_t after_count, uint64_t condition,
                                                      cucore_conditional kind, size_t body_count,
                                                      cucore_graph **bodies, cucore_node *out,
                                                      cucore_error **error);

/**
 * Returns a graph of a child node or of a conditional node, with a new reference. It can be changed
 * as other graphs can, and keeps the whole graph alive. It cannot be made an executable.
 *
 * @param graph  the graph
 * @param node   a node of kind CHILD or CONDITIONAL
 * @param index  0 for a child; less than body_count for a conditional node
 * @param out    receives the graph. Each use is CUCORE_ERROR_INVALID_STATE after the node was
 *               removed, or a child was set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind, or the index is too large
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED       other code has added the conditional node
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_child(const cucore_graph *graph, cucore_node node,
                                            size_t index, cucore_graph **out,
                                            cucore_error **error);

/**
 * Lets a node come after another.
 *
 * @param graph         the graph
 * @param from          the node that comes first
 * @param to            the node that comes after it
 * @param programmatic  1: the kernel of `to` may begin before that of `from` has ended; it waits
 *                      with cudaGridDependencySynchronize(). 0: it begins afterwards
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the nodes are the same, the edge exists, it would close a
 *                                        circle, or programmatic is 1 and a node has no kernel
 * @retval CUCORE_ERROR_NOT_FOUND         a node was removed, or is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED       programmatic is 1 on a driver before CUDA 12.3
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_add_edge(cucore_graph *graph, cucore_node from,
                                               cucore_node to, int32_t programmatic,
                                               cucore_error **error);

/**
 * Removes an edge.
 *
 * @param graph  the graph
 * @param from   the node that comes first
 * @param to     the node that comes directly after it
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND    the edge does not exist, or a node is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED  the graph allocates or frees memory; its edges stay
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_remove_edge(cucore_graph *graph, cucore_node from,
                                                  cucore_node to, cucore_error **error);

/**
 * Removes a node with its edges. The number is CUCORE_ERROR_NOT_FOUND from then on. Executables
 * that exist keep the node.
 *
 * @param graph  the graph
 * @param node   the node
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND    the node was removed already, or is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED  the graph allocates or frees memory; its nodes stay
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_remove_node(cucore_graph *graph, cucore_node node,
                                                  cucore_error **error);

/**
 * Changes the launch of a kernel node. Edges stay, so programmatic_serialization has no effect.
 * Executables that exist keep the launch before. After a failure, the node is as before.
 *
 * @param graph      the graph
 * @param node       a node of kind KERNEL
 * @param kernel     NULL for the kernel before, or the kernel
 * @param options    NULL for the options before, or all options
 * @param arguments  NULL for the values before, or one per parameter, in order
 * @param count      of arguments
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_kernel_launch(), the node has another kind, the
 *                                        values before do not fit the kernel, or other code has
 *                                        added the node and one of the three is NULL
 * @retval CUCORE_ERROR_INVALID_HANDLE    an argument is a buffer that was released
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_kernel_launch()
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_STATE     the graph was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_set_kernel(cucore_graph *graph, cucore_node node,
                                                 const cucore_kernel *kernel,
                                                 const cucore_launch_options *options,
                                                 const cucore_argument *arguments, size_t count,
                                                 cucore_error **error);

/**
 * Changes the buffers and the size of a copy. Executables that exist keep the copy before. After a
 * failure, the node is as before. If the buffers are of two devices, the node can have either of
 * them, so the call opens the default pools of both buffers. They stay open after a failure too.
 *
 * @param graph               the graph
 * @param node                a node of kind COPY
 * @param destination         the buffer that is written
 * @param destination_offset  in bytes
 * @param source              the buffer that is read
 * @param source_offset       in bytes
 * @param size                in bytes, at least 1
 * @param error               NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_graph_add_copy(), or the node has another kind
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED       the buffers are of two devices, and the node cannot copy
 *                                        between them: see cucore_graph_add_copy()
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_set_copy(cucore_graph *graph, cucore_node node,
                                               cucore_buffer *destination,
                                               size_t destination_offset,
                                               const cucore_buffer *source, size_t source_offset,
                                               size_t size, cucore_error **error);

/**
 * Gives a copy the boxes and the extent of another. The copy may have had no box before. Executables
 * that exist keep the copy before. After a failure, the node is as before.
 *
 * @param graph        the graph
 * @param node         a node of kind COPY
 * @param destination  the box that is written
 * @param source       the box that is read; one of the two has a buffer
 * @param width        bytes of a row, at least 1
 * @param height       rows of a slice, at least 1
 * @param depth        slices, at least 1
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_graph_add_copy_box(), or the node has another
 *                                        kind
 * @retval CUCORE_ERROR_ABI_MISMATCH      a struct_size is unknown
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_graph_set_copy()
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_set_copy_box(cucore_graph *graph, cucore_node node,
                                                   const cucore_box *destination,
                                                   const cucore_box *source, size_t width,
                                                   size_t height, size_t depth,
                                                   cucore_error **error);

/**
 * Changes the range and the pattern of a fill. Executables that exist keep the fill before. After a
 * failure, the node is as before.
 *
 * @param graph         the graph
 * @param node          a node of kind FILL
 * @param buffer        the buffer
 * @param offset        in bytes, a multiple of pattern_size
 * @param size          in bytes, a multiple of pattern_size, at least 1
 * @param pattern       the bytes to repeat, copied
 * @param pattern_size  1, 2, 4 or 8
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_graph_add_fill(), the node has another kind, or
 *                                        one of the patterns before and after has 8 bytes whose
 *                                        halves differ, and the other has not
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_set_fill(cucore_graph *graph, cucore_node node,
                                               cucore_buffer *buffer, size_t offset, size_t size,
                                               const void *pattern, size_t pattern_size,
                                               cucore_error **error);

/**
 * Changes the function and the data of a node that calls a function. Executables that exist keep
 * those before. After a failure, the node is as before.
 *
 * @param graph      the graph
 * @param node       a node of kind HOST
 * @param fn         the function
 * @param user_data  passed to it
 * @param destroy    NULL, or ends user_data when nothing can call the function any more. It runs on
 *                   any thread and must not call CUDA
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_set_host(cucore_graph *graph, cucore_node node,
                                               cucore_host_fn fn, void *user_data,
                                               cucore_destroy_fn destroy, cucore_error **error);

/**
 * Changes the event of a node that records it or waits for it. Executables that exist keep the
 * event before. After a failure, the node is as before.
 *
 * @param graph  the graph
 * @param node   a node of kind RECORD or WAIT
 * @param event  the event
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_set_event(cucore_graph *graph, cucore_node node,
                                                cucore_event *event, cucore_error **error);

/**
 * Changes the semaphore and the value of a node that signals it or waits for it. Executables that
 * exist keep those before. After a failure, the node is as before.
 *
 * @param graph      the graph
 * @param node       a node of kind SEMAPHORE_SIGNAL or SEMAPHORE_WAIT
 * @param semaphore  the semaphore
 * @param value      the number of a timeline; a binary semaphore ignores it
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_set_semaphore(cucore_graph *graph, cucore_node node,
                                                    const cucore_external *semaphore,
                                                    uint64_t value, cucore_error **error);

/**
 * Replaces the graph of a child node with a copy of another graph, as that graph is now.
 * Executables that exist keep the graph before. After a failure, the node is as before.
 *
 * @param graph  the graph
 * @param node   a node of kind CHILD
 * @param child  the other graph
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has another kind
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @retval CUCORE_ERROR_UNSUPPORTED       the driver is older than CUDA 12.2
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_set_child(cucore_graph *graph, cucore_node node,
                                                const cucore_graph *child, cucore_error **error);

/**
 * Sets the label of a node, which messages and cucore_graph_dot() contain.
 *
 * @param graph  the graph. It keeps each text until its end
 * @param node   the node
 * @param label  the text; "" is none
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND  the node was removed, or is not in the graph
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_set_label(cucore_graph *graph, cucore_node node,
                                                const char *label, cucore_error **error);

/**
 * Keeps data of the program as long as the graph, what is made from it later, and what runs of
 * that.
 *
 * @param graph      the graph
 * @param user_data  passed to destroy
 * @param destroy    NULL, or ends user_data. It runs on any thread and must not call CUDA
 * @param error      NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_hold(cucore_graph *graph, void *user_data,
                                           cucore_destroy_fn destroy,
                                           cucore_error **error);

/**
 * Returns the number of nodes.
 *
 * @param graph  the graph; 0 for NULL, and after a reset of its device
 * @since 0.2
 */
CUCORE_API size_t cucore_graph_node_count(const cucore_graph *graph);

/**
 * Returns a node by its place in the order of adding.
 *
 * @param graph  the graph
 * @param index  from 0, less than cucore_graph_node_count()
 * @param out    receives the node
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the index is too large
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_node_at(const cucore_graph *graph, size_t index,
                                              cucore_node *out, cucore_error **error);

/**
 * Reads a node.
 *
 * @param graph  the graph
 * @param node   the node
 * @param out    receives the node; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND  the node was removed, or is not in the graph
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_node_query(const cucore_graph *graph, cucore_node node,
                                                 cucore_node_info *out, cucore_error **error);

/**
 * Returns the event of a node that records it or waits for it, with a new reference.
 *
 * @param graph  the graph
 * @param node   the node
 * @param out    receives the event
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has no event, or other code has added it
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_node_event(const cucore_graph *graph, cucore_node node,
                                                 cucore_event **out, cucore_error **error);

/**
 * Returns the semaphore of a node that signals it or waits for it, with a new reference.
 *
 * @param graph  the graph
 * @param node   the node
 * @param out    receives the semaphore
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the node has no semaphore, or other code has added it
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_node_semaphore(const cucore_graph *graph, cucore_node node,
                                                     cucore_external **out, cucore_error **error);

/**
 * Returns the nodes that a node comes directly after.
 *
 * @param graph     the graph
 * @param node      the node
 * @param nodes     an array of `capacity` nodes; NULL with capacity 0 queries the count
 * @param capacity  nodes that `nodes` can hold
 * @param count     receives the number of nodes
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  `capacity` is less than *count
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_dependencies(const cucore_graph *graph, cucore_node node,
                                                   cucore_node *nodes, size_t capacity,
                                                   size_t *count, cucore_error **error);

/**
 * Returns the nodes that come directly after a node.
 *
 * @param graph     the graph
 * @param node      the node
 * @param nodes     an array of `capacity` nodes; NULL with capacity 0 queries the count
 * @param capacity  nodes that `nodes` can hold
 * @param count     receives the number of nodes
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND         the node was removed, or is not in the graph
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  `capacity` is less than *count
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_dependents(const cucore_graph *graph, cucore_node node,
                                                 cucore_node *nodes, size_t capacity,
                                                 size_t *count, cucore_error **error);

/**
 * Writes the graph in the dot language of Graphviz.
 *
 * @param graph     the graph
 * @param details   0: numbers, kinds, names of kernels, shapes, sizes and labels. Else the bits of
 *                  CUgraphDebugDot_flags, and the text is the driver's
 * @param buffer    receives the text, without a NUL; NULL with capacity 0 queries the size
 * @param capacity  bytes that `buffer` can hold
 * @param size      receives the bytes of the text
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size; nothing was written
 * @retval CUCORE_ERROR_IO                the driver's text needs a temporary file
 * @since 0.2
 */
CUCORE_API cucore_status cucore_graph_dot(const cucore_graph *graph, uint32_t details, char *buffer,
                                          size_t capacity, size_t *size, cucore_error **error);

/**
 * Returns the CUgraph, for other libraries. It lives as long as the graph object.
 *
 * Other code may add nodes to it and remove some. The next call reads them, and each later call
 * compares the nodes again. Such nodes have numbers, but keep no objects.
 *
 * From the first call on, copies and executables of other code keep the objects of the graph's nodes
 * too. The driver keeps user objects for that. They make each launch of an executable that is made
 * later 1.1 us slower (an H200 with driver 580).
 *
 * @param graph  the graph; NULL for NULL, for the graph of a node that was removed or set, and if the
 *               driver fails, which the log reports
 * @since 0.2
 */
CUCORE_API void *cucore_graph_native(const cucore_graph *graph);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_GRAPH_H_INCLUDED */
