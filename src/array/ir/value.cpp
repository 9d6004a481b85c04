// SPDX-License-Identifier: Apache-2.0
#include "array/ir/value.hpp"

#include <algorithm>
#include <cassert>

#include "array/ir/graph.hpp"

namespace cucore::array {

ValueRef::ValueRef(Value* value) noexcept : value_(value) {
  if (value_) ++value_->references_;
}

ValueRef::~ValueRef() {
  if (value_ && --value_->references_ == 0) value_->graph.destroy(value_);
}

Dtype Operand::dtype() const noexcept {
  if (!value) return constant.dtype;
  return view.part == Part::WHOLE ? value->dtype : real_of(value->dtype);
}

Value::Value(Graph& graph, ValueKind kind, Dtype dtype, Dims shape, std::vector<Operand> operands)
    : graph(graph),
      kind(kind),
      dtype(dtype),
      shape(std::move(shape)),
      count(count_of(this->shape, size_of(dtype))),
      operands_(std::move(operands)) {
  size_t entered = 0;
  try {
    for (const Operand& operand : operands_) {
      if (!operand.value) continue;
      operand.value->users_.push_back(this);
      ++entered;
      depth_ = std::max(depth_, operand.value->depth_ + 1);
    }
  } catch (...) {
    for (const Operand& operand : operands_) {
      if (entered == 0) break;
      if (!operand.value) continue;
      operand.value->remove_user(this);
      --entered;
    }
    throw;
  }
  graph.insert(*this);
}

Value::~Value() {
  if (is_pending()) graph.remove(*this);
  if (is_retained_) graph.retained_bytes_ -= bytes();
}

void Value::enter_cell() noexcept {
  ++cells_;
  count_retained();
}

void Value::leave_cell() noexcept {
  --cells_;
  count_retained();
}

// No array has the elements any more; others wait to be computed from them.
void Value::count_retained() noexcept {
  const bool retained = state_ == ValueState::READY && cells_ == 0;
  if (retained == is_retained_) return;
  is_retained_ = retained;
  graph.retained_bytes_ += retained ? bytes() : -bytes();
}

void Value::remove_user(Value* user) noexcept {
  const auto found = std::find(users_.begin(), users_.end(), user);
  assert(found != users_.end());
  *found = users_.back();
  users_.pop_back();
}

void Value::leave_operands() noexcept {
  for (const Operand& operand : operands_)
    if (operand.value) operand.value->remove_user(this);
  operands_.clear();
}

void Value::set_operand(size_t at, Operand operand) {
  if (operand.value) operand.value->users_.push_back(this);
  if (operands_[at].value) operands_[at].value->remove_user(this);
  std::swap(operands_[at], operand);
}

void Value::settle(ValueState state) noexcept {
  assert(is_pending());
  graph.remove(*this);
  state_ = state;
  depth_ = 0;
  leave_operands();
}

void Value::set_ready(Ref<Storage> storage) {
  settle(ValueState::READY);
  storage_ = std::move(storage);
  count_retained();
}

void Value::set_failed(std::exception_ptr failure) {
  settle(ValueState::FAILED);
  failure_ = std::move(failure);
}

void Value::set_moved() noexcept {
  assert(state_ == ValueState::READY && cells_ == 0);
  state_ = ValueState::MOVED;
  count_retained();
  storage_ = nullptr;
}

bool is_identity(const View& view, int64_t count) noexcept {
  if (view.offset != 0 || !is_contiguous(view)) return false;
  int64_t shown = 1;
  for (const int64_t size : view.shape) shown *= size;
  return shown == count;
}

}  // namespace cucore::array
