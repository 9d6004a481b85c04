// SPDX-License-Identifier: Apache-2.0
// Owners of the objects of libcucore that a measurement uses.
#pragma once

#include <cucore.h>

#include "client/native.hpp"

namespace cucore::perf {

using DeviceOwner = client::Native<cucore_device, cucore_device_retain, cucore_device_release>;
using StreamOwner = client::Native<cucore_stream, cucore_stream_retain, cucore_stream_release>;
using EventOwner = client::Native<cucore_event, cucore_event_retain, cucore_event_release>;
using BufferOwner = client::Native<cucore_buffer, cucore_buffer_retain, cucore_buffer_release>;
using KernelOwner = client::Native<cucore_kernel, cucore_kernel_retain, cucore_kernel_release>;

}  // namespace cucore::perf
