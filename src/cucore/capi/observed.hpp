// SPDX-License-Identifier: Apache-2.0
// The boundary of observers: the handles of operations, and observed waits.
#pragma once

#include <utility>

#include "capi/guard.hpp"
#include "core/observe/observation.hpp"

namespace cucore::capi {

namespace core = cucore::core;

using core::is_observed;

extern const core::OperationHandles OPERATION_HANDLES;

// Returns the handle of a device, which lives as long as the process has an observer.
const cucore_device* device_handle(const core::Device& device);

// From now on the release of a buffer checks whether it is observed.
void observe_released_buffers() noexcept;

// Waits for a stream, an event or a device as an observed operation. Observed operations are
// functions of their own, so that those that nobody observes stay fast.
template <class Awaited>
[[gnu::cold, gnu::noinline]] void synchronize_observed(const Awaited& awaited,
                                                       const core::Device* device,
                                                       const core::Stream* stream) {
  core::observe({.kind = CUCORE_OPERATION_SYNCHRONIZE, .device = device, .stream = stream},
                [&](core::Operation&) { awaited.synchronize(); });
}

}  // namespace cucore::capi
