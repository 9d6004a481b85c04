// SPDX-License-Identifier: Apache-2.0
// Windows of memory whose accesses the L2 cache treats in its own way.
#pragma once

#include <cucore.h>

#include "core/load/launch_handles.hpp"

namespace cucore::core {

// Returns the driver's form of a window. Throws INVALID_ARGUMENT, INVALID_HANDLE or UNSUPPORTED.
CUaccessPolicyWindow access_policy(const Device& device, const cucore_access_window& window,
                                   const BufferHandles& buffers);

// Sets the window of kernels that are launched on the stream later; null is none.
void set_access_window(const Stream& stream, const cucore_access_window* window,
                       const BufferHandles& buffers);

}  // namespace cucore::core
