// SPDX-License-Identifier: Apache-2.0
#include "array/ir/order.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace cucore::array {
namespace {

enum class Vote { NONE, KEEP, SWAP };

// Whether axis `slow` must be faster than axis `fast`. An operand decides if it steps along both.
// One that keeps the order outvotes the others.
Vote vote_of(size_t slow, size_t fast, std::span<const View* const> views) {
  Vote vote = Vote::NONE;
  for (const View* view : views) {
    const int64_t a = std::abs(view->strides[slow]), b = std::abs(view->strides[fast]);
    if (a == 0 || b == 0 || view->shape[slow] == 1 || view->shape[fast] == 1) continue;
    if (a >= b) return Vote::KEEP;
    vote = Vote::SWAP;
  }
  return vote;
}

}  // namespace

Dims memory_order(size_t ndim, std::span<const View* const> views) {
  Dims order(ndim);
  std::iota(order.begin(), order.end(), 0);
  // An insertion: an axis moves in front of those that must be faster.
  for (size_t axis = ndim; axis-- > 0;) {
    size_t place = axis;
    for (size_t next = axis + 1; next < ndim; ++next) {
      const Vote vote = vote_of(size_t(order[axis]), size_t(order[next]), views);
      if (vote == Vote::KEEP) break;
      if (vote == Vote::SWAP) place = next;
    }
    std::rotate(order.begin() + axis, order.begin() + axis + 1, order.begin() + place + 1);
  }
  return order;
}

bool is_standard(const Dims& order) noexcept {
  for (size_t axis = 0; axis < order.size(); ++axis)
    if (order[axis] != int64_t(axis)) return false;
  return true;
}

View reordered(const View& view, const Dims& order) {
  View result{.offset = view.offset, .part = view.part, .read_only = view.read_only};
  for (const int64_t axis : order) {
    result.shape.push_back(view.shape[size_t(axis)]);
    result.strides.push_back(view.strides[size_t(axis)]);
  }
  return result;
}

View unordered(const Dims& shape, const Dims& order) {
  const Dims strides = dense_strides(shape);
  View result{.shape = Dims(shape.size()), .strides = Dims(shape.size())};
  for (size_t axis = 0; axis < order.size(); ++axis) {
    result.shape[size_t(order[axis])] = shape[axis];
    result.strides[size_t(order[axis])] = strides[axis];
  }
  return result;
}

}  // namespace cucore::array
