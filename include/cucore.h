/*
 * cucore.h - compile, store, load and launch CUDA code through one stable C ABI.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Conventions. They hold for every declaration below and are not repeated there.
 * -----------------------------------------------------------------------------
 * Names      cucore_<type>_<verb>[_<object>]; the first parameter is the type. Properties are
 *            nouns; predicates is_, has_, can_ return int32_t 0 or 1.
 * Handles    cucore_stream * and the like are opaque and counted: cucore_<type>_retain() gives
 *            one more reference, cucore_<type>_release() gives one back, from any thread, in any
 *            order, never failing; release(NULL) is nothing. A released handle, or one of another
 *            type, is CUCORE_ERROR_INVALID_HANDLE (a slot is reused after 4096 further releases
 *            at the earliest); a pointer that never was a handle is undefined.
 * Failure    A function that can fail returns cucore_status and takes a nullable
 *            cucore_error **error last. On failure every output is NULL or 0 (except the needed
 *            size with CUCORE_ERROR_BUFFER_TOO_SMALL) and *error is a new error object, yours to
 *            release; on success *error is NULL. What *error held before is overwritten, not
 *            released. Functions without a status answer 0, NULL or "" to NULL and to dead
 *            handles. Every function with a status may, beyond the @retval lines, give
 *            INVALID_ARGUMENT (a NULL where none is allowed), INVALID_HANDLE, OUT_OF_MEMORY, and
 *            INTERNAL (our fault); every function that needs the driver LIBRARY_MISSING,
 *            DRIVER_TOO_OLD, NO_DEVICE, KERNEL_FAULT (an earlier kernel broke the context),
 *            INVALID_STATE (the process was forked after the driver was used, or the object's
 *            context was reset) and CUDA (any other driver error).
 * NULL       is allowed for options, for error, and for arrays whose count is 0. A NULL stream is
 *            INVALID_ARGUMENT: cucore_device_default_stream() gives the default streams.
 * Ownership  What comes out of T **out is yours: release it. A returned const pointer is borrowed
 *            from the first argument and lives as long as it. No function takes an argument over.
 *            Objects keep what they need alive: a kernel its object code, a buffer its stream.
 * Threads    Everything may be called from any number of threads at once. Races on one range of
 *            a buffer's bytes are yours. Keep your reference to every argument during a call.
 * Context    The calling thread's current CUDA context is the same after a call as before it. An
 *            object acts on its own device, whatever is current.
 * Options    Start from CUCORE_<TYPE>_OPTIONS_INIT, or pass NULL for all defaults. In every field
 *            0 or NULL is the default, for ever. Fields are only ever added at the end:
 *            struct_size says which ones you know; a part that this library does not know must
 *            be zero, else CUCORE_ERROR_ABI_MISMATCH. Structs that the library fills in begin
 *            with struct_size too, set by you.
 * Bytes      Data is pointer and size. Names, paths and flags are UTF-8 and end with a NUL.
 *            Returned strings are never NULL. A caller's buffer comes as (buffer, capacity,
 *            &size): size is always the size needed; NULL with capacity 0 asks for it.
 * Callbacks  take user_data last; destroy(user_data) runs exactly once whatever happens.
 * Units      Bytes, milliseconds where the name says so, blocks and threads for grids and blocks.
 *
 * Topics. Each header compiles alone.
 * -----------------------------------------------------------------------------
 * cucore/base.h          handle types, status codes and toggles
 * cucore/version.h       the version of the header and of the library
 * cucore/error.h         the description of a failed call, and the diagnostics of compilers
 * cucore/log.h           the receiver of messages that no call can return
 * cucore/library.h       the libraries that are opened at run time, and the choice of the driver
 * cucore/device.h        devices, their properties and their contexts
 * cucore/stream.h        streams: work that a device executes in order
 * cucore/event.h         events: points in the work of a stream
 * cucore/buffer.h        memory: device, pinned and managed
 * cucore/program.h       source code, its options, and the compile
 * cucore/linker.h        the link of several inputs to one image
 * cucore/objectcode.h    compiled code: inspection, containers, signatures, loading
 * cucore/kernel.h        kernels: attributes, parameters, occupancy
 * cucore/launch.h        the execution of a kernel with a grid and arguments
 * cucore/cache.h         the program cache: local tiers, statistics, maintenance
 * cucore/cache_remote.h  tiers of a cache beyond this machine
 * cucore/batch.h         the compile of many programs in worker processes
 * cucore/queue.h         queues, from which a program takes completions
 * cucore/future.h        futures: the end of the work that is in a stream
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
#include "cucore/buffer.h"
#include "cucore/program.h"
#include "cucore/linker.h"
#include "cucore/objectcode.h"
#include "cucore/kernel.h"
#include "cucore/launch.h"
#include "cucore/cache.h"
#include "cucore/cache_remote.h"
#include "cucore/batch.h"
#include "cucore/queue.h"
#include "cucore/future.h"

#endif /* CUCORE_H_INCLUDED */
