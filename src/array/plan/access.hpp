// SPDX-License-Identifier: Apache-2.0
// How a kernel finds the element of a dense value that belongs to an index of its space.
#pragma once

#include <cstdint>
#include <optional>

#include "array/model/view.hpp"

namespace cucore::array {

// The outer view returns a position. Without an inner view it is the position of the element. An
// inner view has the shape of a dense array, and the position is one of this array. The kernel
// divides it into indices of the inner view, which returns the position of the element.
struct Access {
  View outer;
  std::optional<View> inner = {};

  friend bool operator==(const Access&, const Access&) = default;
};

// The access of an operand: `access` finds elements of a value, and `view` shows the operand with
// the shape of this value. Returns nothing if a second division were needed.
std::optional<Access> composed(const Access& access, const View& view);

// Adds axes at the end along which the access does not move.
Access extended(Access access, const Dims& sizes);
Access identity_access(const Dims& shape);
bool is_constant_from(const Access& access,
                      size_t axis) noexcept;  // on this axis and those after it

}  // namespace cucore::array
