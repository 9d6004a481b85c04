// SPDX-License-Identifier: Apache-2.0
// Copies between the memory of two devices. By addresses alone, the driver copies memory of a pool
// only if the pool is open to the device of the stream or node. It needs no open pool if the call
// has the contexts of both sides, but captures no such call.
#pragma once

#include "core/objects/buffer.hpp"

namespace cucore::core {

// The way in which the driver finds both sides of a copy.
enum class CopyCall { ADDRESSES, CONTEXTS };

// A new node of a graph has the device of the destination. A node that is set keeps its own, which
// the library cannot always find out.
enum class CopyNode { NEW, SET };

// Returns the way for a copy on the stream. If the stream is captured, opens pools for a new
// node of the device of the stream.
CopyCall prepare_copy(const Buffer& destination, const Buffer& source, const Stream& stream);

// Opens the closed pools that a node needs to copy between buffers of two devices. A node of either
// device needs the pool of the other one. If both buffers are of pools, or the node is set, each
// default pool is opened to the other device. Other pools stay closed. Throws UNSUPPORTED, and
// opens nothing, if the node needs a pool that stays closed. A node that is set may need it or not.
// For this case, returns the reason to report if the driver refuses the copy. Otherwise returns "".
std::string open_pools(CopyNode node, const Buffer& destination, const Buffer& source);

}  // namespace cucore::core
