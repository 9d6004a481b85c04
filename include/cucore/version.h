/*
 * cucore/version.h - the version of the header and of the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_VERSION_H_INCLUDED
#define CUCORE_VERSION_H_INCLUDED

#include "base.h"

#define CUCORE_VERSION_MAJOR 0
#define CUCORE_VERSION_MINOR 1
#define CUCORE_VERSION_PATCH 0
/** The version of this header, as cucore_version() gives that of the library. */
#define CUCORE_VERSION \
  (CUCORE_VERSION_MAJOR * 10000 + CUCORE_VERSION_MINOR * 100 + CUCORE_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library in use: major * 10000 + minor * 100 + patch. @since 0.1 */
CUCORE_API uint32_t cucore_version(void);

/** The same as text, "0.1.0". @since 0.1 */
CUCORE_API const char *cucore_version_string(void);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_VERSION_H_INCLUDED */
