// SPDX-License-Identifier: Apache-2.0
#include "array/model/view.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

// Axes with more than one index, the largest stride first. Needs no memory: functions that cannot
// fail use it.
class AxesByStride {
 public:
  explicit AxesByStride(const View& view) noexcept {
    for (size_t axis = 0; axis < view.ndim(); ++axis) {
      if (view.shape[axis] == 1) continue;
      size_t at = count_++;
      for (; at > 0 && std::abs(view.strides[axes_[at - 1]]) < std::abs(view.strides[axis]); --at)
        axes_[at] = axes_[at - 1];
      axes_[at] = axis;
    }
  }
  const size_t* begin() const noexcept { return axes_.data(); }
  const size_t* end() const noexcept { return axes_.data() + count_; }

 private:
  size_t count_ = 0;
  std::array<size_t, Dims::MAX> axes_;
};

}  // namespace

int64_t count_of(const Dims& shape) {
  int64_t count = 1;
  bool overflow = false;
  for (const int64_t size : shape) {
    if (size < 0)
      throw Error(Status::SHAPE,
                  concat("the size of a dimension is ", size, "; expected 0 or more"));
    overflow |= __builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count);
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  if (overflow) throw Error(Status::SHAPE, "the shape has more than 2^63 - 1 elements");
  return count;
}

int64_t count_of(const Dims& shape, size_t size) {
  const int64_t count = count_of(shape);
  int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<int64_t>(size), &bytes))
    throw Error(Status::SHAPE, "the shape has more than 2^63 - 1 bytes");
  return count;
}

size_t axis_of(int64_t axis, size_t ndim, std::string_view what) {
  const auto count = static_cast<int64_t>(ndim);
  if (axis < -count || axis >= count)
    throw Error(Status::INDEX, concat(what, ": axis ", axis, " is out of bounds for an array of ",
                                      ndim, ndim == 1 ? " dimension" : " dimensions"));
  return static_cast<size_t>(axis < 0 ? axis + count : axis);
}

Dims axes_of(std::span<const int32_t> axes, size_t ndim, std::string_view what) {
  Dims all;
  for (const int32_t axis : axes) {
    const auto positive = static_cast<int64_t>(axis_of(axis, ndim, what));
    if (std::find(all.begin(), all.end(), positive) != all.end())
      throw Error(Status::INVALID_ARGUMENT, concat(what, ": axis ", axis, " is repeated"));
    all.push_back(positive);
  }
  return all;
}

Dims dense_strides(const Dims& shape) {
  Dims strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    // Shapes without elements may have sizes whose product overflows; nobody takes these strides.
    if (__builtin_mul_overflow(stride, std::max<int64_t>(shape[axis], 1), &stride)) stride = 0;
  }
  return strides;
}

View dense(const Dims& shape) { return {.shape = shape, .strides = dense_strides(shape)}; }

bool is_empty(const View& view) noexcept {
  return std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end();
}

bool is_contiguous(const View& view) noexcept {
  if (is_empty(view)) return true;
  int64_t stride = 1;
  for (size_t axis = view.ndim(); axis-- > 0;) {
    if (view.shape[axis] != 1 && view.strides[axis] != stride) return false;
    stride *= view.shape[axis];
  }
  return true;
}

// Each axis must step over everything that the axes with smaller strides reach. This finds views
// made by slices, transposes and diagonals injective, and refuses some that are.
bool is_injective(const View& view) noexcept {
  if (is_empty(view)) return true;
  const AxesByStride axes(view);
  int64_t reach = 0;
  for (const size_t* axis = axes.end(); axis != axes.begin();) {
    --axis;
    const int64_t stride = std::abs(view.strides[*axis]);
    if (stride <= reach) return false;
    reach += stride * (view.shape[*axis] - 1);
  }
  return true;
}

bool covers(const View& view, int64_t count) noexcept {
  if (is_empty(view)) return count == 0;
  if (!is_injective(view)) return false;
  int64_t shown = 1;
  for (const int64_t size : view.shape) shown *= size;
  return shown == count;
}

std::optional<Range> range_of(const View& view) noexcept {
  if (is_empty(view)) return {};
  Range range{view.offset, view.offset};
  for (size_t axis = 0; axis < view.ndim(); ++axis) {
    const int64_t reach = view.strides[axis] * (view.shape[axis] - 1);
    (reach < 0 ? range.first : range.last) += reach;
  }
  return range;
}

Inverse inverse_of(const View& view) {
  Inverse inverse;
  for (const size_t axis : AxesByStride(view)) {
    inverse.shape.push_back(view.shape[axis]);
    inverse.axes.push_back({axis, view.strides[axis] < 0});
  }
  return inverse;
}

}  // namespace cucore::array
