// SPDX-License-Identifier: Apache-2.0
// Copies between the memory of two devices. By addresses alone, the driver copies memory of a pool
// only if the pool is open to the device of the stream or node. It needs no open pool if the call
// has the contexts of both sides, but captures no such call.
#pragma once

#include "core/objects/buffer.hpp"

namespace cucore::core {

// The way in which the driver finds both sides of a copy.
enum class CopyCall { ADDRESSES, CONTEXTS };

// Returns the way for a copy on the stream. If the stream is captured, opens the pools.
CopyCall prepare_copy(const Buffer& destination, const Buffer& source, const Stream& stream);

// Opens the default pool of each buffer's device to the device of the other, for nodes that copy
// between them. Has no effect on memory without a pool, and of open pools. Throws UNSUPPORTED if a
// device cannot use such memory, or a pool is not the default one.
void open_pools(const Buffer& a, const Buffer& b);

}  // namespace cucore::core
