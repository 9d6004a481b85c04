// SPDX-License-Identifier: Apache-2.0
// The base that arrays share: a cell keeps the current value, and an array shows a view of it. A
// write puts a new value into the cell. Values that were computed from the old one keep it.
#pragma once

#include <atomic>

#include "array/ir/value.hpp"
#include "array/model/overlap.hpp"

namespace cucore::array {

class Cell : public Object {
 public:
  explicit Cell(ValueRef value);
  ~Cell() override;

  Value& current() const noexcept { return *current_; }
  const ValueRef& value() const noexcept { return current_; }
  void set(ValueRef value) noexcept;
  // The name of the present value and of later ones, in texts.
  void set_name(std::shared_ptr<const std::string> name) noexcept;

  bool read_only = false;  // the owner of the memory forbids writes
  bool pinned = false;     // others see the memory: writes go into it at once

  // The count of references that were released and are not dropped yet, and the next such cell.
  std::atomic<uint32_t> releases{0};
  Cell* next_released = nullptr;

 private:
  ValueRef current_;
  std::shared_ptr<const std::string> name_;
};

struct Array {
  Ref<Cell> cell;
  View view;

  Graph& graph() const noexcept { return cell->current().graph; }
  Dtype dtype() const noexcept;  // of a part: that of the real numbers
  const Dims& shape() const noexcept { return view.shape; }
  bool is_writable() const noexcept { return !view.read_only && !cell->read_only; }
};

// A new array of all elements of a value, in the order of its memory.
Array array_of(ValueRef value);

// The elements that the array shows at this moment. A later write does not change them.
Operand captured(const Array& array);

// Follows pending writes: elements that a write sets are those of its source, and elements that it
// does not touch are the older ones.
Operand forwarded(Operand operand);
// Does so for all operands of a pending value.
void forward_operands(Value& value);

// Replaces the elements that the array shows. `source` has the shape and the type of the array.
// Throws INVALID_STATE if the array is read-only.
void write(const Array& target, Operand source);

// Replaces elements that indices select. Each index operand has the shape of the target, and moves
// away from the element that the target shows.
struct Indexed {
  std::vector<Operand> operands = {};
  std::vector<IndexDetail> details = {};
  bool distinct = false;  // no element is selected twice
  bool skips = false;     // an only index that equals the size selects no element
};
void write_indexed(const Array& target, Operand source, Indexed indexed);

// Throws INVALID_STATE unless the array can be written.
void check_writable(const Array& array);

}  // namespace cucore::array
