/*
 * cucore/error.h - the description of a failed call, and the diagnostics of compilers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_ERROR_H_INCLUDED
#define CUCORE_ERROR_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** "CUCORE_ERROR_COMPILATION"; "CUCORE_STATUS_UNKNOWN" for a number that is none. @since 0.1 */
CUCORE_API const char *cucore_status_name(cucore_status status);

/** One more reference to an error; gives back its argument. @since 0.1 */
CUCORE_API cucore_error *cucore_error_retain(const cucore_error *error);

/** Gives one reference back. @since 0.1 */
CUCORE_API void cucore_error_release(cucore_error *error);

/** The status that the failed call returned; CUCORE_OK for NULL. @since 0.1 */
CUCORE_API cucore_status cucore_error_status(const cucore_error *error);

/** What was attempted, on what, why it failed and what to do, in one sentence. @since 0.1 */
CUCORE_API const char *cucore_error_message(const cucore_error *error);

/** Whose code cucore_error_native_code() is: "cuda", "nvrtc", "nvjitlink", "nvvm", "cucore", or
 *  the name that another library passed for its own errors. @since 0.1 */
CUCORE_API const char *cucore_error_origin(const cucore_error *error);

/** The number that the driver or the compiler gave, 0 where the failure is our own.
 *  @since 0.1 */
CUCORE_API int32_t cucore_error_native_code(const cucore_error *error);

/** Its name, "CUDA_ERROR_INVALID_PTX"; "" where there is none. @since 0.1 */
CUCORE_API const char *cucore_error_native_name(const cucore_error *error);

/** The whole output of the compiler, the linker or the driver's PTX compiler. @since 0.1 */
CUCORE_API const char *cucore_error_log(const cucore_error *error);

/** How bad what a compiler or a linker says is. */
typedef enum cucore_severity {
  CUCORE_SEVERITY_NONE    = 0,
  CUCORE_SEVERITY_NOTE    = 1, /**< remarks and figures: registers, spills */
  CUCORE_SEVERITY_WARNING = 2,
  CUCORE_SEVERITY_ERROR   = 3,
  CUCORE_SEVERITY_FATAL   = 4, /**< an error after which nothing more was read */
  CUCORE_SEVERITY_FORCE_INT32 = 0x7fffffff
} cucore_severity;

/** One thing that a compiler or a linker said; strings live as long as what was asked. */
typedef struct cucore_diagnostic_info {
  size_t          struct_size; /**< set by you: sizeof(cucore_diagnostic_info) */
  cucore_severity severity;
  int32_t         line;   /**< from 1; 0: not said */
  int32_t         column; /**< from 1; 0: not said */
  int32_t         reserved;
  const char     *file; /**< "" where it is not said */
  const char     *text; /**< without the file, the line and the severity */
} cucore_diagnostic_info;

#define CUCORE_DIAGNOSTIC_INFO_INIT \
  { sizeof(cucore_diagnostic_info), CUCORE_SEVERITY_NONE, 0, 0, 0, NULL, NULL }

/** How many diagnostics cucore_error_log() holds. @since 0.1 */
CUCORE_API size_t cucore_error_diagnostic_count(const cucore_error *failure);

/** One diagnostic of the log, in its order.
 *  @param index  less than cucore_error_diagnostic_count()
 *  @param out    filled in; struct_size must be set
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_error_diagnostic_at(const cucore_error *failure, size_t index,
                                                    cucore_diagnostic_info *out,
                                                    cucore_error **error);

/** Optional parts of an error for cucore_error_create(). Each string is copied. */
typedef struct cucore_error_options {
  size_t      struct_size; /**< sizeof(cucore_error_options) */
  const char *origin;      /**< see cucore_error_origin(); default "cucore" */
  int32_t     native_code; /**< see cucore_error_native_code() */
  int32_t     reserved;
  const char *native_name; /**< see cucore_error_native_name(); default "" */
  const char *log;         /**< see cucore_error_log(); default "" */
  const cucore_error *cause; /**< why this failed: its message and its log are appended */
} cucore_error_options;

#define CUCORE_ERROR_OPTIONS_INIT \
  { sizeof(cucore_error_options), NULL, 0, 0, NULL, NULL, NULL }

/**
 * Creates an error, for libraries that are built on this one. Every function on errors accepts
 * it. The result is never NULL: without memory it is the static error that reports
 * CUCORE_ERROR_OUT_OF_MEMORY.
 *
 * The message of the cause follows the given one after ": ", the log of the cause on a new line.
 * The cause is not kept: release your reference as before. A cause that is not a live error adds
 * nothing.
 *
 * If an argument is not valid, the error reports that instead and ends with the given message. It
 * is CUCORE_ERROR_INVALID_ARGUMENT for a status below 1 or a reserved field, and
 * CUCORE_ERROR_ABI_MISMATCH for a wrong struct_size or an unknown field.
 *
 * @param status   a number of cucore_status, also one that only later versions define
 * @param message  one sentence: what was attempted, on what, why it failed, what to do. NULL: the
 *                 name of the status
 * @param options  NULL for the defaults
 * @since 0.1
 */
CUCORE_API cucore_error *cucore_error_create(cucore_status status, const char *message,
                                             const cucore_error_options *options);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_ERROR_H_INCLUDED */
