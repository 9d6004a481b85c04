// SPDX-License-Identifier: Apache-2.0
// Everything about a cone that its plan depends on.
#pragma once

#include <string_view>
#include <vector>

#include "array/plan/bytes.hpp"
#include "array/plan/cone.hpp"
#include "array/plan/partition.hpp"

namespace cucore::array {

// Two cones with the same bytes have the same plan: their values correspond by number. The numbers
// of constants are not part of it, except which of them are equal.
struct ConeKey {
  std::vector<Value*> leaves = {};              // in the order of the first use
  std::vector<const Constant*> constants = {};  // different ones

  std::string_view bytes() const noexcept { return bytes_.view(); }
  // Sets Value::number of each leaf to its place among the leaves.
  ConeKey(Graph& graph, const Cone& cone, const PartitionLimits& limits);
  size_t constant_number(const Constant& constant) const noexcept;

 private:
  template <class T>
  void put(T value) {
    bytes_.put(value);
  }
  void put_limits(const PartitionLimits& limits);
  void put_value(const Cone& cone, const Value& value, uint32_t leaf_mark);
  void put_operand(const Cone& cone, const Operand& operand, uint32_t leaf_mark);
  void put_leaf(const Cone& cone, Value& leaf, uint32_t leaf_mark);
  void put_constant(const Constant& constant);
  void put_details(const Value& value);
  void put_map(const MapDetail& map);
  void put_dims(const Dims& dims);
  void put_view(const View& view);

  Bytes bytes_;
};

}  // namespace cucore::array
