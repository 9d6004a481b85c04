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

/** The answer of a remote. */
typedef enum cucore_cache_answer {
  CUCORE_CACHE_ANSWER_DONE   = 0, /**< it has received or stored the bytes */
  CUCORE_CACHE_ANSWER_ABSENT = 1, /**< it does not have the name */
  CUCORE_CACHE_ANSWER_FAILED = 2, /**< it cannot be reached, or not in time */
  CUCORE_CACHE_ANSWER_FORCE_INT32 = 0x7fffffff
} cucore_cache_answer;

/**
 * Receives the bytes of one get. The get function calls it once at most, before it returns.
 *
 * @param data      the bytes; copied
 * @param size      in bytes; more than 64 MiB is refused
 * @param receiver  as given to the get function
 */
typedef void (*cucore_cache_receive_fn)(const void *data, size_t size, void *receiver);

/**
 * Returns the bytes of a name, by a call of receive.
 *
 * @param context   of the remote
 * @param name      a path such as "v1/ab/<62 digits>.cuco"; valid during this call
 * @param receive   to be called with the bytes, if the answer is DONE
 * @param receiver  to be passed to receive
 */
typedef cucore_cache_answer (*cucore_cache_get_fn)(void *context, const char *name,
                                                   cucore_cache_receive_fn receive,
                                                   void *receiver);

/**
 * Stores bytes under a name. It runs on a thread of the library.
 *
 * @param context  of the remote
 * @param name     a path, as for the get function; valid during this call
 * @param data     the bytes; valid during this call
 * @param size     in bytes
 */
typedef cucore_cache_answer (*cucore_cache_put_fn)(void *context, const char *name,
                                                   const void *data, size_t size);

/**
 * Releases the context. It is the last call: no other function of the remote runs or follows.
 *
 * @param context  of the remote
 */
typedef void (*cucore_cache_close_fn)(void *context);

/** A store of results beyond this machine. Its functions are called from any thread, several at a
 *  time, and must not use the cache. */
typedef struct cucore_cache_remote {
  size_t                struct_size; /**< sizeof(cucore_cache_remote) */
  void                 *context;     /**< passed to each function */
  cucore_cache_get_fn   get;   /**< must be set */
  cucore_cache_put_fn   put;   /**< NULL: read-only */
  cucore_cache_close_fn close; /**< NULL, or called once, after the last of the others */
  const char           *name;  /**< in messages, copied; default "a remote" */
} cucore_cache_remote;

#define CUCORE_CACHE_REMOTE_INIT \
  { sizeof(cucore_cache_remote), NULL, NULL, NULL, NULL, NULL }

/**
 * Adds a remote. The cache queries it if memory and disk do not have a result, and a thread of the
 * library sends new results to it.
 *
 * The cache accepts only entries with a valid signature by one of its keys, and sends only entries
 * that it can sign. After three failures in a row it does not use the remote for a while, at first
 * for one second. A call of the cache inside a function of the remote is INVALID_STATE.
 *
 * @param cache   the cache; several remotes are queried in the order of these calls
 * @param remote  copied; close is called also if this call fails, except with ABI_MISMATCH
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  get is NULL
 * @retval CUCORE_ERROR_ABI_MISMATCH      remote has fields that this library does not have
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_add_remote(cucore_cache *cache,
                                                 const cucore_cache_remote *remote,
                                                 cucore_error **error);

/** The settings of a remote that a URL names. */
typedef struct cucore_cache_remote_options {
  size_t   struct_size;        /**< sizeof(cucore_cache_remote_options) */
  int32_t  read_only;          /**< 1: nothing is sent to it */
  uint32_t connect_timeout_ms; /**< of one connection; 0: 100 */
  uint32_t timeout_ms;         /**< of one request as a whole; 0: 1000 */
  int32_t  reserved;           /**< 0 */
} cucore_cache_remote_options;

#define CUCORE_CACHE_REMOTE_OPTIONS_INIT \
  { sizeof(cucore_cache_remote_options), 0, 0, 0, 0 }

/**
 * Adds a remote that a URL names, as a table of functions does.
 *
 * The URL is file:///shared/folder, http://host/path or https://host/path (GET and PUT), or
 * redis://user:password@host:port/database. Each is a plug-in in a library of its own:
 * cucore-remote-directory.so, -http and -redis. The folder of this library and its folder cucore
 * are searched for them.
 *
 * @param cache    the cache
 * @param url      the location; messages and the log never contain its password
 * @param options  NULL for the defaults
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_LIBRARY_MISSING   the plug-in was not found; the message lists every path
 *                                        tried
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the URL names no such location; the message contains the
 *                                        reason
 * @retval CUCORE_ERROR_ABI_MISMATCH      options have fields that this library does not have
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_add_remote_url(cucore_cache *cache, const char *url,
                                                     const cucore_cache_remote_options *options,
                                                     cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_CACHE_REMOTE_H_INCLUDED */
