/*
 * cucore.h - compile, store, load and launch CUDA code through one stable C ABI.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Conventions. They hold for every declaration and are not repeated there.
 * -----------------------------------------------------------------------------
 * Names      cucore_<type>_<verb>[_<object>]; the first parameter is the type. Properties are
 *            nouns; predicates is_, has_, can_ return int32_t 0 or 1.
 * Handles    A handle, such as cucore_stream *, is opaque and counted. The function
 *            cucore_<type>_retain() adds a reference, and cucore_<type>_release() removes one.
 *            A release never fails and may run on any thread, in any order. A release of NULL
 *            does nothing. A released handle, or one of another type, is
 *            CUCORE_ERROR_INVALID_HANDLE. Its slot is used again after 4096 further releases at
 *            the earliest. A pointer that never was a handle is undefined behaviour.
 * Failure    A function that can fail returns cucore_status and accepts a nullable
 *            cucore_error **error as the last parameter. On failure every output is NULL or 0,
 *            except the needed size with CUCORE_ERROR_BUFFER_TOO_SMALL, and *error is a new
 *            error object that the caller releases. On success *error is NULL. The previous
 *            value of *error is overwritten, not released. A function without a status returns
 *            0, NULL or "" for NULL and for dead handles.
 * Statuses   Every function with a status may return, beyond its @retval lines,
 *            INVALID_ARGUMENT (a NULL that is not allowed), INVALID_HANDLE, OUT_OF_MEMORY, and
 *            INTERNAL (a defect of this library). Every function that needs the driver may
 *            also return these:
 *            - LIBRARY_MISSING, DRIVER_TOO_OLD and NO_DEVICE,
 *            - KERNEL_FAULT: an earlier kernel broke the context,
 *            - INVALID_STATE: the process was forked after it used the driver, or the context
 *              of the object was reset,
 *            - CUDA: any other error of the driver.
 * NULL       is allowed for options, for error, and for arrays whose count is 0. A NULL stream is
 *            INVALID_ARGUMENT; cucore_device_default_stream() returns the default streams.
 * Ownership  The caller owns each object that comes out of T **out, and releases it. A returned
 *            const pointer is borrowed from the first argument and lives as long as it. No
 *            function takes ownership of an argument. Strings, bytes and arrays are copied
 *            before a call returns. Objects keep the objects that they need alive: a kernel its
 *            object code, a buffer its stream.
 * Threads    Any number of threads may call any function at once. A linker is the exception: one
 *            thread at a time. The caller prevents races on one range of a buffer's bytes, and
 *            keeps a reference to every argument during a call.
 * Context    A call leaves the current CUDA context of its thread as it was. An object acts on
 *            its own device, in the device's primary context.
 * Options    Start from CUCORE_<TYPE>_OPTIONS_INIT, or pass NULL for all defaults. In every field
 *            0 or NULL is the default, permanently. New fields are added only at the end, and
 *            struct_size identifies the fields of the caller's header. A part that this library
 *            does not have must be zero, else CUCORE_ERROR_ABI_MISMATCH. A flag (int32_t) is 0
 *            or 1, a field named reserved is 0. Structs that the library fills in also begin
 *            with struct_size, set by the caller.
 * Bytes      Data is a pointer and a size. Names, paths and flags are UTF-8 and end with a NUL.
 *            Returned strings are never NULL. A buffer of the caller comes as (buffer, capacity,
 *            &size). The size is always the needed size; NULL with capacity 0 queries it.
 * Callbacks  The last parameter is user_data. destroy(user_data) runs exactly once, also if the
 *            call that takes it fails.
 * Units      Sizes and offsets are bytes. Names of fields contain the unit of a time: _ms, _ns.
 *            Grids and clusters count blocks, blocks count threads.
 *
 * Topics. Each header compiles alone and includes what it needs.
 *
 * - cucore/base.h          handle types, status codes and toggles
 * - cucore/version.h       the version of the header and of the library
 * - cucore/error.h         the description of a failed call, and the diagnostics of compilers
 * - cucore/log.h           the receiver of messages that no call can return
 * - cucore/library.h       the libraries that are opened at run time, and the choice of the driver
 * - cucore/device.h        devices, their properties and their contexts
 * - cucore/stream.h        streams: work that a device executes in order
 * - cucore/event.h         events: points in the work of a stream
 * - cucore/pool.h          pools: where the memory of buffers comes from
 * - cucore/buffer.h        memory: device, pinned and managed
 * - cucore/external.h      semaphores of other libraries, for example of Vulkan
 * - cucore/program.h       source code, its options, and the compile
 * - cucore/linker.h        the link of several inputs to one image
 * - cucore/objectcode.h    compiled code: inspection, containers, signatures, loading
 * - cucore/kernel.h        kernels: attributes, parameters, occupancy
 * - cucore/launch.h        the execution of a kernel with a grid and arguments
 * - cucore/prepared_launch.h  launches that are checked once and repeated
 * - cucore/graph.h         graphs: work and its order, to be run many times
 * - cucore/capture.h       captures: streams whose work becomes nodes of a graph
 * - cucore/executable.h    executables: graphs made ready to launch
 * - cucore/cache.h         the program cache: local tiers, statistics, maintenance
 * - cucore/cache_remote.h  tiers of a cache beyond this machine
 * - cucore/batch.h         the compile of many programs in worker processes
 * - cucore/queue.h         queues, from which a program takes completions
 * - cucore/future.h        futures: the end of the work that is in a stream
 * - cucore/checks.h        checks of kernels, faults and leaks on the CPU device
 * - cucore/observer.h      observers: functions that are called around operations
 */
#ifndef CUCORE_H_INCLUDED
#define CUCORE_H_INCLUDED

#include "cucore/base.h"
#include "cucore/version.h"
#include "cucore/error.h"
#include "cucore/log.h"
#include "cucore/library.h"
#include "cucore/device.h"
#include "cucore/stream.h"
#include "cucore/event.h"
#include "cucore/pool.h"
#include "cucore/buffer.h"
#include "cucore/external.h"
#include "cucore/program.h"
#include "cucore/linker.h"
#include "cucore/objectcode.h"
#include "cucore/kernel.h"
#include "cucore/launch.h"
#include "cucore/prepared_launch.h"
#include "cucore/graph.h"
#include "cucore/capture.h"
#include "cucore/executable.h"
#include "cucore/cache.h"
#include "cucore/cache_remote.h"
#include "cucore/batch.h"
#include "cucore/queue.h"
#include "cucore/future.h"
#include "cucore/checks.h"
#include "cucore/observer.h"

#endif /* CUCORE_H_INCLUDED */
