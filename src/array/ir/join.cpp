// SPDX-License-Identifier: Apache-2.0
// Arrays made of others: memory without elements that the parts are written to.
#include <algorithm>

#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

// The elements [first, first + count) of an axis.
Array part_of_axis(const Array& array, size_t axis, int64_t first, int64_t count) {
  std::vector<Index> items(array.view.ndim(), {.kind = IndexKind::SLICE});
  items[axis].slice = {first, first + count, {}};
  return {.cell = array.cell, .view = select(array.view, items)};
}

void check_parts(std::span<const Array> arrays, size_t axis) {
  const Dims& first = arrays[0].view.shape;
  for (size_t at = 1; at < arrays.size(); ++at) {
    const Dims& given = arrays[at].view.shape;
    Dims expected = first;
    if (given.size() == first.size()) expected[axis] = given[axis];
    if (given != expected)
      throw Error(Status::SHAPE,
                  concat("concat: array ", at, " has the shape ", shape_text(given), "; expected ",
                         shape_text(first), ", where axis ", axis, " may have another size"));
  }
}

Dtype common_dtype(std::span<const Array> arrays) {
  std::vector<Dtype> dtypes;
  for (const Array& array : arrays) dtypes.push_back(array.dtype());
  return result_dtype(dtypes, {});
}

void check_any(std::span<const Array> arrays, std::string_view what) {
  if (arrays.empty()) throw Error(Status::INVALID_ARGUMENT, concat(what, ": no array"));
}

[[noreturn]] void refuse_size(std::string_view what) {
  throw Error(Status::SHAPE, concat(what, ": the result has too many elements"));
}

int64_t multiplied(int64_t size, int64_t times, std::string_view what) {
  if (__builtin_mul_overflow(size, times, &size)) refuse_size(what);
  return size;
}

int64_t added(int64_t size, int64_t more, std::string_view what) {
  if (__builtin_add_overflow(size, more, &size)) refuse_size(what);
  return size;
}

Array rolled_axis(const Array& array, int64_t shift, size_t axis) {
  const int64_t size = array.view.shape[axis];
  const int64_t steps = size == 0 ? 0 : (shift % size + size) % size;
  if (steps == 0) return array;
  const Array parts[] = {part_of_axis(array, axis, size - steps, steps),
                         part_of_axis(array, axis, 0, size - steps)};
  return concatenated(parts, static_cast<int32_t>(axis));
}

// An axis of size 1 is left out: twice as many axes may be too many.
void append_axis(View& view, int64_t size, int64_t stride) {
  if (size == 1) return;
  view.shape.push_back(size);
  view.strides.push_back(stride);
}

// The axes before and behind become one each, because a shape has no room for one more axis.
Array repeated_in_three_axes(const Array& array, int64_t times, size_t axis) {
  const Dims& sizes = array.view.shape;
  Dims three = {1, sizes[axis], 1};
  for (size_t at = 0; at < sizes.size(); ++at)
    if (at != axis) three[at < axis ? 0 : 2] *= sizes[at];
  return repeated(reshaped_array(array, three), times, 1);
}

}  // namespace

Array concatenated(std::span<const Array> arrays, int32_t axis) {
  check_any(arrays, "concat");
  const size_t place = axis_of(axis, arrays[0].view.ndim(), "concat");
  check_parts(arrays, place);
  Dims shape = arrays[0].view.shape;
  shape[place] = 0;
  for (const Array& array : arrays)
    shape[place] = added(shape[place], array.view.shape[place], "concat");
  const Array result = empty(arrays[0].graph(), common_dtype(arrays), shape);
  int64_t first = 0;
  for (const Array& array : arrays) {
    const int64_t count = array.view.shape[place];
    assign(part_of_axis(result, place, first, count), {.array = &array}, "concat");
    first += count;
  }
  return result;
}

Array stacked(std::span<const Array> arrays, int32_t axis) {
  check_any(arrays, "stack");
  std::vector<Array> expanded_arrays;
  const int32_t axes[] = {axis};
  for (const Array& array : arrays)
    expanded_arrays.push_back({.cell = array.cell, .view = expanded(array.view, axes)});
  return concatenated(expanded_arrays, axis);
}

Array rolled(const Array& array, std::span<const int64_t> shifts, std::span<const int32_t> axes) {
  if (axes.empty()) {
    const Array flat = reshaped_array(array, {count_of(array.view.shape)});
    const int64_t size = std::max<int64_t>(flat.view.shape[0], 1);
    int64_t shift = 0;
    for (const int64_t each : shifts) shift = (shift + each % size) % size;
    return reshaped_array(copied(rolled_axis(flat, shift, 0)), array.view.shape);
  }
  if (shifts.size() != axes.size() && shifts.size() != 1)
    throw Error(Status::INVALID_ARGUMENT,
                concat("roll: ", shifts.size(), " shifts for ", axes.size(), " axes"));
  Array result = copied(array);
  for (size_t at = 0; at < axes.size(); ++at)
    result = rolled_axis(result, shifts[shifts.size() == 1 ? 0 : at],
                         axis_of(axes[at], array.view.ndim(), "roll"));
  return result;
}

Array tiled(const Array& array, std::span<const int64_t> repeats) {
  const size_t ndim = std::max(array.view.ndim(), repeats.size());
  View wide{.offset = array.view.offset, .part = array.view.part};
  Dims shape;
  for (size_t axis = 0; axis < ndim; ++axis) {
    const size_t missing = ndim - array.view.ndim(), unrepeated = ndim - repeats.size();
    const int64_t size = axis < missing ? 1 : array.view.shape[axis - missing];
    const int64_t times = axis < unrepeated ? 1 : repeats[axis - unrepeated];
    if (times < 0)
      throw Error(Status::SHAPE, concat("tile: ", times, " repetitions; expected at least 0"));
    append_axis(wide, times, 0);
    append_axis(wide, size, axis < missing ? 0 : array.view.strides[axis - missing]);
    shape.push_back(multiplied(size, times, "tile"));
  }
  Array copy = copied_in_order({.cell = array.cell, .view = std::move(wide)});
  copy.view = dense(shape);
  return copy;
}

Array repeated(const Array& array, int64_t times, int32_t axis) {
  if (times < 0)
    throw Error(Status::SHAPE, concat("repeat: ", times, " repetitions; expected at least 0"));
  const size_t place = axis_of(axis, array.view.ndim(), "repeat");
  Dims shape = array.view.shape;
  shape[place] = multiplied(shape[place], times, "repeat");
  Array copy;
  if (shape.size() == Dims::MAX) {
    copy = repeated_in_three_axes(array, times, place);
  } else {
    View wide = array.view;
    wide.shape.insert(place + 1, times);
    wide.strides.insert(place + 1, 0);
    copy = copied_in_order({.cell = array.cell, .view = std::move(wide)});
  }
  copy.view = dense(shape);
  return copy;
}

Array padded(const Array& array, std::span<const int64_t> widths, const Number& number) {
  if (widths.size() != 2 * array.view.ndim())
    throw Error(Status::INVALID_ARGUMENT,
                concat("pad: ", widths.size(), " widths; expected ", 2 * array.view.ndim()));
  Dims shape = array.view.shape;
  std::vector<Index> items(array.view.ndim(), {.kind = IndexKind::SLICE});
  for (size_t axis = 0; axis < array.view.ndim(); ++axis) {
    const int64_t before = widths[2 * axis], after = widths[2 * axis + 1];
    if (before < 0 || after < 0)
      throw Error(Status::SHAPE, concat("pad: a width of axis ", axis, " is negative"));
    const int64_t end = added(before, shape[axis], "pad");
    items[axis].slice = {before, end, {}};
    shape[axis] = added(end, after, "pad");
  }
  const Array result = full(array.graph(), constant_of(number, array.dtype(), "pad"), shape);
  assign({.cell = result.cell, .view = select(result.view, items)}, {.array = &array}, "pad");
  return result;
}

}  // namespace cucore::array
