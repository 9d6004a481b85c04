/*
 * cucore/buffer.h - memory: device, pinned and managed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_BUFFER_H_INCLUDED
#define CUCORE_BUFFER_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Device memory from the device's stream-ordered pool: usable by work that comes after this in
 * the stream, or after synchronising with it. The buffer keeps the stream, and is freed in its
 * order once the last reference is gone: see cucore_buffer_release(). If the memory is exhausted,
 * the call waits for the work of the device and for what is about to be freed, and tries again.
 * @param size  in bytes; 0 is allowed and has the address 0
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the message says how much was asked for and is free
 * @retval CUCORE_ERROR_INVALID_STATE         the stream is captured into a graph, or its context
 *                                            was reset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_create(const cucore_device *device, size_t size,
                                              const cucore_stream *stream, cucore_buffer **out,
                                              cucore_error **error);

/** Pinned host memory that the device reads and writes over the bus; copies to and from it are
 *  asynchronous. @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  it cannot be had @since 0.1 */
CUCORE_API cucore_status cucore_buffer_create_pinned(const cucore_device *device, size_t size,
                                                     cucore_buffer **out, cucore_error **error);

/** Managed memory, which moves between host and device by itself.
 *  @retval CUCORE_ERROR_UNSUPPORTED           the device has none
 *  @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  it cannot be had @since 0.1 */
CUCORE_API cucore_status cucore_buffer_create_managed(const cucore_device *device, size_t size,
                                                      cucore_buffer **out, cucore_error **error);

/** Wraps memory that somebody else allocated; it is borrowed, never freed, and must outlive the
 *  result. @retval CUCORE_ERROR_INVALID_ARGUMENT  address is 0 and size is not @since 0.1 */
CUCORE_API cucore_status cucore_buffer_from_native(const cucore_device *device, uint64_t address,
                                                   size_t size, cucore_buffer **out,
                                                   cucore_error **error);

/** One more reference to a buffer; gives back its argument. @since 0.1 */
CUCORE_API cucore_buffer *cucore_buffer_retain(const cucore_buffer *buffer);

/**
 * Releases one reference. The last one frees the memory after all work that uses the buffer: the
 * work in the buffer's stream, and the work on each stream of which a use was recorded. The device
 * waits for that work. Neither the calling thread nor any stream of the program waits.
 *
 * In these cases a thread of the library waits for the work and then frees the memory:
 * - the memory is pinned or managed, or the device has no memory pools,
 * - the buffer's stream or a recorded stream is captured into a graph,
 * - some hundred releases wait already for work that has not ended.
 *
 * A graph that uses the buffer keeps its memory until the graph and all that was instantiated from
 * it are destroyed; with a driver before 12.3 for ever. The memory of a buffer on a default stream
 * is freed in the order of the legacy default stream, which orders all blocking streams.
 *
 * Uses are recorded by every function of this library that takes the buffer and a stream, and by
 * launches that take it as CUCORE_ARGUMENT_OBJECT. Launches that take its address, and work of
 * other libraries, must stay in the order of the buffer's stream, or be recorded by
 * cucore_buffer_record_use().
 * @since 0.1
 */
CUCORE_API void cucore_buffer_release(cucore_buffer *buffer);

/**
 * Records that work on a stream uses the buffer, so that its memory is freed after that work. Call
 * it after the work was added to the stream. On the buffer's own stream, for borrowed memory, and
 * for a stream that is recorded already it does next to nothing; the first call for a stream made
 * by cucore_stream_create() costs no call of the driver, each call for another one an event.
 *
 * @retval CUCORE_ERROR_INVALID_STATE  the context of the buffer or of the stream was reset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_record_use(const cucore_buffer *buffer,
                                                  const cucore_stream *stream,
                                                  cucore_error **error);

/** Moves the freeing of the memory to another stream of the same device; the stream before counts
 *  as a recorded use. Pinned, managed and borrowed memory: INVALID_STATE. @since 0.1 */
CUCORE_API cucore_status cucore_buffer_set_stream(cucore_buffer *buffer,
                                                  const cucore_stream *stream,
                                                  cucore_error **error);

/** The buffer's device, one more reference to it. @since 0.1 */
CUCORE_API cucore_status cucore_buffer_device(const cucore_buffer *buffer, cucore_device **out,
                                              cucore_error **error);

/** The address on the device: what a kernel gets for a pointer parameter. @since 0.1 */
CUCORE_API uint64_t cucore_buffer_address(const cucore_buffer *buffer);

/** The address on the host of pinned and managed memory; NULL for device memory. @since 0.1 */
CUCORE_API void *cucore_buffer_host_pointer(const cucore_buffer *buffer);

/** The size in bytes. @since 0.1 */
CUCORE_API size_t cucore_buffer_size(const cucore_buffer *buffer);

/**
 * Copies from host memory into the buffer, in the stream's order. Returns when source may be used
 * again.
 * @param offset  in bytes, in the buffer
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the range is not inside the buffer, or the stream
 *                                        belongs to another device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_write(cucore_buffer *buffer, size_t offset,
                                             const void *source, size_t size,
                                             const cucore_stream *stream, cucore_error **error);

/**
 * Copies from the buffer to host memory, in the stream's order. Returns when destination is
 * filled.
 * @param offset  in bytes, in the buffer
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_buffer_write()
 * @retval CUCORE_ERROR_KERNEL_FAULT      a kernel before it in the stream broke the context
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_read(const cucore_buffer *buffer, size_t offset,
                                            void *destination, size_t size,
                                            const cucore_stream *stream, cucore_error **error);

/** Copies between buffers of any kind and any device, in the stream's order, asynchronously. The
 *  ranges must not overlap. @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_buffer_write()
 *  @since 0.1 */
CUCORE_API cucore_status cucore_buffer_copy(cucore_buffer *destination, size_t destination_offset,
                                            const cucore_buffer *source, size_t source_offset,
                                            size_t size, const cucore_stream *stream,
                                            cucore_error **error);

/**
 * Fills a range with a repeated pattern, in the stream's order, asynchronously. A pattern of 8 bytes
 * whose halves differ takes several driver calls, every other pattern takes one.
 *
 * @param size          in bytes, a multiple of pattern_size
 * @param pattern       copied before this returns
 * @param pattern_size  in bytes: 1, 2, 4 or 8; offset and address must be multiples of it also
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the range is not inside the buffer, a size, offset or address
 *                                        does not fit the pattern, or the stream belongs to another
 *                                        device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_fill(cucore_buffer *buffer, size_t offset, size_t size,
                                            const void *pattern, size_t pattern_size,
                                            const cucore_stream *stream, cucore_error **error);

/** The address as a pointer, as cucore_buffer_address(). @since 0.1 */
CUCORE_API void *cucore_buffer_native(const cucore_buffer *buffer);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_BUFFER_H_INCLUDED */
