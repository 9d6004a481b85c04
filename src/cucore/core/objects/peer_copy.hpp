// SPDX-License-Identifier: Apache-2.0
// Copies between the memory of two devices. By addresses alone, the driver copies memory of a pool
// only if the pool is open to the device of the stream or node. It needs no open pool if the call
// has the contexts of both sides, but captures no such call.
#pragma once

#include "core/objects/buffer.hpp"

namespace cucore::core {

// The way in which the driver finds both sides of a copy.
enum class CopyCall { ADDRESSES, CONTEXTS };

// Returns the way for a copy on the stream. If the stream is captured, calls open_pools().
CopyCall prepare_copy(const Buffer& destination, const Buffer& source, const Stream& stream);

// For a node of the device `node` that copies between buffers of two devices. Opens the default
// pool of the other device to that of the node. If both buffers are of default pools, it opens both
// to each other. The program can then set the node to a copy in the other direction. Has no effect
// on memory without a pool, and of open pools. Throws UNSUPPORTED, and opens nothing, if the device
// cannot use the other's memory, or if the closed pool is not the default one.
void open_pools(const Buffer& a, const Buffer& b, const Device& node);

}  // namespace cucore::core
