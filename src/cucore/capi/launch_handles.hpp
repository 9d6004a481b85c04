// SPDX-License-Identifier: Apache-2.0
// The handles of a launch for core: its buffers, its events and its stream.
#pragma once

#include "capi/guard.hpp"
#include "core/load/launch_handles.hpp"

namespace cucore::capi {

inline const core::Buffer* acquire_buffer(const void* handle) noexcept {
  const auto* buffer = static_cast<const cucore_buffer*>(handle);
  return try_retain(buffer) ? peek(buffer) : nullptr;
}

inline void release_buffer(const void* handle) noexcept {
  release(const_cast<cucore_buffer*>(static_cast<const cucore_buffer*>(handle)));
}

inline core::Event* acquire_event(const void* handle) noexcept {
  const auto* event = static_cast<const cucore_event*>(handle);
  return try_retain(event) ? const_cast<core::Event*>(peek(event)) : nullptr;
}

inline void release_event(const void* handle) noexcept {
  release(const_cast<cucore_event*>(static_cast<const cucore_event*>(handle)));
}

static_assert(core::BufferHandles::TYPE == cucore::HandleTraits<cucore_buffer>::TYPE);
static_assert(core::EventHandles::TYPE == cucore::HandleTraits<cucore_event>::TYPE);
inline constexpr core::BufferHandles BUFFER_HANDLES{acquire_buffer, release_buffer};
inline constexpr core::LaunchHandles LAUNCH_HANDLES{BUFFER_HANDLES, {acquire_event, release_event}};

// The message of most first launches without a stream, so it has the remedy.
inline core::Stream& order_of(const cucore_stream* stream) {
  if (!stream)
    throw cucore::Error(cucore::Status::INVALID_ARGUMENT,
                        "stream must not be NULL; create one with cucore_stream_create()");
  return use(stream, "stream");
}

}  // namespace cucore::capi
