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
/** The version of this header, in the form of cucore_version(). */
#define CUCORE_VERSION \
  (CUCORE_VERSION_MAJOR * 10000 + CUCORE_VERSION_MINOR * 100 + CUCORE_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the version of the library in use: major * 10000 + minor * 100 + patch.
 *
 * A program works with each later library of the same major version. While the major version is
 * 0, this holds for libraries of the same minor version.
 *
 * @since 0.1
 */
CUCORE_API uint32_t cucore_version(void);

/**
 * Returns the version of the library in use as text, "0.1.0". The string is static.
 *
 * @since 0.1
 */
CUCORE_API const char *cucore_version_string(void);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_VERSION_H_INCLUDED */
