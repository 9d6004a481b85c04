// SPDX-License-Identifier: Apache-2.0
// Reductions inside the kernels of their users.
#include <algorithm>
#include <functional>
#include <numeric>

#include "array/plan/partition.hpp"

namespace cucore::array {
namespace {

int64_t product(std::span<const int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// The number of leading axes that leaves `count` elements to the others; nothing if none does.
std::optional<size_t> split_of(const Dims& sizes, int64_t count) {
  int64_t behind = 1;
  for (size_t at = sizes.size();; --at) {
    if (behind == count) return at;
    if (at == 0) return {};
    behind *= sizes[at - 1];
  }
}

View leading_axes(const View& view, size_t count) {
  View result{.offset = view.offset};
  for (size_t axis = 0; axis < count; ++axis) {
    result.shape.push_back(view.shape[axis]);
    result.strides.push_back(view.strides[axis]);
  }
  return result;
}

// Whether each row of the space asks for another element of the value, and each element once.
bool is_one_per_row(const Access& access, const Space& space, int64_t count) {
  return !access.inner && is_constant_from(access, space.outer.size()) &&
         covers(leading_axes(access.outer, space.outer.size()), count);
}

int64_t columns_of(const Space& space) {
  return product(std::span(space.outer.begin(), space.outer.end()).last(space.columns));
}

// The rows of a space without inner axes are split off at its end: softmax.
std::optional<Space> split_space(const Space& present, const Space& own) {
  if (own.family != KernelFamily::ROWS) return {};
  const auto split = split_of(present.outer, product(own.inner));
  if (!split) return {};
  const std::span sizes(present.outer.begin(), present.outer.end());
  return Space{.family = KernelFamily::ROWS,
               .outer = Dims(sizes.first(*split)),
               .inner = Dims(sizes.subspan(*split))};
}

// The space of the users becomes the outer part: sqrt(sum(x)).
std::optional<Space> epilogue_space(const Space& present, const Space& own) {
  if (present.outer.size() + own.inner.size() > Dims::MAX) return {};
  Space space{.family = own.family, .outer = present.outer, .inner = own.inner};
  if (own.columns == 0) return space;
  const auto split = split_of(present.outer, columns_of(own));
  if (!split) return {};
  space.columns = present.outer.size() - *split;
  return space;
}

bool accepts(const Space& space, const Space& own) {
  return space.family == own.family && product(space.inner) == product(own.inner) &&
         columns_of(space) == columns_of(own);
}

}  // namespace

std::optional<Access> element_access(const Value& value, size_t operand, const Space& space,
                                     const Access& access) {
  const int64_t length = product(space.inner);
  View rows = access.outer;
  rows.offset *= length;
  for (size_t axis = 0; axis < space.outer.size(); ++axis) rows.strides[axis] *= length;
  const Dims inner = dense_strides(space.inner);
  for (size_t axis = 0; axis < space.inner.size(); ++axis)
    rows.strides[space.outer.size() + axis] = inner[axis];
  const auto place = composed(Access{.outer = std::move(rows)}, operand_access(value).outer);
  if (!place) return {};
  return composed(*place, value.operands()[operand].view);
}

std::optional<Space> Partition::space_with(const Value& value,
                                           const std::vector<Place>& places) const {
  const Space& present = groups_[places[0].group].space;
  const Space own = space_of(value);
  const auto suits = [&](const Space& space) {
    return std::all_of(places.begin(), places.end(), [&](const Place& place) {
      return is_one_per_row(extended_to(place.access, space), space, value.count);
    });
  };
  if (!present.inner.empty()) {
    const bool before = std::any_of(places.begin(), places.end(),
                                    [](const Place& place) { return place.before_reduction; });
    if (before && present.family != KernelFamily::ROWS) return {};
    return accepts(present, own) && suits(present) ? std::optional(present) : std::nullopt;
  }
  const auto width = static_cast<int64_t>(size_of(value.operands()[0].dtype()));
  if (product(own.inner) * width <= limits_.row_bytes)
    if (auto split = split_space(present, own); split && suits(*split)) return split;
  auto epilogue = epilogue_space(present, own);
  const bool identical = std::all_of(places.begin(), places.end(), [&](const Place& place) {
    return !place.access.inner && is_identity(place.access.outer, value.count);
  });
  return epilogue && identical ? epilogue : std::nullopt;
}

// Kernels of reductions write where their elements are, and not where indices point to.
bool Partition::writes_through_indices(const Place& place) const {
  const Value& output = *groups_[place.group].outputs[0];
  return output.kind == ValueKind::UPDATE && !output.indices.empty();
}

bool Partition::takes_reduction(const Value& value, const std::vector<Place>& places) {
  if (!fits(value, places)) return false;
  for (const Place& place : places)
    if (writes_through_indices(place)) return false;
  const auto space = space_with(value, places);
  if (!space) return false;
  for (const Place& place : places)
    for (size_t at = 0; at < value.operands().size(); ++at)
      if (!element_access(value, at, *space, extended_to(place.access, *space))) return false;
  groups_[places[0].group].space = *space;
  return true;
}

}  // namespace cucore::array
