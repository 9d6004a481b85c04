// SPDX-License-Identifier: Apache-2.0
#include "array/plan/access.hpp"

#include "array/model/composition.hpp"

namespace cucore::array {
namespace {

View without_part(const View& view) {
  View result = view;
  result.part = Part::WHOLE;
  result.read_only = false;
  return result;
}

}  // namespace

std::optional<Access> composed(const Access& access, const View& view) {
  const View plain = without_part(view);
  if (!access.inner) {
    if (auto outer = composed(access.outer, plain)) return Access{.outer = std::move(*outer)};
    return Access{.outer = access.outer, .inner = plain};
  }
  if (auto inner = composed(*access.inner, plain))
    return Access{.outer = access.outer, .inner = std::move(*inner)};
  return {};
}

Access extended(Access access, const Dims& sizes) {
  for (const int64_t size : sizes) {
    access.outer.shape.push_back(size);
    access.outer.strides.push_back(0);
  }
  return access;
}

Access identity_access(const Dims& shape) { return {.outer = dense(shape)}; }

bool is_constant_from(const Access& access, size_t axis) noexcept {
  for (size_t at = axis; at < access.outer.ndim(); ++at)
    if (access.outer.strides[at] != 0 && access.outer.shape[at] != 1) return false;
  return true;
}

}  // namespace cucore::array
