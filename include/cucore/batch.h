/*
 * cucore/batch.h - the compile of many programs in worker processes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_BATCH_H_INCLUDED
#define CUCORE_BATCH_H_INCLUDED

#include "base.h"
#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One compile of many. */
typedef struct cucore_batch_item {
  const cucore_program *program;
  cucore_code_type      target;
  int32_t               reserved; /**< 0 */
  const char *const    *name_expressions;
  size_t                name_expression_count;
} cucore_batch_item;

/** Is told that one item is done: its index, how many are, of how many, and why it failed, or NULL;
 *  the error lives during the call. Runs on threads of the batch, one call at a time. */
typedef void (*cucore_batch_report_fn)(size_t index, size_t done, size_t count,
                                       const cucore_error *failure, void *user_data);

/** How to compile many programs at once. */
typedef struct cucore_batch_options {
  size_t                 struct_size;   /**< sizeof(cucore_batch_options) */
  size_t                 workers;       /**< processes; 0: one a core */
  uint32_t               time_limit_ms; /**< of each compile; 0: none */
  int32_t                reserved;      /**< 0 */
  cucore_cache          *cache;         /**< NULL: none */
  cucore_batch_report_fn report;        /**< NULL: nobody is told */
  void                  *user_data;     /**< given to report */
} cucore_batch_options;

#define CUCORE_BATCH_OPTIONS_INIT \
  { sizeof(cucore_batch_options), 0, 0, 0, NULL, NULL, NULL }

/**
 * Compiles many programs in worker processes: NVRTC does one at a time in a process for most of its
 * work. One that fails, takes too long, or crashes the compiler, is no failure of the call and does
 * not touch the others. Programs in PTX and NVVM IR are compiled in this process.
 *
 * @param items     any number; the programs may be the same
 * @param out       count of them: the object code, or NULL for an item that failed
 * @param failures  NULL, or count of them: why an item failed, else NULL
 * @param options   NULL for the defaults
 * @retval CUCORE_ERROR_NOT_FOUND  the workers' program, cucore-worker, is not beside the library;
 *                                 the message lists every path tried
 * @since 0.1
 */
CUCORE_API cucore_status cucore_program_compile_batch(const cucore_batch_item *items, size_t count,
                                                      const cucore_batch_options *options,
                                                      cucore_objectcode **out,
                                                      cucore_error **failures,
                                                      cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_BATCH_H_INCLUDED */
