/* SPDX-License-Identifier: Apache-2.0 */
/* What a remote's plug-in library exports: one function, which fills in the table of functions of a
 * place that a URL names. */
#pragma once

#include <cucore.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1 on success; else 0, and why in `reason`. The options have their defaults filled in. */
typedef int32_t (*cucore_remote_open_fn)(const char *url, const cucore_cache_remote_options *options,
                                         cucore_cache_remote *out, char *reason, size_t capacity);

__attribute__((visibility("default"))) int32_t cucore_remote_open(
    const char *url, const cucore_cache_remote_options *options, cucore_cache_remote *out,
    char *reason, size_t capacity);

#ifdef __cplusplus
}
#endif
