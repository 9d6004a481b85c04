// SPDX-License-Identifier: Apache-2.0
#include "array/model/composition.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace cucore::array {
namespace {

using Digits = std::vector<int64_t>;  // a number per axis of the inner shape

enum class Rounding { DOWN, NEAREST, NEAREST_UP };
constexpr Rounding ROUNDINGS[] = {Rounding::DOWN, Rounding::NEAREST, Rounding::NEAREST_UP};

bool rounds_away(int64_t rest, int64_t stride, Rounding rounding) {
  const int64_t twice = 2 * std::abs(rest);  // |rest| < stride
  return rounding == Rounding::NEAREST ? twice > stride
                                       : rounding == Rounding::NEAREST_UP && twice >= stride;
}

// Writes `number` as a sum of multiples of the dense strides. A step of a slice is found by
// rounding down, one along an antidiagonal by rounding to the nearest multiple.
Digits digits_of(int64_t number, const Dims& dense, Rounding rounding) {
  Digits digits;
  int64_t rest = number;
  for (const int64_t stride : dense) {
    int64_t digit = rest / stride;
    rest -= digit * stride;
    if (stride > 1 && rounds_away(rest, stride, rounding)) {
      const int64_t sign = rest < 0 ? -1 : 1;
      digit += sign;
      rest -= sign * stride;
    }
    digits.push_back(digit);
  }
  return digits;
}

// The indices of `inner` that an axis of `outer` reaches, as numbers per axis of `inner`.
struct Box {
  Digits low, high;

  bool add(const Digits& step, int64_t last) {
    for (size_t each = 0; each < low.size(); ++each) {
      int64_t reach = 0;
      if (__builtin_mul_overflow(step[each], last, &reach)) return false;
      (reach < 0 ? low : high)[each] += reach;
    }
    return true;
  }
  bool is_inside(const Dims& shape) const {
    for (size_t each = 0; each < low.size(); ++each)
      if (low[each] < 0 || high[each] >= shape[each]) return false;
    return true;
  }
};

// The digits of each axis of `outer`, if no sum of them leaves an axis of `inner`.
std::optional<std::vector<Digits>> steps_of(const View& outer, const Digits& first,
                                            const View& inner, const Dims& dense) {
  std::vector<Digits> steps;
  Box all{first, first};
  for (size_t axis = 0; axis < outer.ndim(); ++axis) {
    const int64_t last = outer.shape[axis] - 1;
    if (last == 0) {
      steps.emplace_back(inner.ndim(), 0);
      continue;
    }
    for (const Rounding rounding : ROUNDINGS) {
      Digits step = digits_of(outer.strides[axis], dense, rounding);
      Box alone{first, first};
      if (!alone.add(step, last) || !alone.is_inside(inner.shape)) continue;
      all.add(step, last);
      steps.push_back(std::move(step));
      break;
    }
    if (steps.size() == axis) return {};
  }
  if (!all.is_inside(inner.shape)) return {};
  return steps;
}

int64_t weighted(const Digits& digits, const View& inner) {
  int64_t sum = 0;
  for (size_t each = 0; each < inner.ndim(); ++each) sum += digits[each] * inner.strides[each];
  return sum;
}

bool joins(std::span<View* const> views, size_t axis) {  // with the axis after it
  return std::all_of(views.begin(), views.end(), [&](const View* view) {
    return view->strides[axis] == view->strides[axis + 1] * view->shape[axis + 1];
  });
}

}  // namespace

std::optional<View> composed(const View& outer, const View& inner) {
  View result = outer;
  result.part = inner.part != Part::WHOLE ? inner.part : outer.part;
  result.read_only = outer.read_only || inner.read_only;
  if (is_empty(outer)) {
    result.offset = inner.offset;
    return result;
  }
  const Dims dense = dense_strides(inner.shape);
  const Digits first = digits_of(outer.offset, dense, Rounding::DOWN);
  const auto steps = steps_of(outer, first, inner, dense);
  if (!steps) return {};
  result.offset = inner.offset + weighted(first, inner);
  for (size_t axis = 0; axis < outer.ndim(); ++axis)
    result.strides[axis] = weighted((*steps)[axis], inner);
  return result;
}

void collapse(std::span<View* const> views) {
  for (size_t axis = views[0]->ndim(); axis-- > 0;) {
    const bool single = views[0]->shape[axis] == 1;
    const bool joined = !single && axis + 1 < views[0]->ndim() && joins(views, axis);
    if (!single && !joined) continue;
    for (View* view : views) {
      if (joined) view->shape[axis + 1] *= view->shape[axis];
      view->shape.erase(axis);
      view->strides.erase(axis);
    }
  }
}

}  // namespace cucore::array
