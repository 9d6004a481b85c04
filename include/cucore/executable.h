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
 * destroys the executable, because the driver may wait for them.
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
 * @retval CUCORE_ERROR_INVALID_STATE  the graph or the stream was lost in a reset of its device
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
 * @retval CUCORE_ERROR_INVALID_STATE  the graph or the stream was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_executable_upload(const cucore_executable *executable,
                                                  const cucore_stream *stream,
                                                  cucore_error **error);

/**
 * Returns the CUgraphExec, for other libraries. It lives as long as the executable.
 *
 * @param executable  the executable; NULL for NULL
 * @since 0.2
 */
CUCORE_API void *cucore_executable_native(const cucore_executable *executable);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_EXECUTABLE_H_INCLUDED */
