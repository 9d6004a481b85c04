// SPDX-License-Identifier: Apache-2.0
#include "array/plan/cone_key.hpp"

#include <algorithm>

namespace cucore::array {
namespace {

constexpr size_t BYTES_PER_VALUE = 256;  // of a value with two operands

// Whether values outside the cone need the elements.
bool has_other_users(const Cone& cone, const Value& value) {
  return std::any_of(value.users().begin(), value.users().end(),
                     [&](const Value* user) { return !cone.contains(*user); });
}

uint8_t bits(std::initializer_list<bool> flags) noexcept {
  uint8_t result = 0;
  for (const bool flag : flags) result = static_cast<uint8_t>(result << 1 | int{flag});
  return result;
}

}  // namespace

ConeKey::ConeKey(Graph& graph, const Cone& cone, const PartitionLimits& limits)
    : bytes_(BYTES_PER_VALUE * (cone.size() + 1)) {
  const uint32_t leaf_mark = graph.new_mark();
  put_limits(limits);
  for (const ValueRef& value : cone.values()) put_value(cone, *value, leaf_mark);
}

size_t ConeKey::constant_number(const Constant& constant) const noexcept {
  const auto found = std::find_if(constants.begin(), constants.end(),
                                  [&](const Constant* each) { return *each == constant; });
  return static_cast<size_t>(found - constants.begin());
}

void ConeKey::put_limits(const PartitionLimits& limits) {
  put(limits.fuse);
  for (const uint32_t limit : {limits.arrays, limits.constants, limits.nodes, limits.weight,
                               limits.outputs, limits.cheap_weight, limits.cheap_arrays})
    put(limit);
  put(limits.small_bytes);
  put(limits.row_bytes);
}

void ConeKey::put_value(const Cone& cone, const Value& value, uint32_t leaf_mark) {
  put(value.kind);
  put(value.dtype);
  put(bits({cone.is_root(value), value.cells() > 0, value.computed_before, value.distinct,
            value.skips, has_other_users(cone, value)}));
  put_dims(value.shape);
  put_details(value);
  put(static_cast<uint8_t>(value.operands().size()));
  for (const Operand& operand : value.operands()) put_operand(cone, operand, leaf_mark);
}

void ConeKey::put_operand(const Cone& cone, const Operand& operand, uint32_t leaf_mark) {
  constexpr uint8_t CONSTANT = 0, COMPUTED = 1, LEAF = 2;
  if (operand.is_constant()) {
    put(CONSTANT);
    return put_constant(operand.constant);
  }
  Value& value = *operand.value;
  if (value.is_pending()) {
    put(COMPUTED);
    put(value.number);
  } else {
    put(LEAF);
    put_leaf(cone, value, leaf_mark);
  }
  put_view(operand.view);
}

// The whole leaf at its first use, and later its number.
void ConeKey::put_leaf(const Cone& cone, Value& leaf, uint32_t leaf_mark) {
  if (leaf.mark == leaf_mark) return put(leaf.number);
  leaf.mark = leaf_mark;
  leaf.number = static_cast<uint32_t>(leaves.size());
  leaves.push_back(&leaf);
  put(leaf.number);
  put(leaf.dtype);
  put(leaf.state());
  put(leaf.count);
  put(bits(
      {leaf.cells() > 0, leaf.storage() && leaf.storage()->pinned(), has_other_users(cone, leaf)}));
}

void ConeKey::put_constant(const Constant& constant) {
  const size_t number = constant_number(constant);
  if (number == constants.size()) constants.push_back(&constant);
  put(constant.dtype);
  put(static_cast<uint32_t>(number));
}

// Those of the other kinds never differ.
void ConeKey::put_details(const Value& value) {
  switch (value.kind) {
    case ValueKind::MAP:
      return put_map(value.map);
    case ValueKind::REDUCE:
      put(value.reduce.op);
      put(value.reduce.first);
      return put(value.reduce.last);
    case ValueKind::SCAN:
      put(value.scan.op);
      return put(value.scan.axis);
    case ValueKind::SORT:
    case ValueKind::SEARCH:
      put(bits({value.sort.descending, value.sort.positions, value.sort.right}));
      break;
    default:
      break;
  }
  put(static_cast<uint8_t>(value.indices.size()));
  for (const IndexDetail& index : value.indices) {
    put(index.size);
    put(index.stride);
    put(index.axis);
  }
}

void ConeKey::put_map(const MapDetail& map) {
  put(map.op ? map.op->number : 0);
  put(map.expression);
  put(map.output);
  put(map.types);
  put(static_cast<uint8_t>(map.parameters.size()));
  for (const Constant& parameter : map.parameters) put_constant(parameter);
}

void ConeKey::put_dims(const Dims& dims) {
  put(static_cast<uint8_t>(dims.size()));
  bytes_.put(dims.data(), dims.size() * sizeof(int64_t));
}

void ConeKey::put_view(const View& view) {
  put(view.part);
  put(view.offset);
  put_dims(view.shape);
  put_dims(view.strides);
}

}  // namespace cucore::array
