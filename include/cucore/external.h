/*
 * cucore/external.h - semaphores of other libraries, for example of Vulkan.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A binary semaphore is signalled by one side and consumed by one wait of the other side. A timeline
 * semaphore has a number, which signals raise and which waits compare.
 */
#ifndef CUCORE_EXTERNAL_H_INCLUDED
#define CUCORE_EXTERNAL_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Imports a semaphore of another library from its file descriptor: of Vulkan, for example, an opaque
 * descriptor from vkGetSemaphoreFdKHR().
 *
 * If the call succeeds, the descriptor belongs to the driver, and the program must not use or close
 * it. If the call fails, the descriptor is still the program's.
 *
 * On the CPU device, a binary semaphore is an eventfd. A timeline semaphore is a shared file, as of
 * memfd_create(), whose first 8 bytes are the number.
 *
 * @param device      the device
 * @param descriptor  the file descriptor
 * @param timeline    1: the semaphore is a timeline; 0: it is binary
 * @param out         receives the semaphore
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the descriptor is below 0, the driver reads no semaphore
 *                                        from it, or timeline is neither 0 nor 1
 * @retval CUCORE_ERROR_UNSUPPORTED       the driver or the device has no semaphores of other
 *                                        libraries, or no timelines
 * @since 0.2
 */
CUCORE_API cucore_status cucore_external_semaphore_from_descriptor(const cucore_device *device,
                                                                   int32_t descriptor,
                                                                   int32_t timeline,
                                                                   cucore_external **out,
                                                                   cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param external  the semaphore; NULL is allowed
 * @since 0.2
 */
CUCORE_API cucore_external *cucore_external_retain(const cucore_external *external);

/**
 * Removes a reference. After the last one, a thread of the library returns the semaphore to the
 * driver, once the work that uses it is complete. Graphs that use it hold references.
 *
 * @param external  the semaphore; NULL is allowed
 * @since 0.2
 */
CUCORE_API void cucore_external_release(cucore_external *external);

/**
 * Returns the semaphore's device with a new reference.
 *
 * @param external  the semaphore
 * @param out       receives the device
 * @param error     NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_API cucore_status cucore_external_device(const cucore_external *external,
                                                cucore_device **out, cucore_error **error);

/**
 * Returns whether the semaphore is a timeline.
 *
 * @param external  the semaphore; 0 for NULL
 * @since 0.2
 */
CUCORE_API int32_t cucore_external_is_timeline(const cucore_external *external);

/**
 * Signals a semaphore when the work of the stream so far is complete. In a capture, a node signals
 * it at each launch.
 *
 * @param semaphore  the semaphore
 * @param value      the new number of a timeline, larger than before; a binary semaphore ignores it
 * @param stream     a stream of the semaphore's device
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the stream belongs to another device
 * @retval CUCORE_ERROR_INVALID_STATE     the semaphore was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_external_signal(const cucore_external *semaphore, uint64_t value,
                                                const cucore_stream *stream, cucore_error **error);

/**
 * Lets later work of the stream wait for a semaphore. In a capture, a node waits at each launch.
 *
 * @param semaphore  the semaphore
 * @param value      the least number of a timeline; a binary semaphore ignores it
 * @param stream     a stream of the semaphore's device
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the stream belongs to another device
 * @retval CUCORE_ERROR_INVALID_STATE     the semaphore was lost in a reset of its device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_external_wait(const cucore_external *semaphore, uint64_t value,
                                              const cucore_stream *stream, cucore_error **error);

/**
 * Returns the CUexternalSemaphore, for other libraries. It lives as long as the object.
 *
 * @param external  the semaphore; NULL for NULL
 * @since 0.2
 */
CUCORE_API void *cucore_external_native(const cucore_external *external);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_EXTERNAL_H_INCLUDED */
