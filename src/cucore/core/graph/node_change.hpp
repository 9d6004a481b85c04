// SPDX-License-Identifier: Apache-2.0
// New work for a node of a graph or of an executable.
#pragma once

#include "core/graph/graph_body.hpp"
#include "core/graph/kernel_work.hpp"

namespace cucore::core {

// The node does `before`, or unknown work if that is null. Throws INVALID_ARGUMENT unless the new
// work has the same kind, and INVALID_STATE if one of its objects was lost in a reset.
void require_replaceable(const GraphNode& node, const NodeWork* before, const NodeWork& work);

// Whether the driver refuses a change of a graph, whose arguments the library has checked.
bool is_refusal(CUresult result);

// Throws UNSUPPORTED if the driver has refused the work, and the work has a reason.
void check_refusal(const NodeWork& work, CUresult result);

// Returns the device on which a kernel runs, which may be another one in the graph of a child.
// Throws INVALID_ARGUMENT if the node, which does `before`, launches no kernel.
const Device& kernel_device(const Context& context, const GraphNode& node, const NodeWork* before);

// Returns the work of a kernel after a change. Throws INVALID_ARGUMENT if the node, which does
// `before`, launches no kernel, or if the change is not complete and `before` is null.
Ref<const NodeWork> changed_kernel(const Context& context, const GraphNode& node,
                                   const NodeWork* before, KernelChange change,
                                   const LaunchHandles& handles);

// Returns the work of the node with another semaphore. Throws INVALID_ARGUMENT if it has none.
Ref<const NodeWork> semaphore_work(const GraphNode& node, Ref<const External> semaphore,
                                   uint64_t value);

// Returns the work of the node with another event. Throws INVALID_ARGUMENT if it has none.
Ref<const NodeWork> event_work(const GraphNode& node, Ref<const Event> event);

}  // namespace cucore::core
