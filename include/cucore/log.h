/*
 * cucore/log.h - the receiver of messages that no call can return.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_LOG_H_INCLUDED
#define CUCORE_LOG_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The importance of a message, in ascending order. */
typedef enum cucore_log_level {
  CUCORE_LOG_DEBUG   = 1, /**< libraries tried, modules loaded and unloaded, misses of caches */
  CUCORE_LOG_INFO    = 2, /**< automatic choices: the driver in use, the linker in use */
  CUCORE_LOG_WARNING = 3, /**< an operation works, but not as well as it could */
  CUCORE_LOG_ERROR   = 4, /**< a failure that no call can report: in a release, in a callback */
  CUCORE_LOG_LEVEL_FORCE_INT32 = 0x7fffffff
} cucore_log_level;

/**
 * Receives one message. It runs on the thread that writes the message, which may be a thread of
 * the library, and one call at a time. It must not call this library and must not throw.
 *
 * @param level      the level of the message, not below the level of the receiver
 * @param message    the text without a line break at the end; valid during the call only
 * @param user_data  as given to cucore_log_set_callback()
 */
typedef void (*cucore_log_fn)(cucore_log_level level, const char *message, void *user_data);

/**
 * Sets the one receiver of the library's messages, in place of the previous one. Without a
 * receiver the library prints nothing.
 *
 * The call waits while the previous receiver takes a message of another thread. After the call
 * the previous receiver is not called again.
 *
 * @param fn         NULL for none
 * @param least      messages below this level are dropped; must be a level also if fn is NULL
 * @param user_data  passed to fn
 * @param destroy    NULL, or called with user_data when the receiver is replaced, after its last
 *                   call has returned; also called if this function fails. Not called at the end
 *                   of the process
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  least is not a level
 * @since 0.1
 */
CUCORE_API cucore_status cucore_log_set_callback(cucore_log_fn fn, cucore_log_level least,
                                                 void *user_data, void (*destroy)(void *user_data),
                                                 cucore_error **error);

/**
 * Writes one message to the receiver, for libraries that are built on this one. Without a receiver
 * for this level it does nothing. It waits while the receiver takes a message of another thread.
 *
 * @param level    a number that is not a level drops the message
 * @param message  copied; NULL drops the message
 * @since 0.1
 */
CUCORE_API void cucore_log_write(cucore_log_level level, const char *message);

/**
 * Returns 1 if a receiver takes messages of this level, at the cost of one load. Query it before
 * you build a message.
 *
 * @param level  0 for a number that is not a level
 * @since 0.1
 */
CUCORE_API int32_t cucore_log_enabled(cucore_log_level level);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_LOG_H_INCLUDED */
