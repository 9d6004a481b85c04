// SPDX-License-Identifier: Apache-2.0
// Owners of the library's handles; each releases its reference at its end.
#pragma once

#include <cucore.h>

#include <memory>
#include <utility>

#include "failure.hpp"

namespace cucore::cli {

template <auto Release>
struct Releaser {
  template <class Handle>
  void operator()(Handle* handle) const {
    Release(handle);
  }
};

using Device = std::unique_ptr<cucore_device, Releaser<cucore_device_release>>;
using Stream = std::unique_ptr<cucore_stream, Releaser<cucore_stream_release>>;
using Event = std::unique_ptr<cucore_event, Releaser<cucore_event_release>>;
using Buffer = std::unique_ptr<cucore_buffer, Releaser<cucore_buffer_release>>;
using Linker = std::unique_ptr<cucore_linker, Releaser<cucore_linker_release>>;
using Program = std::unique_ptr<cucore_program, Releaser<cucore_program_release>>;
using ObjectCode = std::unique_ptr<cucore_objectcode, Releaser<cucore_objectcode_release>>;
using Cache = std::unique_ptr<cucore_cache, Releaser<cucore_cache_release>>;
using Kernel = std::unique_ptr<cucore_kernel, Releaser<cucore_kernel_release>>;

// Calls a function whose last parameters are the new handle and the error.
template <class Owner, class Function, class... Arguments>
Owner make(Function function, Arguments... arguments) {
  typename Owner::pointer handle = nullptr;
  call(function, arguments..., &handle);
  return Owner(handle);
}

}  // namespace cucore::cli
