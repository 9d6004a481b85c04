// SPDX-License-Identifier: Apache-2.0
#include "array/model/transforms.hpp"

#include <algorithm>
#include <string>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {

void check_ndim(size_t ndim, std::string_view what) {
  if (ndim > Dims::MAX)
    throw Error(Status::SHAPE, concat(what, ": the result would have ", ndim,
                                      " dimensions; expected at most ", Dims::MAX));
}

namespace {

// The stride with which axes [first, end) step as one axis; nothing if they do not.
std::optional<int64_t> run_stride(const View& view, size_t first, size_t end) {
  std::optional<int64_t> last;
  int64_t expected = 0;
  for (size_t axis = end; axis-- > first;) {
    if (view.shape[axis] == 1) continue;
    if (last && view.strides[axis] != expected) return {};
    if (!last) last = view.strides[axis];
    expected = view.strides[axis] * view.shape[axis];
  }
  return last.value_or(0);
}

}  // namespace

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t at = 0; at < shape.size(); ++at) text += concat(at ? ", " : "", shape[at]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

View permuted(const View& view, std::span<const int32_t> axes) {
  if (!axes.empty() && axes.size() != view.ndim())
    throw Error(Status::INVALID_ARGUMENT, concat("permute: ", axes.size(), " axes for an array of ",
                                                 view.ndim(), " dimensions"));
  const Dims order = axes_of(axes, view.ndim(), "permute");
  View result = view;
  for (size_t axis = 0; axis < view.ndim(); ++axis) {
    const size_t from = order.empty() ? view.ndim() - 1 - axis : size_t(order[axis]);
    result.shape[axis] = view.shape[from];
    result.strides[axis] = view.strides[from];
  }
  return result;
}

View expanded(const View& view, std::span<const int32_t> axes) {
  const size_t ndim = view.ndim() + axes.size();
  check_ndim(ndim, "expand");
  Dims places = axes_of(axes, ndim, "expand");
  std::sort(places.begin(), places.end());
  View result = view;
  for (const int64_t place : places) {
    result.shape.insert(size_t(place), 1);
    result.strides.insert(size_t(place), 0);
  }
  return result;
}

View squeezed(const View& view, std::span<const int32_t> axes) {
  const Dims places = axes_of(axes, view.ndim(), "squeeze");
  for (const int64_t place : places)
    if (view.shape[size_t(place)] != 1)
      throw Error(Status::SHAPE, concat("squeeze: axis ", place, " has size ",
                                        view.shape[size_t(place)], "; expected 1"));
  View result = view;
  for (size_t axis = view.ndim(); axis-- > 0;) {
    const bool named = std::find(places.begin(), places.end(), int64_t(axis)) != places.end();
    if (axes.empty() ? view.shape[axis] != 1 : !named) continue;
    result.shape.erase(axis);
    result.strides.erase(axis);
  }
  return result;
}

View flipped(const View& view, std::span<const int32_t> axes) {
  Dims all = axes_of(axes, view.ndim(), "flip");
  if (axes.empty())
    for (size_t axis = 0; axis < view.ndim(); ++axis) all.push_back(int64_t(axis));
  View result = view;
  for (const int64_t each : all) {
    const auto axis = size_t(each);
    if (view.shape[axis] > 0) result.offset += view.strides[axis] * (view.shape[axis] - 1);
    result.strides[axis] = -view.strides[axis];
  }
  return result;
}

View diagonal(const View& view, int64_t offset, int32_t axis1, int32_t axis2) {
  const size_t rows = axis_of(axis1, view.ndim(), "diagonal");
  const size_t columns = axis_of(axis2, view.ndim(), "diagonal");
  if (rows == columns)
    throw Error(Status::INVALID_ARGUMENT,
                concat("diagonal: axis1 and axis2 are both ", rows, "; expected two axes"));
  const int64_t below = std::max<int64_t>(-std::max(offset, -view.shape[rows]), 0);
  const int64_t right = std::max<int64_t>(std::min(offset, view.shape[columns]), 0);
  const int64_t size = std::min(view.shape[rows] - below, view.shape[columns] - right);
  View result = view;
  if (size > 0) result.offset += below * view.strides[rows] + right * view.strides[columns];
  for (const size_t axis : {std::max(rows, columns), std::min(rows, columns)}) {
    result.shape.erase(axis);
    result.strides.erase(axis);
  }
  result.shape.push_back(std::max<int64_t>(size, 0));
  result.strides.push_back(view.strides[rows] + view.strides[columns]);
  return result;
}

View part_of(const View& view, Part part) {
  View result = view;
  result.part = part;
  return result;
}

Dims broadcast_shape(std::span<const Dims> shapes, std::string_view what) {
  Dims result;
  for (const Dims& shape : shapes) {
    while (result.size() < shape.size()) result.insert(0, 1);
    const size_t skipped = result.size() - shape.size();
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      int64_t& size = result[skipped + axis];
      if (size == 1) size = shape[axis];
      if (size == shape[axis] || shape[axis] == 1) continue;
      std::string all;
      for (const Dims& each : shapes) all += concat(all.empty() ? "" : " and ", shape_text(each));
      throw Error(Status::SHAPE, concat(what, ": shapes ", all, " do not broadcast: dimension ",
                                        skipped + axis, " is ", size, " and ", shape[axis]));
    }
  }
  return result;
}

View broadcast(const View& view, const Dims& shape, std::string_view what) {
  const size_t added = shape.size() - std::min(shape.size(), view.ndim());
  bool fits = shape.size() >= view.ndim();
  for (size_t axis = 0; fits && axis < view.ndim(); ++axis)
    fits = view.shape[axis] == shape[added + axis] || view.shape[axis] == 1;
  if (!fits)
    throw Error(Status::SHAPE, concat(what, ": shape ", shape_text(view.shape),
                                      " does not broadcast to ", shape_text(shape)));
  View result = view;
  result.shape = shape;
  result.strides = Dims(shape.size());
  for (size_t axis = 0; axis < view.ndim(); ++axis)
    if (view.shape[axis] == shape[added + axis]) result.strides[added + axis] = view.strides[axis];
  result.read_only = true;
  return result;
}

Dims resolved_shape(std::span<const int64_t> shape, int64_t count) {
  check_ndim(shape.size(), "reshape");
  Dims result(shape);
  const auto missing = std::find(result.begin(), result.end(), -1);
  if (missing != result.end()) {
    if (std::find(missing + 1, result.end(), -1) != result.end())
      throw Error(Status::SHAPE, "reshape: two sizes are -1; expected at most one");
    *missing = 1;
    const int64_t known = count_of(result);
    *missing = known > 0 && count % known == 0 ? count / known : -1;
  }
  if (std::find(result.begin(), result.end(), -1) != result.end() || count_of(result) != count)
    throw Error(Status::SHAPE,
                concat("reshape: ", count, " elements do not fit the shape ", shape_text(shape)));
  return result;
}

std::optional<View> reshaped(const View& view, const Dims& shape) {
  View result = view;
  result.shape = shape;
  result.strides = dense_strides(shape);
  if (is_empty(view)) return result;
  // Runs of axes with an equal number of elements are compared: inside the old one, all axes must
  // step as one.
  size_t old_axis = 0, new_axis = 0;
  while (new_axis < shape.size() || old_axis < view.ndim()) {
    size_t old_end = old_axis, new_end = new_axis;
    int64_t old_count = old_end < view.ndim() ? view.shape[old_end++] : 1;
    int64_t new_count = new_end < shape.size() ? shape[new_end++] : 1;
    while (old_count != new_count) {
      if (old_count < new_count)
        old_count *= view.shape[old_end++];
      else
        new_count *= shape[new_end++];
    }
    const auto stride_of_run = run_stride(view, old_axis, old_end);
    if (!stride_of_run) return {};
    int64_t stride = *stride_of_run;
    for (size_t axis = new_end; axis-- > new_axis;) {
      result.strides[axis] = stride;
      stride *= shape[axis];
    }
    old_axis = old_end;
    new_axis = new_end;
  }
  return result;
}

}  // namespace cucore::array
