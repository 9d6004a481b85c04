// SPDX-License-Identifier: Apache-2.0
// The kinds of nodes of graphs. Captured work becomes nodes too, and names its kind in messages.
#pragma once

#include <cstdint>

namespace cucore::core {

// The numbers of cucore_node_kind.
enum class NodeKind : int32_t {
  UNKNOWN,
  KERNEL,
  COPY,
  FILL,
  HOST,
  RECORD,
  WAIT,
  EMPTY,
  CHILD,
  CONDITIONAL,
  ALLOCATION,
  FREE,
  VALUE,
  SEMAPHORE_SIGNAL,
  SEMAPHORE_WAIT,
};

// Whether a node of the kind allocates or frees memory.
inline bool is_memory(NodeKind kind) {
  return kind == NodeKind::ALLOCATION || kind == NodeKind::FREE;
}

const char* name_of(NodeKind kind);  // "kernel", "host function"

// Throws INVALID_ARGUMENT for a node that the graph of a conditional node cannot hold.
// Whether the graph of a conditional node can hold a node of this kind.
bool may_be_in_body(NodeKind kind);
[[noreturn]] void throw_not_for_body(NodeKind kind);

}  // namespace cucore::core
