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

/** The origin of a result. */
typedef enum cucore_cache_outcome {
  CUCORE_CACHE_OUTCOME_NONE       = 0, /**< the call has no result */
  CUCORE_CACHE_OUTCOME_HIT_MEMORY = 1, /**< from the memory of this process */
  CUCORE_CACHE_OUTCOME_HIT_DISK   = 2, /**< built before by a process of this machine */
  CUCORE_CACHE_OUTCOME_HIT_REMOTE = 3, /**< built before by any machine */
  CUCORE_CACHE_OUTCOME_JOINED     = 4, /**< built by another thread while this one waited */
  CUCORE_CACHE_OUTCOME_BUILT      = 5, /**< built now, and stored */
  CUCORE_CACHE_OUTCOME_NOT_STORED = 6, /**< built now; it could not, or must not, be stored */
  CUCORE_CACHE_OUTCOME_BYPASSED   = 7, /**< built without a look-up: options with side effects */
  CUCORE_CACHE_OUTCOME_FORCE_INT32 = 0x7fffffff
} cucore_cache_outcome;

/** The settings of a cache. Strings and keys are copied. */
typedef struct cucore_cache_options {
  size_t        struct_size; /**< sizeof(cucore_cache_options) */
  const char   *directory;   /**< default: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or
                                  ~/.cache/cucore. "" selects memory alone */
  uint64_t      max_bytes;   /**< on disk; 0: 1 GiB */
  uint64_t      max_entries; /**< on disk; 0: 20000 */
  uint64_t      max_memory;  /**< bytes of object code in memory; 0: 64 MiB */
  uint64_t      max_age_seconds;      /**< older entries are built again; 0: no limit */
  uint32_t      lock_timeout_ms;      /**< the longest wait for a build of another thread or
                                           process, before building also; 0: 30000 */
  int32_t       read_only;            /**< 1: nothing is written to the disk */
  int32_t       hermetic;             /**< 1: programs that read files from the disk are refused */
  int32_t       durable;              /**< 1: an entry survives a power failure; each store waits
                                           for the disk */
  cucore_toggle trust_toolkit;        /**< ON: the version of a CUDA toolkit stands for its headers.
                                           OFF, the default, also reads them once per process */
  cucore_toggle locking;              /**< one build per key among processes; default: ON, but OFF
                                           on network file systems */
  const char   *name_space;           /**< separates the entries of programs; part of every key */
  const cucore_key *signing_key;      /**< signs results for remotes; NULL: none are sent */
  const cucore_key *keys;             /**< verify results from remotes */
  size_t            key_count;        /**< of keys; 0: nothing is accepted from remotes */
} cucore_cache_options;

#define CUCORE_CACHE_OPTIONS_INIT                                                         \
  { sizeof(cucore_cache_options), NULL, 0, 0, 0, 0, 0, 0, 0, 0,                           \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, NULL, NULL, NULL, 0 }

/** The counts of a cache, and the size of its folder. Entries and bounds are of the folder now. */
typedef struct cucore_cache_statistics_info {
  size_t   struct_size;    /**< set by the caller: sizeof(cucore_cache_statistics_info) */
  uint64_t entries;        /**< on disk now */
  uint64_t bytes;          /**< on disk now */
  uint64_t max_entries;    /**< the bound of the settings */
  uint64_t max_bytes;      /**< the bound of the settings */
  uint64_t hits_memory;    /**< found in the memory of this process */
  uint64_t hits_disk;      /**< found on disk */
  uint64_t hits_remote;    /**< found by a remote */
  uint64_t joins;          /**< waits for another thread's build that returned its result */
  uint64_t misses;         /**< found in no tier */
  uint64_t bypasses;       /**< not looked up: options with side effects, or switched off */
  uint64_t builds;         /**< compiles and links, misses and bypasses together */
  uint64_t build_failures; /**< compiles and links that failed */
  uint64_t stores;         /**< entries written to the disk */
  uint64_t store_failures; /**< entries that could not be written */
  uint64_t not_storable;   /**< results that vary with the time, or whose headers were changing */
  uint64_t corrupt;        /**< damaged files found, and removed */
  uint64_t evictions;      /**< entries removed to stay below the bounds */
  uint64_t lock_timeouts;  /**< waits for a build that ended at lock_timeout_ms */
  uint64_t bytes_read;     /**< from the disk */
  uint64_t bytes_written;  /**< to the disk */
  /* reasons of misses: the first difference from the last build with that name */
  uint64_t misses_new;         /**< no earlier build with that name and kind of code */
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
  uint64_t remote_misses;  /**< requests that no remote could answer */
  uint64_t remote_stores;  /**< entries sent to remotes */
  uint64_t remote_errors;  /**< requests that failed, or took too long */
  uint64_t remote_refused;     /**< answers that were damaged or had no valid signature */
} cucore_cache_statistics_info;

#define CUCORE_CACHE_STATISTICS_INFO_INIT                                                 \
  { sizeof(cucore_cache_statistics_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** The kind of a file of a cache. */
typedef enum cucore_cache_file {
  CUCORE_CACHE_FILE_NONE     = 0, /**< of a struct that is not filled in */
  CUCORE_CACHE_FILE_ENTRY    = 1, /**< object code, a container */
  CUCORE_CACHE_FILE_MANIFEST = 2, /**< the list of headers that a program includes */
  CUCORE_CACHE_FILE_LAST     = 3, /**< the key fields of the last build with a name */
  CUCORE_CACHE_FILE_FORCE_INT32 = 0x7fffffff
} cucore_cache_file;

/** One file of a cache. Strings live during the call that reports it. */
typedef struct cucore_cache_entry_info {
  size_t            struct_size; /**< set by the library */
  uint8_t           key[32];     /**< its name in the folder, in hexadecimal */
  cucore_cache_file kind;        /**< never NONE in a report */
  int32_t           is_sound; /**< 0: damaged, and removed if the cache may write */
  uint64_t          size;     /**< bytes of the file */
  int64_t           made_ns;  /**< since 1970 */
  int64_t           used_ns;  /**< of the last use, since 1970 */
  cucore_code_type  type; /**< of an entry that was read; else 0 */
  int32_t           reserved; /**< 0 */
  const char       *name;    /**< of the object code; "" if it was not read */
  const char       *arch;    /**< "sm_90"; "" if it was not read */
  const char       *problem; /**< the defect of a damaged file; else "" */
  size_t            done;    /**< entries visited so far ... */
  size_t            total;   /**< ... of about this number */
} cucore_cache_entry_info;

#define CUCORE_CACHE_ENTRY_INFO_INIT                                                      \
  { sizeof(cucore_cache_entry_info), { 0 }, CUCORE_CACHE_FILE_NONE, 0, 0, 0, 0,           \
    (cucore_code_type)0, 0, NULL, NULL, NULL, 0, 0 }

/**
 * Receives one file after the other, on the thread that made the call. Returns 1 to continue, 0 to
 * stop.
 *
 * @param entry      the file; valid during this call
 * @param user_data  as given to the call
 */
typedef int32_t (*cucore_cache_report_fn)(const cucore_cache_entry_info *entry, void *user_data);

/**
 * Builds a result that is not in a cache, and returns a status as a function of this library does.
 * It runs on the thread that made the call, and may release the cache.
 *
 * @param out        receives the object code; the cache takes over this reference
 * @param error      receives NULL or an error, which the cache takes over and releases
 * @param user_data  as given to cucore_cache_get_or_build()
 */
typedef cucore_status (*cucore_cache_build_fn)(cucore_objectcode **out, cucore_error **error,
                                               void *user_data);

/**
 * Opens a cache; without one nothing is cached. Any number of caches, processes and languages may
 * share one folder.
 *
 * A folder that cannot be created or written to is not a failure. The cache then works in memory,
 * or reads only, and the log contains the reason. With CUCORE_CACHE=off in the environment it
 * stores and finds nothing. In the child of a fork a cache continues with an empty memory tier and
 * without its remotes.
 *
 * @param options  NULL for the defaults
 * @param out      receives the cache
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_IO                the folder belongs to another user, or others can write to
 *                                        it, so its contents are not trusted
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the field that is wrong
 * @retval CUCORE_ERROR_ABI_MISMATCH      options have fields that this library does not have
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_open(const cucore_cache_options *options, cucore_cache **out,
                                           cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param cache  the cache; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_cache *cucore_cache_retain(const cucore_cache *cache);

/**
 * Removes a reference. Object code from the cache and the folder remain. The last one waits for
 * results that are being sent to remotes, for two seconds at most.
 *
 * @param cache  the cache; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_cache_release(cucore_cache *cache);

/**
 * Returns the folder in use.
 *
 * @param cache  the cache, which owns the string; "" for NULL, and for a cache in memory alone
 * @since 0.1
 */
CUCORE_API const char *cucore_cache_directory(const cucore_cache *cache);

/**
 * Returns the result of cucore_program_compile(), and compiles only if no equal compile was stored.
 * Equal are source, options, headers, name expressions, compiler and environment.
 *
 * The call queries memory, then the disk, then remotes. If several threads and processes request
 * the same result, one compiles and the others wait. A failure of the cache is never a failure of
 * this call. A hit in memory returns the same object again.
 *
 * @param cache                  the cache
 * @param program                the program
 * @param target                 as for cucore_program_compile()
 * @param name_expressions       as for cucore_program_compile()
 * @param name_expression_count  of name_expressions
 * @param out                    receives the object code
 * @param outcome                NULL, or receives the origin of the result
 * @param error                  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_COMPILATION    and all others: as cucore_program_compile()
 * @retval CUCORE_ERROR_INVALID_STATE  the call comes from a function of one of the cache's remotes
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_compile(cucore_cache *cache, const cucore_program *program,
                                              cucore_code_type target,
                                              const char *const *name_expressions,
                                              size_t name_expression_count,
                                              cucore_objectcode **out,
                                              cucore_cache_outcome *outcome, cucore_error **error);

/**
 * Returns the object code that cucore_cache_compile() would return without a compile, from memory
 * or from disk. Compiles nothing, requests nothing from remotes and counts no miss.
 *
 * @param cache                  the cache
 * @param program                the program
 * @param target                 as for cucore_program_compile()
 * @param name_expressions       as for cucore_program_compile()
 * @param name_expression_count  of name_expressions
 * @param out                    receives the object code; NULL, and the call succeeds, if it is not
 *                               there
 * @param outcome                NULL, or receives CUCORE_CACHE_OUTCOME_HIT_MEMORY or
 *                               CUCORE_CACHE_OUTCOME_HIT_DISK; CUCORE_CACHE_OUTCOME_NONE if it is
 *                               not there
 * @param error                  NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_find(cucore_cache *cache, const cucore_program *program,
                                           cucore_code_type target,
                                           const char *const *name_expressions,
                                           size_t name_expression_count, cucore_objectcode **out,
                                           cucore_cache_outcome *outcome, cucore_error **error);

/**
 * Returns the result of cucore_linker_link(), and links only if no equal link was stored. The tiers
 * are those of cucore_cache_compile(). A linker belongs to one thread at a time.
 *
 * @param cache    the cache
 * @param linker   the linker; cucore_linker_log() returns the log of the result
 * @param target   as for cucore_linker_link()
 * @param out      receives the object code
 * @param outcome  NULL, or receives the origin of the result
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_LINKING  and all others: as cucore_linker_link()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_link(cucore_cache *cache, cucore_linker *linker,
                                           cucore_code_type target, cucore_objectcode **out,
                                           cucore_cache_outcome *outcome, cucore_error **error);

/**
 * Finds object code under a key of the program. The call queries memory, then the disk, then
 * remotes.
 *
 * @param cache  the cache
 * @param key    32 bytes: a digest of everything that the result depends on. The name space of the
 *               cache is added
 * @param out    receives the object code; NULL, and the call succeeds, if no tier has it
 * @param error  NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_get(cucore_cache *cache, const uint8_t key[32],
                                          cucore_objectcode **out, cucore_error **error);

/**
 * Stores object code under a key of the program, in place of an earlier one. A cache that cannot
 * store it is not a failure.
 *
 * @param cache  the cache
 * @param key    32 bytes, as for cucore_cache_get()
 * @param code   the object code
 * @param error  NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_put(cucore_cache *cache, const uint8_t key[32],
                                          const cucore_objectcode *code, cucore_error **error);

/**
 * Removes the result of one key from memory and from the disk. Remotes and other keys keep theirs.
 *
 * @param cache    the cache
 * @param key      32 bytes, as for cucore_cache_get(), or cucore_cache_entry_info.key
 * @param removed  receives 1; 0, and the call succeeds, if the cache had no such result
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_PERMITTED  the cache is read-only
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_remove(cucore_cache *cache, const uint8_t key[32],
                                             int32_t *removed, cucore_error **error);

/**
 * Finds object code under a key of the program, or builds it. One thread of all processes builds,
 * and the others wait up to lock_timeout_ms.
 *
 * If build fails, the call fails with the same status and a copy of the error. Nothing is stored,
 * and the next call builds again.
 *
 * @param cache      the cache
 * @param key        32 bytes, as for cucore_cache_get()
 * @param build      called if no tier has the key. It must not request this key, nor any other key
 *                   that the calling thread is building
 * @param user_data  passed to build
 * @param out        receives the object code
 * @param outcome    NULL, or receives the origin of the result
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the calling thread, or a thread that waits for it in
 *                                     cucore_program_compile_batch(), is already building the key
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_get_or_build(cucore_cache *cache, const uint8_t key[32],
                                                   cucore_cache_build_fn build, void *user_data,
                                                   cucore_objectcode **out,
                                                   cucore_cache_outcome *outcome,
                                                   cucore_error **error);

/**
 * Returns the counts of this cache since it was opened, and the size of its folder.
 *
 * @param cache  the cache
 * @param out    receives the counts; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_statistics(cucore_cache *cache,
                                                 cucore_cache_statistics_info *out,
                                                 cucore_error **error);

/**
 * Returns the counts of all caches that have used this folder, in every process. A process that
 * ended abnormally may have lost its last counts.
 *
 * @param cache  the cache
 * @param out    receives the counts; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_statistics_of_all(cucore_cache *cache,
                                                        cucore_cache_statistics_info *out,
                                                        cucore_error **error);

/**
 * Removes the least recently used entries until at most max_bytes are left. Object code that a
 * program holds is not affected.
 *
 * @param cache      the cache
 * @param max_bytes  on disk; 0 removes all
 * @param report     NULL, or called for each file that was removed
 * @param user_data  passed to report
 * @param error      NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_trim(cucore_cache *cache, uint64_t max_bytes,
                                           cucore_cache_report_fn report, void *user_data,
                                           cucore_error **error);

/**
 * Reads every file of the folder and removes damaged ones, if the cache may write.
 *
 * @param cache      the cache
 * @param report     NULL, or called for each file
 * @param user_data  passed to report
 * @param bad        NULL, or receives the number of damaged files
 * @param error      NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_verify(cucore_cache *cache, cucore_cache_report_fn report,
                                             void *user_data, uint64_t *bad, cucore_error **error);

/**
 * Reports each entry of the folder and removes nothing.
 *
 * @param cache      the cache
 * @param report     called for each file of the kind ENTRY
 * @param user_data  passed to report
 * @param error      NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_query(cucore_cache *cache, cucore_cache_report_fn report,
                                            void *user_data, cucore_error **error);

/**
 * Explains whether cucore_cache_compile() would compile, and why. The text has several lines, of
 * which the first begins with "hit", "miss" or "bypassed".
 *
 * @param cache                  the cache
 * @param program                the program
 * @param target                 as for cucore_program_compile()
 * @param name_expressions       as for cucore_program_compile()
 * @param name_expression_count  of name_expressions
 * @param buffer                 receives the text; NULL with capacity 0 queries the size
 * @param capacity               bytes that `buffer` can hold
 * @param size                   receives the needed size with its NUL, also with BUFFER_TOO_SMALL
 * @param error                  NULL, or receives a new error on failure
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
