// SPDX-License-Identifier: Apache-2.0
// The handle types of this library, each with its object and the pool of its handles.
#pragma once

#include <cucore.h>

#include "cache/user_cache.hpp"
#include "core/checks/checks.hpp"
#include "core/compile/linker.hpp"
#include "core/compile/program.hpp"
#include "core/completion/future.hpp"
#include "core/completion/queue.hpp"
#include "core/graph/executable.hpp"
#include "core/graph/graph.hpp"
#include "core/load/kernel.hpp"
#include "core/load/objectcode.hpp"
#include "core/load/prepared_launch.hpp"
#include "core/objects/buffer.hpp"
#include "core/objects/device.hpp"
#include "core/objects/event.hpp"
#include "core/objects/external.hpp"
#include "core/objects/pool.hpp"
#include "core/objects/stream.hpp"
#include "core/observe/observer.hpp"
#include "support/error.hpp"
#include "support/handles.hpp"

#define HANDLE(name, type, object) \
  struct cucore_##name : cucore::HandleHead {};
#include "capi/handles.inc"
#undef HANDLE

namespace cucore {

#define HANDLE(handle, handle_type, object)                     \
  template <>                                                   \
  struct HandleTraits<cucore_##handle> {                        \
    using Object = object;                                      \
    static constexpr HandleType TYPE = HandleType::handle_type; \
    static constexpr const char* NAME = "cucore_" #handle;      \
    static HandlePool pool;                                     \
  };                                                            \
  template <>                                                   \
  struct HandleTraits<object> {                                 \
    using Handle = cucore_##handle;                             \
  };
#include "capi/handles.inc"
#undef HANDLE

}  // namespace cucore

namespace cucore::capi {

using cucore::peek;
using cucore::release;
using cucore::retain;
using cucore::share;
using cucore::throw_dead;
using cucore::throw_null;
using cucore::try_retain;
using cucore::use;
using cucore::wrap;

}  // namespace cucore::capi
