/* SPDX-License-Identifier: Apache-2.0 */
/* The export of a remote's plug-in library: one function, which fills in the table of functions for
 * a URL. */
#pragma once

#include <cucore.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 on success; otherwise 0, with the reason in `reason`. Defaults of the options are
 * already filled in. */
typedef int32_t (*cucore_remote_open_fn)(const char *url, const cucore_cache_remote_options *options,
                                         cucore_cache_remote *out, char *reason, size_t capacity);

__attribute__((visibility("default"))) int32_t cucore_remote_open(
    const char *url, const cucore_cache_remote_options *options, cucore_cache_remote *out,
    char *reason, size_t capacity);

#ifdef __cplusplus
}
#endif
