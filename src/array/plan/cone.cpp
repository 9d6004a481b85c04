// SPDX-License-Identifier: Apache-2.0
#include "array/plan/cone.hpp"

#include "array/ir/cell.hpp"

namespace cucore::array {
namespace {

constexpr size_t USUAL_VALUES = 16;

}  // namespace

Cone::Cone(Graph& graph, std::span<Value* const> roots) : mark_(graph.new_mark()) {
  values_.reserve(USUAL_VALUES);
  for (Value* root : roots) add(*root);
  add_readers();
  roots_.resize(values_.size());
  for (const Value* root : wanted_) roots_[root->number] = true;
}

void Cone::add(Value& root) {
  if (!root.is_pending()) return;
  wanted_.push_back(&root);
  visit(root);
}

// Depth first, with a list of its own instead of recursion.
void Cone::visit(Value& root) {
  struct Entry {
    Value* value;
    size_t next;
  };
  std::vector<Entry> path;
  path.reserve(USUAL_VALUES);
  const auto enter = [&](Value& value) {
    if (!value.is_pending() || contains(value)) return;
    forward_operands(value);
    value.mark = mark_;
    path.push_back({&value, 0});
  };
  enter(root);
  while (!path.empty()) {
    Entry& entry = path.back();
    Value& value = *entry.value;
    if (entry.next < value.operands().size()) {
      Value* operand = value.operands()[entry.next++].value.get();
      if (operand) enter(*operand);
    } else {
      value.number = static_cast<uint32_t>(values_.size());
      values_.emplace_back(&value);
      path.pop_back();
    }
  }
}

// Each write that is found may bring readers, and these may bring writes.
void Cone::add_readers() {
  for (size_t at = 0; at < values_.size(); ++at) {
    if (values_[at]->kind != ValueKind::UPDATE) continue;
    const Value& old = *values_[at]->operands()[0].value;
    const std::vector<Value*> users = old.users();
    int64_t bytes = 0;
    for (const Value* user : users)
      if (!contains(*user)) bytes += user->bytes();
    if (bytes > 2 * old.bytes()) continue;  // the planner finds the reader outside, and copies
    for (Value* user : users) {
      if (contains(*user)) continue;
      forward_operands(*user);  // it may read something else by now
      add(*user);
    }
  }
}

}  // namespace cucore::array
