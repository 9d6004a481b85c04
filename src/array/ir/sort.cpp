// SPDX-License-Identifier: Apache-2.0
// Sorted rows, and what is found with them.
#include <algorithm>

#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/ir/order.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

// All axes, with this one last.
Dims order_to_end(size_t axis, size_t ndim) {
  Dims order;
  for (size_t each = 0; each < ndim; ++each)
    if (each != axis) order.push_back(int64_t(each));
  order.push_back(int64_t(axis));
  return order;
}

Array sorted_rows(const Array& array, size_t axis, SortDetail detail) {
  const Dims order = order_to_end(axis, array.view.ndim());
  Operand operand = captured(array);
  if (operand.is_constant()) operand = captured(copied_in_order(array));
  operand.view = reordered(operand.view, order);
  operand.view.read_only = false;
  const Dims shape = operand.view.shape;
  std::vector<Operand> operands;
  operands.push_back(std::move(operand));
  auto value = ValueRef(new Value(array.graph(), ValueKind::SORT,
                                  detail.positions ? Dtype::INT64 : array.dtype(), shape,
                                  std::move(operands)));
  value->sort = detail;
  View view = unordered(shape, order);
  return {.cell = make<Cell>(std::move(value)), .view = std::move(view)};
}

}  // namespace

Array sorted(const Array& array, int32_t axis, bool descending) {
  const size_t place = axis_of(axis, array.view.ndim(), "sort");
  if (is_empty(array.view) || array.view.shape[place] == 1) return copied(array);
  return sorted_rows(array, place, {.descending = descending});
}

Array argsorted(const Array& array, int32_t axis, bool descending) {
  const size_t place = axis_of(axis, array.view.ndim(), "argsort");
  if (is_empty(array.view) || array.view.shape[place] == 1)
    return full(array.graph(), {.dtype = Dtype::INT64}, array.view.shape);
  return sorted_rows(array, place, {.descending = descending, .positions = true});
}

Array search_sorted(const Array& sorted, const Array& values, bool right) {
  if (sorted.view.ndim() != 1)
    throw Error(Status::SHAPE, concat("searchsorted: the sorted array has ", sorted.view.ndim(),
                                      " dimensions; expected 1"));
  const Dtype dtypes[] = {sorted.dtype(), values.dtype()};
  const Dtype dtype = result_dtype(dtypes, {});
  const Array base = cast(sorted, dtype), sought = cast(values, dtype);
  std::vector<Operand> operands;
  operands.push_back({.value = base.cell->value(),
                      .view = {.offset = base.view.offset,
                               .shape = sought.view.shape,
                               .strides = Dims(sought.view.ndim()),
                               .part = base.view.part}});
  operands.push_back(captured(sought));
  operands.back().view.read_only = false;
  auto value = ValueRef(new Value(sorted.graph(), ValueKind::SEARCH, Dtype::INT64,
                                  sought.view.shape, std::move(operands)));
  value->indices = {{.size = base.view.shape[0], .stride = base.view.strides[0], .axis = 0}};
  value->sort.right = right;
  return array_of(std::move(value));
}

}  // namespace cucore::array
