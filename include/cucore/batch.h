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

/** One compile of a batch. */
typedef struct cucore_batch_item {
  const cucore_program *program;  /**< the program */
  cucore_code_type      target;   /**< as for cucore_program_compile() */
  int32_t               reserved; /**< 0 */
  const char *const    *name_expressions; /**< as for cucore_program_compile() */
  size_t                name_expression_count; /**< of name_expressions */
} cucore_batch_item;

/**
 * Receives the end of one item. It runs on threads of the batch, one of which is the calling
 * thread, and one call at a time.
 *
 * @param index      the position of the item
 * @param done       items that have ended, this one included
 * @param count      items of the batch
 * @param failure    NULL, or the reason of the failure; valid during this call
 * @param user_data  as given in the options
 */
typedef void (*cucore_batch_report_fn)(size_t index, size_t done, size_t count,
                                       const cucore_error *failure, void *user_data);

/** The settings of a batch. */
typedef struct cucore_batch_options {
  size_t                 struct_size;   /**< sizeof(cucore_batch_options) */
  size_t                 workers;       /**< processes; 0: one per core */
  uint32_t               time_limit_ms; /**< of each compile; 0: none */
  int32_t                reserved;      /**< 0 */
  cucore_cache          *cache;         /**< NULL: none */
  cucore_batch_report_fn report;        /**< NULL: none */
  void                  *user_data;     /**< passed to report */
} cucore_batch_options;

#define CUCORE_BATCH_OPTIONS_INIT \
  { sizeof(cucore_batch_options), 0, 0, 0, NULL, NULL, NULL }

/**
 * Compiles many programs in worker processes, and returns when all have ended. NVRTC runs most of
 * its work one program at a time per process, so workers make it parallel.
 *
 * An item that fails, takes too long or crashes the compiler does not affect the others, and the
 * call succeeds. Programs in PTX and NVVM IR are compiled in this process.
 *
 * The caller owns every object of both arrays: it releases each out[i] and each failures[i] that is
 * not NULL. If the call itself fails, every element is NULL and there is nothing to release.
 *
 * @param items     the compiles; several items may have the same program
 * @param count     of items; 0 is allowed
 * @param options   NULL for the defaults
 * @param out       an array of `count` elements; each receives the object code, or NULL for an item
 *                  that failed
 * @param failures  NULL, or an array of `count` elements; each receives the error of an item that
 *                  failed, or NULL
 * @param error     NULL, or receives a new error if the call itself fails
 * @retval CUCORE_ERROR_NOT_FOUND  the program of the workers, cucore-worker, was not found; the
 *                                 message lists every path tried
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
