// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

// An axis of the base with its indices.
struct AxisIndices {
  size_t axis;     // of the view
  int64_t number;  // of the caller's array, for messages
  Array indices;
};

void check_integers(const Array& indices) {
  if (is_integer(kind_of(indices.dtype()))) return;
  throw Error(Status::DTYPE,
              concat("an index is an array of ", name_of(indices.dtype()), "; expected integers"));
}

Dims common_shape_of(const std::vector<AxisIndices>& all) {
  std::vector<Dims> shapes;
  for (const AxisIndices& each : all) shapes.push_back(each.indices.view.shape);
  return broadcast_shape(shapes, "index");
}

// The result's axes: those of `base` without indices, with the axes of the indices before number
// `place` of them.
struct Layout {
  View base;         // over the result; still on the axes of the indices
  size_t first = 0;  // axis of the indices in the result
};

Layout layout_of(const View& base, const std::vector<AxisIndices>& all, const Dims& shape,
                 size_t place) {
  Layout layout{.base = {.offset = base.offset, .part = base.part}};
  size_t kept = 0;
  const auto insert = [&] {
    layout.first = layout.base.shape.size();
    for (const int64_t size : shape) {
      layout.base.shape.push_back(size);
      layout.base.strides.push_back(0);
    }
  };
  for (size_t axis = 0; axis < base.ndim(); ++axis) {
    const bool indexed = std::any_of(all.begin(), all.end(),
                                     [&](const AxisIndices& each) { return each.axis == axis; });
    if (indexed) continue;
    if (kept++ == place) insert();
    layout.base.shape.push_back(base.shape[axis]);
    layout.base.strides.push_back(base.strides[axis]);
  }
  if (kept <= place) insert();
  return layout;
}

Operand index_operand(const Array& indices, const Layout& layout, const Dims& shape) {
  Operand operand = captured(cast(indices, Dtype::INT64));
  if (operand.is_constant()) return operand;
  const View narrow = broadcast(operand.view, shape, "index");
  operand.view = {
      .offset = narrow.offset, .shape = layout.base.shape, .strides = Dims(layout.base.ndim())};
  for (size_t axis = 0; axis < shape.size(); ++axis)
    operand.view.strides[layout.first + axis] = narrow.strides[axis];
  return operand;
}

void check_not_empty(const View& base, const std::vector<AxisIndices>& all, const Layout& layout) {
  if (is_empty(layout.base)) return;
  for (const AxisIndices& each : all)
    if (base.shape[each.axis] == 0)
      throw Error(Status::INDEX,
                  concat("an index of axis ", each.number, ", which has no elements"));
}

Array gathered(const Array& base, const std::vector<AxisIndices>& all, size_t place) {
  const Dims shape = common_shape_of(all);
  Layout layout = layout_of(base.view, all, shape, place);
  if (layout.base.ndim() > Dims::MAX)
    throw Error(Status::SHAPE, concat("the result would have ", layout.base.ndim(),
                                      " dimensions; expected at most ", Dims::MAX));
  check_not_empty(base.view, all, layout);
  std::vector<Operand> operands;
  operands.push_back({.value = base.cell->value(), .view = layout.base});
  std::vector<IndexDetail> details;
  for (const AxisIndices& each : all) {
    operands.push_back(index_operand(each.indices, layout, shape));
    details.push_back({.size = base.view.shape[each.axis],
                       .stride = base.view.strides[each.axis],
                       .axis = static_cast<uint8_t>(each.number)});
  }
  const Dims result = layout.base.shape;
  auto value = ValueRef(
      new Value(base.graph(), ValueKind::GATHER, base.dtype(), result, std::move(operands)));
  value->indices = std::move(details);
  return array_of(std::move(value));
}

bool is_advanced(const Item& item) {
  return item.index.kind == IndexKind::ARRAY || item.index.kind == IndexKind::INTEGER;
}

// Arrays with something else between them put their axes first.
bool are_neighbours(std::span<const Item> items) {
  const auto first = std::find_if(items.begin(), items.end(), is_advanced);
  const auto last = std::find_if(items.rbegin(), items.rend(), is_advanced).base();
  return std::all_of(first, last, is_advanced);
}

// All items but integers and arrays, whose axes stay for the gather.
struct Split {
  std::vector<Index> plain;
  std::vector<AxisIndices> advanced;
  size_t place = 0;
};

Split split_items(const Array& array, std::span<const Item> items) {
  Split result;
  size_t axis = 0, kept = 0;  // of the view after the plain items; without indices before
  int64_t number = 0;
  bool placed = false;
  const bool neighbours = are_neighbours(items);
  for (const Item& item : items) {
    if (is_advanced(item)) {
      if (!placed && neighbours) result.place = kept;
      placed = true;
      Array indices = item.array ? *item.array
                                 : full(array.graph(),
                                        {.dtype = Dtype::INT64, .integer = item.index.integer}, {});
      const int64_t size = array.view.shape[size_t(number)];
      if (!item.array && (item.index.integer < -size || item.index.integer >= size))
        throw Error(Status::INDEX, concat("index ", item.index.integer,
                                          " is out of range for axis ", number, " of size ", size));
      check_integers(indices);
      result.advanced.push_back({axis++, number++, std::move(indices)});
      result.plain.push_back({.kind = IndexKind::SLICE});
      continue;
    }
    result.plain.push_back(item.index);
    ++axis;
    ++kept;
    number += item.index.kind == IndexKind::SLICE;
  }
  return result;
}

}  // namespace

Array selected(const Array& array, std::span<const Item> items) {
  std::vector<Index> indices;
  for (const Item& item : items) indices.push_back(item.index);
  const std::vector<Index> complete = completed(indices, array.view.ndim());
  const bool has_arrays = std::any_of(items.begin(), items.end(),
                                      [](const Item& item) { return item.array != nullptr; });
  if (!has_arrays) {
    const Array view{.cell = array.cell, .view = select(array.view, complete)};
    const bool is_element =
        items.size() == array.view.ndim() && std::all_of(items.begin(), items.end(), is_advanced);
    return is_element ? copied_in_order(view) : view;
  }
  std::vector<Item> all;
  size_t next = 0;
  std::vector<const Array*> arrays;
  for (const Item& item : items)
    if (item.array) arrays.push_back(item.array);
  for (const Index& index : complete)
    all.push_back({index, index.kind == IndexKind::ARRAY ? arrays[next++] : nullptr});
  const Split split = split_items(array, all);
  const Array base{.cell = array.cell, .view = select(array.view, split.plain)};
  return gathered(base, split.advanced, split.place);
}

Array taken(const Array& array, const Array& indices, int32_t axis) {
  check_integers(indices);
  const size_t place = axis_of(axis, array.view.ndim(), "take");
  return gathered(array, {{place, int64_t(place), indices}}, place);
}

Array taken_along(const Array& array, const Array& indices, int32_t axis) {
  check_integers(indices);
  const size_t place = axis_of(axis, array.view.ndim(), "take_along_axis");
  if (indices.view.ndim() != array.view.ndim())
    throw Error(Status::SHAPE, concat("take_along_axis: the indices have ", indices.view.ndim(),
                                      " dimensions, and the array ", array.view.ndim()));
  Dims shape = array.view.shape, other = indices.view.shape;
  const int64_t size = array.view.shape[place];
  shape[place] = 1;
  const Dims shapes[] = {shape, other};
  const Dims result = broadcast_shape(shapes, "take_along_axis");
  View base = array.view;
  base.shape[place] = 1;
  base = broadcast(base, result, "take_along_axis");
  base.strides[place] = 0;
  base.read_only = false;
  Operand index = captured(cast(indices, Dtype::INT64));
  if (!index.is_constant()) index.view = broadcast(index.view, result, "take_along_axis");
  index.view.read_only = false;
  std::vector<Operand> operands;
  operands.push_back({.value = array.cell->value(), .view = std::move(base)});
  operands.push_back(std::move(index));
  auto value = ValueRef(
      new Value(array.graph(), ValueKind::GATHER, array.dtype(), result, std::move(operands)));
  value->indices = {
      {.size = size, .stride = array.view.strides[place], .axis = static_cast<uint8_t>(place)}};
  return array_of(std::move(value));
}

}  // namespace cucore::array
