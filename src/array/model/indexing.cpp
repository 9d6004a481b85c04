// SPDX-License-Identifier: Apache-2.0
#include "array/model/indexing.hpp"

#include <algorithm>
#include <vector>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

size_t axes_consumed(const Index& index) {
  switch (index.kind) {
    case IndexKind::NEW_AXIS:
    case IndexKind::ELLIPSIS:
      return 0;
    case IndexKind::ARRAY:
      return index.axes;
    default:
      return 1;
  }
}

void append_integer(View& result, const View& view, size_t axis, int64_t index) {
  const int64_t size = view.shape[axis];
  if (index < -size || index >= size)
    throw Error(Status::INDEX,
                concat("index ", index, " is out of range for axis ", axis, " of size ", size));
  result.offset += view.strides[axis] * (index < 0 ? index + size : index);
}

void append_slice(View& result, const View& view, size_t axis, const Slice& slice) {
  const Steps steps = steps_of(slice, view.shape[axis]);
  if (steps.count > 0) result.offset += view.strides[axis] * steps.first;
  result.shape.push_back(steps.count);
  // A step may exceed the memory; nobody takes it if there is one element.
  result.strides.push_back(steps.count > 1 ? view.strides[axis] * steps.step : view.strides[axis]);
}

}  // namespace

Steps steps_of(const Slice& slice, int64_t size) {
  const int64_t step = slice.step.value_or(1);
  if (step == 0)
    throw Error(Status::INVALID_ARGUMENT, "the step of a slice is 0; expected another number");
  const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  const auto bound = [&](std::optional<int64_t> given, int64_t otherwise) {
    if (!given) return otherwise;
    return *given < 0 ? (*given < lowest - size ? lowest : std::max(*given + size, lowest))
                      : std::min(*given, highest);
  };
  const int64_t first = bound(slice.start, step > 0 ? lowest : highest);
  const int64_t stop = bound(slice.stop, step > 0 ? highest : lowest);
  const int64_t distance = step > 0 ? stop - first : first - stop;
  if (distance <= 0) return {first, step, 0};
  const uint64_t length = step > 0 ? uint64_t(step) : -uint64_t(step);  // also of INT64_MIN
  return {first, step, int64_t((uint64_t(distance) - 1) / length + 1)};
}

std::vector<Index> completed(std::span<const Index> indices, size_t ndim) {
  size_t consumed = 0, ellipses = 0;
  for (const Index& index : indices) {
    consumed += axes_consumed(index);
    ellipses += index.kind == IndexKind::ELLIPSIS;
  }
  if (ellipses > 1) throw Error(Status::INDEX, "an index has two ellipses; expected at most one");
  if (consumed > ndim)
    throw Error(Status::INDEX,
                concat("the array has ", ndim, ndim == 1 ? " dimension" : " dimensions", "; ",
                       consumed, " were indexed"));
  const std::vector<Index> rest(ndim - consumed, Index{.kind = IndexKind::SLICE});
  std::vector<Index> all;
  for (const Index& index : indices)
    if (index.kind == IndexKind::ELLIPSIS)
      all.insert(all.end(), rest.begin(), rest.end());
    else
      all.push_back(index);
  if (ellipses == 0) all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

View select(const View& view, std::span<const Index> indices) {
  View result{.offset = view.offset,
              .shape = {},
              .strides = {},
              .part = view.part,
              .read_only = view.read_only};
  size_t axis = 0;
  for (const Index& index : completed(indices, view.ndim())) {
    if (result.ndim() == Dims::MAX && index.kind != IndexKind::INTEGER)
      throw Error(Status::INDEX, concat("the index makes more than ", Dims::MAX, " dimensions"));
    if (index.kind == IndexKind::NEW_AXIS) {
      result.shape.push_back(1);
      result.strides.push_back(0);
    } else if (index.kind == IndexKind::INTEGER) {
      append_integer(result, view, axis++, index.integer);
    } else {
      append_slice(result, view, axis++, index.slice);
    }
  }
  return result;
}

}  // namespace cucore::array
