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

/**
 * Returns the name of a status, "CUCORE_ERROR_COMPILATION". The string is static.
 *
 * @param status  any number; "CUCORE_STATUS_UNKNOWN" for a number without a name
 * @since 0.1
 */
CUCORE_API const char *cucore_status_name(cucore_status status);

/**
 * Adds a reference and returns its argument.
 *
 * @param error  the error; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_error *cucore_error_retain(const cucore_error *error);

/**
 * Removes a reference. With the last one, the error and its strings end.
 *
 * @param error  the error; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_error_release(cucore_error *error);

/**
 * Returns the status of the failed call.
 *
 * @param error  the error; CUCORE_OK for NULL
 * @since 0.1
 */
CUCORE_API cucore_status cucore_error_status(const cucore_error *error);

/**
 * Returns one sentence: the attempted operation, its object, the reason and the remedy.
 *
 * @param error  the error, which owns the string; "" for NULL
 * @since 0.1
 */
CUCORE_API const char *cucore_error_message(const cucore_error *error);

/**
 * Returns the component that returned cucore_error_native_code(): "cuda", "nvrtc", "nvjitlink",
 * "nvvm", "cucore", or the name that another library passed for its own errors.
 *
 * @param error  the error, which owns the string; "" for NULL
 * @since 0.1
 */
CUCORE_API const char *cucore_error_origin(const cucore_error *error);

/**
 * Returns the number that the driver or the compiler returned.
 *
 * @param error  the error; 0 for NULL, and for a failure that this library detected
 * @since 0.1
 */
CUCORE_API int32_t cucore_error_native_code(const cucore_error *error);

/**
 * Returns the name of cucore_error_native_code(), "CUDA_ERROR_INVALID_PTX".
 *
 * @param error  the error, which owns the string; "" for NULL and for an error without a native
 *               code
 * @since 0.1
 */
CUCORE_API const char *cucore_error_native_name(const cucore_error *error);

/**
 * Returns the whole output of the compiler, the linker or the driver's PTX compiler.
 *
 * @param error  the error, which owns the string; "" for NULL and for an error without output
 * @since 0.1
 */
CUCORE_API const char *cucore_error_log(const cucore_error *error);

/** The severity of a diagnostic, in ascending order. */
typedef enum cucore_severity {
  CUCORE_SEVERITY_NONE    = 0, /**< of a struct that is not filled in */
  CUCORE_SEVERITY_NOTE    = 1, /**< remarks and figures: registers, spills */
  CUCORE_SEVERITY_WARNING = 2, /**< the code was made nevertheless */
  CUCORE_SEVERITY_ERROR   = 3, /**< no code was made */
  CUCORE_SEVERITY_FATAL   = 4, /**< an error after which nothing more was read */
  CUCORE_SEVERITY_FORCE_INT32 = 0x7fffffff
} cucore_severity;

/** One diagnostic of a log. The object that was queried owns the strings. */
typedef struct cucore_diagnostic_info {
  size_t          struct_size; /**< set by the caller: sizeof(cucore_diagnostic_info) */
  cucore_severity severity;    /**< never NONE after a query */
  int32_t         line;        /**< from 1; 0: unknown */
  int32_t         column;      /**< from 1; 0: unknown */
  int32_t         reserved;    /**< 0 */
  const char     *file;        /**< as the compiler names it; "": unknown */
  const char     *text;        /**< without the file, the line and the severity */
} cucore_diagnostic_info;

#define CUCORE_DIAGNOSTIC_INFO_INIT \
  { sizeof(cucore_diagnostic_info), CUCORE_SEVERITY_NONE, 0, 0, 0, NULL, NULL }

/**
 * Returns the number of diagnostics in cucore_error_log(). The first query parses the log.
 *
 * @param failure  the error; 0 for NULL
 * @since 0.1
 */
CUCORE_API size_t cucore_error_diagnostic_count(const cucore_error *failure);

/**
 * Reads one diagnostic of the log, in the order of the log.
 *
 * @param failure  the error, which owns the strings of `out`
 * @param index    less than cucore_error_diagnostic_count()
 * @param out      receives the diagnostic; its struct_size must be set
 * @param error    NULL, or receives a new error on failure; another variable than `failure`
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is not less than the count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_error_diagnostic_at(const cucore_error *failure, size_t index,
                                                    cucore_diagnostic_info *out,
                                                    cucore_error **error);

/** Optional parts of an error for cucore_error_create(). Each string is copied. */
typedef struct cucore_error_options {
  size_t      struct_size; /**< sizeof(cucore_error_options) */
  const char *origin;      /**< see cucore_error_origin(); default "cucore" */
  int32_t     native_code; /**< see cucore_error_native_code(); any number */
  int32_t     reserved;    /**< 0 */
  const char *native_name; /**< see cucore_error_native_name(); default "" */
  const char *log;         /**< see cucore_error_log(); default "" */
  const cucore_error *cause; /**< the reason of the failure: its message and log are appended */
} cucore_error_options;

#define CUCORE_ERROR_OPTIONS_INIT \
  { sizeof(cucore_error_options), NULL, 0, 0, NULL, NULL, NULL }

/**
 * Creates an error, for libraries that are built on this one. Every function on errors accepts
 * it.
 *
 * The result is never NULL, and the caller releases it. Without memory it is the static error
 * that reports CUCORE_ERROR_OUT_OF_MEMORY.
 *
 * The message of the cause follows the given one after ": ", the log of the cause on a new line.
 * The error holds no reference to the cause. A cause that is not a live error adds nothing.
 *
 * If an argument is not valid, the error reports that instead and ends with the given message. It
 * is CUCORE_ERROR_INVALID_ARGUMENT for a status below 1 or a reserved field, and
 * CUCORE_ERROR_ABI_MISMATCH for a wrong struct_size or an unknown field.
 *
 * @param status   a number of cucore_status, also one that only later versions define
 * @param message  one sentence: attempted operation, object, reason, remedy; copied. NULL: the
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
