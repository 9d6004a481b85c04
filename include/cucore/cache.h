/*
 * cucore/cache.h - the program cache: local tiers, statistics, maintenance.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_CACHE_H_INCLUDED
#define CUCORE_CACHE_H_INCLUDED

#include "base.h"
#include "objectcode.h"
#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a result came from. */
typedef enum cucore_cache_outcome {
  CUCORE_CACHE_OUTCOME_NONE       = 0, /**< there is no result */
  CUCORE_CACHE_OUTCOME_HIT_MEMORY = 1, /**< this process had it */
  CUCORE_CACHE_OUTCOME_HIT_DISK   = 2, /**< some process of this machine had built it */
  CUCORE_CACHE_OUTCOME_HIT_REMOTE = 3, /**< some machine had */
  CUCORE_CACHE_OUTCOME_JOINED     = 4, /**< another thread was building it and was waited for */
  CUCORE_CACHE_OUTCOME_BUILT      = 5, /**< built now, and kept for the next time */
  CUCORE_CACHE_OUTCOME_NOT_STORED = 6, /**< built now; it could not, or must not, be kept */
  CUCORE_CACHE_OUTCOME_BYPASSED   = 7, /**< built without a look: options with side effects */
  CUCORE_CACHE_OUTCOME_FORCE_INT32 = 0x7fffffff
} cucore_cache_outcome;

/** How to open a cache. */
typedef struct cucore_cache_options {
  size_t        struct_size; /**< sizeof(cucore_cache_options) */
  const char   *directory;   /**< default: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or
                                  ~/.cache/cucore; "": memory alone */
  uint64_t      max_bytes;   /**< on disk; 0: 1 GiB */
  uint64_t      max_entries; /**< on disk; 0: 20000 */
  uint64_t      max_memory;  /**< bytes of object code in memory; 0: 64 MiB */
  uint64_t      max_age_seconds;      /**< older entries are built anew; 0: none is too old */
  uint32_t      lock_timeout_ms;      /**< how long to wait for another's build before building
                                           too; 0: 30000 */
  int32_t       read_only;            /**< 1: nothing is written to the disk */
  int32_t       hermetic;             /**< 1: programs that read files from the disk are refused */
  int32_t       durable;              /**< 1: an entry survives a power failure, at a price */
  cucore_toggle trust_toolkit;        /**< headers of a CUDA toolkit are looked at one by one once a
                                           process, then by the toolkit's version; ON: by that
                                           alone. OFF is the default */
  cucore_toggle locking;              /**< one build a key among processes; default: ON, but OFF on
                                           network file systems */
  const char   *name_space;           /**< keeps those of different name spaces apart */
  const cucore_key *signing_key;      /**< signs what goes to remotes; NULL: nothing goes there */
  const cucore_key *keys;             /**< verify what comes from remotes */
  size_t            key_count;        /**< 0: nothing is taken from remotes */
} cucore_cache_options;

#define CUCORE_CACHE_OPTIONS_INIT                                                         \
  { sizeof(cucore_cache_options), NULL, 0, 0, 0, 0, 0, 0, 0, 0,                           \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, NULL, NULL, NULL, 0 }

/** What a cache has done and holds. */
typedef struct cucore_cache_statistics_info {
  size_t   struct_size;    /**< set by you: sizeof(cucore_cache_statistics_info) */
  uint64_t entries;        /**< on disk now */
  uint64_t bytes;          /**< on disk now */
  uint64_t max_entries;    /**< the most that may be on disk */
  uint64_t max_bytes;      /**< the most that may be on disk */
  uint64_t hits_memory;    /**< this process had it */
  uint64_t hits_disk;      /**< some process of this machine had it */
  uint64_t hits_remote;    /**< a remote had it */
  uint64_t joins;          /**< waits for another thread's build that brought its result */
  uint64_t misses;         /**< nobody had it */
  uint64_t bypasses;       /**< never looked for: options with side effects, or switched off */
  uint64_t builds;         /**< compiles and links, misses and bypasses together */
  uint64_t build_failures; /**< compiles and links that failed */
  uint64_t stores;         /**< entries written to the disk */
  uint64_t store_failures; /**< entries that the disk did not take */
  uint64_t not_storable;   /**< results that vary with the time, or whose headers were changing */
  uint64_t corrupt;        /**< damaged files found, and removed */
  uint64_t evictions;      /**< removed to stay below the bounds */
  uint64_t lock_timeouts;  /**< builds that were not waited for any longer */
  uint64_t bytes_read;     /**< from the disk */
  uint64_t bytes_written;  /**< to the disk */
  /* why misses were misses: the first difference from the last build of that name */
  uint64_t misses_new;         /**< nothing of that name and kind of code was built before */
  uint64_t misses_source;  /**< another source */
  uint64_t misses_options; /**< other options */
  uint64_t misses_compiler;    /**< another compiler or linker, or another build of it */
  uint64_t misses_target;      /**< another architecture */
  uint64_t misses_expressions; /**< other name expressions */
  uint64_t misses_headers;     /**< another header in memory */
  uint64_t misses_files;       /**< an included file changed, went, or would now be another */
  uint64_t misses_inputs;      /**< another input of a link */
  uint64_t misses_environment; /**< a variable that the compiler reads, the directory, the name
                                    space */
  uint64_t misses_removed;     /**< built before, and evicted or removed since */
  uint64_t remote_misses;  /**< remotes asked in vain */
  uint64_t remote_stores;  /**< entries sent to remotes */
  uint64_t remote_errors;  /**< requests that failed, or took too long */
  uint64_t remote_refused;     /**< what came had no valid signature, or was damaged */
} cucore_cache_statistics_info;

#define CUCORE_CACHE_STATISTICS_INFO_INIT                                                 \
  { sizeof(cucore_cache_statistics_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** What a file of a cache is. */
typedef enum cucore_cache_file {
  CUCORE_CACHE_FILE_NONE     = 0,
  CUCORE_CACHE_FILE_ENTRY    = 1, /**< object code, a container */
  CUCORE_CACHE_FILE_MANIFEST = 2, /**< which headers a program includes */
  CUCORE_CACHE_FILE_LAST     = 3, /**< what the last build of a name was made of */
  CUCORE_CACHE_FILE_FORCE_INT32 = 0x7fffffff
} cucore_cache_file;

/** One file of a cache; strings live during the call that reports it. */
typedef struct cucore_cache_entry_info {
  size_t            struct_size; /**< set by the library */
  uint8_t           key[32];     /**< its name in the folder, in hexadecimal */
  cucore_cache_file kind;
  int32_t           is_sound; /**< 0: damaged, and removed where the cache may write */
  uint64_t          size;     /**< bytes of the file */
  int64_t           made_ns;  /**< since 1970 */
  int64_t           used_ns;
  cucore_code_type  type; /**< of an entry, where it was read; else 0 */
  int32_t           reserved;
  const char       *name;    /**< of the object code; "" where it was not read */
  const char       *arch;    /**< "sm_90" */
  const char       *problem; /**< what is wrong; "" */
  size_t            done;    /**< how many entries have been looked at ... */
  size_t            total;   /**< ... of about so many */
} cucore_cache_entry_info;

#define CUCORE_CACHE_ENTRY_INFO_INIT                                                      \
  { sizeof(cucore_cache_entry_info), { 0 }, CUCORE_CACHE_FILE_NONE, 0, 0, 0, 0,           \
    (cucore_code_type)0, 0, NULL, NULL, NULL, 0, 0 }

/** Is told of one file after the other, on the thread that asked. Gives 1 to go on, 0 to stop. */
typedef int32_t (*cucore_cache_report_fn)(const cucore_cache_entry_info *entry, void *user_data);

/** Builds what is not in a cache: as a function of this library would, with its status and error.
 *  Runs on the thread that asked, and may release the cache. */
typedef cucore_status (*cucore_cache_build_fn)(cucore_objectcode **out, cucore_error **error,
                                               void *user_data);

/**
 * Opens a cache; nothing is cached without one. Any number of caches, processes and languages may
 * have one folder at a time. A folder that cannot be made or written to is no failure: the cache
 * then works in memory, or reads only, and says so through the log. With CUCORE_CACHE=off in the
 * environment it does nothing: everything is built. In the child of a fork a cache goes on with
 * nothing in memory and without its remotes.
 *
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_IO                the folder belongs to another user, or others can write to
 *                                        it: what is in it would be theirs
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the field that is wrong
 * @retval CUCORE_ERROR_ABI_MISMATCH      options hold fields that this library does not know
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_open(const cucore_cache_options *options, cucore_cache **out,
                                           cucore_error **error);

/** One more reference to a cache; gives back its argument. @since 0.1 */
CUCORE_API cucore_cache *cucore_cache_retain(const cucore_cache *cache);

/** Gives one reference back. What came from the cache stays. @since 0.1 */
CUCORE_API void cucore_cache_release(cucore_cache *cache);

/** The folder in use; "" where everything is in memory. @since 0.1 */
CUCORE_API const char *cucore_cache_directory(const cucore_cache *cache);

/**
 * Gives what cucore_program_compile() would, and compiles only what has not been compiled before:
 * with the same source, options, headers, name expressions, compiler and environment. Failures of
 * the cache are never failures of this. Of any number of threads and processes that ask for the
 * same at once, one compiles. A hit in memory is the same object again.
 *
 * @param outcome  NULL, or receives where it came from
 * @retval CUCORE_ERROR_COMPILATION       and all others: as cucore_program_compile()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_compile(cucore_cache *cache, const cucore_program *program,
                                              cucore_code_type target,
                                              const char *const *name_expressions,
                                              size_t name_expression_count,
                                              cucore_objectcode **out,
                                              cucore_cache_outcome *outcome, cucore_error **error);

/**
 * Returns the object code that cucore_cache_compile() would return without a compile, from memory or
 * from disk. Compiles nothing, requests nothing from remotes and counts no miss.
 *
 * @param out      receives the object code; NULL, and the call succeeds, if it is not there
 * @param outcome  NULL, or receives CUCORE_CACHE_OUTCOME_HIT_MEMORY or
 *                 CUCORE_CACHE_OUTCOME_HIT_DISK; CUCORE_CACHE_OUTCOME_NONE if it is not there
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_find(cucore_cache *cache, const cucore_program *program,
                                           cucore_code_type target,
                                           const char *const *name_expressions,
                                           size_t name_expression_count, cucore_objectcode **out,
                                           cucore_cache_outcome *outcome, cucore_error **error);

/**
 * Gives what cucore_linker_link() would, and links only what has not been linked before.
 * @param outcome  NULL, or receives where it came from
 * @retval CUCORE_ERROR_LINKING           and all others: as cucore_linker_link()
 * @par Threads  a linker belongs to one thread at a time
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_link(cucore_cache *cache, cucore_linker *linker,
                                           cucore_code_type target, cucore_objectcode **out,
                                           cucore_cache_outcome *outcome, cucore_error **error);

/**
 * Finds object code under a key of your own: 32 bytes that say all it depends on.
 * @param out  NULL, and the call succeeds, where there is none
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_get(cucore_cache *cache, const uint8_t key[32],
                                          cucore_objectcode **out, cucore_error **error);

/** Keeps object code under a key of your own. That it could not be kept is no failure.
 *  @since 0.1 */
CUCORE_API cucore_status cucore_cache_put(cucore_cache *cache, const uint8_t key[32],
                                          const cucore_objectcode *code, cucore_error **error);

/**
 * Finds object code under a key of your own, or builds it: once, however many threads and processes
 * ask for it; the others wait.
 *
 * @param build    called where there is none; must not request this key, nor any other key that the
 *                 calling thread is building
 * @param outcome  NULL, or receives where it came from
 * @retval CUCORE_ERROR_INVALID_STATE  the calling thread, or a thread that waits for it in
 *                                     cucore_program_compile_batch(), is already building the key
 * @return what build returned where it failed
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_get_or_build(cucore_cache *cache, const uint8_t key[32],
                                                   cucore_cache_build_fn build, void *user_data,
                                                   cucore_objectcode **out,
                                                   cucore_cache_outcome *outcome,
                                                   cucore_error **error);

/** What this cache has done since it was opened, and what its folder holds.
 *  @param out  filled in; struct_size must be set
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_cache_statistics(cucore_cache *cache,
                                                 cucore_cache_statistics_info *out,
                                                 cucore_error **error);

/** The same of all caches that have ever had this folder, as far as they could say so before their
 *  end. @since 0.1 */
CUCORE_API cucore_status cucore_cache_statistics_of_all(cucore_cache *cache,
                                                        cucore_cache_statistics_info *out,
                                                        cucore_error **error);

/**
 * Removes what was used least recently until no more than max_bytes are left; 0 removes all.
 * @param report     NULL, or told of each file removed
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_trim(cucore_cache *cache, uint64_t max_bytes,
                                           cucore_cache_report_fn report, void *user_data,
                                           cucore_error **error);

/**
 * Reads every file and removes what is damaged.
 * @param report  NULL, or told of each file
 * @param bad     NULL, or receives how many were damaged
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_verify(cucore_cache *cache, cucore_cache_report_fn report,
                                             void *user_data, uint64_t *bad, cucore_error **error);

/** Tells of each entry. @since 0.1 */
CUCORE_API cucore_status cucore_cache_query(cucore_cache *cache, cucore_cache_report_fn report,
                                            void *user_data, cucore_error **error);

/**
 * Says why cucore_cache_compile() would have to compile: a text of several lines, of which the first
 * begins with "hit", "miss" or "bypassed".
 *
 * @param buffer  NULL with capacity 0 asks for the size
 * @param size    the size needed with its NUL, also with BUFFER_TOO_SMALL
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_explain_miss(cucore_cache *cache,
                                                   const cucore_program *program,
                                                   cucore_code_type target,
                                                   const char *const *name_expressions,
                                                   size_t name_expression_count, char *buffer,
                                                   size_t capacity, size_t *size,
                                                   cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_CACHE_H_INCLUDED */
