/*
 * cucore/cache_remote.h - tiers of a cache beyond this machine.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_CACHE_REMOTE_H_INCLUDED
#define CUCORE_CACHE_REMOTE_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a remote answers. */
typedef enum cucore_cache_answer {
  CUCORE_CACHE_ANSWER_DONE   = 0,
  CUCORE_CACHE_ANSWER_ABSENT = 1, /**< it does not have it */
  CUCORE_CACHE_ANSWER_FAILED = 2, /**< it cannot be reached, or not in time */
  CUCORE_CACHE_ANSWER_FORCE_INT32 = 0x7fffffff
} cucore_cache_answer;

/** Takes the bytes of one get(), at most 64 MiB; may be called once, during the call. */
typedef void (*cucore_cache_receive_fn)(const void *data, size_t size, void *receiver);

/** Gives the bytes of a name, through receive. */
typedef cucore_cache_answer (*cucore_cache_get_fn)(void *context, const char *name,
                                                   cucore_cache_receive_fn receive,
                                                   void *receiver);

/** Keeps bytes under a name. */
typedef cucore_cache_answer (*cucore_cache_put_fn)(void *context, const char *name,
                                                   const void *data, size_t size);

/** The last call: nothing is asked of the remote any more. */
typedef void (*cucore_cache_close_fn)(void *context);

/** A place beyond this machine where results may be. Functions are called from any thread, several
 *  at a time; a name is a path such as "v1/ab/<62 digits>.cuco". */
typedef struct cucore_cache_remote {
  size_t                struct_size; /**< sizeof(cucore_cache_remote) */
  void                 *context;     /**< given to each function */
  cucore_cache_get_fn   get;
  cucore_cache_put_fn   put;   /**< NULL: read-only */
  cucore_cache_close_fn close; /**< NULL, or called once, after the last of the others */
  const char           *name;  /**< for messages */
} cucore_cache_remote;

#define CUCORE_CACHE_REMOTE_INIT \
  { sizeof(cucore_cache_remote), NULL, NULL, NULL, NULL, NULL }

/**
 * Adds a remote: asked where memory and disk have nothing, told of what was built, on a thread of
 * the library. Only entries with a valid signature by one of the cache's keys are taken from it. One
 * that fails three times in a row is left alone. In its functions this cache gives INVALID_STATE.
 *
 * @param remote  copied; close is called also where this fails
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  there is no get
 * @retval CUCORE_ERROR_ABI_MISMATCH      it holds fields that this library does not know
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_add_remote(cucore_cache *cache,
                                                 const cucore_cache_remote *remote,
                                                 cucore_error **error);

/** How to reach a remote that a URL names. */
typedef struct cucore_cache_remote_options {
  size_t   struct_size;        /**< sizeof(cucore_cache_remote_options) */
  int32_t  read_only;          /**< 1: nothing is sent to it */
  uint32_t connect_timeout_ms; /**< 0: 100 */
  uint32_t timeout_ms;         /**< of one request as a whole; 0: 1000 */
  int32_t  reserved;           /**< 0 */
} cucore_cache_remote_options;

#define CUCORE_CACHE_REMOTE_OPTIONS_INIT \
  { sizeof(cucore_cache_remote_options), 0, 0, 0, 0 }

/**
 * Adds a remote that a URL names, as cucore_cache_add_remote(): file:///shared/folder,
 * http://host/path and https:// (GET and PUT), redis://user:password@host:port/database. Each is a
 * library of its own, cucore-remote-directory.so, -http and -redis, looked for beside this one and in
 * its folder cucore.
 *
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_LIBRARY_MISSING   the plug-in is not there; the message lists every path tried
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the URL names no such place; the message says why
 * @retval CUCORE_ERROR_ABI_MISMATCH      options hold fields that this library does not know
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_add_remote_url(cucore_cache *cache, const char *url,
                                                     const cucore_cache_remote_options *options,
                                                     cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_CACHE_REMOTE_H_INCLUDED */
