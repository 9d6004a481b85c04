// SPDX-License-Identifier: Apache-2.0
// The pending values that an evaluation needs, and who depends on whom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "array/ir/graph.hpp"
#include "array/ir/value.hpp"

namespace cucore::array {

class Cone {
 public:
  // The values behind `roots`, with writes followed to their sources. Includes readers of memory
  // that a write is about to change, if this moves fewer bytes than a copy of the memory.
  Cone(Graph& graph, std::span<Value* const> roots);

  // Operands before users. Value::number is the index here.
  const std::vector<ValueRef>& values() const noexcept { return values_; }
  size_t size() const noexcept { return values_.size(); }
  bool contains(const Value& value) const noexcept { return value.mark == mark_; }
  bool is_root(const Value& value) const noexcept { return roots_[value.number]; }

 private:
  void add(Value& root);
  void visit(Value& root);
  void add_readers();

  uint32_t mark_;
  std::vector<ValueRef> values_;
  std::vector<Value*> wanted_;
  std::vector<bool> roots_;
};

}  // namespace cucore::array
