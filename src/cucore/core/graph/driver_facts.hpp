// SPDX-License-Identifier: Apache-2.0
// The facts about nodes that a capture or other code has added, as the driver returns them.
#pragma once

#include "core/graph/node_work.hpp"

namespace cucore::core {

// Returns the facts of a kernel, a copy, a fill, or a record or wait of an event. Other kinds have
// none. Facts that an older driver cannot return are missing. Throws if the driver fails. The name
// of the kernel lives as long as its code, which the node keeps.
NodeFacts read_facts(const driver::CudaTable& cu, NodeKind kind, CUgraphNode node);

}  // namespace cucore::core
