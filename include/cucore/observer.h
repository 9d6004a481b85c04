/*
 * cucore/observer.h - observers: functions that are called before and after operations.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profiler or a log learns from an observer which operations a program performs. The functions
 * run on the thread that calls the operation, inside its call. Without an observer an operation
 * costs one load of a variable more.
 *
 * The observed calls, by kind:
 *
 * - LAUNCH: cucore_kernel_launch(), cucore_kernel_launch_packed(), cucore_prepared_launch_run()
 * - COPY, FILL, WRITE, READ: the functions of buffers with these names
 * - GRAPH_LAUNCH: cucore_executable_launch()
 * - ALLOCATE: cucore_buffer_create(), cucore_buffer_create_pinned(),
 *   cucore_buffer_create_managed(), cucore_buffer_from_pool(), cucore_pool_allocate()
 * - FREE: the release of the last reference to such a buffer, and cucore_pool_free(). The memory
 *   itself may be in use for longer.
 * - COMPILE: cucore_program_compile(), cucore_cache_compile(), and cucore_program_compile_batch()
 *   as a whole
 * - LINK: cucore_linker_link(), cucore_cache_link()
 * - LOAD: the load of code into the driver, mostly inside another call
 * - SYNCHRONIZE: cucore_stream_synchronize(), cucore_event_synchronize(),
 *   cucore_device_synchronize(), cucore_future_wait()
 *
 * A call whose handles or pointers are wrong fails before it is an operation, and is not observed.
 */
#ifndef CUCORE_OBSERVER_H_INCLUDED
#define CUCORE_OBSERVER_H_INCLUDED

#include "launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The kinds of operations, one bit each. */
typedef enum cucore_operation_kind {
  CUCORE_OPERATION_LAUNCH       = 1,    /**< a kernel */
  CUCORE_OPERATION_COPY         = 2,    /**< from a buffer to a buffer */
  CUCORE_OPERATION_FILL         = 4,    /**< a buffer with a pattern */
  CUCORE_OPERATION_WRITE        = 8,    /**< from the host to a buffer */
  CUCORE_OPERATION_READ         = 16,   /**< from a buffer to the host */
  CUCORE_OPERATION_GRAPH_LAUNCH = 32,   /**< an executable graph */
  CUCORE_OPERATION_ALLOCATE     = 64,   /**< memory */
  CUCORE_OPERATION_FREE         = 128,  /**< memory */
  CUCORE_OPERATION_COMPILE      = 256,  /**< a program, or a lookup of its result in a cache */
  CUCORE_OPERATION_LINK         = 512,  /**< object code, or a lookup of its result in a cache */
  CUCORE_OPERATION_LOAD         = 1024, /**< object code into the driver */
  CUCORE_OPERATION_SYNCHRONIZE  = 2048, /**< a wait of the host for a device */
  CUCORE_OPERATION_FORCE_INT32 = 0x7fffffff
} cucore_operation_kind;

/**
 * One operation. Handles, pointers and the struct itself are valid during the call of the observer;
 * retain a handle to keep it. Fields that a kind does not have are NULL or 0.
 */
typedef struct cucore_operation {
  size_t                struct_size; /**< sizeof(cucore_operation) of the library */
  cucore_operation_kind kind;        /**< one bit */
  int32_t               captured;    /**< 1: the stream is captured, so the work becomes a node and
                                          runs at each launch of the graph */
  uint64_t              sequence;    /**< a number of this operation alone, which grows on each
                                          thread; the same at begin and end, for all observers */
  const cucore_device  *device;      /**< of the work; NULL for COMPILE and LINK */
  const cucore_stream  *stream;      /**< that gets the work, or is waited for */
  const cucore_kernel  *kernel;      /**< of LAUNCH */
  const cucore_launch_options *launch; /**< of LAUNCH. Pointers in it are NULL for a prepared one */
  const cucore_argument *arguments;  /**< of LAUNCH; NULL if they are packed. Those of a prepared
                                          launch are addresses instead of buffers */
  size_t                argument_count; /**< of arguments */
  const void           *packed;      /**< of cucore_kernel_launch_packed() */
  size_t                packed_size; /**< bytes of packed */
  const cucore_program *program;     /**< of COMPILE; NULL for a batch */
  const cucore_objectcode *code;     /**< of LOAD; the result of COMPILE and LINK, at their end */
  const void           *graph;       /**< of GRAPH_LAUNCH: the cucore_executable */
  uint64_t              address;     /**< of the memory, for COPY of the destination; of ALLOCATE
                                          only at its end */
  size_t                size;        /**< bytes that are copied, filled, allocated or freed; of a
                                          batch the number of programs */
  cucore_status         status;      /**< at the end: that of the operation; CUCORE_OK at begin */
  int32_t               reserved;    /**< 0 */
} cucore_operation;

/** An empty operation, for tests of observers. */
#define CUCORE_OPERATION_INIT                                                                   \
  { sizeof(cucore_operation), (cucore_operation_kind)0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, \
    0, NULL, NULL, NULL, 0, 0, CUCORE_OK, 0 }

/**
 * Receives one operation, before it begins or after its end, on the thread that performs it.
 *
 * The function may call this library; these calls are not observed. A call that fails in it has no
 * effect on the operation. It must not wait for another thread of the program. In a LOAD it must
 * not use the code or its kernels. It must leave the current CUDA context as it was.
 *
 * @param operation  the operation, valid during this call
 * @param state      NULL at begin; what begin stores there, end receives
 * @param user_data  of the options
 */
typedef void (*cucore_observe_fn)(const cucore_operation *operation, void **state,
                                  void *user_data);

/**
 * Launches that are counted in place of an observation, with the sums of their hints. The memory
 * belongs to the observer, and must stay valid until destroy is called. Only the thread that the
 * tally was set on writes it, within its launches.
 */
typedef struct cucore_launch_tally {
  size_t   struct_size; /**< sizeof(cucore_launch_tally) */
  uint32_t left;        /**< launches until the next one is observed. Each one takes 1 away. The
                             thread may change it between its launches: 0 ends the counting */
  uint32_t reserved;    /**< 0 */
  uint64_t calls;       /**< launches that have begun, without the captured and the failed ones */
  uint64_t captured;    /**< launches that became nodes of a graph */
  uint64_t failed;      /**< launches that failed; their hints are not in the sums */
  uint64_t bytes_read;  /**< sum of the hints bytes_read */
  uint64_t bytes_written; /**< sum of the hints bytes_written */
  uint64_t operations;    /**< sum of the hints operations */
  uint64_t with_bytes;    /**< calls with a hint of bytes */
  uint64_t with_operations; /**< calls with a hint of operations */
} cucore_launch_tally;

#define CUCORE_LAUNCH_TALLY_INIT { sizeof(cucore_launch_tally), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Lets the next launches like this one be counted in a tally, without a call of the observer. A
 * profiler that only needs the number of most launches costs less with it.
 *
 * Call it in begin, with an operation of the kind LAUNCH. This launch itself is observed as usual.
 * The next launches like it on this thread are counted, `left` in all. They are calls of
 * cucore_kernel_launch() and cucore_kernel_launch_packed() with the same handles of kernel and stream
 * and an equal shape: the numbers from grid to dynamic_shared. The launch after those is observed.
 *
 * Returns 1 if launches are counted now. It returns 0 outside begin, for another kind and for a
 * prepared launch. It also returns 0 with a tally of a smaller struct_size, while another observer
 * observes launches, and if no memory is left.
 *
 * The handle of a released kernel or stream may come back for another one. Its launches are then
 * counted in the same tally, unless the device differs. To avoid that, retain the handle.
 *
 * A launch may be observed although the tally has launches left. That is so while another observer
 * observes launches. A thread has places for 64 tallies, so a tally may also lose its place.
 *
 * @param operation  the operation that begin has received
 * @param tally      the counts, to which the launches are added; NULL is allowed
 * @since 0.2
 */
CUCORE_API int32_t cucore_operation_tally(const cucore_operation *operation,
                                          cucore_launch_tally *tally);

/** The operations and the functions of an observer. */
typedef struct cucore_observer_options {
  size_t   struct_size; /**< sizeof(cucore_observer_options) */
  uint32_t kinds;       /**< bits of cucore_operation_kind; 0: all */
  uint32_t reserved;    /**< 0 */
  cucore_observe_fn begin; /**< NULL, or called before an operation */
  cucore_observe_fn end;   /**< NULL, or called after it, also if it failed */
  void    *user_data;   /**< for the three functions */
  cucore_destroy_fn destroy; /**< NULL, or called once, after the last call of the others */
} cucore_observer_options;

#define CUCORE_OBSERVER_OPTIONS_INIT \
  { sizeof(cucore_observer_options), 0, 0, NULL, NULL, NULL, NULL }

/**
 * Begins to observe the operations of the whole process. Any number of threads may call begin and
 * end at a time. With several observers, the one that was created first begins first and ends last.
 *
 * An operation that is under way when the observer is created is not observed. If no memory is left
 * for its description, an operation is not observed.
 *
 * @param options  begin or end must be set, so NULL is INVALID_ARGUMENT
 * @param out      receives the observer
 * @param error    NULL, or receives a new error on failure; destroy is then not called
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  begin and end are NULL, or kinds has an unknown bit
 * @retval CUCORE_ERROR_ABI_MISMATCH      options have fields that this library does not have
 * @retval CUCORE_ERROR_INVALID_STATE     the process has 16 observers
 * @since 0.2
 */
CUCORE_API cucore_status cucore_observer_create(const cucore_observer_options *options,
                                                cucore_observer **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param observer  the observer; NULL is allowed
 * @since 0.2
 */
CUCORE_API cucore_observer *cucore_observer_retain(const cucore_observer *observer);

/**
 * Removes a reference. The last one ends the observation: the call waits until no call of begin or
 * end runs, calls destroy, and returns. An operation under way then gets no end.
 *
 * Inside begin or end of the same observer the call does not wait. The observation ends at once,
 * and destroy is called when the last call of begin or end has returned.
 *
 * @param observer  the observer; NULL is allowed
 * @since 0.2
 */
CUCORE_API void cucore_observer_release(cucore_observer *observer);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_OBSERVER_H_INCLUDED */
