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

/** How much a message matters. */
typedef enum cucore_log_level {
  CUCORE_LOG_DEBUG   = 1, /**< each library tried, each module loaded and unloaded */
  CUCORE_LOG_INFO    = 2, /**< choices made for you: the driver in use, the linker in use */
  CUCORE_LOG_WARNING = 3, /**< something works, but not as well as it could */
  CUCORE_LOG_ERROR   = 4, /**< a failure that no call can report: in a release, in a callback */
  CUCORE_LOG_LEVEL_FORCE_INT32 = 0x7fffffff
} cucore_log_level;

/** Receives one message, valid during the call only. Runs on whichever thread has something to
 *  say, one call at a time; it must not call this library. */
typedef void (*cucore_log_fn)(cucore_log_level level, const char *message, void *user_data);

/**
 * Sets the one receiver of the library's messages. Without one nothing is ever printed.
 *
 * @param fn         NULL for none
 * @param least      messages below this level are dropped
 * @param user_data  given to fn
 * @param destroy    NULL, or called with user_data once the receiver is replaced, after its last
 *                   call has returned; also called if this function fails
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
 * @param message  NULL drops it
 * @since 0.1
 */
CUCORE_API void cucore_log_write(cucore_log_level level, const char *message);

/** Whether a receiver takes messages of this level: 1 or 0, at the cost of one load. Query it
 *  before you build a message. 0 for a number that is not a level. @since 0.1 */
CUCORE_API int32_t cucore_log_enabled(cucore_log_level level);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_LOG_H_INCLUDED */
