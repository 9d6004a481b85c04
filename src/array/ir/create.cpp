// SPDX-License-Identifier: Apache-2.0
#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/ir/order.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {

Array empty(Graph& graph, Dtype dtype, const Dims& shape) {
  return array_of(ValueRef(new Value(graph, ValueKind::EMPTY, dtype, shape, {})));
}

Array full(Graph& graph, const Constant& constant, const Dims& shape) {
  std::vector<Operand> operands{{.constant = constant}};
  auto value =
      ValueRef(new Value(graph, ValueKind::MAP, constant.dtype, shape, std::move(operands)));
  value->map.types.operands[0] = value->map.types.results[0] = constant.dtype;
  return array_of(std::move(value));
}

Array positions(Graph& graph, const Dims& shape) {
  return array_of(ValueRef(new Value(graph, ValueKind::POSITION, Dtype::INT64, shape, {})));
}

Array stored(Graph& graph, Dtype dtype, int64_t memory, View view, Ref<Storage> storage) {
  auto value = ValueRef(new Value(graph, ValueKind::STORED, dtype, Dims{memory}, {}));
  const bool pinned = storage->pinned();
  value->set_ready(std::move(storage));
  auto cell = make<Cell>(std::move(value));
  cell->pinned = pinned;
  return {.cell = std::move(cell), .view = std::move(view)};
}

Array copied(const Array& array) {
  const Value& value = array.cell->current();
  const bool whole =
      !array.cell->pinned && array.view.part == Part::WHOLE && covers(array.view, value.count);
  if (whole) {  // the two share the value until one of them is written
    View view = array.view;
    view.read_only = false;
    return {.cell = make<Cell>(array.cell->value()), .view = std::move(view)};
  }
  const View* const views[] = {&array.view};
  const Dims order = memory_order(array.view.ndim(), views);
  const Dims shape = reordered(array.view, order).shape;
  Operand operand = captured(array);
  if (!operand.is_constant()) operand.view = reordered(operand.view, order);
  operand.view.read_only = false;
  std::vector<Operand> operands;
  operands.push_back(std::move(operand));
  auto copy =
      ValueRef(new Value(array.graph(), ValueKind::MAP, array.dtype(), shape, std::move(operands)));
  copy->map.types.operands[0] = copy->map.types.results[0] = array.dtype();
  View view = unordered(shape, order);
  return {.cell = make<Cell>(std::move(copy)), .view = std::move(view)};
}

Array copied_in_order(const Array& array) {
  Operand operand = captured(array);
  operand.view.read_only = false;
  const Dims shape = array.view.shape;
  std::vector<Operand> operands;
  operands.push_back(std::move(operand));
  auto copy =
      ValueRef(new Value(array.graph(), ValueKind::MAP, array.dtype(), shape, std::move(operands)));
  copy->map.types.operands[0] = copy->map.types.results[0] = array.dtype();
  return array_of(std::move(copy));
}

// The elements in C order of the present shape are those of the result in C order.
Array reshaped_array(const Array& array, const Dims& shape) {
  if (auto view = reshaped(array.view, shape))
    return {.cell = array.cell, .view = std::move(*view)};
  Array copy = copied_in_order(array);
  copy.view = dense(shape);
  return copy;
}

}  // namespace cucore::array
