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

/** The places of memory. */
typedef enum cucore_memory_kind {
  CUCORE_MEMORY_KIND_UNKNOWN     = 0, /**< not memory of the driver in use */
  CUCORE_MEMORY_KIND_DEVICE      = 1, /**< on a device */
  CUCORE_MEMORY_KIND_PINNED      = 2, /**< on the host; devices use it over the bus */
  CUCORE_MEMORY_KIND_MANAGED     = 3, /**< moves between host and device */
  CUCORE_MEMORY_KIND_FORCE_INT32 = 0x7fffffff
} cucore_memory_kind;

/**
 * Allocates device memory from the device's stream-ordered pool. The contents are undefined.
 *
 * Work may use the memory if it comes after this call in the stream, or after a synchronization
 * with the stream. The buffer holds the stream. The memory is freed in the stream's order when the
 * last reference is gone: see cucore_buffer_release().
 *
 * If the memory is exhausted, the call waits for the work of the device and for pending releases,
 * and tries once more. A device without memory pools allocates at once, in no order.
 *
 * @param device  the device
 * @param size    in bytes; 0 is allowed and has the address 0
 * @param stream  a stream of the device; in a capture, a node of the graph allocates
 * @param out     receives the buffer
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT      the stream belongs to another device
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the message contains the requested and the free size
 * @retval CUCORE_ERROR_INVALID_STATE         the capture of the stream is broken, or its context
 *                                            was reset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_create(const cucore_device *device, size_t size,
                                              const cucore_stream *stream, cucore_buffer **out,
                                              cucore_error **error);

/**
 * Allocates device memory from a pool. The buffer holds the pool; everything else is as in
 * cucore_buffer_create().
 *
 * If the memory is exhausted, the call waits for the work of the device and for pending releases.
 * It trims the pools of cucore_pool_create() and tries again. Then it calls the function
 * exhausted of the options of the pool.
 *
 * @param pool    the pool
 * @param size    in bytes; 0 is allowed and has the address 0
 * @param stream  a stream of the pool's device; in a capture, a node of the graph allocates
 * @param out     receives the buffer
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT      the stream belongs to another device
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the message contains the requested, the used, the
 *                                            reserved and the free size
 * @retval CUCORE_ERROR_INVALID_STATE         the capture of the stream is broken, or the context of
 *                                            the pool was reset
 * @since 0.2
 */
CUCORE_API cucore_status cucore_buffer_from_pool(cucore_pool *pool, size_t size,
                                                 const cucore_stream *stream, cucore_buffer **out,
                                                 cucore_error **error);

/**
 * Allocates pinned host memory, which every device reads and writes over the bus. Copies to and
 * from it are asynchronous. The contents are undefined.
 *
 * Copies and launches that still use the memory are safe at its release: a thread of the library
 * frees it after the recorded work. See cucore_buffer_release().
 *
 * @param device  the device whose context holds the memory
 * @param size    in bytes; 0 is allowed and has the address 0
 * @param out     receives the buffer; it has an address and a host pointer at once
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the driver cannot pin so much memory
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_create_pinned(const cucore_device *device, size_t size,
                                                     cucore_buffer **out, cucore_error **error);

/**
 * Allocates managed memory, which the driver moves between host and device. The contents are
 * undefined. It is freed as pinned memory is.
 *
 * @param device  the device whose context holds the memory
 * @param size    in bytes; 0 is allowed and has the address 0
 * @param out     receives the buffer; it has an address and a host pointer at once
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_UNSUPPORTED           the device has no managed memory
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the memory is exhausted
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_create_managed(const cucore_device *device, size_t size,
                                                      cucore_buffer **out, cucore_error **error);

/**
 * Wraps memory of another owner. The library never frees it, and it must outlive the result and all
 * work that uses it.
 *
 * @param device   the device of the memory
 * @param address  the address on the device; 0 only with size 0. The driver is not queried
 * @param size     in bytes
 * @param out      receives the buffer; each call returns a new object without a host pointer
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  address is 0 and size is not, or the range passes the end
 *                                        of the address space
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_from_native(const cucore_device *device, uint64_t address,
                                                   size_t size, cucore_buffer **out,
                                                   cucore_error **error);

/**
 * Ends the use of memory of another owner: see cucore_buffer_from_owner().
 *
 * It runs on the thread that releases the last reference, or on a thread of the library. It may
 * release objects of this library and must not wait for their work.
 *
 * @param user_data  as given to cucore_buffer_from_owner()
 */
typedef void (*cucore_buffer_destroy_fn)(void *user_data);

/**
 * Wraps memory of another owner, which gets it back after the last use.
 *
 * When the last reference is gone, and all work that uses the buffer is complete, destroy is called
 * once. cucore_buffer_release() describes which work is recorded. No thread of the program waits. A
 * reset of the device ends that work. When the process exits, and in a forked process, destroy is
 * not called.
 *
 * @param device     the device of the memory
 * @param address    the address on the device; 0 only with size 0. The driver is not queried
 * @param size       in bytes
 * @param destroy    takes the memory back; not called if this function fails
 * @param user_data  the argument of destroy
 * @param out        receives the buffer; each call returns a new object without a host pointer
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  address is 0 and size is not, or the range passes the end
 *                                        of the address space
 * @since 0.2
 */
CUCORE_API cucore_status cucore_buffer_from_owner(const cucore_device *device, uint64_t address,
                                                  size_t size, cucore_buffer_destroy_fn destroy,
                                                  void *user_data, cucore_buffer **out,
                                                  cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param buffer  the buffer; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_buffer *cucore_buffer_retain(const cucore_buffer *buffer);

/**
 * Releases one reference. The last one frees the memory after all work that uses the buffer. That
 * is the work in the buffer's stream and in each stream of which a use was recorded. The device
 * waits for that work. Neither the calling thread nor any stream of the program waits.
 *
 * In these cases a thread of the library waits for the work and then frees the memory:
 * - the memory is pinned or managed, or the device has no memory pools,
 * - the buffer's stream or a recorded stream is captured into a graph,
 * - some hundred releases wait already for work that has not ended.
 *
 * For pinned and managed memory, that thread waits in NVIDIA's driver until the device is idle.
 * Meanwhile, other calls of the process for that device may wait. A kernel that waits for the host
 * must not run then: the host could wait for the kernel in such a call.
 *
 * A graph that uses the buffer keeps its memory until the graph and all its instances are
 * destroyed. The memory of a buffer on a default stream is freed in the order of the legacy default
 * stream, which orders all blocking streams. Memory of a buffer that was made in a capture is the
 * graph's; see cucore/capture.h.
 *
 * Uses are recorded by every function of this library that takes the buffer and a stream, and by
 * launches that take it as CUCORE_ARGUMENT_OBJECT. Launches that take its address, and work of
 * other libraries, must stay in the order of the buffer's stream, or be recorded by
 * cucore_buffer_record_use(). A release waits only for work that was added before it.
 *
 * @param buffer  the buffer; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_buffer_release(cucore_buffer *buffer);

/**
 * Records that work on a stream uses the buffer, so that its memory is freed after that work. Call
 * it after the work was added to the stream.
 *
 * The call does next to nothing on the buffer's own stream, for borrowed memory, and for a stream
 * that is recorded already. The first call for a stream of cucore_stream_create() makes no call of
 * the driver. Each call for another stream records an event. A capture keeps the buffer as well.
 *
 * In a capture, the stream can be one of cucore_stream_from_native() or a thread's default stream.
 * Then the call does not record work before the capture. Record that before the capture begins.
 *
 * @param buffer  the buffer
 * @param stream  the stream of the work, also one of another device
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the context of the buffer or of the stream was reset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_record_use(const cucore_buffer *buffer,
                                                  const cucore_stream *stream,
                                                  cucore_error **error);

/**
 * Moves the freeing of the memory to another stream. The previous stream counts as a recorded use.
 * The call itself adds no wait: order the work on the two streams as usual.
 *
 * @param buffer  device memory of cucore_buffer_create()
 * @param stream  the new stream, of the buffer's device; the buffer holds it
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE     the memory is pinned, managed or borrowed
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the stream belongs to another device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_set_stream(cucore_buffer *buffer,
                                                  const cucore_stream *stream,
                                                  cucore_error **error);

/**
 * Returns the buffer's device with a new reference.
 *
 * @param buffer  the buffer
 * @param out     receives the device
 * @param error   NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_device(const cucore_buffer *buffer, cucore_device **out,
                                              cucore_error **error);

/**
 * Returns the pool of the buffer's memory with a new reference.
 *
 * @param buffer  the buffer
 * @param out     receives the pool
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  it is not device memory of a pool, it is empty, or its
 *                                     context was reset
 * @since 0.2
 */
CUCORE_API cucore_status cucore_buffer_pool(const cucore_buffer *buffer, cucore_pool **out,
                                            cucore_error **error);

/**
 * Returns the address on the device, the argument for a pointer parameter of a kernel.
 *
 * @param buffer  the buffer, which keeps the memory allocated; 0 for NULL and for an empty buffer
 * @since 0.1
 */
CUCORE_API uint64_t cucore_buffer_address(const cucore_buffer *buffer);

/**
 * Returns the address on the host of pinned and managed memory. Synchronize with the work on the
 * device before the host reads or writes there.
 *
 * @param buffer  the buffer, which keeps the memory allocated; NULL for NULL, and for device and
 *                borrowed memory
 * @since 0.1
 */
CUCORE_API void *cucore_buffer_host_pointer(const cucore_buffer *buffer);

/**
 * Returns the size in bytes, as given at the creation.
 *
 * @param buffer  the buffer; 0 for NULL
 * @since 0.1
 */
CUCORE_API size_t cucore_buffer_size(const cucore_buffer *buffer);

/**
 * Returns the cucore_memory_kind of a buffer. For borrowed memory each call queries the driver.
 *
 * @param buffer  the buffer; UNKNOWN for NULL, and for borrowed memory of size 0
 * @since 0.1
 */
CUCORE_API int32_t cucore_buffer_memory_kind(const cucore_buffer *buffer);

/**
 * Copies from host memory into the buffer, in the stream's order. Returns when source may be
 * changed or freed.
 *
 * From pageable memory the call returns when the driver has its own copy of the bytes. From pinned
 * memory it waits for the copy, and so for all earlier work of the stream. cucore_buffer_copy()
 * from a pinned buffer does not wait.
 *
 * @param buffer  the destination
 * @param offset  in bytes, in the buffer
 * @param source  host memory; NULL only with size 0
 * @param size    in bytes
 * @param stream  a stream of the buffer's device
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the range is not inside the buffer, or the stream
 *                                        belongs to another device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_write(cucore_buffer *buffer, size_t offset,
                                             const void *source, size_t size,
                                             const cucore_stream *stream, cucore_error **error);

/**
 * Copies from the buffer to host memory, in the stream's order, and waits until destination is
 * filled.
 *
 * @param buffer       the source
 * @param offset       in bytes, in the buffer
 * @param destination  host memory; NULL only with size 0. Undefined contents if the call fails
 * @param size         in bytes
 * @param stream       a stream of the buffer's device
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_buffer_write()
 * @retval CUCORE_ERROR_KERNEL_FAULT      a kernel before it in the stream broke the context
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_read(const cucore_buffer *buffer, size_t offset,
                                            void *destination, size_t size,
                                            const cucore_stream *stream, cucore_error **error);

/**
 * Copies between buffers of any kind and any device, in the stream's order, asynchronously. A
 * fault of the copy surfaces at a later call that waits.
 *
 * In a capture, the copy becomes a node. Nodes copy memory of a pool only if the pool is open to
 * their device. So the call opens the default pool of the other device, or both default pools to
 * each other if both buffers are of pools. They stay open, also for other libraries. This takes 20
 * ms for 256 MiB of an H200 (driver 580). Later copies between open pools do not go through the
 * host: 394 GB/s instead of 37.
 *
 * @param destination         the buffer to write
 * @param destination_offset  in bytes, in the destination
 * @param source              the buffer to read
 * @param source_offset       in bytes, in the source
 * @param size                in bytes; the two ranges must not overlap
 * @param stream              a stream of the device of either buffer
 * @param error               NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_buffer_write(), or the ranges overlap
 * @retval CUCORE_ERROR_UNSUPPORTED       the stream is captured, and its device cannot use memory
 *                                        of the other one, or a closed pool other than the default
 *                                        one
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_copy(cucore_buffer *destination, size_t destination_offset,
                                            const cucore_buffer *source, size_t source_offset,
                                            size_t size, const cucore_stream *stream,
                                            cucore_error **error);

/**
 * Memory as rows and slices of bytes, and the corner of a box in it. A row is x to x + width, a
 * slice has rows y to y + height, and the box has slices z to z + depth. The extent of the box is a
 * parameter of the function, because both boxes of a copy have the same.
 *
 * The memory is that of a buffer, or memory of the program. One of the two is set.
 */
typedef struct cucore_box {
  size_t         struct_size; /**< sizeof(cucore_box), set before the call */
  cucore_buffer *buffer;      /**< the buffer, or NULL; not changed if it is the source */
  struct cucore_image *array; /**< reserved for images; must be NULL */
  void          *host;        /**< memory of the program, or NULL; not changed if it is the source */
  size_t         offset;      /**< bytes from the start of the memory to row 0 of slice 0 */
  size_t         row_bytes;   /**< bytes from a row to the next; 0: x + width */
  size_t         slice_rows;  /**< rows from a slice to the next; 0: y + height */
  size_t         x;           /**< bytes before the box in each row */
  size_t         y;           /**< rows before the box in each slice */
  size_t         z;           /**< slices before the box */
} cucore_box;

#define CUCORE_BOX_INIT { sizeof(cucore_box), NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }

/**
 * Copies a box of one, two or three dimensions, in the stream's order. The bytes between the rows
 * of the destination stay.
 *
 * Between buffers the call is asynchronous. From memory of the program it returns when the memory
 * may be changed or freed, as cucore_buffer_write(). Into memory of the program it returns when the
 * bytes are there, as cucore_buffer_read().
 *
 * In a capture, the graph has its own copy of the bytes of memory of the program. Copies into such
 * memory are refused; cucore_graph_add_copy_box() adds a node for them. Pools of two devices are
 * opened as by cucore_buffer_copy().
 *
 * @param destination  the box that is written
 * @param source       the box that is read; one of the two has a buffer
 * @param width        bytes of a row; if an extent is 0, nothing is copied
 * @param height       rows of a slice; 1 for one dimension
 * @param depth        slices; 1 for one or two dimensions
 * @param stream       a stream of the device of either buffer
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a box leaves its buffer, rows or slices overlap, the boxes
 *                                        overlap, none or several of buffer, array and host are
 *                                        set, array is set, or the stream belongs to another
 *                                        device
 * @retval CUCORE_ERROR_ABI_MISMATCH      a struct_size is unknown
 * @retval CUCORE_ERROR_INVALID_STATE     a copy into memory of the program is captured, or a
 *                                        context was reset
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_buffer_copy()
 * @retval CUCORE_ERROR_KERNEL_FAULT      a kernel before it in the stream broke the context, and
 *                                        the call waits
 * @since 0.2
 */
CUCORE_API cucore_status cucore_buffer_copy_box(const cucore_box *destination,
                                                const cucore_box *source, size_t width,
                                                size_t height, size_t depth,
                                                const cucore_stream *stream, cucore_error **error);

/**
 * Fills a range with a repeated pattern, in the stream's order, asynchronously. A pattern of 8
 * bytes whose halves differ needs several driver calls, every other pattern needs one.
 *
 * @param buffer        the destination
 * @param offset        in bytes, in the buffer, a multiple of pattern_size
 * @param size          in bytes, a multiple of pattern_size
 * @param pattern       host memory; copied before the call returns
 * @param pattern_size  in bytes: 1, 2, 4 or 8; the buffer's address must be a multiple of it also
 * @param stream        a stream of the buffer's device
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the range is not inside the buffer, a size, offset or
 *                                        address does not fit the pattern, or the stream belongs
 *                                        to another device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_fill(cucore_buffer *buffer, size_t offset, size_t size,
                                            const void *pattern, size_t pattern_size,
                                            const cucore_stream *stream, cucore_error **error);

/**
 * Returns the address as a pointer, for other libraries.
 *
 * @param buffer  the buffer, which keeps the memory allocated; NULL for NULL
 * @since 0.1
 */
CUCORE_API void *cucore_buffer_native(const cucore_buffer *buffer);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_BUFFER_H_INCLUDED */
