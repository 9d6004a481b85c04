// SPDX-License-Identifier: Apache-2.0
#include "array/ir/graph.hpp"

#include <cassert>

namespace cucore::array {

Graph::~Graph() { assert(pending_ == 0); }

void Graph::insert(Value& value) noexcept {
  value.next_ = first_;
  if (first_) first_->previous_ = &value;
  first_ = &value;
  ++pending_;
}

void Graph::remove(Value& value) noexcept {
  (value.previous_ ? value.previous_->next_ : first_) = value.next_;
  if (value.next_) value.next_->previous_ = value.previous_;
  value.previous_ = value.next_ = nullptr;
  --pending_;
}

// A value may hold the last reference to its operands, and these to theirs. The references end in a
// loop, because a recursion as deep as the chain would exhaust the stack.
void Graph::destroy(Value* value) noexcept {
  value->next_dying_ = dying_;
  dying_ = value;
  if (destroying_) return;
  destroying_ = true;
  while (dying_) {
    Value* next = dying_;
    dying_ = next->next_dying_;
    next->leave_operands();
    delete next;
  }
  destroying_ = false;
}

}  // namespace cucore::array
