// SPDX-License-Identifier: Apache-2.0
#include "array/ir/cell.hpp"

#include <algorithm>

#include "array/ir/graph.hpp"
#include "array/model/transforms.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

// The operand as a value of the base, if the target shows all elements of its base once.
ValueRef covering(const Array& target, Operand source) {
  const Value& base = target.cell->current();
  const Inverse inverse = inverse_of(target.view);
  if (!source.is_constant()) {
    View view{.offset = source.view.offset,
              .shape = Dims(inverse.axes.size()),
              .strides = Dims(inverse.axes.size()),
              .part = source.view.part};
    for (size_t axis = 0; axis < inverse.axes.size(); ++axis) {
      const auto [from, reversed] = inverse.axes[axis];
      view.shape[axis] = source.view.shape[from];
      view.strides[axis] = reversed ? -source.view.strides[from] : source.view.strides[from];
      if (reversed) view.offset += source.view.strides[from] * (source.view.shape[from] - 1);
    }
    source.view = std::move(view);
    const bool whole = source.view.part == Part::WHOLE && source.value->dtype == base.dtype &&
                       source.value->kind != ValueKind::POSITION;
    if (whole && is_identity(source.view, source.value->count) &&
        source.value->count == base.count &&
        !(source.value->storage() && source.value->storage()->pinned()))
      return source.value;
  }
  std::vector<Operand> operands;
  operands.push_back(std::move(source));
  auto value = ValueRef(
      new Value(base.graph, ValueKind::MAP, base.dtype, inverse.shape, std::move(operands)));
  value->map.types.operands[0] = value->map.types.results[0] = base.dtype;
  return value;
}

// A value of its own for the source, so that the planner can store it before the write.
Operand separated(Operand source) {
  Graph& graph = source.value->graph;
  const Dtype dtype = source.dtype();
  const Dims shape = source.view.shape;
  std::vector<Operand> operands;
  operands.push_back(std::move(source));
  auto copy = ValueRef(new Value(graph, ValueKind::MAP, dtype, shape, std::move(operands)));
  copy->map.types.operands[0] = copy->map.types.results[0] = dtype;
  return {.value = std::move(copy), .view = dense(shape)};
}

ValueRef update_of(ValueRef old, const Array& target, Operand source, Indexed indexed) {
  const Dtype dtype = old->dtype;
  const Dims shape = old->shape;
  Graph& graph = old->graph;
  View map = target.view;
  map.read_only = false;
  if (source.value == old) source = separated(std::move(source));
  std::vector<Operand> operands;
  operands.push_back({.value = std::move(old), .view = std::move(map)});
  operands.push_back(std::move(source));
  for (Operand& index : indexed.operands) {
    if (index.value == operands[0].value) index = separated(std::move(index));
    operands.push_back(std::move(index));
  }
  auto value = ValueRef(new Value(graph, ValueKind::UPDATE, dtype, shape, std::move(operands)));
  value->indices = std::move(indexed.details);
  value->distinct = indexed.distinct;
  value->skips = indexed.skips;
  return value;
}

ValueRef updated(const Array& target, Operand source) {
  ValueRef old = target.cell->value();
  // The older write to the same elements has no effect, unless its value is held otherwise.
  while (old->kind == ValueKind::UPDATE && old->is_pending() && old->indices.empty() &&
         old->operands()[0].view == target.view)
    old = old->operands()[0].value;
  return update_of(std::move(old), target, std::move(source), {.distinct = true});
}

bool may_be_forwarded(const Operand& operand) noexcept {
  return operand.value && operand.value->kind == ValueKind::UPDATE && operand.value->is_pending();
}

}  // namespace

Cell::Cell(ValueRef value) : current_(std::move(value)) { current_->enter_cell(); }

Cell::~Cell() { current_->leave_cell(); }

void Cell::set_name(std::shared_ptr<const std::string> name) noexcept {
  name_ = std::move(name);
  current_->name = name_;
}

void Cell::set(ValueRef value) noexcept {
  if (name_) value->name = name_;
  value->enter_cell();
  current_->leave_cell();
  current_ = std::move(value);
}

Dtype Array::dtype() const noexcept {
  const Dtype dtype = cell->current().dtype;
  return view.part == Part::WHOLE ? dtype : real_of(dtype);
}

Array array_of(ValueRef value) {
  View view = dense(value->shape);
  return {.cell = make<Cell>(std::move(value)), .view = std::move(view)};
}

Operand captured(const Array& array) {
  Operand operand{.value = array.cell->value(), .view = array.view};
  if (may_be_forwarded(operand)) operand = forwarded(std::move(operand));
  return operand;
}

Operand forwarded(Operand operand) {
  while (may_be_forwarded(operand)) {
    if (!operand.value->indices.empty()) break;
    const std::vector<Operand>& parts = operand.value->operands();
    View seen = operand.view;
    seen.read_only = parts[0].view.read_only;
    if (seen == parts[0].view) {
      Operand source = parts[1];
      operand = std::move(source);
    } else if (overlap_of(seen, parts[0].view, PLANNER_WORK) == Overlap::NONE) {
      operand.value = ValueRef(parts[0].value);
    } else {
      break;
    }
  }
  return operand;
}

void forward_operands(Value& value) {
  // A write keeps its base, indices reach more elements of a base than its view shows, and factors
  // are read from memory.
  const bool based = value.kind == ValueKind::UPDATE || value.kind == ValueKind::GATHER ||
                     value.kind == ValueKind::SEARCH;
  const size_t first = value.kind == ValueKind::MATMUL ? 2 : based ? 1 : 0;
  for (size_t at = first; at < value.operands().size(); ++at) {
    const Operand& present = value.operands()[at];
    if (!may_be_forwarded(present)) continue;
    Operand next = forwarded(present);
    if (next.value == present.value) continue;
    value.set_operand(at, std::move(next));
  }
}

void check_writable(const Array& array) {
  if (array.is_writable()) return;
  throw Error(
      Status::INVALID_STATE,
      array.cell->read_only
          ? "write: the memory of the array is read-only; copy it first"
          : "write: the array is a broadcast view, whose elements share memory; copy it first");
}

void write(const Array& target, Operand source) {
  check_writable(target);
  if (is_empty(target.view)) return;
  const Value& base = target.cell->current();
  const bool whole =
      !target.cell->pinned && target.view.part == Part::WHOLE && covers(target.view, base.count);
  target.cell->set(whole ? covering(target, std::move(source))
                         : updated(target, std::move(source)));
}

void write_indexed(const Array& target, Operand source, Indexed indexed) {
  check_writable(target);
  if (is_empty(target.view)) return;
  indexed.distinct = indexed.distinct || source.is_constant() ||
                     std::all_of(source.view.strides.begin(), source.view.strides.end(),
                                 [](int64_t stride) { return stride == 0; });
  target.cell->set(update_of(target.cell->value(), target, std::move(source), std::move(indexed)));
}

}  // namespace cucore::array
