// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/ir/order.hpp"
#include "array/model/transforms.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

Array scanned(Reduction reduction, const Array& array, size_t axis) {
  const View* const views[] = {&array.view};
  const Dims order = memory_order(array.view.ndim(), views);
  Operand operand = captured(array);
  if (operand.is_constant()) operand = captured(copied_in_order(array));
  operand.view = reordered(operand.view, order);
  operand.view.read_only = false;
  const Dims shape = operand.view.shape;
  const auto place = std::find(order.begin(), order.end(), int64_t(axis)) - order.begin();
  std::vector<Operand> operands;
  operands.push_back(std::move(operand));
  auto value = ValueRef(
      new Value(array.graph(), ValueKind::SCAN, array.dtype(), shape, std::move(operands)));
  value->scan = {.op = reduction, .axis = static_cast<uint8_t>(place)};
  View view = unordered(shape, order);
  return {.cell = make<Cell>(std::move(value)), .view = std::move(view)};
}

Array flipped_axis(const Array& array, size_t axis) {
  const int32_t axes[] = {static_cast<int32_t>(axis)};
  return {.cell = array.cell, .view = flipped(array.view, axes)};
}

// The neutral element, then the elements.
Array with_initial(const Array& array, Reduction reduction, size_t axis, bool reverse) {
  std::vector<int64_t> widths(2 * array.view.ndim());
  widths[2 * axis + (reverse ? 1 : 0)] = 1;
  return padded(array, widths, Number::of(int64_t{reduction == Reduction::PROD}));
}

}  // namespace

Array scan(const Op& op, const Array& array, const ScanOptions& options, const Defaults& defaults) {
  const OperandType operand[] = {{.dtype = array.dtype()}};
  const Dtype dtype =
      options.dtype == Dtype::DEFAULT ? types_of(op, operand, defaults).results[0] : options.dtype;
  const Reduction reduction = op.name == "cumulative_prod" ? Reduction::PROD : Reduction::SUM;
  const size_t axis = axis_of(options.axis, array.view.ndim(), op.name);
  const Array source = cast(array, dtype);
  Array result = source;
  if (count_of(array.view.shape) == 0 || array.view.shape[axis] == 1)
    result = copied(source);
  else if (options.reverse)
    result = flipped_axis(scanned(reduction, flipped_axis(source, axis), axis), axis);
  else
    result = scanned(reduction, source, axis);
  return options.include_initial ? with_initial(result, reduction, axis, options.reverse) : result;
}

}  // namespace cucore::array
