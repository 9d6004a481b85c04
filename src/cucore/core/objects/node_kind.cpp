// SPDX-License-Identifier: Apache-2.0
#include "core/objects/node_kind.hpp"

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::core {

const char* name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::KERNEL:
      return "kernel";
    case NodeKind::COPY:
      return "copy";
    case NodeKind::FILL:
      return "fill";
    case NodeKind::HOST:
      return "host function";
    case NodeKind::RECORD:
      return "record of an event";
    case NodeKind::WAIT:
      return "wait for an event";
    case NodeKind::EMPTY:
      return "empty";
    case NodeKind::CHILD:
      return "child graph";
    case NodeKind::CONDITIONAL:
      return "conditional";
    case NodeKind::ALLOCATION:
      return "allocation";
    case NodeKind::FREE:
      return "free";
    case NodeKind::VALUE:
      return "value";
    case NodeKind::SEMAPHORE_SIGNAL:
      return "signal of a semaphore";
    case NodeKind::SEMAPHORE_WAIT:
      return "wait for a semaphore";
    case NodeKind::UNKNOWN:
      break;
  }
  return "of another kind";
}

bool may_be_in_body(NodeKind kind) {
  switch (kind) {
    case NodeKind::KERNEL:
    case NodeKind::COPY:
    case NodeKind::FILL:
    case NodeKind::EMPTY:
    case NodeKind::CHILD:
    case NodeKind::CONDITIONAL:
      return true;
    default:
      return false;
  }
}

void throw_not_for_body(NodeKind kind) {
  throw Error(Status::INVALID_ARGUMENT,
              concat("the graph of a conditional node cannot hold a node of kind ", name_of(kind),
                     "; expected kernels, copies, fills, empty nodes, "
                     "conditional nodes, and child graphs of these"));
}

}  // namespace cucore::core
