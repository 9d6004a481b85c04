// SPDX-License-Identifier: Apache-2.0
// The handles of cucore.h with owners, and calls whose failures are exceptions.
#pragma once

#include "client/native.hpp"
#include "support/error.hpp"

namespace cucore::array {

using client::call;
using client::CallFailed;
using client::created;
using client::Native;

using NativeDevice = Native<cucore_device, cucore_device_retain, cucore_device_release>;
using NativeStream = Native<cucore_stream, cucore_stream_retain, cucore_stream_release>;
using NativeEvent = Native<cucore_event, cucore_event_retain, cucore_event_release>;
using NativePool = Native<cucore_pool, cucore_pool_retain, cucore_pool_release>;
using NativeBuffer = Native<cucore_buffer, cucore_buffer_retain, cucore_buffer_release>;
using NativeCache = Native<cucore_cache, cucore_cache_retain, cucore_cache_release>;
using NativeProgram = Native<cucore_program, cucore_program_retain, cucore_program_release>;
using NativeCode = Native<cucore_objectcode, cucore_objectcode_retain, cucore_objectcode_release>;
using NativeKernel = Native<cucore_kernel, cucore_kernel_retain, cucore_kernel_release>;

inline bool is_out_of_memory(const Error& error) {
  return error.status() == Status::OUT_OF_DEVICE_MEMORY;
}

}  // namespace cucore::array
