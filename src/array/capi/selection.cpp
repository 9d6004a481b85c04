// SPDX-License-Identifier: Apache-2.0
#include "array/capi/selection.hpp"

#include <algorithm>
#include <limits>

#include "array/model/transforms.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

bool is_mask(const Item& item) { return item.array && item.array->dtype() == Dtype::BOOL; }

Array truth_of(const Array& array) {
  return array.dtype() == Dtype::BOOL ? array : cast(array, Dtype::BOOL);
}

// Small integers are read and written faster.
Dtype position_dtype(int64_t size) {
  return size <= std::numeric_limits<int32_t>::max() ? Dtype::INT32 : Dtype::INT64;
}

int64_t read_count(Context& context, const Array& counts, int64_t size) {
  HeldArray last{context};
  {
    const Context::Lock lock(context);
    last.array = {.cell = counts.cell, .view = {.offset = size - 1}};
  }
  int64_t count = 0;  // its low bytes come first
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&count, 1));
  context.read(last.array, bytes.first(size_of(counts.dtype())));
  return count;
}

// The positions of elements that are not 0, in one axis, as position_dtype().
Array flat_nonzero(Context& context, const Array& array) {
  HeldArray mask{context}, counts{context};
  const int64_t size = count_of(array.view.shape);
  {
    const Context::Lock lock(context);
    if (size == 0) return empty(lock.graph(), position_dtype(size), {0});
    mask.array = truth_of(array);
    counts.array = counted(mask.array, position_dtype(size));
  }
  const int64_t count = read_count(context, counts.array, size);
  const Context::Lock lock(context);
  return true_positions(mask.array, counts.array, count);
}

// The index on each axis, of positions in an array of the shape.
std::vector<Array> split_positions(const Array& flat, const Dims& shape) {
  if (shape.size() == 1) return {flat};
  Graph& graph = flat.graph();
  const Dims strides = dense_strides(shape);
  std::vector<Array> indices;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const Input quotient[] = {{.array = &flat}, {.number = Number::of(strides[axis])}};
    const Array whole = apply_one(graph, "floor_divide", quotient);
    const Input rest[] = {{.array = &whole},
                          {.number = Number::of(std::max<int64_t>(shape[axis], 1))}};
    indices.push_back(axis == 0 ? whole : apply_one(graph, "remainder", rest));
  }
  return indices;
}

void check_shape(const Array& mask, const View& view, size_t first) {
  for (size_t axis = 0; axis < mask.view.ndim(); ++axis) {
    const int64_t expected = view.shape[first + axis], given = mask.view.shape[axis];
    if (given != expected && given != 0)  // an empty mask selects nothing
      throw Error(Status::INDEX, concat("the mask has ", given, " elements on axis ", axis,
                                        "; axis ", first + axis, " of the array has ", expected));
  }
}

// The view with the axes [first, first + count) as one; nothing if the strides do not permit it.
std::optional<View> joined_axes(const View& view, size_t first, size_t count) {
  Dims shape;
  for (size_t axis = 0; axis < view.ndim(); ++axis) {
    if (axis > first && axis < first + count)
      shape[first] *= view.shape[axis];
    else
      shape.push_back(view.shape[axis]);
  }
  auto result = reshaped(view, shape);
  if (result) result->read_only = view.read_only;
  return result;
}

}  // namespace

std::vector<Array> nonzero(Context& context, const Array& array) {
  HeldArray flat{context, flat_nonzero(context, array)};
  const Context::Lock lock(context);
  return split_positions(cast(flat.array, Dtype::INT64), array.view.shape);
}

Selection::Selection(const cucore_array_index* items, size_t count, const ArrayObject& x)
    : context_(x.context()),
      array_{context_, x.array()},
      items_(items_of(items, count, x, &guests_)) {
  for (Item& item : items_) {
    if (item.array) ++arrays_;
    if (is_mask(item)) item.index.axes = item.array->view.ndim();
  }
}

std::optional<Selection::Mask> Selection::mask() const {
  const auto found = std::find_if(items_.begin(), items_.end(), is_mask);
  if (found == items_.end() || arrays_ != 1 || found->index.axes == 0 ||
      is_empty(found->array->view))
    return {};
  constexpr Index OF_MASK{.kind = IndexKind::SLICE, .integer = 1};
  std::vector<Index> all;
  for (const Item& item : items_)
    all.insert(all.end(), item.array ? item.index.axes : 1, item.array ? OF_MASK : item.index);
  const std::vector<Index> complete = completed(all, array_.array.view.ndim());
  size_t axis = 0;
  for (const Index& index : complete) {
    if (index.kind == IndexKind::SLICE && index.integer == OF_MASK.integer) break;
    axis += index.kind != IndexKind::INTEGER;
  }
  Mask result{.selected = array_.array, .mask = *found->array};
  result.selected.view = select(array_.array.view, complete);
  check_shape(result.mask, result.selected.view, axis);
  View& view = result.mask.view;
  while (axis + view.ndim() < result.selected.view.ndim()) {
    view.shape.push_back(1);
    view.strides.push_back(0);
  }
  return result;
}

void Selection::replace_mask(const Item& item, size_t axis, std::vector<Item>* all) {
  const Array& mask = *item.array;
  const size_t axes = item.index.axes;
  if (axes == 0) {  // indexes a new axis of size 1
    Array flat = mask;
    {
      const Context::Lock lock(context_);
      flat.view.shape = {1};
      flat.view.strides = {1};
    }
    HeldArray held{context_, std::move(flat)};
    held_.emplace_back(context_, flat_nonzero(context_, held.array));
    all->push_back({{.kind = IndexKind::ARRAY}, &held_.back().array, true});
    return;
  }
  check_shape(mask, array_.array.view, axis);
  const auto joined = arrays_ == 1 ? joined_axes(array_.array.view, axis, axes) : std::nullopt;
  if (joined) array_.array.view = *joined;
  std::vector<Array> indices;
  if (joined)
    indices.push_back(flat_nonzero(context_, mask));
  else
    indices = nonzero(context_, mask);
  for (Array& index : indices) {
    held_.emplace_back(context_, std::move(index));
    all->push_back({{.kind = IndexKind::ARRAY}, &held_.back().array});
  }
}

void Selection::replace_masks() {
  if (std::none_of(items_.begin(), items_.end(), is_mask)) return;
  std::vector<Index> indices;
  for (const Item& item : items_) indices.push_back(item.index);
  const size_t axes_of_ellipsis =
      completed(indices, array_.array.view.ndim()).size() + 1 - items_.size();
  std::vector<Item> all;
  size_t axis = 0;
  for (const Item& item : items_) {
    if (is_mask(item))
      replace_mask(item, axis, &all);
    else
      all.push_back(item);
    switch (item.index.kind) {
      case IndexKind::NEW_AXIS:
        break;
      case IndexKind::ELLIPSIS:
        axis += axes_of_ellipsis;
        break;
      default:
        axis += item.index.axes;
    }
  }
  distinct_ = arrays_ == 1;
  items_ = std::move(all);
}

Array Selection::elements() const { return selected(array_.array, items_); }

// One element for all: the elements that the mask leaves out are written as they are.
bool Selection::assign_by_mask(const Op* op, const Input& value, Write& write) {
  if (value.array && count_of(value.array->view.shape) != 1) return false;
  const Context::Lock lock(context_);
  const auto found = mask();
  if (!found) return false;
  check_writable(found->selected);
  const Array& present = found->selected;
  write.begin(lock);
  if (!op) {
    Input one = value;
    Array element;
    if (value.array) element = reshaped_array(*value.array, {}), one.array = &element;
    assign_where(present, one, found->mask, "assign", Casting::UNSAFE);
    write.end(lock);
    return true;
  }
  const Input inputs[] = {{.array = &present}, value};
  const Array result =
      apply_one(lock.graph(), *op, inputs, Dtype::DEFAULT, context_.settings().defaults);
  assign_where(present, {.array = &result}, found->mask, op->name);
  write.end(lock);
  return true;
}

void Selection::assign(const Op* op, const Input& value, Write& write) {
  if (assign_by_mask(op, value, write)) return;
  replace_masks();
  write.record([&](Graph&) {
    if (op)
      assign_op_selected(*op, array_.array, items_, distinct_, value, context_.settings().defaults);
    else
      assign_selected(array_.array, items_, distinct_, value, "assign", Casting::UNSAFE);
  });
}

}  // namespace cucore::array
