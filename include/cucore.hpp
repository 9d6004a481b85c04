/// @file cucore.hpp
/// C++ for cucore.h: owners of handles, exceptions or results, typed launches. Header-only C++17.
///
/// SPDX-License-Identifier: Apache-2.0
///
/// Programs include this header; each header in cucore/ contains one topic and may also be included
/// alone.
///
/// Conventions. They hold for every declaration of these headers and are not repeated there.
/// -----------------------------------------------------------------------------
/// Names      `cucore_<type>_<verb>(object, ...)` is `object.verb(...)`. A function that makes an
///            object is a static member: `Stream::create(device)`. A function without a type is a
///            free function: `cucore_driver_select()` is `cucore::driver_select()`. An enumerator
///            is in lower case; one that is a keyword ends with an underscore.
/// Owners     Each class of a handle owns one reference. A copy adds a reference, a move takes it,
///            the destructor releases it. `const` refers to the reference, not to the object: all
///            functions are const. A default-constructed or moved-from owner is empty, and calls
///            on it fail with INVALID_ARGUMENT.
/// Failure    With exceptions, a call that fails throws a class derived from `Error`, one class
///            per status. Without exceptions (-fno-exceptions, or CUCORE_HPP_NO_EXCEPTIONS is
///            defined), it returns `Result<T>`. `Returned<T>` is `T` or `Result<T>`. Both
///            kinds may be in one program: they are in different inline namespaces. The statuses of
///            a function are those that cucore.h documents for the C function.
/// Strings    A `Name` parameter accepts `const char*`, `std::string` and `std::string_view`. A
///            `std::string_view` that is returned ends with a NUL and lives as long as the object
///            that returned it.
/// Bytes      A `Bytes` parameter accepts every contiguous container of plain elements. A call
///            copies nothing but what the C function copies, and allocates memory only to return a
///            container, to keep a callback, or to pass lists of strings.
/// Threads    As in cucore.h: any thread may call anything at any time. Two threads must not
///            assign to or move from one owner at once, as for std::shared_ptr.
/// Options    A default-constructed struct holds all defaults. An unset std::optional, an empty
///            string and an empty list are defaults also.
/// Units      Bytes for sizes and offsets, std::chrono for times, blocks and threads for launches.
#ifndef CUCORE_HPP_INCLUDED
#define CUCORE_HPP_INCLUDED

#include <cucore.h>

#include "cucore/base.hpp"
#include "cucore/batch.hpp"
#include "cucore/buffer.hpp"
#include "cucore/bytes.hpp"
#include "cucore/cache.hpp"
#include "cucore/capture.hpp"
#include "cucore/checks.hpp"
#include "cucore/device.hpp"
#include "cucore/enumerations.hpp"
#include "cucore/error.hpp"
#include "cucore/event.hpp"
#include "cucore/executable.hpp"
#include "cucore/external.hpp"
#include "cucore/future.hpp"
#include "cucore/graph.hpp"
#include "cucore/kernel.hpp"
#include "cucore/launch.hpp"
#include "cucore/library.hpp"
#include "cucore/linker.hpp"
#include "cucore/objectcode.hpp"
#include "cucore/observer.hpp"
#include "cucore/options.hpp"
#include "cucore/owner.hpp"
#include "cucore/pool.hpp"
#include "cucore/prepared_launch.hpp"
#include "cucore/program.hpp"
#include "cucore/queue.hpp"
#include "cucore/stream.hpp"
#include "cucore/typed_kernel.hpp"
#include "cucore/types.hpp"

#endif  // CUCORE_HPP_INCLUDED
