// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>

#include "array/ir/assign.hpp"
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

void check_integers(const Array& indices, Status status = Status::DTYPE) {
  if (is_integer(kind_of(indices.dtype()))) return;
  throw Error(status,
              concat("an index is an array of ", name_of(indices.dtype()), "; expected integers"));
}

// uint64 numbers above those of int64 would become negative indices, which count from the end.
Array index_numbers(const Array& indices) {
  if (indices.dtype() != Dtype::UINT64) return cast(indices, Dtype::INT64);
  const Input inputs[] = {{.array = &indices},
                          {.number = Number::of(std::numeric_limits<int64_t>::max())}};
  return cast(apply_one(indices.graph(), "minimum", inputs), Dtype::INT64);
}

Dims common_shape_of(const std::vector<AxisIndices>& all) {
  std::vector<Dims> shapes;
  for (const AxisIndices& each : all) shapes.push_back(each.indices.view.shape);
  try {
    return broadcast_shape(shapes, "index");
  } catch (const Error& error) {  // an INDEX error, as in NumPy
    throw Error(Status::INDEX, error.what());
  }
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
  Operand operand = captured(index_numbers(indices));
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

// Elements that indices select: `target` shows the first one of each axis with indices, and has the
// shape of the selection.
struct Selection {
  Array target;
  Indexed indexed;
};

Selection selection_of(const Array& base, const std::vector<AxisIndices>& all, size_t place) {
  const Dims shape = common_shape_of(all);
  check_ndim(base.view.ndim() - all.size() + shape.size(), "index");
  Layout layout = layout_of(base.view, all, shape, place);
  check_not_empty(base.view, all, layout);
  Selection selection{.target = {.cell = base.cell, .view = {}}, .indexed = {}};
  for (const AxisIndices& each : all) {
    selection.indexed.operands.push_back(index_operand(each.indices, layout, shape));
    selection.indexed.details.push_back({.size = base.view.shape[each.axis],
                                         .stride = base.view.strides[each.axis],
                                         .axis = static_cast<uint8_t>(each.number)});
  }
  layout.base.read_only = base.view.read_only;
  selection.target.view = std::move(layout.base);
  return selection;
}

Array gathered(Selection selection) {
  const Array& target = selection.target;
  View view = target.view;
  view.read_only = false;
  const Dims shape = view.shape;
  std::vector<Operand> operands;
  operands.push_back({.value = target.cell->value(), .view = std::move(view)});
  for (Operand& index : selection.indexed.operands) operands.push_back(std::move(index));
  auto value = ValueRef(
      new Value(target.graph(), ValueKind::GATHER, target.dtype(), shape, std::move(operands)));
  value->indices = std::move(selection.indexed.details);
  return array_of(std::move(value));
}

bool is_advanced(const Item& item) {
  return item.index.kind == IndexKind::ARRAY || item.index.kind == IndexKind::INTEGER;
}

// Arrays with something else between them put their axes first. An ellipsis without axes counts.
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

void check_index(int64_t index, int64_t axis, int64_t size) {
  if (index < -size || index >= size)
    throw Error(Status::INDEX,
                concat("index ", index, " is out of range for axis ", axis, " of size ", size));
}

// Indices of the host, whose least and greatest one are known before the kernel reads them.
void check_bounds(const Slice& bounds, int64_t axis, int64_t size) {
  if (bounds.start) check_index(*bounds.start, axis, size);
  if (bounds.stop) check_index(*bounds.stop, axis, size);
}

Split split_items(const Array& array, std::span<const Item> items, bool neighbours) {
  Split result;
  size_t axis = 0, kept = 0;  // of the view after the plain items; without indices before
  int64_t number = 0;
  bool placed = false;
  for (const Item& item : items) {
    if (is_advanced(item)) {
      if (!placed && neighbours) result.place = kept;
      placed = true;
      Array indices = item.array ? *item.array
                                 : full(array.graph(),
                                        {.dtype = Dtype::INT64, .integer = item.index.integer}, {});
      check_integers(indices, Status::INDEX);
      if (item.new_axis) {
        result.advanced.push_back({axis++, number, std::move(indices)});
        result.plain.push_back({.kind = IndexKind::NEW_AXIS});
        continue;
      }
      const int64_t size = array.view.shape[size_t(number)];
      if (item.array)
        check_bounds(item.index.slice, number, size);
      else
        check_index(item.index.integer, number, size);
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

bool has_arrays(std::span<const Item> items) {
  return std::any_of(items.begin(), items.end(),
                     [](const Item& item) { return item.array != nullptr; });
}

std::vector<Index> completed_indices(const Array& array, std::span<const Item> items) {
  std::vector<Index> indices;
  for (const Item& item : items) indices.push_back(item.index);
  for (size_t at = 0; at < items.size(); ++at)
    if (items[at].new_axis) indices[at].axes = 0;
  return completed(indices, array.view.ndim());
}

// Expects an array among the items.
Selection selection_of(const Array& array, std::span<const Item> items) {
  std::vector<Item> all;
  auto next = items.begin();
  for (const Index& index : completed_indices(array, items)) {
    if (index.kind != IndexKind::ARRAY) {
      all.push_back({.index = index});
      continue;
    }
    next = std::find_if(next, items.end(), [](const Item& item) { return item.array != nullptr; });
    all.push_back(*next++);
  }
  const Split split = split_items(array, all, are_neighbours(items));
  const Array base{.cell = array.cell, .view = select(array.view, split.plain)};
  return selection_of(base, split.advanced, split.place);
}

Selection selection_along(const Array& array, const Array& indices, int32_t axis,
                          std::string_view what) {
  check_integers(indices);
  const size_t place = axis_of(axis, array.view.ndim(), what);
  if (indices.view.ndim() != array.view.ndim())
    throw Error(Status::SHAPE, concat(what, ": the indices have ", indices.view.ndim(),
                                      " dimensions, and the array ", array.view.ndim()));
  Dims shape = array.view.shape;
  shape[place] = 1;
  const Dims shapes[] = {shape, indices.view.shape};
  const Dims result = broadcast_shape(shapes, what);
  View base = array.view;
  base.shape[place] = 1;
  base = broadcast(base, result, what);
  base.strides[place] = 0;
  base.read_only = array.view.read_only;
  Operand index = captured(index_numbers(indices));
  if (!index.is_constant()) index.view = broadcast(index.view, result, what);
  index.view.read_only = false;
  Selection selection{.target = {.cell = array.cell, .view = std::move(base)}, .indexed = {}};
  selection.indexed.operands.push_back(std::move(index));
  selection.indexed.details.push_back({.size = array.view.shape[place],
                                       .stride = array.view.strides[place],
                                       .axis = static_cast<uint8_t>(place)});
  return selection;
}

void write_selection(Selection selection, const Input& value, std::string_view what, Casting rule) {
  check_writable(selection.target);
  write_indexed(selection.target, source_of(selection.target, value, what, rule),
                std::move(selection.indexed));
}

}  // namespace

Array selected(const Array& array, std::span<const Item> items) {
  if (has_arrays(items)) return gathered(selection_of(array, items));
  const Array view{.cell = array.cell, .view = select(array.view, completed_indices(array, items))};
  const bool is_element =
      items.size() == array.view.ndim() && std::all_of(items.begin(), items.end(), is_advanced);
  return is_element ? copied_in_order(view) : view;
}

void assign_selected(const Array& array, std::span<const Item> items, bool distinct,
                     const Input& value, std::string_view what, Casting rule) {
  if (has_arrays(items)) {
    Selection selection = selection_of(array, items);
    selection.indexed.distinct = distinct;
    return write_selection(std::move(selection), value, what, rule);
  }
  assign({.cell = array.cell, .view = select(array.view, completed_indices(array, items))}, value,
         what, rule);
}

void assign_op_selected(const Op& op, const Array& array, std::span<const Item> items,
                        bool distinct, const Input& value, const Defaults& defaults) {
  if (!has_arrays(items))
    return assign_op(
        op, {.cell = array.cell, .view = select(array.view, completed_indices(array, items))},
        value, defaults);
  const Array present = selected(array, items);
  const Input inputs[] = {{.array = &present}, value};
  const Array result = apply_one(array.graph(), op, inputs, Dtype::DEFAULT, defaults);
  assign_selected(array, items, distinct, {.array = &result}, op.name);
}

Array taken(const Array& array, const Array& indices, int32_t axis) {
  check_integers(indices);
  const size_t place = axis_of(axis, array.view.ndim(), "take");
  return gathered(selection_of(array, {{place, int64_t(place), indices}}, place));
}

Array taken_along(const Array& array, const Array& indices, int32_t axis) {
  return gathered(selection_along(array, indices, axis, "take_along_axis"));
}

void put_along(const Array& array, const Array& indices, int32_t axis, const Input& value) {
  constexpr std::string_view WHAT = "put_along_axis";
  write_selection(selection_along(array, indices, axis, WHAT), value, WHAT, Casting::UNSAFE);
}

Array counted(const Array& mask, Dtype dtype) {
  const Array flat = reshaped_array(mask, {count_of(mask.view.shape)});
  return scan(*find_op("cumulative_sum"), cast(flat, dtype), {.dtype = dtype});
}

// Elements that are false are skipped.
Array true_positions(const Array& mask, const Array& counts, int64_t count) {
  Graph& graph = mask.graph();
  const Dtype dtype = counts.dtype();
  Array result = empty(graph, dtype, {count});
  if (count == 0) return result;
  const Array flat = reshaped_array(mask, {count_of(mask.view.shape)});
  const Input steps[] = {{.array = &counts}, {.number = Number::of(int64_t{1})}};
  const Array places = apply_one(graph, "subtract", steps);
  const Input choice[] = {{.array = &flat}, {.array = &places}, {.number = Number::of(count)}};
  const Array target = apply_one(graph, "where", choice);
  const Array source = cast(positions(graph, flat.view.shape), dtype);
  const Item item[] = {{.index = {.kind = IndexKind::ARRAY}, .array = &target}};
  Selection selection = selection_of(result, item);
  selection.indexed.distinct = selection.indexed.skips = true;
  write_selection(std::move(selection), {.array = &source}, "nonzero", Casting::SAME_KIND);
  return result;
}

}  // namespace cucore::array
